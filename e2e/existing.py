"""The items of the source designs as their articles write them, with what the models of `models/existing` must
answer: for `test_existing.py`."""

from dataclasses import dataclass, field


@dataclass
class Ask:
    """A pattern with its arguments, and of each item that it returns the kind and some attributes."""

    words: list
    expected: list


@dataclass
class Write:
    """A named write with its arguments, and whole items that are stored afterwards, by table."""

    words: list
    stored: list


@dataclass
class Broken:
    """An item that does not fit, and the kind of finding that reports it."""

    table: str
    item: dict
    finding: str


@dataclass
class Design:
    """Tables, items by table, and what is expected of them. `ids` are those of the design's patterns."""

    ids: str
    tables: list
    items: dict
    kinds: dict
    asks: list
    writes: list = field(default_factory=list)
    broken: list = field(default_factory=list)


def table(name, key, indexes=(), numbers=(), **settings):
    """A table on demand; indexes are (name, is it global, its key)."""

    def schema(names):
        return [{"AttributeName": name, "KeyType": kind} for name, kind in zip(names, ("HASH", "RANGE"))]

    definition = {
        "TableName": name,
        "KeySchema": schema(key),
        "BillingMode": "PAY_PER_REQUEST",
        **settings,
    }
    names = list(key)
    for index, is_global, index_key in indexes:
        kind = "GlobalSecondaryIndexes" if is_global else "LocalSecondaryIndexes"
        one = {"IndexName": index, "KeySchema": schema(index_key), "Projection": {"ProjectionType": "ALL"}}
        definition.setdefault(kind, []).append(one)
        names += index_key
    definition["AttributeDefinitions"] = [
        {"AttributeName": name, "AttributeType": "N" if name in numbers else "S"} for name in dict.fromkeys(names)
    ]
    return definition


ALLEYCAT = Design(
    ids="A1_A5",
    tables=[
        table(
            "Leaderboard",
            ("PK", "SK"),
            [("ByNumeric", False, ("PK", "Numeric")), ("Inverted", True, ("SK", "Numeric"))],
            numbers=("Numeric",),
        )
    ],
    items={
        "Leaderboard": [
            {"PK": "class-1", "SK": "class-1", "Name": "Hills"},
            {"PK": "class-1", "SK": "race-1", "Numeric": 1_700_000_000},
            {"PK": "class-1", "SK": "race-2", "Numeric": 1_600_000_000},
            {"PK": "class-1", "SK": "racer-jean-luc@x.org", "Score": 310},
            {"PK": "class-1", "SK": "racer-9b2e5f2a-7c1d-4e0f-8a9b-0c1d2e3f4a5b", "Score": 280},
            {
                "PK": "racer-jean-luc@x.org",
                "SK": "race-1",
                "Numeric": 310,
                "Performance": [{"s": 0, "output": 150}, {"s": 1, "output": 160}],
            },
            {"PK": "racer-jean-luc@x.org", "SK": "race-2", "Numeric": 120},
            {"PK": "racer-9b2e5f2a-7c1d-4e0f-8a9b-0c1d2e3f4a5b", "SK": "race-1", "Numeric": 280},
        ]
    },
    kinds={"Class": 1, "Race": 2, "Best": 2, "Result": 3},
    asks=[
        Ask(
            ["results_of_racer", "racerId=jean-luc@x.org"],
            [
                ("Result", {"racerId": "jean-luc@x.org", "raceId": "1", "Numeric": 310}),
                ("Result", {"racerId": "jean-luc@x.org", "raceId": "2", "Numeric": 120}),
            ],
        ),
        Ask(
            ["races_of_class", "classId=1"],
            [("Race", {"classId": "1", "raceId": "2"}), ("Race", {"classId": "1", "raceId": "1"})],
        ),
        Ask(
            ["best_of_class", "classId=1"],
            [
                ("Best", {"racerId": "9b2e5f2a-7c1d-4e0f-8a9b-0c1d2e3f4a5b", "Score": 280}),
                ("Best", {"racerId": "jean-luc@x.org", "Score": 310}),
            ],
        ),
        Ask(
            ["leaderboard", "raceId=1"],
            [
                ("Race", {"classId": "1", "Numeric": 1_700_000_000}),
                ("Result", {"racerId": "jean-luc@x.org", "Numeric": 310}),
                ("Result", {"racerId": "9b2e5f2a-7c1d-4e0f-8a9b-0c1d2e3f4a5b", "Numeric": 280}),
            ],
        ),
        Ask(
            ["performance", "racerId=jean-luc@x.org", "raceId=1"],
            [("Result", {"Performance": [{"s": 0, "output": 150}, {"s": 1, "output": 160}]})],
        ),
    ],
    broken=[
        Broken("Leaderboard", {"PK": "class-1", "SK": "race-3", "Numeric": Ellipsis}, "missing_attribute"),
        Broken("Leaderboard", {"PK": "horse-1", "SK": "race-1"}, "unknown_item"),
    ],
)
# An item without the attribute at all.
del ALLEYCAT.broken[0].item["Numeric"]

SHOP = Design(
    ids="E1_E7",
    tables=[table("ECommerce", ("PK", "SK"), [("GSI1", True, ("GSI1PK", "GSI1SK"))])],
    items={
        "ECommerce": [
            {"PK": "USER#u#1", "SK": "PROFILE", "entityType": "User", "email": "ada@example.com", "name": "Ada"},
            {
                "PK": "USER#u#1",
                "SK": "ORDER#2024-01-15#o-1",
                "entityType": "Order.summary",
                "total": 100,
                "status": "pending",
            },
            {
                "PK": "ORDER#o-1",
                "SK": "META",
                "GSI1PK": "STATUS#pending",
                "GSI1SK": "ORDER#2024-01-15#o-1",
                "entityType": "Order",
                "userId": "u#1",
                "total": 100,
                "status": "pending",
            },
            {
                "PK": "ORDER#o-1",
                "SK": "ITEM#1",
                "entityType": "OrderItem",
                "productId": "p-1",
                "quantity": 2,
                "price": 50,
            },
            {"PK": "PRODUCT#p-1", "SK": "INFO", "entityType": "Product", "name": "Cup", "price": 50},
        ]
    },
    kinds={"User": 1, "Order": 1, "Order.summary": 1, "OrderItem": 1, "Product": 1},
    asks=[
        Ask(["user", "userId=u#1"], [("User", {"userId": "u#1", "name": "Ada"})]),
        Ask(
            ["orders_of_user", "userId=u#1"],
            [("Order.summary", {"orderId": "o-1", "userId": "u#1", "date": "2024-01-15", "total": 100})],
        ),
        Ask(
            ["order_with_items", "orderId=o-1"],
            [
                ("OrderItem", {"orderId": "o-1", "itemId": "1", "quantity": 2}),
                ("Order", {"orderId": "o-1", "userId": "u#1", "date": "2024-01-15"}),
            ],
        ),
        Ask(["items_of_order", "orderId=o-1"], [("OrderItem", {"itemId": "1"})]),
        Ask(["product", "productId=p-1"], [("Product", {"productId": "p-1", "name": "Cup"})]),
        Ask(["orders_by_status", "status=pending"], [("Order", {"orderId": "o-1", "date": "2024-01-15"})]),
        Ask(["recent_orders", "userId=u#1", "since=2024-01-15"], [("Order.summary", {"orderId": "o-1"})]),
        Ask(["recent_orders", "userId=u#1", "since=2024-01-16"], []),
        Ask(["recent_orders_by_status", "status=pending", "since=2024-01-01"], [("Order", {"orderId": "o-1"})]),
    ],
    broken=[
        Broken(
            "ECommerce",
            {
                "PK": "USER#u#1",
                "SK": "ORDER#2024-01-15#o-1",
                "entityType": "Order.summary",
                "total": 90,
                "status": "pending",
            },
            "copy_stale",
        ),
        Broken(
            "ECommerce",
            {
                "PK": "ORDER#o-1",
                "SK": "META",
                "GSI1PK": "STATUS#shipped",
                "GSI1SK": "ORDER#2024-01-15#o-1",
                "entityType": "Order",
                "userId": "u#1",
                "total": 100,
                "status": "pending",
            },
            "index_key",
        ),
    ],
)

MYAPP = Design(
    ids="M1_M7",
    tables=[table("MyApp", ("PK", "SK"), [("GSI1", True, ("GSI1PK", "GSI1SK")), ("GSI2", True, ("GSI2PK",))])],
    items={
        "MyApp": [
            {"PK": "USER#42", "SK": "PROFILE", "GSI1PK": "EMAIL#a@b.c", "GSI1SK": "PROFILE", "name": "Ada"},
            {
                "PK": "USER#42",
                "SK": "ORDER#2024-01-15#00001001",
                "GSI1PK": "ORDER#00001001",
                "GSI1SK": "METADATA",
                "GSI2PK": "STATUS#pending",
                "total": 30,
                "status": "pending",
            },
            {
                "PK": "USER#42",
                "SK": "ORDER#2024-02-01#00001002",
                "GSI1PK": "ORDER#00001002",
                "GSI1SK": "METADATA",
                "total": 12,
                "status": "paid",
            },
            {"PK": "USER#42", "SK": "ADDRESS#home", "street": "Main Street 1", "city": "Springfield"},
            {"PK": "PRODUCT#SKU-123", "SK": "METADATA", "name": "Cup", "price": 5, "stock": 10},
            {"PK": "ORDER#1001", "SK": "ITEM#1", "sku": "SKU-123", "quantity": 6},
        ]
    },
    kinds={"User": 1, "Order": 2, "Address": 1, "Product": 1, "OrderItem": 1},
    asks=[
        Ask(["user", "userId=42"], [("User", {"userId": 42, "email": "a@b.c", "name": "Ada"})]),
        Ask(["users_by_email", "email=a@b.c"], [("User", {"userId": 42, "email": "a@b.c"})]),
        Ask(
            ["orders_of_user", "userId=42"],
            [("Order", {"orderId": 1002, "orderDate": "2024-02-01"}), ("Order", {"orderId": 1001, "total": 30})],
        ),
        Ask(["orders_by_id", "orderId=1001"], [("Order", {"userId": 42, "orderDate": "2024-01-15"})]),
        Ask(["pending_orders"], [("Order", {"orderId": 1001})]),
        Ask(
            ["user_overview", "userId=42"],
            [
                ("Address", {"label": "home", "userId": 42}),
                ("Order", {"orderId": 1001}),
                ("Order", {"orderId": 1002}),
                ("User", {"email": "a@b.c"}),
            ],
        ),
        Ask(["product", "sku=SKU-123"], [("Product", {"sku": "SKU-123", "stock": 10})]),
        Ask(["items_of_order", "orderId=1001"], [("OrderItem", {"orderId": 1001, "line": 1, "quantity": 6})]),
    ],
    writes=[
        Write(
            ["place_order", "userId=42", "orderDate=2024-03-01", "orderId=1003", "total=10", "status=pending"]
            + ["sku=SKU-123", "quantity=2"],
            [
                (
                    "MyApp",
                    {
                        "PK": "USER#42",
                        "SK": "ORDER#2024-03-01#00001003",
                        "GSI1PK": "ORDER#00001003",
                        "GSI1SK": "METADATA",
                        "GSI2PK": "STATUS#pending",
                        "total": 10,
                        "status": "pending",
                    },
                ),
                ("MyApp", {"PK": "PRODUCT#SKU-123", "SK": "METADATA", "name": "Cup", "price": 5, "stock": 8}),
            ],
        )
    ],
    broken=[
        Broken(
            "MyApp",
            {
                "PK": "USER#42",
                "SK": "ORDER#2024-02-01#00001002",
                "GSI1PK": "ORDER#00001002",
                "GSI1SK": "METADATA",
                "GSI2PK": "STATUS#pending",
                "total": 12,
                "status": "paid",
            },
            "index_key",
        ),
        Broken("MyApp", {"PK": "USER#42", "SK": "ORDER#2024-02-01#1002", "total": 1, "status": "paid"}, "unknown_item"),
    ],
)

SANTA = Design(
    ids="S1_S9",
    tables=[table("Letters", ("PK", "SK"), [("ByToy", True, ("STRING1", "SK"))])],
    items={
        "Letters": [
            {
                "PK": "LETTER",
                "SK": "LETTER#3476#SUMMARY",
                "TotalPrice": 35,
                "Address": "North Street",
                "Date Received": "2023-12-01",
                "History": '{"toys": [{"id": "12", "price": 10}]}',
            },
            {"PK": "LETTER", "SK": "LETTER#3476#TOY#12", "STRING1": "TOY#12", "Quantity": 2, "Price": 10},
            {"PK": "LETTER", "SK": "LETTER#3476#TOY#13", "STRING1": "TOY#13", "Quantity": 1, "Price": 15},
            {"PK": "LETTER", "SK": "LETTER#3477#TOY#12", "STRING1": "TOY#12", "Quantity": 1, "Price": 10},
            {
                "PK": "LETTER",
                "SK": "LETTER#3477#SUMMARY",
                "TotalPrice": 10,
                "Address": "South Street",
                "Date Received": "2023-12-02",
                "History": "{}",
            },
            {"PK": "TOY", "SK": "TOY#12", "Name": "Train", "Description": "A wooden train", "Price": 10},
            {"PK": "TOY", "SK": "TOY#13", "Name": "Bear", "Description": "A brown bear", "Price": 15},
        ]
    },
    kinds={"Letter": 2, "Wish": 3, "Toy": 2},
    asks=[
        Ask(["toys"], [("Toy", {"toyId": "12", "Name": "Train"}), ("Toy", {"toyId": "13", "Price": 15})]),
        Ask(["toy", "toyId=12"], [("Toy", {"toyId": "12"})]),
        Ask(
            ["letters"],
            [
                ("Letter", {"letterId": "3476"}),
                ("Wish", {"letterId": "3476", "toyId": "12"}),
                ("Wish", {"letterId": "3476", "toyId": "13"}),
                ("Letter", {"letterId": "3477"}),
                ("Wish", {"letterId": "3477", "toyId": "12"}),
            ],
        ),
        Ask(
            ["letter", "letterId=3476"],
            [
                ("Letter", {"letterId": "3476", "TotalPrice": 35, "Date Received": "2023-12-01"}),
                ("Wish", {"toyId": "12", "Quantity": 2, "Price": 10}),
                ("Wish", {"toyId": "13", "Quantity": 1, "Price": 15}),
            ],
        ),
        Ask(
            ["demand", "toyId=12"],
            [("Wish", {"letterId": "3476", "Quantity": 2}), ("Wish", {"letterId": "3477", "Quantity": 1})],
        ),
    ],
    writes=[
        Write(
            ["create_toy", "toyId=14", "Name=Ball", "Description=Red", "Price=3"],
            [("Letters", {"PK": "TOY", "SK": "TOY#14", "Name": "Ball", "Description": "Red", "Price": 3})],
        )
    ],
    broken=[
        Broken("Letters", {"PK": "LETTER", "SK": "LETTER#3478#TOY#12", "Quantity": 1, "Price": 10}, "index_key"),
        Broken(
            "Letters",
            {"PK": "TOY", "SK": "TOY#13", "Name": "Bear", "Description": "A brown bear", "Price": "15"},
            "wrong_type",
        ),
    ],
)

BOOKMARKS = Design(
    ids="N1",
    tables=[table("Annotations", ("Annotation-Id", "Annotation-Type"))],
    items={
        "Annotations": [
            {
                "Annotation-Id": "Cust1:Book1xxx:pdf",
                "Annotation-Type": "Lastread",
                "Description": {"device-type": "tablet", "page": 12},
            },
            {
                "Annotation-Id": "Cust1:Book1xxx:pdf",
                "Annotation-Type": "Highlight",
                "Description": {"device-type": "phone", "page": 3, "positions": [7, 9]},
            },
        ]
    },
    kinds={"Annotation": 2},
    asks=[
        Ask(
            ["annotations", "customer=Cust1", "book=Book1xxx", "format=pdf"],
            [
                ("Annotation", {"kind": "Highlight", "customer": "Cust1", "book": "Book1xxx", "format": "pdf"}),
                ("Annotation", {"kind": "Lastread", "Description": {"device-type": "tablet", "page": 12}}),
            ],
        ),
        Ask(
            ["annotation", "customer=Cust1", "book=Book1xxx", "format=pdf", "kind=Lastread"],
            [("Annotation", {"kind": "Lastread"})],
        ),
    ],
    writes=[
        Write(
            ["turn_page", "customer=Cust1", "book=Book1xxx", "format=pdf", "kind=Lastread"]
            + ['Description={"device-type": "phone", "page": 13}'],
            [
                (
                    "Annotations",
                    {
                        "Annotation-Id": "Cust1:Book1xxx:pdf",
                        "Annotation-Type": "Lastread",
                        "Description": {"device-type": "phone", "page": 13},
                    },
                )
            ],
        )
    ],
    broken=[
        Broken(
            "Annotations",
            {
                "Annotation-Id": "Cust1:Book1xxx:djvu",
                "Annotation-Type": "Lastread",
                "Description": {"device-type": "phone", "page": 13},
            },
            "unknown_item",
        )
    ],
)

ORDERS_WITH_ADDRESS = Design(
    ids="N2",
    tables=[table("CustomerOrders", ("Custid", "Transaction_Id"), numbers=("Custid",))],
    items={
        "CustomerOrders": [
            {
                "Custid": 7,
                "Transaction_Id": transaction,
                "Order Date": "2024-01-15",
                "Amount (USD)": amount,
                "Delivery.Code": "10-1",
                "Street": "Main Street 1",
                "City": "Springfield",
                "Zip#": "62701",
            }
            for transaction, amount in (("T#1", 10), ("T#2", 20))
        ]
    },
    kinds={"CustomerOrder": 2},
    asks=[
        Ask(
            ["orders_of_customer", "Custid=7"],
            [
                ("CustomerOrder", {"Transaction_Id": "T#1", "Amount (USD)": 10, "Zip#": "62701"}),
                ("CustomerOrder", {"Transaction_Id": "T#2", "Delivery.Code": "10-1"}),
            ],
        ),
        Ask(["order_of_customer", "Custid=7", "Transaction_Id=T#2"], [("CustomerOrder", {"Amount (USD)": 20})]),
    ],
)

FREIGHT = Design(
    ids="N3",
    tables=[table("Containers", ("Container-Id",)), table("Goods", ("Item-Id",))],
    items={
        "Containers": [{"Container-Id": "C-1", "Shipments": ["I-0"], "FreeCapacity": 1}],
        "Goods": [
            {"Item-Id": "I-0", "Description": "Piano", "ContainerId": "C-1"},
            {"Item-Id": "I-1", "Description": "Chairs"},
        ],
    },
    kinds={"Container": 1, "Item": 2},
    asks=[
        Ask(["container", "Container-Id=C-1"], [("Container", {"FreeCapacity": 1, "Shipments": ["I-0"]})]),
        Ask(["item", "Item-Id=I-1"], [("Item", {"Description": "Chairs"})]),
    ],
    writes=[
        Write(
            ["assign", "Container-Id=C-1", "Item-Id=I-1"],
            [
                ("Containers", {"Container-Id": "C-1", "Shipments": ["I-0", "I-1"], "FreeCapacity": 0}),
                ("Goods", {"Item-Id": "I-1", "Description": "Chairs", "ContainerId": "C-1"}),
            ],
        )
    ],
    broken=[Broken("Goods", {"Item-Id": "I-2", "Description": 5}, "wrong_type")],
)

SMART_HOME = Design(
    ids="N4",
    tables=[
        {
            **table("DeviceStatus", ("DeviceId",)),
            "BillingMode": "PROVISIONED",
            "ProvisionedThroughput": {"ReadCapacityUnits": 50, "WriteCapacityUnits": 25},
        },
        table("DeviceActivity", ("DeviceId", "Timestamp"), numbers=("Timestamp",)),
    ],
    items={
        "DeviceStatus": [{"DeviceId": "lamp-1", "Status": "on", "LastSeen": 1_700_000_100}],
        "DeviceActivity": [
            {"DeviceId": "lamp-1", "Timestamp": 1_700_000_000 + n, "Event": "motion"} for n in (0, 10, 20)
        ],
    },
    kinds={"Status": 1, "Activity": 3},
    asks=[
        Ask(["status", "DeviceId=lamp-1"], [("Status", {"Status": "on"})]),
        Ask(
            ["activity", "DeviceId=lamp-1", "--limit", "2"],
            [("Activity", {"Timestamp": 1_700_000_020}), ("Activity", {"Timestamp": 1_700_000_010})],
        ),
        Ask(
            ["activity_between", "DeviceId=lamp-1", "from=1700000000", "to=1700000010"],
            [("Activity", {"Timestamp": 1_700_000_000}), ("Activity", {"Timestamp": 1_700_000_010})],
        ),
    ],
)

SALES_VIEW = Design(
    ids="N5",
    tables=[
        table(
            "Sales",
            ("PK", "SK"),
            StreamSpecification={"StreamEnabled": True, "StreamViewType": "NEW_AND_OLD_IMAGES"},
        ),
        table("Totals", ("PK",)),
    ],
    items={
        "Sales": [
            {"PK": "PRODUCT#p-1", "SK": "SALE#2024-01-15T10:00:00Z#s#1", "amount": 10},
            {"PK": "PRODUCT#p-1", "SK": "SALE#2024-01-16T10:00:00Z#s#2", "amount": 5},
        ],
        "Totals": [{"PK": "PRODUCT#p-1", "sales": 2, "turnover": 15}],
    },
    kinds={"Sale": 2, "Total": 1},
    asks=[
        Ask(["total", "productId=p-1"], [("Total", {"productId": "p-1", "sales": 2, "turnover": 15})]),
        Ask(
            ["sales", "productId=p-1"],
            [("Sale", {"saleId": "s#2", "soldAt": "2024-01-16T10:00:00Z"}), ("Sale", {"saleId": "s#1", "amount": 10})],
        ),
        Ask(["sales_since", "productId=p-1", "since=2024-01-16T00:00:00Z"], [("Sale", {"saleId": "s#2"})]),
    ],
    broken=[Broken("Sales", {"PK": "PRODUCT#p-1", "SK": "SALE#yesterday#s#3", "amount": 1}, "unknown_item")],
)

READINGS = Design(
    ids="N6",
    tables=[table("Readings_2024_01", ("PK", "SK")), table("Readings_2024_02", ("PK", "SK"))],
    items={
        "Readings_2024_01": [{"PK": "SENSOR#roof", "SK": "2024-01-31T23:00:00Z", "value": 4}],
        "Readings_2024_02": [{"PK": "SENSOR#roof", "SK": "2024-02-01T01:00:00Z", "value": 5}],
    },
    kinds={"Reading": 2},
    asks=[
        Ask(["reading", "sensorId=roof", "at=2024-02-01T01:00:00Z"], [("Reading", {"sensorId": "roof", "value": 5})]),
    ],
    broken=[Broken("Readings_2024_01", {"PK": "SENSOR#roof", "SK": "2024-02-02T00:00:00Z", "value": 1}, "key")],
)

DESIGNS = {
    "alleycat": ALLEYCAT,
    "shop": SHOP,
    "myapp": MYAPP,
    "santa": SANTA,
    "bookmarks": BOOKMARKS,
    "orders_with_address": ORDERS_WITH_ADDRESS,
    "freight": FREIGHT,
    "smart_home": SMART_HOME,
    "sales_view": SALES_VIEW,
    "readings": READINGS,
}

"""Every pattern of the example models, asked four ways: by `keyfold run`, by boto3, and by both clients of
the AWS SDK for JavaScript. The requests in `patterns.json` are written by hand, so that the compiler's plans
are checked by somebody else's. All must agree, with the items that are expected."""

import json
import pathlib
import subprocess
import unittest
from decimal import Decimal

import boto3
from boto3.dynamodb.types import TypeDeserializer

from server import MODELS, Server

HERE = pathlib.Path(__file__).resolve().parent
FIXTURE = json.loads((HERE / "patterns.json").read_text())
KEYS = {"PK", "SK", "GSI1PK", "GSI1SK", "GSI2PK", "entity"}


def plain(item):
    """An item without keys, every value as text: the same whatever client read it."""

    def text(value):
        if isinstance(value, bool):
            return value
        if isinstance(value, (Decimal, int, float)):
            return format(Decimal(str(value)).normalize(), "f")
        return value

    return {name: text(value) for name, value in item.items() if name not in KEYS}


def started(tests):
    """A server that is stopped after the tests of a class, also when their setup fails."""
    server = Server()

    def stop():
        assert server.stop() == 0

    tests.addClassCleanup(stop)
    return server


class Patterns(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.server = started(cls)
        for model, rows in FIXTURE["sample"].items():
            cls.server.load(model, rows)
        cls.client = boto3.client(
            "dynamodb",
            endpoint_url=cls.server.endpoint,
            region_name="us-east-1",
            aws_access_key_id="local",
            aws_secret_access_key="local",
        )
        done = subprocess.run(
            ["node", str(HERE / "run_patterns.mjs"), cls.server.endpoint],
            capture_output=True,
            text=True,
            timeout=120,
        )
        if done.returncode != 0:
            raise AssertionError(done.stderr)
        cls.javascript = json.loads(done.stdout)

    def check(self, pattern):
        arguments = ("run", MODELS[pattern["model"]], pattern["pattern"], *pattern["arguments"])
        ran = self.server.keyfold(*arguments)
        self.assertEqual(ran["requests"], 1)
        self.assertEqual(ran["request"]["operation"], pattern["operation"])
        self.assertEqual(ran["request"]["index"], pattern["request"].get("IndexName"))
        by_model = [plain(item["attributes"]) for item in ran["items"]]
        self.assertEqual([item.get(pattern["show"]) for item in by_model], pattern["expected"])

        if pattern["operation"] == "GetItem":
            answer = self.client.get_item(**pattern["request"])
            typed = [answer["Item"]] if "Item" in answer else []
        else:
            typed = self.client.query(**pattern["request"])["Items"]
        deserializer = TypeDeserializer()
        by_boto3 = [plain({name: deserializer.deserialize(value) for name, value in item.items()}) for item in typed]
        self.assertEqual(by_boto3, by_model)
        for client in ("client", "document"):
            by_javascript = [plain(item) for item in self.javascript[pattern["id"]][client]]
            self.assertEqual(by_javascript, by_model, client)


def test_of(pattern):
    return lambda self: self.check(pattern)


for one in FIXTURE["patterns"]:
    setattr(Patterns, f"test_{one['id']}_{one['pattern']}", test_of(one))


class PlaceOrder(unittest.TestCase):
    """M7: put the order if it is new and take the stock if enough is left, atomically."""

    @classmethod
    def setUpClass(cls):
        cls.server = started(cls)
        cls.server.load("myapp", FIXTURE["sample"]["myapp"])

    def place(self, order, quantity, code=0):
        arguments = ["userId=42", "orderDate=2024-03-01", f"orderId={order}", "total=1", "status=pending"]
        arguments += ["sku=SKU-123", f"quantity={quantity}"]
        return self.server.keyfold("run", MODELS["myapp"], "place_order", *arguments, code=code)

    def stock(self):
        found = self.server.keyfold("run", MODELS["myapp"], "product", "sku=SKU-123")
        return found["items"][0]["attributes"]["stock"]

    def orders(self):
        found = self.server.keyfold("run", MODELS["myapp"], "orders_of_user", "userId=42", "--all")
        return sorted(item["attributes"]["orderId"] for item in found["items"])

    def test_M7_place_order(self):
        before = self.orders()
        self.assertEqual(self.place(2001, 3)["operation"], "TransactWriteItems")
        self.assertEqual(self.stock(), 2)
        refused = self.place(2002, 3, code=1)
        self.assertIn("stock >= quantity (quantity = 3)", refused["error"]["message"])
        self.assertEqual(self.stock(), 2)
        again = self.place(2001, 1, code=1)
        self.assertIn("exists already", again["error"]["message"])
        self.assertEqual(self.stock(), 2)
        self.assertEqual(self.orders(), sorted(before + [2001]))

    def test_M7_place_order_by_boto3(self):
        client = boto3.client(
            "dynamodb",
            endpoint_url=self.server.endpoint,
            region_name="us-east-1",
            aws_access_key_id="local",
            aws_secret_access_key="local",
        )
        key = {"PK": {"S": "PRODUCT#SKU-7"}, "SK": {"S": "METADATA"}}
        client.put_item(TableName="MyApp", Item={**key, "stock": {"N": "1"}})

        def place(order):
            client.transact_write_items(
                TransactItems=[
                    {
                        "Put": {
                            "TableName": "MyApp",
                            "Item": {"PK": {"S": "USER#7"}, "SK": {"S": f"ORDER#2024-01-15#{order:08}"}},
                            "ConditionExpression": "attribute_not_exists(PK)",
                        }
                    },
                    {
                        "Update": {
                            "TableName": "MyApp",
                            "Key": key,
                            "UpdateExpression": "SET stock = stock - :one",
                            "ConditionExpression": "stock >= :one",
                            "ExpressionAttributeValues": {":one": {"N": "1"}},
                        }
                    },
                ]
            )

        place(1)
        with self.assertRaises(client.exceptions.TransactionCanceledException) as caught:
            place(2)
        codes = [reason["Code"] for reason in caught.exception.response["CancellationReasons"]]
        self.assertEqual(codes, ["None", "ConditionalCheckFailed"])
        self.assertNotIn("Item", client.get_item(TableName="MyApp", Key={"PK": {"S": "USER#7"}, "SK": {"S": "ORDER#2024-01-15#00000002"}}))


class Follow(unittest.TestCase):
    """A change through the model carries keys, index keys, copies and guards along."""

    @classmethod
    def setUpClass(cls):
        cls.server = started(cls)
        cls.server.load("shop", FIXTURE["sample"]["shop"])

    def run_pattern(self, name, *arguments):
        found = self.server.keyfold("run", MODELS["shop"], name, *arguments)
        return [item["attributes"] for item in found["items"]]

    def test_status_moves_in_the_index_and_in_the_copy(self):
        self.server.keyfold("update", MODELS["shop"], "Order", "orderId=o2", "status=shipped")
        pending = [order["orderId"] for order in self.run_pattern("orders_by_status", "status=pending")]
        self.assertEqual(pending, ["o3", "o1"])
        self.assertEqual([o["orderId"] for o in self.run_pattern("orders_by_status", "status=shipped")], ["o2"])
        copies = {order["orderId"]: order["status"] for order in self.run_pattern("orders_of_user", "userId=u1")}
        self.assertEqual(copies, {"o1": "pending", "o2": "shipped"})

    def test_a_unique_value_is_guarded_and_freed(self):
        shop = MODELS["shop"]
        user = ["name=Eve", "createdAt=2024-05-05"]
        taken = self.server.keyfold("put", shop, "User", "userId=u9", "email=ada@example.com", *user, code=1)
        self.assertIn("taken", taken["error"]["message"])
        self.server.keyfold("update", shop, "User", "userId=u1", "email=ada@new.example")
        self.server.keyfold("put", shop, "User", "userId=u9", "email=ada@example.com", *user)
        self.assertEqual([u["userId"] for u in self.run_pattern("user_by_email", "email=ada@example.com")], ["u9"])
        self.assertEqual([u["userId"] for u in self.run_pattern("user_by_email", "email=ada@new.example")], ["u1"])
        self.server.keyfold("delete", shop, "User", "userId=u9")
        self.assertEqual(self.run_pattern("user_by_email", "email=ada@example.com"), [])


if __name__ == "__main__":
    unittest.main()

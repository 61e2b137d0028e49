"""Programs that a type checker refuses. The comment above a line names the error that it has, and
a name in its message. No other line has any: `test_generated.py` compares them. The cases are
those of `e2e/typescript/wrong.ts`.
"""

from __future__ import annotations

from datetime import datetime, timezone
from decimal import Decimal

from made import answers as a
from made import shop as s
from typing_extensions import assert_never

from keyfold.typed import Query

shop = s.ShopClient("http://localhost:8000")
answers = a.AnswersClient("http://localhost:8000")
user_id = s.UserId("u")
order_id = s.OrderId("o")
product_id = s.ProductId("p")
id = a.AccountId("a")
ticket_id = a.TicketId("t")
moment = datetime(2024, 1, 15, tzinfo=timezone.utc)


def keys() -> None:
    # error: arg-type "UserId", a text is no identifier
    shop.user(user_id="u1")
    # error: arg-type "UserId", another entity's identifier
    shop.user(user_id=order_id)
    # error: call-arg "user_id", the key is missing
    shop.user()
    # error: call-arg "id", no such part of the key
    shop.user(user_id=user_id, id=user_id)
    # error: arg-type "OrderKey | Order", the key of another entity, by name
    shop.Order.update(key=s.UserKey(user_id=user_id), patch=s.OrderPatch())
    # error: arg-type "ProductId", an identifier of a reference
    shop.product(product_id=user_id)
    # error: arg-type "str", a number is no identifier
    s.OrderId(1)
    # error: call-arg "user_id", a part of a key too many
    shop.Order.delete(s.OrderKey(order_id=order_id, user_id=user_id))
    # error: call-arg "item_id", a part of the key is missing
    shop.OrderItem.delete(s.OrderItemKey(order_id=order_id))
    # error: list-item "AccountId", the identifiers of a list
    answers.accounts(id=["a"])
    # error: arg-type "Sequence[AccountId]", one identifier is no list
    answers.accounts(id=moment)
    # error: arg-type "AccountId", an alias's key
    answers.transfer(amount=1, from_id=id, to_id=ticket_id)
    # error: call-arg "to_id", an alias's key is missing
    answers.transfer(amount=1, from_id=id)
    # error: arg-type "OrderKey | Order", the key of another entity
    shop.Order.delete(s.UserKey(user_id=user_id))


def parameters() -> None:
    # error: arg-type "Literal['payed']", a wrong word
    shop.orders_by_status(status="payed").page()
    # error: call-arg "since", an end of the range is missing
    shop.recent_orders(user_id=user_id).page()
    # error: arg-type "datetime", a text is no time
    shop.recent_orders(user_id=user_id, since="2024-01-15").page()
    # error: call-arg "since", a limit that the pattern has not
    shop.orders_of_user(user_id=user_id, since=moment).page()
    # error: call-overload "places", an optional parameter needs those before it
    answers.places(city="b").page()
    # error: call-overload "places", an optional parameter is left out in the middle
    answers.places(country="de", street="s").page()
    # error: call-arg "least", a filter's parameter is missing
    answers.severe(id=id).page()
    # error: arg-type "int", a filter's parameter is a number
    answers.severe(id=id, least="3").page()
    # error: attr-defined "orders_of_product", no such pattern
    shop.orders_of_product(product_id=product_id)


def options() -> None:
    # error: call-arg "backward", a single item has no order
    shop.user(user_id=user_id, backward=True)
    # error: call-arg "limit", a single item has no page
    shop.user(user_id=user_id, limit=5)
    # error: call-arg "backward", a batch has no order
    answers.accounts(id=[id], backward=True)
    # error: call-arg "backward", a scan has no order
    answers.every_account(backward=True)
    # error: call-arg "strong", a global index is not read with strong consistency
    shop.orders_by_status(status="paid", strong=True)
    # error: call-arg "strong", one item of a global index
    shop.user_by_email(email="a@b.c", strong=True)
    # error: arg-type "int | None", a limit is a number
    shop.orders_of_user(user_id=user_id).page(limit="5")
    # error: arg-type "str | None", a cursor is a text
    shop.orders_of_user(user_id=user_id).page(after={"PK": "x"})
    # error: arg-type "int", the most items are a number
    shop.items_of_order(order_id=order_id).all(most="all")
    # error: call-arg "strong", a transaction is always consistent
    answers.pair(from_=id, to=id, strong=True)
    # error: call-arg "numbers", a client has no other options
    s.ShopClient("http://localhost:8000", numbers="exact")
    # error: arg-type "float | None", a timeout is a number
    shop.user(user_id=user_id, timeout="5")


def results() -> None:
    user = shop.user(user_id=user_id)
    # error: union-attr "email", an absent item
    user.email
    page = shop.orders_of_user(user_id=user_id).page()
    summary = page.items[0]
    # error: attr-defined "user_id", outside of the copy
    summary.user_id
    # error: assignment "Order", a copy is no entity
    order: s.Order = summary
    # error: assignment "OrderSummary | None", the other way round
    copy: s.OrderSummary | None = shop.orders_by_status(status="paid").first()
    # error: misc "OrderSummary", an answer is not changed
    summary.total = Decimal(3)
    found = answers.find_account(id=id)
    if found is not None:
        # error: attr-defined "country", outside of `only`
        found.country
    account = answers.account(id=id)
    # error: operator "frozenset[str] | None", an optional attribute
    "a" in account.tags
    # error: union-attr "balance", an item that may be absent
    answers.pair(from_=id, to=id).payee.balance
    for ticket in answers.since(id=id, since=moment):
        # error: union-attr "year", an attribute that a sparse index would prove
        ticket.due_at.year
    for one in shop.order_with_items(order_id=order_id):
        # error: union-attr "quantity", a kind's own attribute, before it is told apart
        one.quantity
        if isinstance(one, s.Order):
            # error: attr-defined "quantity", an attribute of the other kind
            one.quantity
    whole = shop.order_with_items(order_id=order_id).whole()
    # error: attr-defined "list[OrderItem]", an attribute of the items in the list
    whole.order_items.quantity
    # error: index "Order", a single item is no list
    whole.order[0]
    # error: attr-defined "whole", an answer of one kind is a list
    shop.items_of_order(order_id=order_id).whole()
    for brief in answers.waiting():
        # error: comparison-overlap "Literal['open']", another word than the pattern's
        if brief.status == "open":
            pass
    # error: assignment "str", a cursor may be absent
    cursor: str = page.next
    if user is not None:
        # error: attr-defined "email", an identifier is no object
        user.user_id.email
    # error: arg-type "Sized", one item is no list
    len(shop.product(product_id=product_id))
    # error: assignment "Query[User]", items of another kind
    items: Query[s.User] = shop.items_of_order(order_id=order_id)
    del order, copy, cursor, items


def writes() -> None:
    # error: call-arg "stock", a required attribute is missing
    shop.Product.create(s.NewProduct(product_id=product_id, name="n", price=1))
    # error: arg-type "Decimal | int", a number is no text
    s.NewProduct(product_id=product_id, name="n", price="1", stock=1)
    # error: call-arg "colour", no such attribute
    s.NewUser(user_id=user_id, email="", name="", created_at=moment, colour="red")
    # error: call-arg "order_id", a key does not change
    shop.Order.update(s.OrderKey(order_id=order_id), s.OrderPatch(order_id=order_id))
    # error: arg-type "str | Unset", a required attribute is not removed
    s.ProductPatch(name=None)
    # error: call-arg "tickets", an aggregate is kept by the model
    a.AccountPatch(tickets=1)
    # error: call-arg "v", a version is given to a put, not to a creation
    a.NewAccount(id=id, owner="", country="", city="", street="", v=1)
    # error: arg-type "AbstractSet[str] | Unset | None", a list is no set
    a.AccountPatch(tags=["a"])
    # error: arg-type "bytes | Unset | None", bytes are no text
    a.AccountPatch(logo="x")
    # error: call-arg "by", a field of a record is missing
    answers.log(id=id, ticket_id=ticket_id, entry=a.Entry(at=moment, state="open"))
    # error: arg-type "Literal['opened']", a word inside of a record
    a.Entry(at=moment, by="a", state="opened")
    # error: call-arg "status", a parameter of a write is missing
    shop.set_status(order_id=order_id)
    # error: call-arg "price", an element's field
    s.Line(item_id="1", product_id=product_id, quantity=1)
    # error: attr-defined "delete_order", no such write
    shop.delete_order(order_id=order_id)
    # error: arg-type "OrderPatch", the patch of another entity
    shop.Order.update(s.OrderKey(order_id=order_id), s.ProductPatch())
    # error: arg-type "Decimal | int | Unset", a float is not exact
    s.ProductPatch(price=1.5)


def transactions() -> None:
    # error: arg-type "Literal['payed']", a wrong word inside of a transaction
    shop.transact([shop.part.set_status(order_id=order_id, status="payed")])
    # error: call-arg "status", an argument is missing inside of a transaction
    shop.transact([shop.part.set_status(order_id=order_id)])
    # error: arg-type "OrderKey | Order", the key of another entity inside of a transaction
    shop.transact([shop.Order.part.delete(s.UserKey(user_id=user_id))])
    # error: arg-type "NewProduct | Product", a new entity of another kind
    shop.transact([shop.Product.part.create(s.OrderKey(order_id=order_id))])
    # error: arg-type "OrderPatch", the patch of another entity inside of a transaction
    shop.transact([shop.Order.part.update(s.OrderKey(order_id=order_id), s.UserPatch())])
    # error: list-item "Part[Any]", a write that is sent is no part of a transaction
    shop.transact([shop.set_status(order_id=order_id, status="paid")])
    # error: list-item "Part[Any]", a pattern is no write
    shop.transact([shop.user(user_id=user_id)])
    # error: attr-defined "delete_order", no such write
    shop.part.delete_order(order_id=order_id)


def made() -> None:
    opened = answers.open_ticket(id=id, opened_at=moment)
    # error: attr-defined "opened_at", an attribute that is always given is not made
    opened.made.opened_at
    # error: assignment "AccountId", another identifier than the one that is made
    account: a.AccountId = opened.made.ticket_id
    part = answers.part.open_ticket(id=id, opened_at=moment)
    deletion = shop.Order.part.delete(s.OrderKey(order_id=order_id))
    done = shop.transact([part, deletion])
    # error: attr-defined "ticket_id", a deletion makes nothing
    done.of(deletion).made.ticket_id
    # error: assignment "OrderId", the other identifier inside of a transaction
    other: s.OrderId = done.of(part).made.ticket_id
    # error: attr-defined "order_id", a status makes nothing
    shop.set_status(order_id=order_id, status="paid").made.order_id
    del account, other


def batches() -> None:
    # error: list-item "OrderKey | Order", another entity's key in a batch
    shop.Order.get_many([s.UserKey(user_id=user_id)])
    # error: arg-type "Sequence[OrderKey | Order]", one key is no batch
    shop.Order.get_many(s.OrderKey(order_id=order_id))
    [found] = shop.Order.get_many([s.OrderKey(order_id=order_id)])
    # error: union-attr "status", an item of a batch may be absent
    found.status
    # error: assignment "Product | None", an item of another kind
    product: s.Product | None = found
    # error: attr-defined "delete_many", copies follow from an order: no batch writes it
    shop.Order.delete_many([s.OrderKey(order_id=order_id)])
    # error: list-item "NewProduct | Product", an item of another kind is put
    shop.Product.put_many([s.NewUser(user_id=user_id, email="", name="", created_at=moment)])
    # error: list-item "ProductKey | Product", a key of another kind is deleted
    shop.Product.delete_many([s.OrderKey(order_id=order_id)])
    del product


def fakes() -> None:
    # error: arg-type "UserId | Unset", another entity's identifier
    shop.fake.order(user_id=order_id)
    # error: call-arg "userId", the name that the model has
    shop.fake.order(userId=user_id)
    # error: arg-type "Literal['payed']", a wrong word
    shop.fake.order(status="payed")
    # error: attr-defined "orders", no such entity
    shop.fake.orders()
    # error: arg-type "str | Unset", a required attribute is not absent
    shop.fake.user(email=None)


def events(record: dict[str, object]) -> str:
    event = shop.event(record)
    # error: union-attr "new", a record of none of the model's items
    event.new
    if event is None:
        return ""
    if isinstance(event, (s.UserChange, s.OrderChange)) and event.new is not None:
        # error: union-attr "email", the kind comes first
        event.new.email
    if isinstance(event, s.UserChange):
        # error: union-attr "email", what was created had been nothing
        event.old.email
    # error: attr-defined "LineChange", no such change
    isinstance(event, s.LineChange)
    copied = shop.event(record, copies=True)
    if isinstance(copied, s.OrderSummaryChange) and copied.new is not None:
        # error: attr-defined "user_id", a copy has no more than its attributes
        copied.new.user_id
    # error: assignment "UserChange | None", a change of a copy is none of an entity
    own: s.UserChange | None = copied
    # error: call-overload "event", an option
    shop.event(record, on_unknown="ignore")
    del own
    return ""


async def awaited() -> None:
    async with s.AsyncShopClient("http://localhost:8000") as client:
        # error: attr-defined "email", a result that is not awaited
        client.user(user_id=user_id).email
        # error: attr-defined "__iter__", items that are not awaited
        for one in client.orders_of_user(user_id=user_id):
            del one
        # error: arg-type "UserId", an identifier, awaited
        await client.user(user_id=order_id)


async def several() -> None:
    async with s.AsyncShopClient("http://localhost:8000") as client:
        # error: arg-type "OrderKey | Order", another entity's key in a transaction, awaited
        await client.transact([client.Order.part.delete(s.UserKey(user_id=user_id))])
        # error: list-item "OrderKey | Order", another entity's key in a batch, awaited
        await client.Order.get_many([s.UserKey(user_id=user_id)])
        # error: attr-defined "put_many", copies follow from an order, awaited
        await client.Order.put_many([])


# error: assignment "Literal['done']", a word
status: s.OrderStatus = "done"


def kinds() -> None:
    for item in shop.order_with_items(order_id=order_id).items():
        if isinstance(item, s.Order):
            continue
        # error: arg-type "OrderItem", a kind that is not handled
        assert_never(item)

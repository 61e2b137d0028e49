"""Programs on generated clients, run against a server: `test_generated.py` calls them."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Callable
from dataclasses import fields, replace
from datetime import datetime, timezone
from decimal import Decimal
from importlib import import_module
from pathlib import Path
from typing import Any, Literal

from made import answers as a
from made import events as ev
from made import language_names as n
from made import made as m
from made import shop as s
from typing_extensions import assert_type

from keyfold import Code, Invalid, KeyfoldError, Options, UnknownItem
from keyfold.testing import Fakes

ROOT = Path(__file__).resolve().parents[4]


def code_of(call: Callable[[], object]) -> Code | None:
    """The code of the error that a call fails with."""
    try:
        call()
    except KeyfoldError as error:
        return error.code
    return None


def day(number: int) -> datetime:
    return datetime(2024, 1, number, tzinfo=timezone.utc)


def shop(endpoint: str) -> None:
    with s.ShopClient(endpoint, Options(cursor_secret=b"secret")) as shop:
        shop.ensure_tables()
        user_id = s.UserId("u1")
        user = s.NewUser(user_id=user_id, email="ada@example.com", name="Ada", created_at=day(15))
        assert len(shop.User.create(user).changes) > 1, "the guard of the e-mail is written, too"
        assert code_of(lambda: shop.User.create(user)) == "exists"
        other = s.NewUser(user_id=s.UserId("u2"), email=user.email, name="", created_at=day(15))
        assert code_of(lambda: shop.User.create(other)) == "taken"
        stored = shop.user(user_id=user_id, strong=True)
        assert stored == s.User(user_id=user_id, email=user.email, name="Ada", created_at=day(15))
        found = shop.user_by_email(email=user.email)
        assert found is not None and found.user_id == user_id
        assert shop.user(user_id=s.UserId("u9")) is None
        product_id = s.ProductId("p1")
        shop.Product.put(
            s.NewProduct(product_id=product_id, name="Pen", price=Decimal("1.5"), stock=10)
        )
        shop.Product.update(s.ProductKey(product_id=product_id), s.ProductPatch(stock=9))
        product = shop.product(product_id=product_id)
        assert product is not None and (product.price, product.stock) == (Decimal("1.5"), 9)
        for n in range(1, 6):
            line = s.Line(item_id="i1", product_id=product_id, quantity=n, price=Decimal("1.5"))
            shop.create_order(
                order_id=s.OrderId(f"o{n}"),
                user_id=user_id,
                created_at=day(n),
                total=n,
                status="pending",
                lines=[line],
            )
        first = shop.orders_of_user(user_id=user_id).page(limit=2)
        assert [order.total for order in first.items] == [5, 4]
        rest = shop.orders_of_user(user_id=user_id).page(after=first.next, limit=10)
        assert [order.total for order in rest.items] == [3, 2, 1]
        cursor = (first.next or "")[:-2] + "AA"
        assert code_of(lambda: shop.orders_of_user(user_id=user_id).page(after=cursor)) == "invalid"
        oldest = shop.orders_of_user(user_id=user_id, backward=True).first()
        assert oldest is not None and oldest.total == 1
        order_id = s.OrderId("o3")
        shop.set_status(order_id=order_id, status="paid")
        [paid] = shop.orders_by_status(status="paid").all()
        assert paid.order_id == order_id
        for item in shop.order_with_items(order_id=order_id):
            if isinstance(item, s.Order):
                assert item.status == "paid"
            else:
                assert_type(item, s.OrderItem)
                assert item.quantity == 3
        whole = shop.order_with_items(order_id=order_id).whole(most=2)
        assert_type(whole.order, s.Order)
        assert_type(whole.order_items, list[s.OrderItem])
        assert whole.order.status == "paid"
        assert [item.quantity for item in whole.order_items] == [3]
        collection = shop.order_with_items(order_id=order_id)
        assert code_of(lambda: collection.whole(most=1)) == "too_many"
        none = shop.order_with_items(order_id=s.OrderId("o9"))
        assert code_of(none.whole) == "not_found"
        pages = [len(page.items) for page in shop.orders_by_status(status="pending").pages(limit=3)]
        assert [length for length in pages if length > 0] == [3, 1]
        assert code_of(lambda: shop.items_of_order(order_id=order_id).all(most=0)) == "too_many"
        shop.OrderItem.delete(s.OrderItemKey(order_id=order_id, item_id=s.ItemId("i1")))
        assert shop.items_of_order(order_id=order_id).first() is None
        assert collection.whole().order_items == []
        missing = s.OrderId("o9")
        assert code_of(lambda: shop.set_status(order_id=missing, status="paid")) == "not_found"
        fakes = Fakes(shop, seed=7)
        made = fakes.of(shop.User, s.NewUser)
        shop.User.create(made)
        order = fakes.of(shop.Order, s.NewOrder, {"total": Decimal(5)}, related={"User": made})
        assert_type(order, s.NewOrder)
        shop.Order.create(order)
        [only] = shop.orders_of_user(user_id=made.user_id)
        assert (only.order_id, only.total) == (order.order_id, Decimal(5))


def several(endpoint: str) -> None:
    user_id, product_id, order_id = s.UserId("t1"), s.ProductId("t1"), s.OrderId("t1")
    key = s.UserKey(user_id=user_id)
    item = s.OrderItemKey(order_id=order_id, item_id=s.ItemId("i1"))
    with s.ShopClient(endpoint) as shop:
        shop.ensure_tables()
        done = shop.transact(
            [
                shop.part.create_user(user_id=user_id, email="t1", name="Tim", created_at=day(1)),
                shop.Order.part.create(
                    s.NewOrder(
                        order_id=order_id,
                        user_id=user_id,
                        created_at=day(2),
                        total=3,
                        status="pending",
                    )
                ),
                shop.OrderItem.part.put(
                    s.NewOrderItem(
                        order_id=order_id,
                        item_id=item.item_id,
                        product_id=product_id,
                        quantity=2,
                        price=1,
                    )
                ),
            ]
        )
        assert done.operation == "TransactWriteItems"
        assert done.writes[2].changes == ["put OrderItem"]
        shop.transact(
            [
                shop.part.set_status(order_id=order_id, status="paid"),
                shop.User.part.update(key, s.UserPatch(name="Tina")),
                shop.OrderItem.part.delete(item),
            ]
        )
        user = shop.user(user_id=user_id)
        assert user is not None and user.name == "Tina"
        copy = shop.orders_of_user(user_id=user_id).first()
        assert copy is not None and copy.status == "paid"
        both = [shop.User.part.delete(key), shop.OrderItem.part.delete(item)]
        assert code_of(lambda: shop.transact(both)) == "not_found"
        assert shop.user(user_id=user_id) == user, "all or none"
        products = [
            s.NewProduct(product_id=s.ProductId(f"t{n}"), name=f"Pen {n}", price=n, stock=n)
            for n in range(30)
        ]
        assert shop.Product.put_many(products).requests == 2
        keys = [s.ProductKey(product_id=s.ProductId(name)) for name in ("t7", "none", "t1")]
        found = shop.Product.get_many(keys, strong=True)
        assert [one and one.name for one in found] == ["Pen 7", None, "Pen 1"]
        shop.Product.delete_many([s.ProductKey(product_id=one.product_id) for one in products])
        assert shop.Product.get_many(keys) == [None, None, None]
        shop.User.delete(key)


def answers(endpoint: str) -> None:
    with a.AnswersClient(endpoint) as answers:
        answers.ensure_tables()
        ada, bob = a.AccountId("ada"), a.AccountId("bob")
        home = a.Address(street="s", account=bob)
        answers.Account.create(
            a.NewAccount(
                id=ada, owner="Ada", country="de", city="b", street="s", tags={"x", "y"}, home=home
            )
        )
        answers.Account.create(
            a.NewAccount(id=bob, owner="Bob", country="de", city="b", street="s", logo=b"\x01\x02")
        )
        account = answers.account(id=ada)
        assert account.tags == frozenset({"x", "y"}) and account.home == home
        assert (account.balance, account.plan, account.v) == (0, "free", 1)
        assert code_of(lambda: answers.account(id=a.AccountId("none"))) == "not_found"
        answers.Account.update(a.AccountKey(id=ada), a.AccountPatch(balance=10, tags=None))
        answers.transfer(amount=4, from_id=ada, to_id=bob)
        refused = code_of(lambda: answers.transfer(amount=7, from_id=ada, to_id=bob))
        assert refused == "refused"
        pair = answers.pair(from_=ada, to=bob)
        assert (pair.payer.balance, pair.payer.tags) == (6, None)
        assert pair.payee is not None and pair.payee.balance == 4
        assert answers.pair(from_=ada, to=a.AccountId("none")).payee is None
        bob_now = answers.account(id=bob)

        def put(version: int) -> None:
            answers.Account.put(
                a.PutAccount(id=bob, owner="B", country="de", city="b", street="s", v=version)
            )

        assert code_of(lambda: put(bob_now.v - 1)) == "stale_version"
        put(bob_now.v)
        opened = answers.open_ticket(id=ada, opened_at=day(15))
        ticket_id = opened.made.ticket_id
        assert_type(ticket_id, a.TicketId)
        given = a.TicketId("01HZY3K8C7Q5W2N4V6X8Z0A1B2")
        drawn = answers.Ticket.part.create(a.NewTicket(id=bob, opened_at=day(15)))
        as_given = answers.part.open_ticket(id=bob, ticket_id=given, opened_at=day(15))
        done = answers.transact([drawn, as_given])
        assert len(done.of(drawn).made.ticket_id) == 26
        assert done.of(as_given).made.ticket_id == given
        for made in (done.of(drawn).made, done.of(as_given).made):
            answers.Ticket.delete(a.TicketKey(id=bob, ticket_id=made.ticket_id))
        updated = answers.Account.update(a.AccountKey(id=bob), a.AccountPatch(owner="Bob"))
        assert answers.account(id=bob).updated_at == updated.made.updated_at
        entry = a.Entry(at=day(16), by="bob", state="waiting")
        answers.log(id=ada, ticket_id=ticket_id, entry=entry)
        key = a.TicketKey(id=ada, ticket_id=ticket_id)
        answers.Ticket.update(key, a.TicketPatch(assignee="bob", status="waiting"))
        ticket = answers.ticket(id=ada, ticket_id=ticket_id)
        assert ticket is not None and ticket.history == [entry]
        [waiting] = answers.waiting().all()
        assert waiting.assignee == "bob"
        read = answers.account(id=ada)
        assert read.tickets == 1
        # An entity that was read is changed and put back, and is its own key.
        answers.Account.put(replace(read, owner="A.", tags=None))
        assert code_of(lambda: answers.Account.put(read)) == "stale_version"
        put_back = answers.account(id=ada)
        assert put_back == replace(
            read, owner="A.", tags=None, v=put_back.v, updated_at=put_back.updated_at
        )
        answers.transact([answers.Account.part.update(put_back, a.AccountPatch(owner="Ada"))])
        assert answers.Account.get_many([put_back]) == [answers.account(id=ada)]
        assert code_of(lambda: answers.Account.delete(put_back)) == "stale_version"
        answers.Ticket.update(ticket, a.TicketPatch(assignee="ada"))
        answers.Ticket.update(ticket, a.TicketPatch(assignee="bob"))
        assert {one.id for one in answers.places(country="de")} == {ada, bob}
        maybe = next(iter([None, "b"]), "c")
        assert len(answers.places(country=maybe).all()) == len(answers.places().all())
        assert len(answers.places(country="de", city=maybe).all()) == 2
        assert len(answers.accounts(id=[ada, bob]).all()) == 2
        assert len(answers.every_account().all()) == 2


def made(endpoint: str) -> None:
    with m.MadeClient(endpoint) as client:
        client.ensure_tables()
        cart_id = m.CartId("01HZY3K8C7Q5W2N4V6X8Z0A1B2")
        line_id = m.LineId("7f0c7a52-6f0e-4c5b-9d61-000000000001")
        lines = [
            m.Wanted(amount=1),
            m.Wanted(amount=2, line_id=line_id),
            m.Wanted(amount=3),
        ]
        filled = client.fill(id=cart_id, cart_id=cart_id, lines=lines).made
        assert_type(filled.line_id, list[m.LineId])
        assert filled.id == cart_id, "as it was given"
        assert filled.line_id[1] == line_id and filled.line_at == [filled.cart_at] * 3
        amounts = {one.line_id: one.amount for one in client.lines(cart_id=cart_id)}
        assert [amounts[one] for one in filled.line_id] == [1, 2, 3]
        pair = client.pair().made
        assert pair.one_id != pair.two_id
        cart = client.cart(id=pair.two_id)
        assert cart is not None and cart.at == pair.two_at
        today = day(15).date()
        assert client.visit(day=today).made.first_at is None, "one request does not say"
        task_id = m.TaskId("t")
        born = client.born_closed(task_id=task_id).made
        closed = client.close(task_id=task_id).made
        assert_type(closed.closed_at, datetime)
        task = client.task(task_id=task_id)
        assert task is not None and task.closed_at == closed.closed_at >= born.closed_at
        assert client.close(task_id=task_id, now=day(15)).made.closed_at == day(15), "as given"
        each = client.close_each(tasks=[m.Which(task_id=task_id)]).made
        assert [one > day(15) for one in each.closed_at] == [True]
        seen = client.see(task_id=task_id, at=day(15)).made
        task = client.task(task_id=task_id)
        assert task is not None and task.seen_at == seen.seen_at
        client.Task.create(m.NewTask(task_id=m.TaskId("u")))
        both = client.close_both(one_task_id=task_id, two_task_id=m.TaskId("u")).made
        assert both.one_closed_at == both.two_closed_at
        put = client.Cart.put_many([m.NewCart(note="a"), m.NewCart(id=cart_id)])
        cart = client.cart(id=put.made[0].id)
        assert cart is not None and cart.note == "a"
        assert put.made[1].id == cart_id


def raw(endpoint: str) -> Any:
    return import_module("boto3").client(
        "dynamodb",
        endpoint_url=endpoint,
        region_name="eu-west-1",
        aws_access_key_id="local",
        aws_secret_access_key="local",
    )


def unknown(endpoint: str) -> None:
    account_id = a.AccountId("odd")
    keys = {"PK": {"S": "ACCOUNT#odd"}, "SK": {"S": "ACCOUNT"}, "type": {"S": "Account"}}
    # No count of tickets, which every stored account has.
    held = {name: {"S": name} for name in ("owner", "country", "city", "street")}
    numbers = {"balance": {"N": "1"}, "v": {"N": "1"}}
    words = {"plan": {"S": "free"}, "updatedAt": {"S": "2024-01-15T00:00:00.000Z"}}
    account = {**keys, "id": {"S": "odd"}, **held, **numbers, **words}
    opened = {"openedAt": {"S": "2024-01-15T00:00:00.000000Z"}, "status": {"S": "waiting"}}
    # In the index of tickets with a moment, and without one.
    ticket: dict[str, Any] = {
        "PK": {"S": "ACCOUNT#odd"},
        "SK": {"S": "TICKET#01HZY3K8C7Q5W2N4V6X8Z0A1B2"},
        "OPENPK": {"S": "OPEN"},
        "OPENSK": {"S": "2024-01-15T00:00:00.000Z#01HZY3K8C7Q5W2N4V6X8Z0A1B2"},
        "type": {"S": "Ticket"},
        **opened,
        "history": {"L": []},
    }
    # A copy without the attribute whose presence makes it.
    brief = {
        "PK": {"S": "STATUS#waiting"},
        "SK": {"S": "2024-01-15T00:00:00.000000Z#odd#01HZY3K8C7Q5W2N4V6X8Z0A1B2"},
        "type": {"S": "Ticket.brief"},
        **opened,
    }
    record = {"dynamodb": {"Keys": {"PK": keys["PK"], "SK": keys["SK"]}, "NewImage": account}}
    key = a.AccountKey(id=account_id)
    with a.AnswersClient(endpoint) as answers:
        answers.ensure_tables()
        for item in (account, ticket, brief):
            raw(endpoint).put_item(TableName="Main", Item=item)
        calls: list[Callable[[], object]] = [
            lambda: answers.account(id=account_id),
            lambda: answers.Account.get_many([key]),
            lambda: answers.pair(from_=account_id, to=account_id),
            lambda: answers.waiting().page(),
            lambda: answers.event(record),
        ]
        for call in calls:
            assert code_of(call) == "unknown_item"
        try:
            answers.account(id=account_id)
        except UnknownItem as error:
            assert (error.entity, error.key, error.attribute) == (
                "Account",
                "id = odd",
                "tickets",
            )
    with a.AnswersClient(endpoint, Options(on_unknown="skip")) as answers:
        assert code_of(lambda: answers.account(id=account_id)) == "not_found"
        assert answers.Account.get_many([key]) == [None]
        assert code_of(lambda: answers.pair(from_=account_id, to=account_id)) == "not_found"
        assert all(one.id != account_id for one in answers.waiting())
        assert all(one.id != account_id for one in answers.waiting().all())
        assert all(one.id != account_id for one in answers.waiting().page().items)
        first = answers.waiting().first()
        assert first is None or first.id != account_id
        assert answers.due().all() == answers.due().page().items
        assert answers.event(record) is None

    async def awaited() -> None:
        options = Options(on_unknown="skip")
        async with a.AsyncAnswersClient(endpoint, options) as answers:
            assert await answers.Account.get_many([key]) == [None]
            first = await answers.waiting().first()
            assert first is None or first.id != account_id
            assert await answers.due().all() == (await answers.due().page()).items

    asyncio.run(awaited())
    for item in (account, ticket, brief):
        raw(endpoint).delete_item(TableName="Main", Key={n: item[n] for n in ("PK", "SK")})


def foreign(endpoint: str) -> None:
    """Keys that are more than a key, as of code without types."""
    with a.AnswersClient(endpoint) as answers:
        whole: Any = a.NewAccount(
            id=a.AccountId("a"), owner="x", country="", city="", street="", balance=9
        )
        other: Any = a.TicketKey(id=a.AccountId("a"), ticket_id=a.TicketId("t"))
        patch: Any = whole
        key = a.AccountKey(id=a.AccountId("a"))
        calls: list[tuple[str | None, Callable[[], object]]] = [
            ("owner", lambda: answers.Account.update(whole, a.AccountPatch(city="c"))),
            ("owner", lambda: answers.Account.delete(whole)),
            ("owner", lambda: answers.Account.get_many([whole])),
            (None, lambda: answers.Account.delete(other)),
            ("id", lambda: answers.Account.update(key, patch)),
            ("owner", lambda: answers.transact([answers.Account.part.delete(whole)])),
            ("id", lambda: answers.transact([answers.Account.part.update(key, patch)])),
            ("owner", lambda: answers.client.delete("Account", {"id": "a", "owner": "x"})),
        ]
        for attribute, call in calls:
            try:
                call()
                raise AssertionError(attribute)
            except Invalid as error:
                assert (error.of, error.attribute) == ("Account", attribute), error
        ticket: Any = a.NewTicket(id=a.AccountId("a"), opened_at=day(1))
        classes: list[tuple[str, Callable[[], object]]] = [
            ("NewAccount, and no NewTicket", lambda: answers.Account.create(ticket)),
            ("PutAccount, and no NewTicket", lambda: answers.Account.put(ticket)),
            ("AccountKey, and no TicketKey", lambda: answers.Account.delete(other)),
            ("AccountKey, and no TicketKey", lambda: answers.Account.update(other, patch)),
            ("AccountPatch, and no NewTicket", lambda: answers.Account.update(key, ticket)),
            ("AccountKey, and no NewTicket", lambda: answers.Account.get_many([key, ticket])),
            ("NewAccount, and no NewTicket", lambda: answers.Account.part.create(ticket)),
            ("NewAccount, and no dict", lambda: answers.Account.create(untyped_new)),
            ("AccountPatch, and no dict", lambda: answers.Account.update(key, untyped_new)),
            ("AccountKey, and no str", lambda: answers.Account.part.delete(untyped_key)),
        ]
        untyped_new: Any = {"id": "a"}
        untyped_key: Any = "a"
        for names, call in classes:
            try:
                call()
                raise AssertionError(names)
            except Invalid as error:
                at = "item 1 of the batch: " if "get_many" in str(call.__code__.co_names) else ""
                assert str(error) == f"{at}Account takes an instance of {names}", error
                assert error.of == "Account" and (error.item == 1) is bool(at)
        no_list: list[Any] = [None, 5, "x", {}]
        for wrong in no_list:
            untyped: list[tuple[str, Callable[[], object]]] = [
                ("keys", lambda: answers.Account.get_many(wrong)),
                ("writes", lambda: answers.transact(wrong)),
                ("writes", lambda: answers.transact([wrong])),
                ("", lambda: answers.Account.create(wrong)),
                ("", lambda: answers.Account.delete(wrong)),
            ]
            for attribute, call in untyped:
                try:
                    call()
                    raise AssertionError(attribute, wrong)
                except Invalid as error:
                    assert (error.attribute or "") == attribute, error


def fakes(endpoint: str) -> None:
    """Factories by name, with values in Python's spelling."""
    with s.ShopClient(endpoint) as shop, a.AnswersClient(endpoint) as answers:
        user = shop.fake.user(user_id=s.UserId("fake"), email="fake@example.com")
        assert_type(user, s.NewUser)
        assert user.email == "fake@example.com" and user.created_at.tzinfo is not None
        shop.User.create(user)
        order = shop.fake.order({"User": user}, order_id=s.OrderId("fake"), status="paid")
        assert (order.user_id, order.status) == (user.user_id, "paid")
        shop.Order.create(order)
        assert shop.fake.order().order_id != order.order_id
        again = s.ShopFakes(shop, seed=7), s.ShopFakes(shop, seed=7), s.ShopFakes(shop, seed=8)
        [one, same, other] = [fakes.product() for fakes in again]
        assert one == same != other
        home = a.Address(street="Elm", account=a.AccountId("a"))
        account = answers.fake.account(
            id=a.AccountId("fake"), home=home, tags=None, visits={"x": [home]}
        )
        assert (account.home, account.tags, account.visits) == (home, None, {"x": [home]})
        assert answers.fake.account(tags={"t"}).tags == {"t"}
        answers.Account.put(a.PutAccount(**dict(members(account))))
        # By the names of the model; others are refused, and are not dropped.
        fake = Fakes(shop)
        assert fake.of(shop.Order, s.NewOrder, {"userId": "u7"}).user_id == "u7"
        wrong: list[tuple[str, str | None, Callable[[], object]]] = [
            ("Order", "user_id", lambda: fake.of(shop.Order, s.NewOrder, {"user_id": "u7"})),
            ("user", None, lambda: fake.of(shop.Order, s.NewOrder, related={"user": user})),
        ]
        for of, attribute, call in wrong:
            try:
                call()
                raise AssertionError(of)
            except Invalid as error:
                assert (error.of, error.attribute) == (of, attribute)
                assert "did you mean `" in str(error)


def members(given: Any) -> list[tuple[str, Any]]:
    return [(name, getattr(given, name)) for name in given.__dataclass_fields__]


def records(endpoint: str) -> None:
    """Dictionaries are no records, wherever a class is declared."""
    with a.AnswersClient(endpoint) as answers:
        home: Any = {"street": "x", "account": "a"}
        id, ticket_id = a.AccountId("a"), a.TicketId("t")
        new: dict[str, Any] = {name: "" for name in ("owner", "country", "city", "street")} | {
            "id": id
        }
        entry: Any = {"at": day(1), "by": "b", "state": "open"}
        key = a.AccountKey(id=id)
        calls: list[tuple[str, Callable[[], object]]] = [
            ("home", lambda: answers.Account.create(a.NewAccount(**new, home=home))),
            ("home", lambda: answers.Account.put(a.PutAccount(**new, home=home))),
            ("home", lambda: answers.Account.update(key, a.AccountPatch(home=home))),
            ("visits", lambda: answers.Account.create(a.NewAccount(**new, visits={"a": [home]}))),
            (
                "history",
                lambda: answers.transact(
                    [
                        answers.Ticket.part.create(
                            a.NewTicket(id=id, opened_at=day(1), history=[entry])
                        )
                    ]
                ),
            ),
            ("entry", lambda: answers.log(id=id, ticket_id=ticket_id, entry=entry)),
        ]
        for attribute, call in calls:
            try:
                call()
                raise AssertionError(attribute)
            except Invalid as error:
                path = (error.attribute or "").replace("[", ".").partition(".")
                assert path[0] == attribute, repr(error)
                assert error.of in ("Account", "Ticket", "the write log"), error.of


def awaited(endpoint: str) -> None:
    async def run() -> None:
        async with s.AsyncShopClient(endpoint) as shop:
            await shop.ensure_tables()
            user_id = s.UserId("async")
            await shop.User.create(
                s.NewUser(user_id=user_id, email="async", name="", created_at=day(1))
            )
            user = await shop.user(user_id=user_id)
            assert user is not None and user.email == "async"
            await shop.User.update(s.UserKey(user_id=user_id), s.UserPatch(name="A"))
            async for order in shop.orders_by_status(status="shipped"):
                raise AssertionError(order)
            page = await shop.orders_of_user(user_id=user_id).page()
            assert page.items == [] and page.next is None
            paid = await shop.order_with_items(order_id=s.OrderId("o3")).whole()
            assert_type(paid, s.OrderWithItemsAnswer)
            assert paid.order.status == "paid" and paid.order_items == []
            product = s.NewProduct(product_id=s.ProductId("a"), name="Pen", price=1, stock=1)
            await shop.Product.put_many([product])
            keys = [s.ProductKey(product_id=product.product_id)]
            [found] = await shop.Product.get_many(keys)
            assert_type(found, s.Product | None)
            assert found is not None and found.name == "Pen"
            await shop.transact([shop.Product.part.update(keys[0], s.ProductPatch(stock=2))])
            assert [one and one.stock for one in await shop.Product.get_many(keys)] == [2]
            await shop.Product.delete_many(keys)
            assert await shop.Product.get_many(keys) == [None]
            await shop.User.delete(s.UserKey(user_id=user_id))
            assert await shop.user(user_id=user_id) is None

    asyncio.run(run())


def events(endpoint: str) -> None:
    image = {
        "PK": {"S": "USER#u1"},
        "SK": {"S": "PROFILE"},
        "GSI1PK": {"S": "EMAIL#a"},
        "GSI1SK": {"S": "PROFILE"},
        "entity": {"S": "User"},
        "userId": {"S": "u1"},
        "email": {"S": "a"},
        "name": {"S": "Ada"},
        "createdAt": {"S": "2024-01-15T00:00:00.000Z"},
    }
    keys = {"PK": image["PK"], "SK": image["SK"]}
    with s.ShopClient(endpoint) as shop:
        event = shop.event({"dynamodb": {"Keys": keys, "NewImage": image}})
    assert isinstance(event, s.UserChange)
    assert event.old is None and event.new is not None
    assert (event.new.name, event.new.created_at) == ("Ada", day(15))
    cases = json.loads((ROOT / "clients/cases/events.json").read_text())["cases"]
    # Nothing is sent.
    awaited = ev.AsyncEventsClient(endpoint)
    with ev.EventsClient(endpoint) as events:
        for case in cases:
            event_of_case(case, events)
            event_of_case(case, awaited)


CHANGES: dict[type, str] = {
    ev.UserChange: "User",
    ev.BasketChange: "Basket",
    ev.LogChange: "Log",
    ev.AgesChange: "Ages",
    ev.UserCardChange: "User.card",
    ev.UserPersonChange: "User.person",
}


def event_of_case(case: dict[str, Any], events: ev.EventsClient | ev.AsyncEventsClient) -> None:
    """The generated clients make of a record what all clients make of it."""
    record, copies, wanted = case["record"], case.get("copies", False), case["event"]

    def call(on_unknown: Literal["error", "skip"] | None = None) -> object:
        return events.event(record, on_unknown=on_unknown, copies=copies)

    if isinstance(wanted, str):
        code = {"unknown": "unknown_item"}.get(wanted, wanted)
        assert code_of(call) == code, case["name"]
        if wanted == "unknown":
            assert call("skip") is None, case["name"]
    elif wanted is None:
        assert call() is None, case["name"]
    else:
        found: Any = call()
        images = {"old": found.old, "new": found.new}
        shown = {name: members_of(one) for name, one in images.items() if one is not None}
        assert {"kind": CHANGES[type(found)], **shown} == wanted, case["name"]


def members_of(image: Any) -> dict[str, Any]:
    """The members of an image as JSON has them; none that the image does not hold."""
    held = {field.name: getattr(image, field.name) for field in fields(image)}
    return {name: json_of(one) for name, one in held.items() if one is not None}


def json_of(value: object) -> object:
    if isinstance(value, datetime):
        return value.astimezone(timezone.utc).isoformat(timespec="milliseconds")[:23] + "Z"
    # An average, with all digits.
    return float(value) if isinstance(value, Decimal) else value


def typed_events(events: ev.EventsClient, record: dict[str, Any]) -> str | None:
    """Changes of copies are in the type where they are asked for."""
    assert_type(events.event(record), ev.EventsEvent | None)
    assert_type(events.event(record, on_unknown="skip"), ev.EventsEvent | None)
    found = events.event(record, copies=True)
    assert_type(found, ev.EventsEventWithCopies | None)
    if isinstance(found, ev.UserCardChange):
        return found.new.mail if found.new is not None else None
    return None


def names(endpoint: str) -> None:
    """Names that classes have of themselves: what is left out is not given, and what is given is
    stored."""
    with n.LanguageNamesClient(endpoint) as names:
        names.ensure_tables()
        id = n.InheritsId("p")
        names.Inherits.create(n.NewInherits(id=id))
        assert names.inherits(id=id, strong=True) == n.Inherits(id=id)
        new = n.NewInherits(
            id=id,
            value_of="a",
            constructor=n.Inner(self_="b", class__="c"),
            self_="d",
            class_="e",
            class__="f",
            init="g",
            slots="h",
            dict_="i",
        )
        names.Inherits.put(new)
        for found in (names.self(id=id), names.init(id=id), names.constructor(id=id)):
            assert members(found) == members(new)
        names.Inherits.update(n.InheritsKey(id=id), n.InheritsPatch(class_=None, dict_="j"))
        names.to_string(id=id, class__="k")
        found = names.inherits(id=id, strong=True)
        assert found is not None
        assert (found.class_, found.class__, found.dict_) == (None, "k", "j")
        assert names.fake.inherits(self_="l", class__="m", init=None).class__ == "m"

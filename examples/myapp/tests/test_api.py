"""The application over HTTP: each access pattern by its id, each answer held against OpenAPI."""

from __future__ import annotations

import asyncio
import html
import re
from collections.abc import Awaitable, Callable
from typing import Any
from urllib.parse import parse_qs, urlsplit

import httpx
import pytest
from conftest import ADA, BOB
from described import Caller
from keyfold import Options, testing

from myapp.api import application
from myapp.model import AsyncMyappClient
from myapp.service import Service


def visited(endpoint: str, visit: Callable[[Caller], Awaitable[None]]) -> None:
    """Lets a visitor call the application."""

    async def run() -> None:
        options = Options(cursor_secret=b"secret", timeout=10)
        async with AsyncMyappClient(endpoint, options) as client:
            await client.ensure_tables()
            app = application(client)
            transport = httpx.ASGITransport(app)
            async with httpx.AsyncClient(
                transport=transport, base_url="http://myapp"
            ) as http:
                await visit(Caller(http, app.openapi()))

    asyncio.run(run())


async def did(call: Caller, *request: Any) -> Any:
    """The value of an answer, which must be a success."""
    status, value = await call(*request)
    assert status < 300, (request, value)
    return value


def test_m1_m2_m6_a_user_is_found_by_id_by_email_and_with_everything(
    endpoint: str, service: Service
) -> None:
    async def visit(call: Caller) -> None:
        eve = {"user_id": 3, "email": "eve@example.com", "name": "Eve"}
        made = await did(call, "POST", "/users", eve)
        assert made | eve == made
        assert await did(call, "GET", "/users/3") == made
        assert await did(call, "GET", "/users?email=eve@example.com") == made
        status, problem = await call("POST", "/users", {**eve, "user_id": 4})
        assert (status, problem["code"]) == (409, "taken")
        assert (problem["field"], problem["detail"]) == (
            "email",
            "The email is in use. Choose another one.",
        )
        same = {"user_id": made["user_id"], "email": "other@example.com", "name": "O"}
        status, problem = await call("POST", "/users", same)
        assert (status, problem["code"]) == (409, "exists")
        assert (problem["field"], problem["detail"][-1]) == ("user_id", ".")
        other = {**eve, "email": "other@example.com"}
        status, problem = await call("POST", "/users", other)
        assert (status, problem["code"]) == (409, "exists")
        home = {"street": "Storgata 1", "city": "Bodø"}
        address = await did(call, "PUT", "/users/3/addresses/home", home)
        order = {"user_id": 3, "sku": "pen", "quantity": 2}
        placed = await did(call, "PUT", "/orders/7", order)
        everything = await did(call, "GET", "/users/3/overview")
        assert everything == {"user": made, "orders": [placed], "addresses": [address]}

    visited(endpoint, visit)


def test_m4_m7_an_order_takes_the_stock_or_is_not_placed(
    endpoint: str, service: Service
) -> None:
    async def visit(call: Caller) -> None:
        order = {"user_id": ADA, "sku": "pen", "quantity": 6}
        placed = await did(call, "PUT", "/orders/1001", order)
        assert (placed["total"], placed["status"]) == ("6.6", "pending")
        status, problem = await call("PUT", "/orders/1002", order)
        assert (status, problem["code"]) == (409, "out_of_stock")
        # The same number, by somebody else.
        again = {**order, "user_id": BOB, "quantity": 1}
        status, problem = await call("PUT", "/orders/1001", again)
        assert (status, problem["code"]) == (409, "taken")
        assert problem["field"] == "order_id"
        assert problem["detail"] == "The order_id is in use. Choose another one."
        assert (await did(call, "GET", "/products/pen"))["stock"] == 4
        assert (await call("GET", "/orders/1002"))[0] == 404
        same = await did(call, "GET", "/orders/1001")
        line = {"order_id": 1001, "line": 1, "sku": "pen", "quantity": 6}
        assert same == {"order": placed, "lines": [line]}

    visited(endpoint, visit)


def test_m7_of_forty_buyers_at_once_as_many_get_a_piece_as_there_are(
    endpoint: str, service: Service
) -> None:
    async def visit(call: Caller) -> None:
        cup = {"name": "Cup", "price": "9.00", "stock": 25}
        await did(call, "PUT", "/products/cup", cup)

        async def buy(number: int) -> int:
            order = {"user_id": ADA, "sku": "cup", "quantity": 1}
            while True:
                status, problem = await call("PUT", f"/orders/{number}", order)
                # Whoever hears that it is busy asks again; the number makes it one order.
                if status != 503:
                    return status if problem.get("code") != "taken" else 201

        answers = await asyncio.gather(*(buy(number) for number in range(40)))
        assert sorted(answers) == [201] * 25 + [409] * 15
        assert (await did(call, "GET", "/products/cup"))["stock"] == 0

    visited(endpoint, visit)


def test_m3_m5_a_page_links_to_the_next(endpoint: str, service: Service) -> None:
    async def visit(call: Caller) -> None:
        for number in range(5):
            order = {"user_id": ADA, "sku": "pen", "quantity": 1}
            await did(call, "PUT", f"/orders/{number}", order)
        for url in ("/users/1/orders?limit=2", "/pending?limit=2"):
            seen: list[int] = []
            following: str | None = url
            while following is not None:
                read = await did(call, "GET", following)
                assert len(read["items"]) <= 2
                seen += [one["order_id"] for one in read["items"]]
                following = read["next"]
            assert sorted(seen) == [0, 1, 2, 3, 4]
            if url.startswith("/users"):
                assert seen == [4, 3, 2, 1, 0]
        await did(call, "PUT", "/orders/3/status", {"status": "paid"})
        pending = await did(call, "GET", "/pending")
        assert {one["order_id"] for one in pending["items"]} == {0, 1, 2, 4}

    visited(endpoint, visit)


def test_m3_m5_a_cursor_that_was_changed_is_refused(
    endpoint: str, service: Service
) -> None:
    async def visit(call: Caller) -> None:
        for number in range(2):
            order = {"user_id": 1, "sku": "pen", "quantity": 1}
            await did(call, "PUT", f"/orders/{number}", order)
        read = await did(call, "GET", "/users/1/orders?limit=1")
        cursor = parse_qs(urlsplit(read["next"]).query)["after"][0]
        middle = len(cursor) // 2
        other = "A" if cursor[middle] != "A" else "B"
        changed = cursor[:middle] + other + cursor[middle + 1 :]
        for url in (
            f"/users/1/orders?after={changed}",
            f"/users/1/orders?after={cursor[:-8]}",
            "/users/1/orders?after=nonsense",
            # The cursor of one user's orders is none of another's.
            f"/users/2/orders?after={cursor}",
            f"/pending?after={cursor}",
        ):
            status, problem = await call("GET", url)
            assert (status, problem["field"]) == (400, "after"), url
        await did(call, "GET", f"/users/1/orders?after={cursor}")

    visited(endpoint, visit)


def test_m4_m7_a_price_is_answered_as_it_is_read(endpoint: str) -> None:
    async def visit(call: Caller) -> None:
        for given, price in (
            ("1E+3", "1000"),
            (1e3, "1000"),
            ("9.00", "9"),
            ("0E+2", "0"),
            ("-0", "0"),
            (0.1, "0.1"),
            ("9999999999.99", "9999999999.99"),
        ):
            product = {"name": "Ink", "price": given, "stock": 1}
            put = await did(call, "PUT", "/products/ink", product)
            read = await did(call, "GET", "/products/ink")
            assert put == read == {"sku": "ink", **product, "price": price}, given
        user = {"user_id": 5, "email": "e@x.org", "name": "E"}
        await did(call, "POST", "/users", user)
        for at, (price, quantity, total) in enumerate(
            (
                ("0.50", 2, "1"),
                ("0.50", 20, "10"),
                ("9999999999.99", 7, "69999999999.93"),
            )
        ):
            product = {"name": "Ink", "price": price, "stock": 50}
            await did(call, "PUT", "/products/ink", product)
            order = {"user_id": 5, "sku": "ink", "quantity": quantity}
            put = await did(call, "PUT", f"/orders/{at + 1}", order)
            read = await did(call, "GET", f"/orders/{at + 1}")
            assert put["total"] == total, put
            assert read.get("order", read)["total"] == total, read

    visited(endpoint, visit)


def test_m1_to_m7_what_is_wrong_is_refused_by_its_name(
    endpoint: str, service: Service
) -> None:
    async def visit(call: Caller) -> None:
        user = {"user_id": 5, "email": "e", "name": "E"}
        order = {"user_id": 1, "sku": "pen", "quantity": 1}
        product = {"name": "Ink", "price": "1.10", "stock": 1}
        for method, url, body, field in (
            ("POST", "/users", {**user, "user_id": "5"}, "user_id"),
            ("POST", "/users", {**user, "name": ["E"]}, "name"),
            ("POST", "/users", {**user, "age": 5}, "age"),
            ("POST", "/users", {**user, "name": " \u00a0"}, "name"),
            ("POST", "/users", {**user, "name": ""}, "name"),
            ("POST", "/users", {**user, "email": " "}, "email"),
            ("PUT", "/products/ink", {**product, "name": "\t"}, "name"),
            ("PUT", "/users/1/addresses/home", {"street": " ", "city": "c"}, "street"),
            ("POST", "/users", {"user_id": 5}, "email"),
            ("POST", "/users", [], None),
            ("POST", "/users", b"{", None),
            (
                "POST",
                "/users",
                b'{"user_id": NaN, "email": "e", "name": ""}',
                None,
            ),
            (
                "POST",
                "/users",
                b'{"user_id": 1e99999, "email": "e", "name": ""}',
                "user_id",
            ),
            (
                "POST",
                "/users",
                b'{"user_id": 5, "email": "e", "name": "\\ud800"}',
                "name",
            ),
            ("PUT", "/orders/1", {**order, "quantity": -1}, "quantity"),
            ("PUT", "/orders/1", {**order, "quantity": 1.5}, "quantity"),
            ("PUT", "/orders/1", {**order, "user_id": None}, "user_id"),
            ("PUT", "/orders/1", {**order, "sku": 1}, "sku"),
            ("PUT", "/orders/one", order, "order_id"),
            ("PUT", "/orders/1/status", {"status": "lost"}, "status"),
            ("PUT", "/products/ink", {**product, "price": "1.105"}, "price"),
            ("PUT", "/products/ink", {**product, "price": -1}, "price"),
            ("PUT", "/products/ink", {**product, "price": "1_000"}, "price"),
            ("PUT", "/products/ink", {**product, "price": "٣"}, "price"),
            ("PUT", "/users/1/addresses/%00", {"street": "s", "city": "c"}, "label"),
            (
                "POST",
                "/users",
                b'{"user_id": 5, "user_id": 6, "email": "e", "name": "E"}',
                "user_id",
            ),
            ("GET", "/users/4_2", None, "user_id"),
            ("GET", "/users/42.0", None, "user_id"),
            ("GET", "/users/%D9%A3", None, "user_id"),
            ("PUT", "/users/x/addresses/home", {"street": "s", "city": "c"}, "user_id"),
            ("GET", "/users", None, "email"),
            ("GET", "/users/-1", None, "user_id"),
            ("GET", "/users/100000000", None, "user_id"),
            ("GET", "/users/x/overview", None, "user_id"),
            ("GET", "/users/x/orders", None, "user_id"),
            ("GET", "/orders/x", None, "order_id"),
            ("GET", f"/products/{'x' * 3000}", None, "sku"),
            ("GET", "/pending?limit=0", None, "limit"),
            ("GET", "/pending?limit=x", None, "limit"),
            ("GET", "/pending?after=%ff\xe9", None, "after"),
        ):
            status, problem = await call(method, url, body)
            assert (status, problem["code"]) == (400, "invalid"), (url, body, problem)
            assert problem.get("field") == field, (url, body, problem)
            assert not re.search("Input|PK|escape|pattern|Decimal", problem["detail"])
        status, problem = await call("POST", "/users", b" " * 70_000)
        assert (status, problem["code"]) == (413, "too_large")
        assert problem["detail"] == ("The body is too large. Send at most 65536 bytes.")

    visited(endpoint, visit)


def test_m1_a_body_that_cannot_be_read_is_refused_with_a_sentence(
    endpoint: str, service: Service
) -> None:
    async def visit(call: Caller) -> None:
        for body in (
            '{"user_id": 5, "email": "e", "name": "E"}',
            "text",
            b"",
            b"{",
            b"\xff",
            b"[]",
            b"5",
            None,
        ):
            status, problem = await call("POST", "/users", body)
            assert (status, problem["code"]) == (400, "invalid"), (body, problem)
            assert "field" not in problem
            assert problem["detail"] == (
                "The body is no object of JSON. Send one, "
                "with Content-Type: application/json."
            ), (body, problem)

    visited(endpoint, visit)


def test_a_path_makes_no_line_of_the_log(caplog: pytest.LogCaptureFixture) -> None:
    with testing.serve() as server:

        async def visit(call: Caller) -> None:
            server.stop()
            assert (await call("GET", "/products/a%0Aforged%1b"))[0] == 503

        visited(server.endpoint, visit)
    assert caplog.messages and "\x1b" not in caplog.text
    assert "a\nforged" not in caplog.text


def test_m1_m2_m4_m6_m7_what_does_not_exist_is_refused_by_404(
    endpoint: str, service: Service
) -> None:
    async def visit(call: Caller) -> None:
        order = {"user_id": 9, "sku": "pen", "quantity": 1}
        for method, url, body in (
            ("GET", "/users/9", None),
            ("GET", "/users?email=nobody", None),
            ("GET", "/users/9/overview", None),
            ("PUT", "/users/9/addresses/home", {"street": "s", "city": "c"}),
            ("GET", "/orders/9", None),
            ("PUT", "/orders/9", order),
            ("PUT", "/orders/9", {**order, "user_id": 1, "sku": "none"}),
            ("PUT", "/orders/9/status", {"status": "paid"}),
            ("GET", "/products/none", None),
            ("GET", "/nothing", None),
        ):
            status, problem = await call(method, url, body)
            assert (status, problem["code"]) == (404, "not_found"), (url, problem)
            if url.startswith("/users/"):
                assert problem["detail"] == "There is no user 9."
        await did(call, "GET", "/openapi.json")

    visited(endpoint, visit)


def test_the_first_page_lists_what_the_description_has(endpoint: str) -> None:
    async def run() -> None:
        async with AsyncMyappClient(endpoint, Options(timeout=10)) as client:
            app = application(client)
            transport = httpx.ASGITransport(app)
            async with httpx.AsyncClient(
                transport=transport, base_url="http://myapp"
            ) as http:
                answer = await http.get("/")
            assert answer.headers["content-type"] == "text/html; charset=utf-8"
            listed = [
                f"<dt><code>{method.upper()} {path}</code></dt>"
                f"<dd>{html.escape(one['summary'])}</dd>"
                for path, methods in app.openapi()["paths"].items()
                for method, one in methods.items()
            ]
            assert len(listed) > 10
            assert [line for line in listed if line not in answer.text] == []
            assert 'name="viewport" content="width=device-width' in answer.text
            # A first view is this page alone: it asks for no script, style or picture, and has its icon, for which
            # a browser asks where there is none.
            assert len(answer.content) < 20_000
            icon = '<link rel="icon" href="data:,">'
            assert icon in answer.text
            rest = answer.text.replace(icon, "")
            assert re.findall(r"<(script|link|img|iframe)\b|url\(", rest) == []

    asyncio.run(run())


def test_the_description_promises_what_was_seen() -> None:
    """It is the last test of this file: those before have seen each answer."""
    described = {
        one for one in Caller.seen if int(one.rsplit(" ", 1)[1]) not in (413, 503)
    }
    assert described == Caller.promised

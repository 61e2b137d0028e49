"""The application of ASGI, called as a server calls it."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Awaitable, Callable, Mapping
from typing import Any
from urllib.parse import parse_qs, urlsplit

from conftest import ADA

from myapp.api import Api
from myapp.service import Service

Call = Callable[..., Awaitable[tuple[int, Any]]]


async def served(endpoint: str, visit: Callable[[Call], Awaitable[None]]) -> list[str]:
    """Starts the application, lets a visitor call it, and ends it. Returns what it says of itself."""
    api = Api(endpoint, b"secret")
    events: asyncio.Queue[Mapping[str, Any]] = asyncio.Queue()
    said: asyncio.Queue[dict[str, Any]] = asyncio.Queue()
    life = asyncio.create_task(api({"type": "lifespan"}, events.get, said.put))
    await events.put({"type": "lifespan.startup"})
    words = [(await said.get())["type"]]
    if words == ["lifespan.startup.complete"]:
        await visit(lambda *request: call(api, *request))
        await events.put({"type": "lifespan.shutdown"})
        words.append((await said.get())["type"])
    await life
    return words


async def call(api: Api, method: str, url: str, body: object = None) -> tuple[int, Any]:
    """Calls the application once."""
    held = (
        body
        if isinstance(body, bytes)
        else b""
        if body is None
        else json.dumps(body).encode()
    )
    path, _, query = url.partition("?")
    scope = {
        "type": "http",
        "method": method,
        "path": path,
        "query_string": query.encode(),
    }
    sent: list[dict[str, Any]] = []

    async def receive() -> Mapping[str, Any]:
        return {"type": "http.request", "body": held, "more_body": False}

    async def send(message: dict[str, Any]) -> None:
        sent.append(message)

    await api(scope, receive, send)
    start, content = sent
    return start["status"], json.loads(content["body"])


def visited(endpoint: str, visit: Callable[[Call], Awaitable[None]]) -> None:
    said = asyncio.run(served(endpoint, visit))
    assert said == ["lifespan.startup.complete", "lifespan.shutdown.complete"]


def test_a_user_registers_and_orders(endpoint: str, service: Service) -> None:
    async def visit(call: Call) -> None:
        eve = {"userId": 3, "email": "eve@example.com", "name": "Eve"}
        status, made = await call("POST", "/users", eve)
        assert (status, made["email"]) == (201, "eve@example.com")
        status, problem = await call("POST", "/users", {**eve, "userId": 4})
        assert (status, problem["code"]) == (409, "taken")
        order = {"userId": 3, "sku": "pen", "quantity": 6}
        status, placed = await call("PUT", "/orders/1001", order)
        assert (status, placed["total"], placed["status"]) == (201, "6.6", "pending")
        status, problem = await call("PUT", "/orders/1002", order)
        assert (status, problem["code"]) == (409, "out_of_stock")
        status, same = await call("GET", "/orders/1001")
        assert (status, same["orderId"], same["total"]) == (200, 1001, "6.6")
        status, found = await call("GET", "/users/3")
        assert (status, found["user"]["name"], len(found["orders"])) == (200, "Eve", 1)
        status, _ = await call("PUT", "/orders/1003", {**order, "userId": 9})
        assert status == 404
        for url in ("/users/9", "/orders/9", "/nothing"):
            status, problem = await call("GET", url)
            assert (status, problem["code"]) == (404, "not_found")

    visited(endpoint, visit)


def test_a_page_links_to_the_next(endpoint: str, service: Service) -> None:
    async def visit(call: Call) -> None:
        for number in range(5):
            order = {"userId": ADA, "sku": "pen", "quantity": 1}
            assert (await call("PUT", f"/orders/{number}", order))[0] == 201
        for url in ("/users/1/orders?limit=2", "/pending?limit=2"):
            seen: list[int] = []
            following: str | None = url
            while following is not None:
                status, page = await call("GET", following)
                assert status == 200 and len(page["items"]) <= 2
                seen += [one["orderId"] for one in page["items"]]
                following = page["next"]
            assert sorted(seen) == [0, 1, 2, 3, 4]

    visited(endpoint, visit)


def test_a_cursor_that_was_changed_is_refused(endpoint: str, service: Service) -> None:
    async def visit(call: Call) -> None:
        for number in range(2):
            await call(
                "PUT", f"/orders/{number}", {"userId": 1, "sku": "pen", "quantity": 1}
            )
        _, page = await call("GET", "/users/1/orders?limit=1")
        cursor = parse_qs(urlsplit(page["next"]).query)["after"][0]
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
            assert (status, problem["attribute"]) == (400, "after"), url
        assert (await call("GET", f"/users/1/orders?after={cursor}"))[0] == 200

    visited(endpoint, visit)


def test_what_is_wrong_is_named(endpoint: str, service: Service) -> None:
    async def visit(call: Call) -> None:
        user = {"userId": 5, "email": "e", "name": "E"}
        order = {"userId": 1, "sku": "pen", "quantity": 1}
        for method, url, body, attribute in (
            ("POST", "/users", {**user, "userId": "5"}, "userId"),
            ("POST", "/users", {**user, "name": ["E"]}, "name"),
            ("POST", "/users", {"userId": 5}, "email"),
            ("POST", "/users", [], None),
            ("POST", "/users", b"{", None),
            ("PUT", "/orders/1", {**order, "quantity": -1}, "quantity"),
            ("PUT", "/orders/1", {**order, "quantity": 1.5}, "quantity"),
            ("PUT", "/orders/1", {**order, "userId": None}, "userId"),
            ("PUT", "/orders/1", {**order, "sku": 1}, "sku"),
            ("GET", "/pending?limit=0", None, "limit"),
            ("GET", "/pending?limit=x", None, "limit"),
            ("GET", "/pending?after=%ff\xe9", None, "after"),
            ("POST", "/users", b'{"userId": NaN, "email": "e", "name": ""}', "userId"),
            (
                "POST",
                "/users",
                b'{"userId": 1.0e999999999, "email": "e", "name": ""}',
                "userId",
            ),
            ("POST", "/users", {**user, "name": "\ud800"}, "name"),
        ):
            status, problem = await call(method, url, body)
            assert (status, problem["code"]) == (400, "invalid"), (body, problem)
            assert problem["attribute"] == attribute, (body, problem)
        status, _ = await call("POST", "/users", b" " * 70_000)
        assert status == 413

    visited(endpoint, visit)


def test_without_a_table_the_server_does_not_start() -> None:
    async def visit(call: Call) -> None:
        raise AssertionError("it started")

    said = asyncio.run(served("http://127.0.0.1:9", visit))
    assert said == ["lifespan.startup.failed"]

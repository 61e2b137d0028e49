"""N2: the answer of the join, from one table, over HTTP."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from typing import Any

import httpx
import psycopg
import pytest
from described import Caller
from keyfold import Options, testing

from orders.api import application
from orders.legacy import Legacy, connected
from orders.model import AsyncOrdersWithAddressClient
from orders.shelf import Shelf


def visited(
    endpoint: str, sql: str, visit: Callable[[Caller, Legacy], Awaitable[None]]
) -> None:
    """Lets a visitor call the application on a filled old system, which was not imported."""

    async def run() -> None:
        async with (
            connected(sql) as legacy,
            AsyncOrdersWithAddressClient(endpoint, Options(timeout=3)) as client,
        ):
            await client.ensure_tables()
            await legacy.fill(20, 120)
            app = application(legacy, Shelf(client))
            transport = httpx.ASGITransport(app)
            base = "http://orders"
            async with httpx.AsyncClient(transport=transport, base_url=base) as http:
                await visit(Caller(http, app.openapi()), legacy)

    asyncio.run(run())


async def did(call: Caller, *request: Any) -> Any:
    """The value of an answer, which must be a success."""
    status, value = await call(*request)
    assert status == 200, (request, value)
    return value


async def compared(call: Caller) -> dict[str, Any]:
    """Both answers for each customer."""
    found = (await did(call, "GET", "/api/customers"))["customers"]
    return {
        one: await did(call, "GET", f"/api/customers/{one}/orders") for one in found
    }


def test_n2_the_same_answer_as_the_join(endpoint: str, sql: str) -> None:
    async def visit(call: Caller, legacy: Legacy) -> None:
        before = await compared(call)
        assert all(one["keyfold"]["rows"] == [] for one in before.values())
        done = await did(call, "POST", "/api/import")
        after = await compared(call)
        assert all(one["same"] and one["other"] == [] for one in after.values())
        assert all(
            one["sql"]["rows"] == one["keyfold"]["rows"] for one in after.values()
        )
        rows = sum(len(one["sql"]["rows"]) for one in after.values())
        assert rows > 1000, "more than a batch, and more than a page of a customer"
        assert max(len(one["sql"]["rows"]) for one in after.values()) > 100
        without = len(await legacy.without_address())
        assert without >= 10, "orders that the join leaves out are counted"
        assert done == {
            "customers": 20,
            "rows": rows,
            "written": rows,
            "deleted": 0,
            "without_address": without,
        }
        again = await did(call, "POST", "/api/import")
        assert again == {**done, "written": 0}
        row = after["C001"]["sql"]["rows"][0]
        path = f"/api/customers/C001/orders/{row['transaction_id']}"
        assert await did(call, "GET", path) == row

    visited(endpoint, sql, visit)


def test_n2_what_the_old_system_changes_is_seen_and_imported(
    endpoint: str, sql: str
) -> None:
    async def visit(call: Caller, legacy: Legacy) -> None:
        await did(call, "POST", "/api/import")
        moved = [
            (custid, row["transaction_id"])
            for custid, one in (await compared(call)).items()
            for row in one["sql"]["rows"]
            if row["zip"] == "8006"
        ]
        # An address is one row of the old system, and stands in each order of the new one.
        street = {"street": "Havnegata 1"}
        renamed = await did(call, "POST", "/api/addresses/8006", street)
        assert renamed == {
            "zip": "8006",
            "street": "Havnegata 1",
            "city": "Bodø",
            "country": "Norway",
        }
        assert await did(call, "POST", "/api/addresses/8006", street) == renamed
        found = (await did(call, "GET", "/api/addresses"))["addresses"]
        assert renamed in found and len(found) == 6
        changed = await compared(call)
        other = [
            (custid, key) for custid, one in changed.items() for key in one["other"]
        ]
        assert other == moved
        await legacy.change("DELETE FROM orders WHERE transaction_id = %s", "T000002")
        done = await did(call, "POST", "/api/import")
        gone = ("C001", "T000002") in moved
        assert (done["written"], done["deleted"]) == (len(moved) - gone, 1)
        assert all(one["same"] for one in (await compared(call)).values())
        status, problem = await call("GET", "/api/customers/C001/orders/T000002")
        assert (status, problem["code"]) == (404, "not_found")

    visited(endpoint, sql, visit)


def test_n2_what_is_wrong_is_refused_by_400(endpoint: str, sql: str) -> None:
    async def visit(call: Caller, legacy: Legacy) -> None:
        for path in ("/orders", "/orders/T1"):
            status, problem = await call("GET", f"/api/customers/{'x' * 101}{path}")
            assert (status, problem["code"]) == (400, "invalid")
        # PostgreSQL has no texts with a NUL.
        status, problem = await call("GET", "/api/customers/a%00b/orders")
        assert (status, problem["code"]) == (400, "invalid"), problem
        assert problem["field"] == "custid"
        assert (await call("GET", "/api/nothing"))[0] == 404
        nobody = await did(call, "GET", "/api/customers/nobody/orders")
        assert nobody["same"] and nobody["sql"]["rows"] == []

    visited(endpoint, sql, visit)


def test_n2_a_street_that_is_none_is_refused(endpoint: str, sql: str) -> None:
    async def visit(call: Caller, legacy: Legacy) -> None:
        before = await did(call, "GET", "/api/addresses")
        for body, field in (
            ({}, "street"),
            ({"street": ""}, "street"),
            ({"street": " \u00a0\t"}, "street"),
            ({"street": "x" * 101}, "street"),
            ({"street": 7}, "street"),
            ({"street": "a\0b"}, "street"),
            ({"street": "x", "city": "y"}, "city"),
            ('{"street": "x"}', None),
            (b'{"street": "x", "street": "y"}', "street"),
            (b'"\xff"', None),
        ):
            status, problem = await call("POST", "/api/addresses/8006", body)
            assert (status, problem["code"]) == (400, "invalid"), (body, problem)
            assert problem.get("field") == field, (body, problem)
        street = {"street": "Havnegata 1"}
        status, problem = await call("POST", "/api/addresses/a%00b", street)
        assert (status, problem["field"]) == (400, "zip_code")
        status, problem = await call("POST", "/api/addresses/none", street)
        assert (status, problem["code"]) == (404, "not_found")
        assert "address" in problem["detail"]
        assert await did(call, "GET", "/api/addresses") == before
        assert (await did(call, "POST", "/api/addresses/EH1%201YZ", street))["city"]

    visited(endpoint, sql, visit)


def test_a_connection_that_was_ended_is_made_anew(endpoint: str, sql: str) -> None:
    async def visit(call: Caller, legacy: Legacy) -> None:
        before = await did(call, "GET", "/api/customers")
        end = """SELECT pg_terminate_backend(pid) FROM pg_stat_activity
            WHERE pid <> pg_backend_pid() AND backend_type = 'client backend'"""
        with psycopg.connect(sql, autocommit=True) as other:
            other.execute(end)
            street = {"street": "Havnegata 1"}
            await did(call, "POST", "/api/addresses/8006", street)
            other.execute(end)
            assert await did(call, "GET", "/api/customers") == before
            other.execute(end)
            await did(call, "POST", "/api/import")
        assert all(one["same"] for one in (await compared(call)).values())

    visited(endpoint, sql, visit)


def test_n2_a_side_that_fails_is_no_answer(
    sql: str, caplog: pytest.LogCaptureFixture
) -> None:
    with testing.serve() as one:

        async def visit(call: Caller, legacy: Legacy) -> None:
            one.stop()
            status, problem = await call("GET", "/api/customers/C001/orders")
            assert (status, problem["code"]) == (503, "transport")
            await legacy.change("DROP TABLE orders")
            status, problem = await call("GET", "/api/customers")
            assert (status, problem["code"]) == (503, "sql")
            caplog.clear()
            path = "/api/customers/C%0A001%1b/orders"
            assert (await call("GET", path))[0] == 503
            assert caplog.messages and "\x1b" not in caplog.text
            assert "C\n001" not in caplog.text, "a path makes no line of the log"

        visited(one.endpoint, sql, visit)


def test_the_description_promises_what_was_seen() -> None:
    """It is the last test of this file: those before have seen each answer."""
    seen = {one for one in Caller.seen if not one.endswith(" 503")}
    assert seen == Caller.promised

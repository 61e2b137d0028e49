"""N1 over HTTP: quick small writes of several devices, and all of a copy by one read."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from typing import Any

import httpx
import pytest
from described import Caller
from keyfold import testing

from bookmarks.api import application
from bookmarks.library import POSITIONS_MAX, Copy, Library, now
from bookmarks.model import AsyncBookmarksClient, BookId, CustomerId, Position

COPY = "/api/copies/ada/alice/epub"


def visited(
    endpoint: str, visit: Callable[[Caller, AsyncBookmarksClient], Awaitable[None]]
) -> None:
    """Lets a visitor call the application."""

    async def run() -> None:
        async with AsyncBookmarksClient(endpoint) as client:
            await client.ensure_tables()
            app = application(client)
            transport = httpx.ASGITransport(app)
            async with httpx.AsyncClient(
                transport=transport, base_url="http://book"
            ) as http:
                await visit(Caller(http, app.openapi()), client)

    asyncio.run(run())


async def did(call: Caller, *request: Any) -> Any:
    """The value of an answer, which must be a success."""
    status, value = await call(*request)
    assert status < 300, (request, value)
    return value


def turn(device: str, page: int, edition: int, stay: bool = False) -> dict[str, Any]:
    """A body that turns to a page."""
    position = {"page": page}
    return {"device": device, "position": position, "edition": edition, "stay": stay}


async def stored(call: Caller, kind: str) -> Any:
    """The annotation of a kind."""
    found = (await did(call, "GET", COPY))["annotations"]
    return next((one for one in found if one["kind"] == kind), None)


def test_n1_a_device_goes_on_where_the_other_one_was(endpoint: str) -> None:
    async def visit(call: Caller, client: AsyncBookmarksClient) -> None:
        last = f"{COPY}/lastread"
        for page in (2, 3, 4):
            await did(call, "PUT", last, turn("Phone", page, page - 2))
        seen = await stored(call, "lastread")
        assert (seen["device"], seen["positions"][0]["page"]) == ("Phone", 4)
        await did(call, "PUT", last, turn("Tablet", 5, seen["edition"]))
        # The phone has not looked since: it hears where the tablet is, and nothing is lost.
        status, problem = await call("PUT", last, turn("Phone", 5, seen["edition"]))
        assert (status, problem["code"]) == (409, "other_device")
        assert problem["now"] == await stored(call, "lastread")
        assert problem["now"]["device"] == "Tablet"
        await did(call, "PUT", last, turn("Phone", 1, 0, stay=True))
        assert (await stored(call, "lastread"))["positions"][0]["page"] == 1

    visited(endpoint, visit)


def test_n1_a_turn_is_one_small_write_and_a_copy_one_read(endpoint: str) -> None:
    async def visit(call: Caller, client: AsyncBookmarksClient) -> None:
        library = Library(client)
        copy = Copy(CustomerId("ada"), BookId("alice"), "epub")
        position = Position(page=7, offset=3, text="curiouser and curiouser")
        assert await library.turn(copy, "Phone", position, 0) == 1
        assert await library.turn(copy, "Phone", position, 1) == 1
        assert await library.stay(copy, "Tablet", position) == 1
        await library.add(copy, "mark", "Phone", position)
        await library.add(copy, "highlight", "Phone", position)
        found, units = await library.annotations(copy)
        assert [one.kind for one in found] == ["highlight", "lastread", "mark"]
        assert units == 0.5
        other, _ = await library.annotations(
            Copy(CustomerId("ada"), BookId("alice"), "pdf")
        )
        assert list(other) == []

    visited(endpoint, visit)


def test_n1_devices_that_mark_at_once_lose_nothing(endpoint: str) -> None:
    async def visit(call: Caller, client: AsyncBookmarksClient) -> None:
        async def mark(device: int, page: int) -> None:
            body = {"device": f"Device {device}", "position": {"page": page}}
            while (await call("POST", f"{COPY}/mark", body))[0] == 503:
                pass

        devices = [
            mark(device, 1 + 4 * device + n) for device in range(5) for n in range(4)
        ]
        await asyncio.gather(*devices, mark(9, 1), mark(9, 2))
        positions = (await stored(call, "mark"))["positions"]
        assert [one["page"] for one in positions] == list(range(1, 21))

    visited(endpoint, visit)


def test_n1_devices_that_meet_do_not_meet_again(endpoint: str) -> None:
    async def visit(call: Caller, client: AsyncBookmarksClient) -> None:
        async def mark(page: int) -> int:
            body = {"device": f"Device {page}", "position": {"page": page}}
            return (await call("POST", f"{COPY}/mark", body))[0]

        # More than a device tries: without pauses some hear that it is busy.
        answers = await asyncio.gather(*(mark(page) for page in range(1, 61)))
        assert set(answers) == {200}
        assert len((await stored(call, "mark"))["positions"]) == 60

    visited(endpoint, visit)


def test_n1_highlights_and_marks_come_and_go(endpoint: str) -> None:
    async def visit(call: Caller, client: AsyncBookmarksClient) -> None:
        light = {"page": 3, "offset": 1, "text": "Down went Alice"}
        body = {"device": "Phone", "position": light}
        for _ in range(2):
            await did(call, "POST", f"{COPY}/highlight", body)
        assert (await stored(call, "highlight"))["positions"] == [light]
        place = f"{COPY}/highlight?device=Tablet&page=3"
        status, problem = await call("DELETE", place)
        assert (status, problem["code"]) == (404, "not_found")
        await did(call, "DELETE", f"{place}&offset=1")
        seen = await stored(call, "highlight")
        assert (seen["positions"], seen["device"]) == ([], "Tablet")

    visited(endpoint, visit)


def test_n1_a_copy_has_room_for_so_many(endpoint: str) -> None:
    async def visit(call: Caller, client: AsyncBookmarksClient) -> None:
        text = "é" * 400
        await client.turn_page(
            device="Phone",
            positions=[
                Position(page=n + 1, offset=n, text=text) for n in range(POSITIONS_MAX)
            ],
            updated_at=now(),
            customer_id=CustomerId("ada"),
            book_id=BookId("alice"),
            format="epub",
            kind="highlight",
        )
        body = {"device": "Phone", "position": {"page": 9999, "offset": 0}}
        status, problem = await call("POST", f"{COPY}/highlight", body)
        assert (status, problem["code"]) == (409, "full")

    visited(endpoint, visit)


def test_n1_a_copy_is_full_before_its_row_is_too_large(endpoint: str) -> None:
    async def visit(call: Caller, client: AsyncBookmarksClient) -> None:
        # Four bytes each.
        text = 400 * "\N{OPEN BOOK}"
        await client.turn_page(
            device="Phone",
            positions=[Position(page=n + 1, offset=n, text=text) for n in range(235)],
            updated_at=now(),
            customer_id=CustomerId("ada"),
            book_id=BookId("alice"),
            format="epub",
            kind="mark",
        )
        answers = []
        for page in range(1000, 1020):
            position = {"page": page, "offset": 1, "text": text}
            body = {"device": "Phone", "position": position}
            answers.append(await call("POST", f"{COPY}/mark", body))
        assert {status for status, _ in answers} == {200, 409}, answers
        assert answers[-1][1]["code"] == "full"
        assert len((await stored(call, "mark"))["positions"]) > 235
        # What makes room is taken away as ever.
        await did(call, "DELETE", f"{COPY}/mark?device=Phone&page=1&offset=0")

    visited(endpoint, visit)


def test_n1_what_is_wrong_is_refused_by_400(endpoint: str) -> None:
    async def visit(call: Caller, client: AsyncBookmarksClient) -> None:
        good = turn("Phone", 1, 0)
        for method, url, body in (
            ("PUT", f"{COPY}/lastread", {**good, "position": {"page": 0}}),
            ("PUT", f"{COPY}/lastread", {**good, "position": {"page": "1"}}),
            ("PUT", f"{COPY}/lastread", {**good, "edition": -1}),
            ("PUT", f"{COPY}/lastread", {**good, "other": 1}),
            ("PUT", f"{COPY}/lastread", {**good, "device": ""}),
            ("PUT", f"{COPY}/lastread", {**good, "device": " "}),
            ("PUT", f"{COPY}/lastread", b"{"),
            ("POST", f"{COPY}/mark", good),
            ("POST", f"{COPY}/lastread", good),
            ("DELETE", f"{COPY}/mark?device=Phone", None),
            ("GET", "/api/copies/ada/alice/txt", None),
            # The delimiter of the key.
            ("GET", "/api/copies/a:b/alice/epub", None),
        ):
            status, problem = await call(method, url, body)
            assert (status, problem["code"]) == (400, "invalid"), (url, problem)
        path = "/api/copies/%00/alice/epub"
        status, problem = await call("GET", path)
        assert (status, problem["field"]) == (400, "customer_id"), problem
        twice = b'{"device": "a", "position": {"page": 1, "page": 2}, "edition": 0}'
        status, problem = await call("PUT", f"{COPY}/lastread", twice)
        assert (status, problem["field"]) == (400, "position.page"), problem
        status, problem = await call("PUT", f"{COPY}/lastread", b" " * 20_000)
        assert (status, problem["code"]) == (413, "too_large")
        assert problem["detail"] == ("The body is too large. Send at most 16384 bytes.")
        assert (await did(call, "GET", COPY)) == {"annotations": []}

    visited(endpoint, visit)


def test_n1_a_body_that_cannot_be_read_is_refused_with_a_sentence(
    endpoint: str,
) -> None:
    async def visit(call: Caller, client: AsyncBookmarksClient) -> None:
        for body in ("text", "{}", b"", b"{", b"\xff", b"[]", b"5", None):
            status, problem = await call("PUT", f"{COPY}/lastread", body)
            assert (status, problem["code"]) == (400, "invalid"), (body, problem)
            assert problem["detail"] == (
                "The body is no object of JSON. Send one, "
                "with Content-Type: application/json."
            ), (body, problem)

    visited(endpoint, visit)


def test_a_path_makes_no_line_of_the_log(caplog: pytest.LogCaptureFixture) -> None:
    with testing.serve() as server:

        async def visit(call: Caller, client: AsyncBookmarksClient) -> None:
            server.stop()
            path = "/api/copies/a%0Aforged%1b/alice/epub"
            assert (await call("GET", path))[0] == 503

        visited(server.endpoint, visit)
    assert caplog.messages and "\x1b" not in caplog.text
    assert "a\nforged" not in caplog.text


def test_the_description_promises_what_was_seen() -> None:
    """It is the last test of this file: those before have seen each answer."""
    seen = {one for one in Caller.seen if one.rsplit(" ", 1)[1] not in ("413", "503")}
    assert seen == Caller.promised

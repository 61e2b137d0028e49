"""What the first view of a page takes, counted by Chromium: the addresses that are asked for, and the bytes that come,
with their headers. A count holds on a busy machine, where a time does not."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from playwright.sync_api import Page

REQUESTS_MAX = 12
BYTES_MAX = 60_000


def is_light(page: Page, address: str, content: Callable[[Page], None]) -> None:
    """Opens an address in a page that has nothing open and nothing stored, waits until its content is there, and
    holds what it took against the bounds."""
    asked: set[str] = set()
    came: dict[str, int] = {}

    def sent(event: Any) -> None:
        # What is in the page itself is no request, and what is asked for again and again is one.
        if not event["request"]["url"].startswith("data:"):
            asked.add(f"{event['request']['method']} {event['request']['url']}")

    def finished(event: Any) -> None:
        came[event["requestId"]] = event["encodedDataLength"]

    devtools = page.context.new_cdp_session(page)
    devtools.send("Network.enable")
    devtools.on("Network.requestWillBeSent", sent)
    devtools.on("Network.loadingFinished", finished)
    page.goto(address)
    content(page)
    devtools.detach()
    taken = sum(came.values())
    # None at all would be a count that fails.
    assert taken > 500, f"{address}: {taken} bytes were counted"
    assert taken < BYTES_MAX, f"{address}: {taken} bytes for a first view"
    assert len(asked) < REQUESTS_MAX, f"{address}: a first view asks for {asked}"

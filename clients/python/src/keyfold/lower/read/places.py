"""The places at which the pages of a reading begin. None comes twice, unless the service goes in a
circle."""

from __future__ import annotations

from keyfold.errors import Transport


class Places:
    """The places so far. Each is compared with one before it, which is kept after 1, 2, 4, 8
    pages."""

    def __init__(self, reading: str) -> None:
        self._reading = reading
        self._pages = 0
        self._kept: object = None

    def check(self, place: object) -> None:
        """Refuses a place at which a page has begun before: the pages would have no end."""
        if place is not None and place == self._kept:
            raise Transport(f"{self._reading} has a page again that it had before")
        self._pages += 1
        if self._pages & (self._pages - 1) == 0:
            self._kept = place

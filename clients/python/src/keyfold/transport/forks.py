"""Forked processes. Two processes that go on with one connection read each other's answers."""

from __future__ import annotations

import os
from typing import Any, Protocol
from weakref import WeakSet


class Forked(Protocol):
    """What a forked process has from its parent, and must not go on with."""

    def in_child(self) -> None:
        """Is called in the forked process, before anything else runs in it."""


_known: WeakSet[Forked] = WeakSet()


def know(one: Forked) -> None:
    """Tells it of each fork from now on."""
    _known.add(one)


def drop_connections(client: Any) -> None:
    """Drops the open connections that a client of boto3 has from the parent. Its next request opens
    one."""
    session = getattr(getattr(client, "_endpoint", None), "http_session", None)
    close = getattr(session, "close", None)
    if close is not None:
        close()


def _in_child() -> None:
    for one in list(_known):
        one.in_child()


if hasattr(os, "register_at_fork"):  # Windows has no fork.
    os.register_at_fork(after_in_child=_in_child)

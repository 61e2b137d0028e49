"""Forked processes. Two processes that go on with one connection read each other's answers."""

from __future__ import annotations

import gc
import os
from contextlib import suppress
from typing import Any, Protocol, cast
from weakref import WeakSet

from botocore import awsrequest  # type: ignore[import-untyped, unused-ignore]

_awsrequest = cast(Any, awsrequest)
_CONNECTIONS = (_awsrequest.AWSHTTPConnection, _awsrequest.AWSHTTPSConnection)
"""The connections of botocore, which no forked process goes on with."""


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


def leave_answers() -> None:
    """Leaves answers that are under way to the parent: the handler of a signal has forked this
    process in a thread that goes on to read one here. That fails, as a connection that is lost."""
    for one in gc.get_objects():
        held = getattr(one, "sock", None) if isinstance(one, _CONNECTIONS) else None
        if held is not None:
            # Whatever else has a hold of the socket here. The parent's stays open.
            with suppress(OSError):
                os.close(held.detach())


def _in_child() -> None:
    for one in list(_known):
        one.in_child()


if hasattr(os, "register_at_fork"):  # Windows has no fork.
    os.register_at_fork(after_in_child=_in_child)

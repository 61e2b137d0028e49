"""Options of a client and of a call."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import Any, Literal, TypeAlias, TypeVar, cast

from keyfold.errors import Invalid, KeyfoldError
from keyfold.tracing import Tracer
from keyfold.values.value import shown_given

OnUnknown: TypeAlias = Literal["error", "skip"]
T = TypeVar("T")


@dataclass(frozen=True)
class Sent:
    """A request that was sent, for logs and traces."""

    call: str
    """The pattern, write or entity of the call: `orders_of_user`, `create Order`."""
    operation: str
    """The operation of the API: `Query`."""
    input: Mapping[str, Any]
    """The input of the operation, as boto3 takes it."""
    table: str | None
    seconds: float
    """The time until its answer, with all attempts."""
    error: KeyfoldError | None
    capacity: float | None = None
    """The units of capacity that the answer reports; none where it reports none."""


@dataclass(frozen=True)
class Options:
    """The options of a client."""

    on_unknown: OnUnknown = "error"
    """Whether an item that the model does not know is an error, or is left out."""
    cursor_secret: bytes | None = None
    """Seals cursors with an HMAC: a cursor that comes back from a browser cannot be changed."""
    deadline: float = 10.0
    """The seconds within which a request is sent again."""
    retries: int = 8
    """The most times that a request is sent again."""
    timeout: float | None = None
    """The seconds after which a call is aborted, where the call has none of its own."""
    on_request: Callable[[Sent], None] | None = None
    """Is called after each request. An error that it raises is dropped."""
    tracing: Tracer | None = None
    """A tracer of OpenTelemetry, which gets a span of each call and of each request in it."""

    def check(self) -> None:
        """Refuses numbers that bound nothing, words that say nothing, and hooks that cannot be
        called."""
        check_on_unknown(self.on_unknown)
        if self.timeout is not None:
            check_seconds("timeout", self.timeout)
        check_seconds("deadline", self.deadline)
        check_count("retries", self.retries, 0)
        if self.on_request is not None and not callable(self.on_request):
            raise _wrong("on_request", "a function that takes a `Sent`", self.on_request, None)
        if self.tracing is not None and not _is_tracer(self.tracing):
            raise _wrong("tracing", "a tracer of OpenTelemetry", self.tracing, None)


def _is_tracer(given: object) -> bool:
    return callable(getattr(given, "start_as_current_span", None))


def check_seconds(name: str, given: object) -> None:
    """Refuses what is no number of seconds from 0 on."""
    is_number = _is_seconds(given)
    if not is_number or cast(float, given) < 0:
        wanted = "from 0 on" if is_number else "such as 2.5"
        comma = "" if is_number else ","
        raise Invalid(
            f"`{name}` is a number of seconds{comma} {wanted}, and not {_shown(given)}",
            attribute=name,
        )


def _is_seconds(given: object) -> bool:
    if isinstance(given, bool) or not isinstance(given, (int, float)):
        return False
    try:
        return not math.isnan(given)
    except OverflowError:
        return False


def check_count(
    name: str, given: object, least: int, of: str | None = None, most: int | None = None
) -> None:
    """Refuses what is no whole number from `least` on, and to `most`."""
    is_count = isinstance(given, int) and not isinstance(given, bool) and given >= least
    if not is_count or (most is not None and cast(int, given) > most):
        place = "" if of is None else f"{of}: "
        # A number that is too large says where counts end.
        end = f"to {most}" if is_count else "on"
        raise Invalid(
            f"{place}`{name}` is a whole number from {least} {end}, and not {_shown(given)}",
            of=of,
            attribute=name,
        )


def check_on_unknown(given: object, of: str | None = None) -> None:
    """Refuses what says nothing of items that the model does not know."""
    if not isinstance(given, str) or given not in ("error", "skip"):
        raise _wrong("on_unknown", '"error" or "skip"', given, of)


def check_bool(name: str, given: object, of: str) -> None:
    """Refuses what is neither true nor false."""
    if not isinstance(given, bool):
        raise _wrong(name, "True or False", given, of)


def check_list(name: str, given: Iterable[T], of: str) -> list[T]:
    """The members of a list. Refuses what is none: the letters of a text and the names of a
    dictionary are not meant."""
    if not _is_list(given):
        raise _wrong(name, "a list", given, of)
    return list(given)


def _is_list(given: object) -> bool:
    return isinstance(given, Iterable) and not isinstance(given, (str, bytes, Mapping))


def _shown(given: object) -> str:
    """An option in a message; a text in quotes, without which "5" would read as a number."""
    return f"'{shown_given(given)}'" if isinstance(given, str) else shown_given(given)


def _wrong(name: str, wanted: str, given: object, of: str | None) -> Invalid:
    place = "" if of is None else f"{of}: "
    held = _shown(given) if isinstance(given, (str, int, float)) else f"a {type(given).__name__}"
    return Invalid(
        f"{place}`{name}` is {wanted}, and not {'None' if given is None else held}",
        of=of,
        attribute=name,
    )

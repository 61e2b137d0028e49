"""A call as steps: requests to send and pauses to make, as a generator.

A generator of this package yields an `Ask` or a `Pause`, and a driver sends back the answers: those
of the requests in their order, and none after a pause. It does no I/O, reads no clock and knows no
transport: it runs under a driver that blocks, under one that awaits, and in a test that plays the
database.
"""

from __future__ import annotations

from collections.abc import Generator, Iterable
from dataclasses import dataclass, field
from typing import Any, NamedTuple, Protocol, TypeAlias, TypeVar, cast

from keyfold.errors import KeyfoldError

T = TypeVar("T")

Response: TypeAlias = "dict[str, Any]"
"""The answer of an operation."""
Answer: TypeAlias = "Response | KeyfoldError"


class Request(NamedTuple):
    """A request: an operation of the API and its input."""

    operation: str
    input: dict[str, Any]

    def tables(self) -> list[str]:
        """The tables that it names."""
        given = self.input
        if self.operation.startswith("Batch"):
            return sorted(given.get("RequestItems", {}))
        actions = cast("list[dict[str, Any]]", given.get("TransactItems", []))
        inside = [action for one in actions for action in one.values()]
        return sorted({one["TableName"] for one in [given, *inside] if "TableName" in one})


@dataclass(frozen=True)
class Ask:
    """The answers of these requests are needed. They are independent of each other."""

    requests: tuple[Request, ...]


@dataclass(frozen=True)
class Pause:
    """Time is needed: any number of milliseconds between the two."""

    least_ms: int
    most_ms: int


Step: TypeAlias = "Ask | Pause"
Lowering: TypeAlias = Generator[Step, "list[Answer]", T]
"""A call under way, with its result at the end."""


class Origin(Protocol):
    """The moment and the chance of a call: the same origin and answers make the same requests."""

    now_epoch_ms: int

    def identifier(self, kind: str) -> str:
        """A new identifier: a `ulid` or a `uuid`."""
        ...

    def of_part(self, part: int) -> Origin:
        """The origin of one write of a transaction, from 0, whose chance is its own."""
        ...


def ask(request: Request) -> Lowering[Response]:
    """Asks one request. Raises its error."""
    (answer,) = yield Ask((request,))
    if isinstance(answer, KeyfoldError):
        raise answer
    return answer


def pause(least_ms: int, most_ms: int) -> Lowering[None]:
    """Waits."""
    yield Pause(least_ms, most_ms)


TRIES = 24
"""The most attempts before an error."""


def back_off(tried: int) -> Lowering[None]:
    """Waits for a random time that grows with the attempts, so that writers take turns."""
    yield Pause(1, 4 * min(tried + 1, 16))


@dataclass
class _Part:
    """A part of a call that runs beside others."""

    running: Lowering[Any]
    wants: Step | None = None
    result: Any = None
    errors: list[KeyfoldError] = field(default_factory=lambda: [])

    def advance(self, answers: list[Answer] | None) -> None:
        try:
            if answers is None:
                self.wants = next(self.running)
            else:
                self.wants = self.running.send(answers)
        except StopIteration as end:
            self.wants, self.result = None, end.value
        except KeyfoldError as error:
            self.wants = None
            self.errors.append(error)


def together(parts: Iterable[Lowering[T]]) -> Lowering[list[T]]:
    """Runs independent parts at the same time; each runs to its end. Raises the first error."""
    all_of = [_Part(one) for one in parts]
    for part in all_of:
        part.advance(None)
    while True:
        asking = [part for part in all_of if isinstance(part.wants, Ask)]
        if asking:
            yield from _ask_for(asking)
            continue
        pausing = [(part, part.wants) for part in all_of if isinstance(part.wants, Pause)]
        if not pausing:
            break
        longest = max((wants for _, wants in pausing), key=lambda one: one.most_ms)
        yield longest
        for part, _ in pausing:
            part.advance([])
    for part in all_of:
        if part.errors:
            raise part.errors[0]
    return [part.result for part in all_of]


def _ask_for(asking: list[_Part]) -> Lowering[None]:
    """Asks the requests of several parts in one step, and hands each its answers."""
    asked = [part.wants.requests for part in asking if isinstance(part.wants, Ask)]
    answers = yield Ask(tuple(request for requests in asked for request in requests))
    at = 0
    for part, requests in zip(asking, asked):
        part.advance(answers[at : at + len(requests)])
        at += len(requests)

"""The migration from start to end: each step, what it found, and how long it took."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, TypeVar

from from_postgres.book import Book
from from_postgres.commands import CommandFailed, Keyfold, Run
from from_postgres.legacy import Legacy
from from_postgres.load import Load, Turn, Written
from from_postgres.reader import Reader
from from_postgres.table import Table

COPIED_WITHIN = 1800
WRITTEN_WITHIN = 60
WRITES = 20
"""So many writes to the side that has come to lead are waited for."""

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Step:
    """A step of the migration."""

    name: str
    found: str
    seconds: float


@dataclass(slots=True)
class Story:
    """All that a report says."""

    rows: dict[str, int]
    """The rows of each table, before the load began."""
    steps: list[Step] = field(default_factory=list)
    written: dict[str, Written] = field(default_factory=dict)
    read: dict[str, int] = field(default_factory=dict)
    counted: dict[str, int] = field(default_factory=dict)
    """What the runs read, put, deleted and carried."""
    patterns: list[dict[str, Any]] = field(default_factory=list)
    turns: list[Turn] = field(default_factory=list)
    """When the writing program changed sides, and how long it could not write."""
    seconds: float = 0.0


@dataclass(slots=True)
class Migration:
    """The shop's way from one side to the other."""

    keyfold: Keyfold
    legacy: Legacy
    table: Table
    book: Book
    story: Story
    reports: Path
    say: Callable[[str], None]
    settled: Callable[[], None] = lambda: None
    """What is done when nobody writes and both sides say the same, before the end."""
    pace: float = 40
    seconds: float = 10
    """How long both sides are compared."""
    lasts: float = 10
    """How long the program writes to the side that has come to lead."""

    def run(self) -> Story:
        """From start to end."""
        began = time.monotonic()
        load = Load(self.book, self.pace, [self.legacy, self.table])
        reader = Reader(self.book, self.story.read)
        load.start()
        reader.start(self.legacy)
        try:
            self._step("check", self._check)
            self._move(load, reader)
            load.start()
            load.await_writes(self.table.name, WRITES, WRITTEN_WITHIN)
        finally:
            reader.stop()
            load.stop()
            self.story.written, self.story.turns = load.written, load.turns
        self._step("verify items", self._verify_items)
        self.story.seconds = time.monotonic() - began
        return self.story

    def _move(self, load: Load, reader: Reader) -> None:
        """Carries what is written to the other side, until the table leads for good."""
        with self._running(1) as run:
            self._step("copy", lambda: self._copied(run.has_ended))
            self._step("compare", self._compare)
            self._step("verify rows", self._verify_rows)
            self._step("switch reads", lambda: reader.turn(self.table))
        self._step("switch", lambda: self._switch(load))
        with self._running(2):
            self._step("let rows follow", lambda: self._follow(load))
        self._step("switch back", lambda: self._switch(load, back=True))
        self._step("switch again", lambda: self._switch(load))
        with self._running(3):
            load.stop()
            self._step("verify rows again", self._verify_rows)
            self.settled()
        self._step("complete", self._complete)

    @contextmanager
    def _running(self, number: int) -> Iterator[Run]:
        """A run, one at a time, which carries what is written until the block ends: a switch carries the rest."""
        name = "run.md" if number == 1 else f"run-{number}.md"
        with self.keyfold.running(self.reports / name) as run:
            yield run
        for what, count in run.counted.items():
            self.story.counted[what] = self.story.counted.get(what, 0) + count

    def _step(self, name: str, does: Callable[[], str]) -> None:
        began = time.monotonic()
        self._note(name, does(), began)

    def _note(self, name: str, found: str, began: float) -> None:
        step = Step(name, found, time.monotonic() - began)
        self.story.steps.append(step)
        self.say(f"{name}: {found} ({step.seconds:.1f} s)")

    def _check(self) -> str:
        found = self.keyfold.check()
        rows = sum(one["rows"] for one in found["entities"])
        return f"{rows} rows are items of the model"

    def _copied(self, has_ended: Callable[[], bool]) -> str:
        until = time.monotonic() + COPIED_WITHIN
        while True:
            status = self.keyfold.status()
            if status["state"] == "follow":
                return f"{status['rows']} rows are copied, and changes follow"
            if has_ended() or time.monotonic() > until:
                raise CommandFailed("keyfold migrate run: the rows are not copied")
            time.sleep(0.3)

    def _compare(self) -> str:
        found = self.keyfold.compare(self.seconds, self.reports / "compare.md")
        self.story.patterns = found["patterns"]
        sum = found["compared"]
        return f"{sum['asked']} questions, {sum['late']} late, {sum['different']} different"

    def _verify_rows(self) -> str:
        found = self.keyfold.verify_rows(self.reports / "verify.md")
        rows = sum(one["rows"] for one in found["entities"])
        return f"{rows} rows compared, {found['differences']} differ"

    def _switch(self, load: Load, *, back: bool = False) -> str:
        closed = self.keyfold.switch(back=back)
        side = self.legacy.name if back else self.table.name
        load.await_writes(side, WRITES, WRITTEN_WITHIN)
        return f"the program writes by {side}; for {closed:.1f} seconds nobody could write"

    def _follow(self, load: Load) -> str:
        """The table leads: what is written to it becomes rows."""
        time.sleep(self.lasts)
        written = load.written[self.table.name].all
        return f"{written} writes by {self.table.name}; {self._verify_rows()}"

    def _complete(self) -> str:
        self.keyfold.complete()
        return "nothing is kept in the database any more, and the table leads for good"

    def _verify_items(self) -> str:
        found = self.keyfold.verify_items()
        return f"{found['items']} items, {found['count']} findings"

"""The migration from start to end: each step, what it found, and how long it took."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, TypeVar

from from_postgres.book import Book
from from_postgres.commands import CommandFailed, Keyfold
from from_postgres.legacy import Legacy
from from_postgres.load import Load, Written
from from_postgres.reader import Reader
from from_postgres.table import Table

COPIED_WITHIN = 1800
FIRST_WRITE_WITHIN = 30

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
    """What the run read, put, deleted and carried."""
    patterns: list[dict[str, Any]] = field(default_factory=list)
    pause: float = 0.0
    """The time between the last write to the database and the first one to the table."""
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
    """What is done when nobody writes, before the table takes writes."""
    pace: float = 40
    seconds: float = 10
    """How long both sides are compared."""
    lasts_at_end: float = 10
    """How long the program writes to the table at the end."""

    def run(self) -> Story:
        """From start to end."""
        began = time.monotonic()
        load, reader = Load(self.book, self.pace), Reader(self.book, self.story.read)
        load.start(self.legacy)
        reader.start(self.legacy)
        try:
            self._step("check", self._check)
            self._move(load, reader)
            self._step("write to the table", lambda: self._write_on(load))
        finally:
            reader.stop()
            load.stop()
            self.story.written = load.written
        self._step("verify items", self._verify_items)
        self.story.seconds = time.monotonic() - began
        return self.story

    def _move(self, load: Load, reader: Reader) -> None:
        """Carries the rows while the load writes, until the table leads."""
        with self.keyfold.running(self.reports / "run.md") as run:
            self._step("copy", lambda: self._copied(run.has_ended))
            self._step("compare", self._compare)
            self._step("verify rows", self._verify_rows)
            self._step("switch reads", lambda: reader.turn(self.table))
            began = time.monotonic()
            load.stop()
            last = load.last_write
            self._note("stop the writers", "nothing is written to the database any more", began)
        self.story.counted = run.counted
        self._step("complete", self._complete)
        self.settled()
        load.start(self.table)
        load.await_first(FIRST_WRITE_WITHIN)
        self.story.pause = load.last_write - last
        self.say(f"the writers paused for {self.story.pause:.1f} s")

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

    def _complete(self) -> str:
        self.keyfold.complete()
        return "what was left is carried, all rows are compared, and the table leads"

    def _write_on(self, load: Load) -> str:
        time.sleep(self.lasts_at_end)
        load.stop()
        written = load.written[self.table.name]
        return f"{written.all} writes by {self.table.name}"

    def _verify_items(self) -> str:
        found = self.keyfold.verify_items()
        return f"{found['items']} items, {found['count']} findings"

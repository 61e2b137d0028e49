"""The command `keyfold`, as the migration calls it."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from keyfold.transport.process import binary

from from_postgres.postgres import Database

MODEL = Path(__file__).resolve().parent.parent / "shop.keyfold"
ENDS_WITHIN = 60
LAG = "60s"
"""How long what differs may be late before it counts: changes take long on a busy machine."""


class CommandFailed(Exception):
    """A command did not do what was asked."""


class Keyfold:
    """Commands about one database and one place of tables."""

    def __init__(self, database: Database, endpoint: str) -> None:
        self._from = ["--from", database.url]
        self._at = ["--at", endpoint]
        self._endpoint = endpoint
        self._environment = {**os.environ, "PGPASSWORD": database.password}

    def check(self) -> dict[str, Any]:
        """Reads every row, and says which are no items, and which would come back as other rows."""
        return self._call("migrate", "check", str(MODEL), *self._from, "--back")

    def status(self) -> dict[str, Any]:
        """How far the migration is."""
        return self._migrate("status")

    def compare(self, seconds: float, report: Path) -> dict[str, Any]:
        """Asks each pattern of both sides for so long."""
        lasts = ["--for", f"{max(1, round(seconds))}s", "--lag", LAG]
        return self._migrate("compare", *lasts, "--report", str(report))

    def verify_rows(self, report: Path) -> dict[str, Any]:
        """Compares each row with its item."""
        return self._migrate("verify", "--report", str(report))

    def switch(self, *, back: bool = False) -> float:
        """Lets the table lead, or the database again. For how many seconds nobody could write."""
        found = self._migrate("switch", "--yes", *(["--back"] if back else []))
        return float(found["pausedMs"]) / 1000

    def complete(self) -> dict[str, Any]:
        """Carries what is left, and ends the migration: the table leads for good."""
        return self._migrate("complete", "--yes")

    def verify_items(self) -> dict[str, Any]:
        """Compares every stored item with the model."""
        return self._call("verify", str(MODEL), "--endpoint", self._endpoint, "--yes")

    @contextmanager
    def running(self, report: Path) -> Iterator[Run]:
        """Copies and carries changes until the block ends."""
        line = ["migrate", "run", str(MODEL), *self._from, *self._at]
        process = self._popen(*line, "--report", str(report))
        run = Run(process)
        try:
            yield run
        finally:
            run.end()

    def _migrate(self, word: str, *more: str) -> dict[str, Any]:
        return self._call("migrate", word, str(MODEL), *self._from, *self._at, *more)

    def _popen(self, *line: str) -> subprocess.Popen[str]:
        return subprocess.Popen(
            [binary(), *line, "--json"],
            env=self._environment,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            # Ctrl-C is for the program, which ends the command itself.
            start_new_session=True,
        )

    def _call(self, *line: str) -> dict[str, Any]:
        process = self._popen(*line)
        out, err = process.communicate()
        return _result(" ".join(line[:2]), out, err)


class Run:
    """`keyfold migrate run` in the background."""

    def __init__(self, process: subprocess.Popen[str]) -> None:
        self._process = process
        self.counted: dict[str, int] = {}
        """What it said last of what it has read and written."""
        self._out = ""
        self._err = ""
        self._threads = [
            threading.Thread(target=read, daemon=True) for read in (self._read, self._read_errors)
        ]
        for thread in self._threads:
            thread.start()

    def has_ended(self) -> bool:
        """Whether it ended by itself, which it does for a reason alone."""
        return self._process.poll() is not None

    def end(self) -> dict[str, Any]:
        """Stops it: it ends after what is under way."""
        if not self.has_ended():
            self._process.send_signal(signal.SIGINT)
        try:
            self._process.wait(ENDS_WITHIN)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()
        for thread in self._threads:
            thread.join()
        result = _result("migrate run", self._out, self._err)
        self.counted = result["counted"]
        return result

    def _read(self) -> None:
        assert self._process.stdout is not None
        for line in self._process.stdout:
            self._out = line
            event = json.loads(line)
            if event.get("event") == "progress":
                self.counted = event["counted"]

    def _read_errors(self) -> None:
        assert self._process.stderr is not None
        self._err = self._process.stderr.read()


def _result(what: str, out: str, err: str) -> dict[str, Any]:
    lines = out.splitlines()
    document = json.loads(lines[-1]) if lines else {}
    if not document.get("ok"):
        said = document.get("error", {}).get("message") or err.strip() or "it said nothing"
        raise CommandFailed(f"keyfold {what}: {said}")
    result = document["result"]
    assert isinstance(result, dict)
    return result

"""The program as it is started: small from start to end, and where it cannot be."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent


def started(*options: str, code: str = "") -> subprocess.CompletedProcess[str]:
    binary = os.environ.get("KEYFOLD_BIN")
    own = {"KEYFOLD_BIN": os.path.abspath(binary)} if binary else {}
    command = ["-c", code] if code else ["-m", "from_postgres", *options]
    return subprocess.run(
        [sys.executable, *command],
        cwd=ROOT,
        env={**os.environ, **own},
        capture_output=True,
        text=True,
        check=False,
    )


def test_one_command_moves_the_shop_and_writes_the_report(tmp_path: Path) -> None:
    sizes = ["--users", "60", "--products", "20", "--orders", "120", "--seconds", "2"]
    done = started(*sizes, "--data", str(tmp_path))
    assert done.returncode == 0, done.stdout + done.stderr
    assert re.search(r"rows became items in \d+ seconds", done.stdout), done.stdout
    assert (tmp_path / "report" / "report.html").exists()
    # What was moved is not overwritten.
    again = started(*sizes, "--data", str(tmp_path))
    assert again.returncode == 1
    assert re.fullmatch(r"The shop stays where it is: .* is there already: .*\n", again.stderr)


def test_a_word_that_it_does_not_take_ends_it(tmp_path: Path) -> None:
    for words in (["--user", "3"], ["--users", "0"], ["more"]):
        done = started(*words)
        assert done.returncode == 2, words
        assert "usage:" in done.stderr
    assert "FROM_POSTGRES_CONNECTION" in started("--help").stdout


def test_where_postgres_is_missing_one_sentence_says_so(tmp_path: Path) -> None:
    code = f"""
import pathlib, shutil
shutil.which = lambda name: None
pathlib.Path.glob = lambda self, pattern: iter(())
import from_postgres.__main__ as program
raise SystemExit(program.main(["--data", {str(tmp_path)!r}]))
"""
    done = started(code=code)
    assert done.returncode == 1
    assert re.fullmatch(r"The shop stays where it is: PostgreSQL is needed: .*\n", done.stderr)

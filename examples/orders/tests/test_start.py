"""The program as it is started: on a folder, on a server, and where it cannot be."""

from __future__ import annotations

import os
import re
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import httpx
import pytest
from keyfold import testing

ROOT = Path(__file__).resolve().parent.parent


@contextmanager
def started(
    connection: str, *options: str
) -> Iterator[tuple[str, subprocess.Popen[str]]]:
    """Starts the program, which says where it is open."""
    binary = os.environ.get("KEYFOLD_BIN")
    own = {"KEYFOLD_BIN": os.path.abspath(binary)} if binary else {}
    program = subprocess.Popen(
        [sys.executable, "-m", "orders", *options],
        cwd=ROOT,
        env={**os.environ, **own, "ORDERS_CONNECTION": connection},
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    try:
        assert program.stdout is not None
        found = re.search(r"open at (http:\S+)", program.stdout.readline())
        yield found[1] if found else "", program
    finally:
        program.send_signal(signal.SIGINT)
        program.communicate(timeout=20)


def test_on_a_folder_the_orders_are_there_after_a_restart(tmp_path: Path) -> None:
    connection = f"keyfold:{tmp_path}/data"
    for written in (True, False):
        with started(connection) as (address, program):
            found = httpx.get(f"{address}/api/customers/C001/orders").json()
            assert found["same"] and found["keyfold"]["rows"]
            again = httpx.post(f"{address}/api/import").json()
            assert again["written"] == 0, written
        assert program.returncode == 0


@pytest.fixture
def folder(monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """A folder for temporary files, into which the user `postgres` may look, too."""
    with tempfile.TemporaryDirectory() as made:
        os.chmod(made, 0o777)
        monkeypatch.setenv("TMPDIR", made)
        yield Path(made)


def test_on_a_server_that_ends_the_program_says_so(folder: Path) -> None:
    with testing.serve() as server, started(server.endpoint) as (address, program):
        foreign = {"sec-fetch-site": "cross-site"}
        assert httpx.post(f"{address}/api/import", headers=foreign).status_code == 403
        server.stop()
        answer = httpx.get(f"{address}/api/customers/C001/orders", timeout=30)
        assert (answer.status_code, answer.json()["code"]) == (503, "transport")
        # A program that is killed leaves no PostgreSQL behind, and its folder to the next one.
        children = Path(f"/proc/{program.pid}/task/{program.pid}/children").read_text()
        program.kill()
        program.wait()
        until = time.monotonic() + 20
        while any(Path(f"/proc/{one}").exists() for one in children.split()):
            assert time.monotonic() < until, children
            time.sleep(0.05)
        [left] = folder.iterdir()
        os.utime(left, (0, 0))
        with started("http://127.0.0.1:1"):
            pass
        assert list(folder.iterdir()) == []


def test_where_it_cannot_start_it_says_why_in_a_line() -> None:
    with started("http://127.0.0.1:1") as (address, program):
        assert address == ""
        _, said = program.communicate(timeout=20)
    assert program.returncode == 1
    assert re.fullmatch(r"The orders stay closed: .*127\.0\.0\.1:1.*\n", said), said


def test_where_postgres_is_missing_one_sentence_says_so(tmp_path: Path) -> None:
    code = """
import pathlib, shutil
shutil.which = lambda name: None
pathlib.Path.glob = lambda self, pattern: iter(())
import orders.__main__ as program
raise SystemExit(program.main())
"""
    done = subprocess.run(
        [sys.executable, "-c", code],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=False,
    )
    said = "The orders stay closed: PostgreSQL is needed: install Debian's package postgresql"
    assert (done.returncode, done.stderr.startswith(said)) == (1, True), done.stderr


@pytest.mark.parametrize("text", ["abc", "", "99999", "-1", "8e3"])
def test_a_wrong_port_is_named_before_the_table_is_opened(
    monkeypatch: pytest.MonkeyPatch, text: str
) -> None:
    monkeypatch.setenv("PORT", text)
    with started("http://127.0.0.1:1") as (address, program):
        assert address == ""
        _, said = program.communicate(timeout=20)
    assert program.returncode == 1
    assert re.fullmatch(
        f"The orders stay closed: PORT is {text!r}. .*65535.*\n", said
    ), said


def test_it_listens_at_an_address_of_ipv6(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv("ORDERS_HOST", "::1")
    with started(f"keyfold:{tmp_path}/data") as (address, program):
        assert re.fullmatch(r"http://\[::1\]:[0-9]+", address), address
        assert httpx.get(f"{address}/openapi.json").status_code == 200
    assert program.returncode == 0

"""The program as it is started: on a folder, on a server, and where it cannot be."""

from __future__ import annotations

import os
import re
import signal
import subprocess
import sys
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
        [sys.executable, "-m", "bookmarks", *options],
        cwd=ROOT,
        env={**os.environ, **own, "BOOKMARKS_CONNECTION": connection},
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


COPY = "api/copies/ada/alice/epub"
TURN = {"device": "Phone", "position": {"page": 3}, "edition": 0}


def test_on_a_folder_annotations_are_there_after_a_restart(tmp_path: Path) -> None:
    connection = f"keyfold:{tmp_path}/data"
    with started(connection) as (address, program):
        assert httpx.put(f"{address}/{COPY}/lastread", json=TURN).status_code == 200
        before = httpx.get(f"{address}/{COPY}").json()
    assert program.returncode == 0
    with started(connection) as (address, program):
        assert httpx.get(f"{address}/{COPY}").json() == before
    assert [one["positions"][0]["page"] for one in before["annotations"]] == [3]


def test_on_a_server_that_ends_the_program_says_so() -> None:
    with testing.serve() as server, started(server.endpoint) as (address, _):
        assert httpx.get(f"{address}/{COPY}").json() == {"annotations": []}
        server.stop()
        answer = httpx.get(f"{address}/{COPY}", timeout=30)
        assert (answer.status_code, answer.json()["code"]) == (503, "transport")


def test_the_lines_of_the_readme_work_as_written(tmp_path: Path) -> None:
    text = (ROOT / "README.md").read_text()
    lines = re.findall(r"^(curl .*)  # ([0-9]{3})$", text, re.MULTILINE)
    assert len(lines) == 3
    with started(f"keyfold:{tmp_path}/data") as (address, _):
        for line, status in lines:
            asked = line.replace("localhost:8000", address)
            asked = asked.replace("curl", "curl -s -o /dev/null -w '%{http_code}'", 1)
            done = subprocess.run(["sh", "-c", asked], capture_output=True, text=True)
            assert done.stdout == status, line


def test_where_it_cannot_start_it_says_why_in_a_line() -> None:
    with started("http://127.0.0.1:1") as (address, program):
        assert address == ""
        _, said = program.communicate(timeout=20)
    assert program.returncode == 1
    assert re.fullmatch(r"The book stays closed: .*127\.0\.0\.1:1.*\n", said), said


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
        f"The book stays closed: PORT is {text!r}. .*65535.*\n", said
    ), said


def test_it_listens_at_an_address_of_ipv6(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv("BOOKMARKS_HOST", "::1")
    with started(f"keyfold:{tmp_path}/data") as (address, program):
        assert re.fullmatch(r"http://\[::1\]:[0-9]+", address), address
        assert httpx.get(f"{address}/openapi.json").status_code == 200
    assert program.returncode == 0

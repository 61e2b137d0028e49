"""The server for tests, and those of folders."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
import urllib.request
from pathlib import Path

import pytest
import support

from keyfold import Transport, testing
from keyfold.transport.process import Server


def answers(endpoint: str) -> bool:
    try:
        with urllib.request.urlopen(endpoint, timeout=5) as answer:
            return bool(answer.status == 200)
    except OSError:
        return False


def test_servers_are_apart_and_end_with_their_blocks() -> None:
    with testing.serve() as one, testing.serve() as other:
        assert one.endpoint != other.endpoint
        assert answers(one.endpoint) and answers(other.endpoint)
    assert not answers(one.endpoint)
    one.stop()


FORGETS = """
import asyncio, os, signal, sys
from keyfold import Client
from keyfold.aio import AsyncClient
model, folder, how = sys.argv[1:]
if how.startswith("async"):
    async def run():
        client = AsyncClient(model, f"keyfold:{folder}")
        await client.__aenter__()
        await client.ensure_tables()
        os.kill(os.getpid(), signal.SIGTERM)
    asyncio.run(run())
client = Client(model, f"keyfold:{folder}")
client.ensure_tables()
if how == "exit":
    raise SystemExit(3)
if how == "term":
    os.kill(os.getpid(), signal.SIGTERM)
if how == "kill":
    os.kill(os.getpid(), signal.SIGKILL)
"""


@pytest.mark.parametrize(
    ("how", "code"),
    [
        ("end", 0),
        ("exit", 3),
        ("term", -signal.SIGTERM),
        ("async term", -signal.SIGTERM),
        ("kill", -signal.SIGKILL),
    ],
)
def test_a_forgotten_server_ends_with_its_program(tmp_path: Path, how: str, code: int) -> None:
    document = tmp_path / "things.plan.json"
    document.write_text(json.dumps(support.plan(support.THINGS)))
    folder = tmp_path / "data"
    command = [sys.executable, "-c", FORGETS, str(document), str(folder), how]
    paths = {**os.environ, "PYTHONPATH": str(support.PACKAGE / "src")}
    done = subprocess.run(command, env=paths, capture_output=True, timeout=60, check=False)
    assert done.returncode == code, done.stderr
    # A server that is left behind holds its folder.
    for _ in range(100):
        try:
            Server(["--data", str(folder)]).stop()
            return
        except Transport:
            time.sleep(0.1)
    raise AssertionError("the server holds its folder yet")


def test_a_server_that_does_not_start_says_why(tmp_path: Path) -> None:
    taken = tmp_path / "file"
    taken.write_text("no folder")
    with pytest.raises(Transport, match="serve --json --port 0 .*--data"):
        Server(["--data", str(taken)])
    with pytest.raises(Transport, match="did not start: (?!{)"):
        Server(["--data", str(taken)])
    with pytest.raises(Transport, match="unexpected argument"):
        testing.serve("--nonsense")


SERVES = """
import os, signal
from keyfold import testing
print(testing.serve().endpoint, flush=True)
os.kill(os.getpid(), signal.SIGKILL)
"""


def test_a_test_server_ends_with_a_killed_program() -> None:
    paths = {**os.environ, "PYTHONPATH": str(support.PACKAGE / "src")}
    done = subprocess.run(
        [sys.executable, "-c", SERVES], env=paths, capture_output=True, text=True, timeout=60
    )
    assert done.returncode == -signal.SIGKILL, done.stderr
    for _ in range(100):
        if not answers(done.stdout.strip()):
            return
        time.sleep(0.1)
    raise AssertionError("the server still answers")


def test_an_absent_binary_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("KEYFOLD_BIN", "/nowhere/keyfold")
    with pytest.raises(Transport, match="/nowhere/keyfold does not start"):
        testing.serve()
    monkeypatch.delenv("KEYFOLD_BIN")
    monkeypatch.setenv("PATH", "/nowhere")
    with pytest.raises(Transport, match="set KEYFOLD_BIN"):
        testing.serve()

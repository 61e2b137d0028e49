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
from keyfold.transport import process
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
    with pytest.raises(Transport, match=r"^\S*keyfold did not start: (?!{).*file"):
        Server(["--data", str(taken)])
    with pytest.raises(Transport, match=r"^\S*keyfold did not start: unexpected argument"):
        testing.serve("--nonsense")


@pytest.mark.parametrize(
    ("error", "said"),
    [
        (
            {"message": "no such output", "where": {"file": "keyfold.toml", "line": 2}},
            "keyfold.toml:2: no such output",
        ),
        # A message may begin with its place.
        (
            {"message": "keyfold.toml:2: no such output", "where": {"file": "keyfold.toml"}},
            "keyfold.toml:2: no such output",
        ),
        ({"message": "cannot open", "where": {"folder": "x"}, "diagnostics": []}, "cannot open"),
        ({"message": "cannot open", "where": None, "diagnostics": [{"help": 5}]}, "cannot open"),
        ("x", '{"error": "x"}'),
        ({"message": 5}, '{"error": {"message": 5}}'),
    ],
)
def test_the_report_of_a_failed_start_is_a_sentence(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, error: object, said: str
) -> None:
    report = tmp_path / "report"
    report.write_text(f"#!/bin/sh\ncat <<'END'\n{json.dumps({'error': error})}\nEND\n")
    report.chmod(0o700)
    monkeypatch.setenv("KEYFOLD_BIN", str(report))
    with pytest.raises(Transport) as caught:
        testing.serve()
    assert str(caught.value) == f"{report} did not start: {said}"


def stand_in(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, script: str) -> Path:
    """A program in the place of the server, which writes its number into a file."""
    program = tmp_path / "stand-in"
    program.write_text(f"#!/bin/sh\necho $$ > '{tmp_path}/pid'\n{script}\n")
    program.chmod(0o700)
    monkeypatch.setenv("KEYFOLD_BIN", str(program))
    return program


def is_gone(tmp_path: Path) -> bool:
    """Whether that program has ended."""
    try:
        os.kill(int((tmp_path / "pid").read_text()), 0)
    except ProcessLookupError:
        return True
    return False


@pytest.mark.parametrize(
    ("script", "said"),
    [
        ("echo '{\"ok\": true}'; exec sleep 60", '{"ok": true}'),
        ('echo \'{"result": {"endpoint": 5}}\'; exec sleep 60', '{"result": {"endpoint": 5}}'),
        ("printf '\\377\\376 no text\\n'; exec sleep 60", "\ufffd\ufffd no text"),
        ("printf '\\377 said' >&2", "\ufffd said"),
        ("true", "it ended and said nothing"),
        ("exec sleep 60", "it has said nothing for 3 seconds"),
    ],
)
def test_a_program_that_is_no_server_is_told_and_ended(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, script: str, said: str
) -> None:
    monkeypatch.setattr(process, "START_SECONDS", 3)
    program = stand_in(tmp_path, monkeypatch, script)
    started = time.monotonic()
    with pytest.raises(Transport) as caught:
        testing.serve()
    assert str(caught.value) == f"{program} did not start: {said}"
    assert time.monotonic() - started < 10
    assert is_gone(tmp_path)


class Alarm(Exception):
    """What a handler of a signal raises."""


def test_an_exception_while_a_server_starts_leaves_none(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def rings(*_: object) -> None:
        raise Alarm

    stand_in(tmp_path, monkeypatch, "exec sleep 60")
    before = signal.signal(signal.SIGALRM, rings)
    try:
        for arguments in (["--memory"], ["--data", str(tmp_path / "data")]):
            signal.setitimer(signal.ITIMER_REAL, 0.5)
            with pytest.raises(Alarm):
                Server(arguments)
            assert is_gone(tmp_path)
    finally:
        signal.signal(signal.SIGALRM, before)


def test_a_server_names_the_place_in_a_wrong_model(tmp_path: Path) -> None:
    one, two = tmp_path / "one.keyfold", tmp_path / "two.keyfold"
    one.write_text(WRONG.replace("strng", "string"))
    with pytest.raises(Transport) as caught:
        testing.serve(str(one))
    assert str(caught.value) == (
        f"{support.KEYFOLD} did not start: {one}:4:1: `entty` starts no declaration;"
        " did you mean `entity`?"
    )
    two.write_text(WRONG)
    with pytest.raises(Transport) as caught:
        testing.serve(str(two))
    assert str(caught.value) == (
        f"{support.KEYFOLD} did not start: {two}:4:1: 2 findings, the first: `entty` starts no"
        " declaration; did you mean `entity`?"
    )


WRONG = """model wrong 1
table Wrong (PK, SK)

entty User
  a: string
  key "A#{a}" "B"

entity Thing
  thingId: strng
  key "T#{thingId}" "T"
"""


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

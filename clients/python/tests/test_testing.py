"""The server for tests, and those of folders."""

from __future__ import annotations

import urllib.request
from pathlib import Path

import pytest

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


def test_a_server_that_does_not_start_says_why(tmp_path: Path) -> None:
    taken = tmp_path / "file"
    taken.write_text("no folder")
    with pytest.raises(Transport, match="serve --json --port 0 --data"):
        Server(["--data", str(taken)])
    with pytest.raises(Transport, match="unexpected argument"):
        testing.serve("--nonsense")


def test_an_absent_binary_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("KEYFOLD_BIN", "/nowhere/keyfold")
    with pytest.raises(Transport, match="/nowhere/keyfold does not start"):
        testing.serve()
    monkeypatch.delenv("KEYFOLD_BIN")
    monkeypatch.setenv("PATH", "/nowhere")
    with pytest.raises(Transport, match="set KEYFOLD_BIN"):
        testing.serve()

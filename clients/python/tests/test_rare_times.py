"""Servers of folders at rare times: at the very end of a program, where the handler of a signal
forks, where a start takes long, and where the program's own folder is gone."""

from __future__ import annotations

import asyncio
import gc
import os
import signal
import time
from pathlib import Path

import pytest
import support
from support import Json, Proxy, Send
from test_forks import in_child
from test_keeper import document as document_of
from test_keeper import run
from test_shared import count, has_fork, is_free, kill

from keyfold import Client, Model, Transport
from keyfold.aio import AsyncClient

document = document_of

DROPPED = """
import sys
from keyfold import Client, Transport
class Dropped:
    def __init__(self):
        self.client = Client(sys.argv[1], f"keyfold:{sys.argv[2]}")
    def __del__(self):
        try:
            self.client.all("bookings", {"accountId": "a"})
        except Transport as error:
            print(error)
        self.client.close()
        print("closed")
dropped = Dropped()
"""


def test_an_object_that_is_dropped_with_the_program_closes_its_client(
    folder: Path, document: str
) -> None:
    said, errors = run(DROPPED, document, str(folder)).communicate(timeout=30)
    assert said == "the program ends: its clients are closed\nclosed\n", errors
    assert is_free(folder)


FORKED = """
import os, signal, sys
from keyfold import Client
children = []
def fork(*_):
    child = os.fork()
    if child:
        children.append(child)
signal.signal(signal.SIGALRM, fork)
signal.setitimer(signal.ITIMER_REAL, 0.5)
client = Client(sys.argv[1], f"keyfold:{sys.argv[2]}")
read = len(client.all("bookings", {"accountId": "a"}))
if children:
    ended = os.waitpid(children[0], 0)[1]
    print("parent", read, ended, flush=True)
else:
    print("child", read, flush=True)
client.close()
"""


@has_fork
def test_a_handler_that_forks_a_process_which_waits_for_a_server(
    folder: Path, document: str, slow_start: Path
) -> None:
    slow_start.write_text("1.5")
    said, errors = run(FORKED, document, str(folder)).communicate(timeout=30)
    assert said == "child 1\nparent 1 0\n", errors
    assert is_free(folder)


@has_fork
@pytest.mark.parametrize("is_given", [False, True])
def test_a_handler_that_forks_leaves_the_answer_to_the_parent(
    model: Model, proxy: Proxy, is_given: bool
) -> None:
    """Each of the two processes gets an answer of its own."""

    def late(_operation: str, _input: Json, send: Send) -> tuple[int, bytes]:
        answer = send()
        time.sleep(0.6)
        return answer

    boto3 = pytest.importorskip("boto3")
    keys = {"aws_access_key_id": "k", "aws_secret_access_key": "s"}
    at = {"endpoint_url": proxy.endpoint, "region_name": "us-east-1"}
    given = boto3.client("dynamodb", **at, **keys) if is_given else proxy.endpoint
    children: list[int] = []

    def fork(*_: object) -> None:
        child = os.fork()
        if child:
            children.append(child)

    parent = os.getpid()
    known = signal.signal(signal.SIGALRM, fork)
    try:
        with Client(model, given) as client:
            client.all("bookings", {"accountId": "a"})
            proxy.faults["Query"] = [late]
            signal.setitimer(signal.ITIMER_REAL, 0.3)
            try:
                begun = time.monotonic()
                client.all("bookings", {"accountId": "a"})
                seconds = time.monotonic() - begun
            finally:
                if os.getpid() != parent:
                    os._exit(0 if "seconds" in locals() else 1)
    finally:
        signal.signal(signal.SIGALRM, known)
    assert seconds < 5
    assert os.waitpid(children[0], 0)[1] == 0


@has_fork
def test_a_relative_waits_for_a_start_that_takes_long(
    model: Model, folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The first server that starts has the folder for longer than one that stops would."""
    program, first = tmp_path / "first", tmp_path / "is-first"
    taken = f"exec 9<>'{folder / 'keyfold'}'; flock -n 9 && rm '{first}' && sleep 7; exec 9>&-"
    program.write_text(
        f"#!/bin/sh\n[ -e '{first}' ] && {{ {taken}; }}\nexec '{support.KEYFOLD}' \"$@\"\n"
    )
    program.chmod(0o700)
    monkeypatch.setenv("KEYFOLD_BIN", str(program))
    with Client(model, f"keyfold:{folder}") as client:
        first.touch()
        kill()

        def read() -> int:
            time.sleep(0.3)
            return count(client)

        child = in_child(read, 60)
        begun = time.monotonic()
        assert count(client) == 1
        assert time.monotonic() - begun > 6
        assert child() == "1"
    assert is_free(folder)


def test_an_async_client_whose_loop_is_closed_while_it_opens_uses_no_folder(
    model: Model, folder: Path, slow_start: Path
) -> None:
    async def opened() -> None:
        async with AsyncClient(model, f"keyfold:{folder}"):
            pass

    slow_start.write_text("0.5")
    loop = asyncio.new_event_loop()
    task = loop.create_task(opened())
    loop.call_later(0.2, loop.stop)
    loop.run_forever()
    loop.close()
    del task
    gc.collect()
    slow_start.unlink()
    end = time.monotonic() + 60
    while not is_free(folder):
        assert time.monotonic() < end, "the server is there yet"
        time.sleep(0.1)


def test_a_folder_beside_a_program_whose_own_is_gone(
    model: Model, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    gone = tmp_path / "gone"
    gone.mkdir()
    monkeypatch.chdir(gone)
    gone.rmdir()
    with pytest.raises(Transport, match="the data folder data is nowhere"):
        Client(model, "keyfold:data")

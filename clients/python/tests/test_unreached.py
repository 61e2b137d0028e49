"""A server that is not there, and keys that are not: what the program is told, and how soon."""

from __future__ import annotations

import socket
import time
from pathlib import Path
from typing import Any

import pytest
from both import ALL, BOTH, Asked, called

from keyfold import Model, Options, Transport
from keyfold.lower.steps import Request
from keyfold.transport.botocore_errors import is_local
from keyfold.transport.policy import Attempts, NotSent, Wait

THING = called("one", "thing", {"thingId": "unreached"})


def free() -> str:
    """An address of this machine where no server listens."""
    with socket.socket() as held:
        held.bind(("127.0.0.1", 0))
        return f"http://127.0.0.1:{held.getsockname()[1]}"


@pytest.mark.parametrize("ask", ALL)
def test_a_refused_connection_is_told_soon(model: Model, ask: Asked) -> None:
    endpoint, started = free(), time.monotonic()
    with pytest.raises(Transport) as caught:
        ask(model, endpoint, Options(), THING)
    assert time.monotonic() - started < 3
    assert str(caught.value) == (
        f"cannot reach {endpoint}: the connection was refused; `keyfold serve` starts a server"
    )


def test_a_refused_connection_has_as_many_attempts(model: Model) -> None:
    """The documented number, with short pauses: a server may be starting."""
    for is_near, least, most in ((True, 0.6, 1.6), (False, 9, 30)):
        request = Request("GetItem", {"TableName": "T"})
        attempts = Attempts(request, started=0, deadline=100, retries=8)
        pauses: list[float] = []
        while True:
            after = attempts.after(NotSent("no", is_near=is_near), sum(pauses))
            if not isinstance(after, Wait):
                break
            pauses.append(after.seconds)
        assert len(pauses) == 8
        assert least < sum(pauses) < most
        assert isinstance(after, Transport) and after.message == "no"


def test_a_server_that_starts_meanwhile_is_found(model: Model) -> None:
    for ask in BOTH:
        with pytest.raises(Transport):
            ask(model, free(), Options(retries=0), THING)


@pytest.mark.parametrize(
    ("url", "expected"),
    [
        ("http://127.0.0.1:8000", True),
        ("http://127.1.2.3:8000/", True),
        ("http://localhost:8000", True),
        ("http://LOCALHOST", True),
        ("http://0.0.0.0:1", True),
        ("http://[::1]:8000", True),
        ("https://dynamodb.eu-west-1.amazonaws.com", False),
        ("http://10.0.0.1:8000", False),
        ("http://localhost.example.com", False),
        ("", False),
    ],
)
def test_an_address_of_this_machine(url: str, expected: bool) -> None:
    assert is_local(url) is expected


@pytest.mark.parametrize("ask", BOTH)
def test_missing_credentials_are_told_at_once(
    model: Model, ask: Asked, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("AWS_CONFIG_FILE", "AWS_SHARED_CREDENTIALS_FILE"):
        monkeypatch.setenv(name, str(tmp_path / "none"))
    for name in ("AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY", "AWS_SESSION_TOKEN"):
        monkeypatch.delenv(name, raising=False)
    started = time.monotonic()
    with pytest.raises(Transport) as caught:
        ask(model, "dynamodb://eu-west-1", Options(), THING)
    assert str(caught.value) == (
        "there are no credentials: set AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY, or name a"
        " profile: dynamodb://eu-west-1?profile=name"
    )
    assert time.monotonic() - started < 2


@pytest.mark.parametrize("ask", BOTH)
def test_half_of_the_credentials_is_told_at_once(
    model: Model, ask: Asked, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("AWS_CONFIG_FILE", "AWS_SHARED_CREDENTIALS_FILE"):
        monkeypatch.setenv(name, str(tmp_path / "none"))
    monkeypatch.setenv("AWS_ACCESS_KEY_ID", "k")
    monkeypatch.delenv("AWS_SECRET_ACCESS_KEY", raising=False)
    failed: Any = None
    try:
        ask(model, "dynamodb://eu-west-1", Options(), THING)
    except Exception as error:
        failed = error
    assert isinstance(failed, Transport), repr(failed)
    assert "credentials is missing: Partial credentials found in env" in str(failed)

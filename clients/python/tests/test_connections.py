"""Connections: the address, the region and the keys of what a client sends."""

from __future__ import annotations

import asyncio
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any, cast

import aioboto3  # type: ignore[import-untyped, unused-ignore]
import boto3  # type: ignore[import-untyped, unused-ignore]
import pytest
import support  # noqa: F401

from keyfold import Client, Invalid, KeyfoldError, Model
from keyfold.aio import AsyncClient
from keyfold.transport import aioboto, boto, connection

CONFIG = """
[default]
region = eu-central-1
aws_access_key_id = D
aws_secret_access_key = d
endpoint_url = http://files.example
[profile prod]
region = ap-south-1
aws_access_key_id = P
aws_secret_access_key = p
[profile bare]
aws_access_key_id = B
aws_secret_access_key = b
"""
ELSEWHERE = {
    "AWS_ENDPOINT_URL": "http://elsewhere.example",
    "AWS_ENDPOINT_URL_DYNAMODB": "http://elsewhere.example",
}
KEYS = {"AWS_ACCESS_KEY_ID": "E", "AWS_SECRET_ACCESS_KEY": "e"}
KEYWORDS = {
    "aws_access_key_id": "k",
    "aws_secret_access_key": "s",
    "region_name": "local",
    "endpoint_url": "http://127.0.0.1:1",
}
LOCAL = "http://127.0.0.1:8000"
SIGNED = re.compile(rb"Credential=([^/]*)/[0-9]*/([^/]*)/dynamodb/")


class Sent(Exception):
    """Stops a request before it is sent."""


def stop(request: Any, **_: Any) -> None:
    held = request.headers["Authorization"]
    signed = SIGNED.search(held if isinstance(held, bytes) else held.encode())
    assert signed is not None
    raise Sent(request.url, *(group.decode() for group in signed.groups()))


def blocking(text: str) -> tuple[str, ...]:
    """The address of a request, the key and the region that it is signed with."""
    client = boto.connect(connection.read(text))
    client.meta.events.register("before-send.dynamodb", stop)
    with pytest.raises(Sent) as sent:
        client.list_tables()
    return sent.value.args


def awaited(text: str) -> tuple[str, ...]:
    async def run() -> tuple[str, ...]:
        async with aioboto.connect(connection.read(text)) as client:
            client.meta.events.register("before-send.dynamodb", stop)
            with pytest.raises(Sent) as sent:
                await client.list_tables()
            return sent.value.args

    return asyncio.run(run())


@pytest.fixture(autouse=True)
def files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Shared files of AWS, and an environment without keys."""
    (tmp_path / "config").write_text(CONFIG)
    monkeypatch.setenv("AWS_CONFIG_FILE", str(tmp_path / "config"))
    monkeypatch.setenv("AWS_SHARED_CREDENTIALS_FILE", str(tmp_path / "none"))
    for name in ("AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY", "AWS_SESSION_TOKEN"):
        monkeypatch.delenv(name, raising=False)


@pytest.mark.parametrize("sent", [blocking, awaited])
@pytest.mark.parametrize(
    ("text", "variables", "expected"),
    [
        # `dynamodb://` is Amazon's service, whatever variables and files say.
        ("dynamodb://eu-west-1", ELSEWHERE, ("dynamodb.eu-west-1.amazonaws.com", "D", "eu-west-1")),
        ("dynamodb://eu-west-1?profile=prod", KEYS, ("amazonaws.com", "P", "eu-west-1")),
        # Amazon refuses what is signed for another region than that of its host.
        (
            "https://dynamodb.eu-west-1.amazonaws.com",
            {**KEYS, "AWS_REGION": "sa-east-1"},
            ("dynamodb.eu-west-1.amazonaws.com", "E", "eu-west-1"),
        ),
        (
            "https://dynamodb.us-east-2.api.aws?region=eu-west-1",
            KEYS,
            ("dynamodb.us-east-2.api.aws", "E", "eu-west-1"),
        ),
        ("dynamodb://", {"AWS_PROFILE": "prod"}, ("amazonaws.com", "P", "ap-south-1")),
        ("dynamodb://", {**KEYS, "AWS_REGION": "sa-east-1"}, ("amazonaws.com", "E", "sa-east-1")),
        # Keys of a file are not sent without TLS, unless the text names the profile.
        (LOCAL, {}, (LOCAL, "keyfold", "local")),
        (LOCAL, {"AWS_PROFILE": "prod"}, (LOCAL, "keyfold", "local")),
        (LOCAL, {**KEYS, **ELSEWHERE}, (LOCAL, "E", "local")),
        ("HTTP://db.example", {}, ("http://db.example/", "keyfold", "local")),
        (f"{LOCAL}?profile=prod", KEYS, (LOCAL, "P", "ap-south-1")),
        (f"{LOCAL}?profile=bare", {"AWS_DEFAULT_REGION": "x-1"}, (LOCAL, "B", "x-1")),
        ("https://db.example?region=x-2", {}, ("https://db.example/", "D", "x-2")),
    ],
)
def test_address_region_and_keys(
    sent: Callable[[str], tuple[str, ...]],
    text: str,
    variables: dict[str, str],
    expected: tuple[str, str, str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    for name, value in variables.items():
        monkeypatch.setenv(name, value)
    url, key, region = sent(text)
    assert expected[0] in url
    assert (key, region) == expected[1:]


def test_what_is_missing_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for sent in (blocking, awaited):
        with pytest.raises(Invalid, match="prd"):
            sent("dynamodb://eu-west-1?profile=prd")
        with pytest.raises(Invalid, match="no region: write dynamodb://eu-west-1"):
            sent("dynamodb://?profile=bare")


def test_texts_are_read() -> None:
    for text in ("https://db.example.com", "https://db.example.com/", "http://[::1]:8000"):
        assert connection.read(text).endpoint == text.rstrip("/")
    assert connection.read("keyfold:./data").folder == "./data"


@pytest.mark.parametrize(
    "text",
    [
        *("", "keyfold:", "http://", "http://:1", "127.0.0.1:1", "memory:", "dynamodb:eu-west-1"),
        *("http://h:99999", "http://h:abc", "http://h:0", "http://[::1", "http://[bad]:1"),
        *("http://[::1]x:1", "http://a[::1]:1", "http://[127.0.0.1]:1", "http://a[b]c:1"),
        *("http://h/path", "http://h#x", " http://h", "http://h\n", "http://a b"),
        *("dynamodb://eu-west-1/x", "dynamodb://EU-WEST-1", "dynamodb://eu west"),
        *("keyfold:a\0b", "keyfold:a\ud800", "http://\ud800", "http://h\0:1"),
        *("dynamodb://evil.com", "dynamodb://eu-west-1:80", "dynamodb://eu-west-1?region=x-1"),
        *("http://h?region=bad region", "http://h?region=", "http://h?profile=a&profile=b"),
        # Nothing of a password is in a message.
        *("ftp://user:SECRET@h", "postgres://u:SECRET@h/db", "AKIA:SECRET@eu-west-1"),
        *(
            "http://user:SECRET@127.0.0.1:1",
            "http://user:SECRET@[::1]:1",
            "dynamodb://AKIA:SECRET@eu-west-1",
        ),
        *("dynamodb://eu-west-1?secret=SECRET", "http://h/?password=SECRET", "http://h:SECRET"),
    ],
)
def test_wrong_texts_are_refused(text: str) -> None:
    for sent in (blocking, awaited):
        with pytest.raises(Invalid) as caught:
            sent(text)
        assert "SECRET" not in str(caught.value)


def opened(model: Model, given: Any) -> list[BaseException | None]:
    """What both clients say to a connection when they open."""

    async def open_async() -> None:
        async with AsyncClient(model, given):
            pass

    said: list[BaseException | None] = []
    clients: list[Callable[[], object]] = [
        lambda: Client(model, given).close(),
        lambda: asyncio.run(open_async()),
    ]
    for one in clients:
        try:
            one()
            said.append(None)
        except Exception as error:
            said.append(error)
    return said


class Hollow:
    """What has a part of a client."""

    meta = None


@pytest.mark.parametrize("given", [None, 5, {}, b"http://h", Hollow(), Hollow])
def test_what_is_no_connection_is_refused(model: Model, given: Any) -> None:
    for error, sdk in zip(opened(model, given), ("boto3", "aioboto3")):
        assert isinstance(error, Invalid), repr(error)
        assert f"a connection is a text or a client of {sdk}, and " in error.message


def test_what_boto3_makes_beside_a_client_of_dynamodb_is_refused(model: Model) -> None:
    sdk, awaited_sdk = cast(Any, boto3), cast(Any, aioboto3).Session()
    resource = sdk.resource("dynamodb", **KEYWORDS)
    for error in opened(model, resource):
        assert isinstance(error, Invalid), repr(error)
        assert "and no resource" in error.message
    assert opened(model, sdk.client("s3", **KEYWORDS))[0] is not None
    for error in opened(model, sdk.client("s3", **KEYWORDS)):
        assert isinstance(error, Invalid), repr(error)
        assert "and no client for s3" in error.message
    # A client of the one is none of the other, and one that is not entered is none yet.
    blocks = opened(model, sdk.client("dynamodb", **KEYWORDS))
    assert blocks[0] is None and isinstance(blocks[1], Invalid), blocks
    assert "a client of aioboto3" in blocks[1].message
    for error in opened(model, awaited_sdk.client("dynamodb", **KEYWORDS)):
        assert isinstance(error, Invalid), repr(error)

    async def awaiting() -> None:
        async with awaited_sdk.client("dynamodb", **KEYWORDS) as own:
            async with AsyncClient(model, own):
                pass
            with pytest.raises(Invalid, match="a client of boto3, and none of aioboto3"):
                Client(model, own)

    asyncio.run(awaiting())


def test_what_boto3_cannot_be_opened_with_is_told(
    model: Model, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "config").write_text("[default\nregion")
    for error in opened(model, "dynamodb://eu-west-1"):
        assert isinstance(error, KeyfoldError), repr(error)
        assert "Unable to parse config file" in error.message


def test_a_wrong_region_of_the_environment_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("AWS_REGION", "EU West")
    with pytest.raises(Invalid, match="`EU West` is no region"):
        blocking("dynamodb://")

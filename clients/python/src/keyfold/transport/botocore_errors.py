"""The exceptions of botocore as outcomes of an attempt. boto3 and aioboto3 raise the same ones."""

from __future__ import annotations

import asyncio
import re
import socket
from collections.abc import Generator
from contextlib import contextmanager
from typing import Any, cast
from urllib.parse import urlsplit

from botocore import exceptions, parsers  # type: ignore[import-untyped, unused-ignore]

from keyfold.errors import Reason, Service, Transport
from keyfold.lower.steps import Request
from keyfold.transport.answers import Misdirected, NoAnswer
from keyfold.transport.policy import Lost, NotSent, Outcome

_errors = cast(Any, exceptions)
_CAUSES_MAX = 8
EXPECTED: tuple[type[BaseException], ...] = (
    _errors.ClientError,
    _errors.BotoCoreError,
    cast(Any, parsers).ResponseParserError,
    asyncio.TimeoutError,
    NoAnswer,
    Transport,
)
"""The exceptions that are outcomes; others are mistakes of the program."""
_NEVER_SENT: tuple[type[BaseException], ...] = (
    _errors.EndpointConnectionError,
    _errors.ConnectTimeoutError,
    _errors.CredentialRetrievalError,
    _errors.ProxyConnectionError,
)
_NEVER_SENDABLE: tuple[type[BaseException], ...] = (
    _errors.NoCredentialsError,
    _errors.PartialCredentialsError,
    _errors.ParamValidationError,
    _errors.NoRegionError,
)
"""What is as it is at the next attempt, too."""
_NO_CREDENTIALS = (
    "there are no credentials: set AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY, or name a profile:"
    " dynamodb://eu-west-1?profile=name"
)
_LOCAL = re.compile(r"127(\.\d+){3}|localhost|::1|0\.0\.0\.0")


@contextmanager
def opening() -> Generator[None, None, None]:
    """Opens a client of botocore, which looks for credentials then."""
    try:
        yield
    except _errors.PartialCredentialsError as error:
        raise Transport(f"half of the credentials is missing: {error}") from None


def outcome_of(error: BaseException, request: Request) -> Outcome:
    """The outcome of a request that an exception stands for."""
    response: dict[str, Any] | None = getattr(error, "response", None)
    if isinstance(error, _errors.ClientError) and response is not None:
        status = response.get("ResponseMetadata", {}).get("HTTPStatusCode", 400)
        about = response.get("Error", {})
        exception, message = about.get("Code", ""), about.get("Message", "")
        if status >= 500:
            return Lost(f"the service failed with {status}: {exception} {message}")
        reasons = response.get("CancellationReasons")
        asked = len(request.input.get("TransactItems", ()))
        if reasons is not None and len(reasons) != asked:
            return Lost(f"{exception} has {len(reasons)} reasons for {asked} actions")
        reasons = reasons or ()
        made = (Reason(one.get("Code", "None"), one.get("Message")) for one in reasons)
        shown = (response, *reasons) if "Item" in response else reasons
        found = tuple(at for at, one in enumerate(shown) if one.get("Item") is not None)
        return Service(exception, message, tuple(made), found)
    if isinstance(error, Transport):
        return NotSent(error.message, is_final=True)
    if isinstance(error, Misdirected):
        return NotSent(str(error), is_near=True)
    if isinstance(error, _NEVER_SENDABLE):
        is_absent = isinstance(error, _errors.NoCredentialsError)
        return NotSent(_NO_CREDENTIALS if is_absent else str(error), is_final=True)
    if isinstance(error, _NEVER_SENT) and not _was_open(error):
        return _unreached(error)
    return Lost(str(error) or type(error).__name__)


def _unreached(error: BaseException) -> NotSent:
    """The outcome of a request for which no connection was opened."""
    url = str(cast("dict[str, Any]", getattr(error, "kwargs", {})).get("endpoint_url", ""))
    if not _was_refused(error):
        return NotSent(str(error))
    why = f"cannot reach {url.rstrip('/')}: the connection was refused"
    is_near = is_local(url)
    return NotSent(f"{why}; `keyfold serve` starts a server" if is_near else why, is_near=is_near)


def _was_refused(error: BaseException | None) -> bool:
    """Whether nothing listens at the address: so says the error, or what caused it."""
    for _ in range(_CAUSES_MAX):
        if error is None or isinstance(error, ConnectionRefusedError):
            break
        error = error.__cause__ or error.__context__
    return isinstance(error, ConnectionRefusedError)


def is_local(url: str) -> bool:
    """Whether an address is one of this machine."""
    return _LOCAL.fullmatch(urlsplit(url).hostname or "") is not None


def _was_open(error: BaseException) -> bool:
    """Whether a connection was open before it failed. aiobotocore has one exception for one that
    could not be opened, whose cause names the host, and for one that was reset."""
    about: dict[str, Any] = getattr(error, "kwargs", {})
    cause = about.get("error")
    is_of_system = isinstance(cause, OSError) and not isinstance(cause, socket.gaierror)
    return is_of_system and not hasattr(cause, "host")

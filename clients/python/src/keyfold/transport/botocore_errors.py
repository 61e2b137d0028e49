"""The exceptions of botocore as outcomes of an attempt. boto3 and aioboto3 raise the same ones."""

from __future__ import annotations

import asyncio
import socket
from typing import Any, cast

from botocore import exceptions, parsers  # type: ignore[import-untyped, unused-ignore]

from keyfold.errors import Reason, Service
from keyfold.lower.steps import Request
from keyfold.transport.answers import NoAnswer
from keyfold.transport.policy import Lost, NotSent, Outcome

_errors = cast(Any, exceptions)
EXPECTED: tuple[type[BaseException], ...] = (
    _errors.ClientError,
    _errors.BotoCoreError,
    cast(Any, parsers).ResponseParserError,
    asyncio.TimeoutError,
    NoAnswer,
)
"""The exceptions that are outcomes; others are mistakes of the program."""
_NEVER_SENT: tuple[type[BaseException], ...] = (
    _errors.EndpointConnectionError,
    _errors.ConnectTimeoutError,
    _errors.NoCredentialsError,
    _errors.PartialCredentialsError,
    _errors.CredentialRetrievalError,
    _errors.ProxyConnectionError,
    _errors.ParamValidationError,
    _errors.NoRegionError,
)


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
    if isinstance(error, _NEVER_SENT) and not _was_open(error):
        return NotSent(str(error))
    return Lost(str(error) or type(error).__name__)


def _was_open(error: BaseException) -> bool:
    """Whether a connection was open before it failed. aiobotocore has one exception for one that
    could not be opened, whose cause names the host, and for one that was reset."""
    about: dict[str, Any] = getattr(error, "kwargs", {})
    cause = about.get("error")
    is_of_system = isinstance(cause, OSError) and not isinstance(cause, socket.gaierror)
    return is_of_system and not hasattr(cause, "host")

"""Requests that take no more of botocore than its credentials and its connections.

Most of a call by a client of boto3 is spent on what this package has done already: checking and
writing values by the service's description, and reading them by it. Here an input is written as
JSON, signed, and sent by the client's own HTTP session, with its proxies, certificates and times.
"""

from __future__ import annotations

import base64
import hashlib
import hmac
import json
import time
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, cast
from urllib.parse import urlsplit

from botocore import exceptions  # type: ignore[import-untyped, unused-ignore]
from botocore.awsrequest import (  # type: ignore[import-untyped, unused-ignore]
    AWSPreparedRequest,
)

from keyfold.transport import answers
from keyfold.transport.process import misdirected

if TYPE_CHECKING:
    from typing_extensions import Self

_errors = cast(Any, exceptions)
_prepared = cast(Any, AWSPreparedRequest)


class Direct:
    """What a client of boto3 sends requests with."""

    def __init__(
        self, client: Any, session: Any, credentials: Any, server: str | None = None
    ) -> None:
        self._server = server
        self.session = session
        self._credentials = credentials
        self.events = client.meta.events
        self._service = client.meta.service_model
        self._region: str = client.meta.region_name
        self._url: str = client.meta.endpoint_url.rstrip("/") + "/"
        parts = urlsplit(self._url)
        # The port of the scheme is not part of the header.
        is_usual = parts.port == {"http": 80, "https": 443}.get(parts.scheme)
        self._host = server or ((parts.hostname or "") if is_usual else parts.netloc)
        self._key: tuple[str, bytes] = ("", b"")

    @classmethod
    def of(cls, client: Any, server: str | None = None) -> Self | None:
        """That of a client, for the server of a name; none where this version of botocore keeps its
        parts elsewhere."""
        session = getattr(getattr(client, "_endpoint", None), "http_session", None)
        signer = getattr(client, "_request_signer", None)
        if session is None or not hasattr(signer, "_credentials"):
            return None
        return cls(client, session, cast(Any, signer)._credentials, server)

    @property
    def credentials(self) -> Any:
        """The credentials of the client."""
        if self._credentials is None:
            raise _errors.NoCredentialsError()
        return self._credentials

    def body(self, given: dict[str, Any]) -> bytes:
        """The body of a request."""
        text = json.dumps(given, default=_base64, ensure_ascii=False, separators=(",", ":"))
        return text.encode()

    def send(self, operation: str, body: bytes) -> dict[str, Any]:
        """Sends a request once. Raises the exceptions of botocore, and `NoAnswer`."""
        request = self.signed(operation, body, self.credentials.get_frozen_credentials())
        # Hooks, such as those of moto, may answer in the place of the service.
        _, response = self.events.emit_until_response(hook(operation), request=request)
        if response is None:
            response = self.session.send(request)
        return self.read(operation, response.status_code, response.content, response.headers)

    def read(
        self, operation: str, status: int, content: bytes, headers: Mapping[str, str] | None = None
    ) -> dict[str, Any]:
        """The answer in a body. Raises the exceptions of botocore, and `NoAnswer`."""
        if self._server and status == 403 and content.startswith(misdirected(self._server)):
            raise answers.Misdirected
        checksum = headers.get(answers.CHECKSUM) if headers else None
        model = self._service.operation_model(operation)
        held = answers.members(model, status, content, checksum)
        if status == 200:
            return held
        error = {name: held.pop(name) for name in ("Code", "Message")}
        about = {"Error": error, "ResponseMetadata": {"HTTPStatusCode": status}, **held}
        raise _errors.ClientError(about, operation)

    def signed(self, operation: str, body: bytes, frozen: Any) -> Any:
        """A request that is signed with these credentials."""
        at = time.strftime("%Y%m%dT%H%M%SZ", time.gmtime())
        headers = {
            "content-type": "application/x-amz-json-1.0",
            "host": self._host,
            "x-amz-date": at,
            **({"x-amz-security-token": frozen.token} if frozen.token else {}),
            "x-amz-target": f"DynamoDB_20120810.{operation}",
        }
        names = ";".join(headers)
        lines = "".join(f"{name}:{value}\n" for name, value in headers.items())
        canonical = f"POST\n/\n\n{lines}\n{names}\n{hashlib.sha256(body).hexdigest()}"
        scope = f"{at[:8]}/{self._region}/dynamodb/aws4_request"
        digest = hashlib.sha256(canonical.encode()).hexdigest()
        text = f"AWS4-HMAC-SHA256\n{at}\n{scope}\n{digest}"
        signature = _hmac(self._signing_key(frozen.secret_key, scope), text).hex()
        headers["authorization"] = (
            f"AWS4-HMAC-SHA256 Credential={frozen.access_key}/{scope},"
            f" SignedHeaders={names}, Signature={signature}"
        )
        return _prepared("POST", self._url, headers, body, False)

    def _signing_key(self, secret: str, scope: str) -> bytes:
        """The key of a day and region: the same for all of their requests."""
        of = f"{secret}/{scope}"
        known, key = self._key
        if known != of:
            key = f"AWS4{secret}".encode()
            for part in scope.split("/"):
                key = _hmac(key, part)
            self._key = (of, key)
        return key


def hook(operation: str) -> str:
    """The event of botocore before a request is sent."""
    return f"before-send.dynamodb.{operation}"


def _hmac(key: bytes, text: str) -> bytes:
    return hmac.digest(key, text.encode(), "sha256")


def _base64(value: object) -> str:
    if isinstance(value, (bytes, bytearray)):
        return base64.b64encode(value).decode()
    raise TypeError(f"{type(value).__name__} is no value of a request")

"""Connection texts: where requests go, and with which credentials."""

from __future__ import annotations

import os
import re
from dataclasses import dataclass
from ipaddress import IPv6Address
from typing import Any, cast
from urllib.parse import SplitResult, parse_qsl, urlsplit

from botocore.exceptions import BotoCoreError  # type: ignore[import-untyped, unused-ignore]

from keyfold.errors import Invalid
from keyfold.values.value import is_for_system, shown_text

_SETTINGS: dict[str, Any] = {
    # This package retries by itself: botocore would repeat writes that are not idempotent.
    "retries": {"total_max_attempts": 1, "mode": "standard"},
    # Nothing is sent before: another attempt is safe, and has its time within the deadline.
    "connect_timeout": 5,
    "read_timeout": 30,
    # What the plan makes is right; the service checks it anyway.
    "parameter_validation": False,
    "tcp_keepalive": True,
}
"""The settings of botocore's clients."""
_REGION = re.compile(r"[a-z0-9]+(-[a-z0-9]+)*")
_REGIONS = ("AWS_REGION", "AWS_DEFAULT_REGION")
_PLACE = re.compile(r"[^\[\]]*|(?:[^\[\]]*@)?\[(?P<address>[^\[\]]*)\](?::\d*)?")
"""A host with its port: where it has brackets, an address is in them."""
_OF_HOST = re.compile(
    r"(?:.+\.)?(?:dynamodb(?:-fips)?|ddb)\.([^.]+)(?:\.vpce)?\.(?:amazonaws\.(?:com(?:\.cn)?|eu)|api\.aws)"
)
"""A host of Amazon's service for DynamoDB, with its region."""


@dataclass(frozen=True)
class Connection:
    """A connection text, read."""

    endpoint: str | None = None
    """The address of an endpoint; none for Amazon's."""
    folder: str | None = None
    """The data folder of an own server."""
    region: str | None = None
    profile: str | None = None
    server: str | None = None
    """The name that the server at the address has, and no other one: requests ask for it."""

    @property
    def settings(self) -> dict[str, Any]:
        """The settings of a client for DynamoDB."""
        # `dynamodb://` is Amazon's service, whatever AWS_ENDPOINT_URL and the shared files say.
        return {**_SETTINGS, "ignore_configured_endpoint_urls": True}

    def opened(self, sessions: Any) -> tuple[Any, dict[str, Any]]:
        """A session of boto3 or aioboto3, and the arguments of its client for DynamoDB.

        The region is the text's, that in the name of Amazon's host, that of AWS_REGION or
        AWS_DEFAULT_REGION, or the profile's.
        """
        try:
            session = sessions(**({"profile_name": self.profile} if self.profile else {}))
            own = cast("str | None", session.region_name)
        except BotoCoreError as error:
            # The profile, or a shared file, is wrong.
            raise Invalid(str(error)) from None
        found = _OF_HOST.fullmatch(urlsplit(self.endpoint or "").hostname or "")
        given = self.region or (found and found[1])
        named = given or next(filter(None, map(os.environ.get, _REGIONS)), None)
        region, own = _region(named), _region(own)
        if self.endpoint is not None:
            by_profile = own if self.profile else None
            return session, self._to_endpoint(self.endpoint, region or by_profile or "local")
        if not region and not own:
            raise Invalid("there is no region: write dynamodb://eu-west-1, or set AWS_REGION")
        return session, {"region_name": region or own}

    def _to_endpoint(self, url: str, region: str) -> dict[str, Any]:
        made = {"endpoint_url": url, "region_name": region}
        has_own = self.profile or os.environ.get("AWS_ACCESS_KEY_ID")
        if not has_own and url.startswith("http://"):
            # A server without credentials of its own takes any. Keys of the shared files are not
            # sent without TLS, unless the text names the profile.
            made["aws_access_key_id"] = made["aws_secret_access_key"] = "keyfold"
        return made


def read(text: str) -> Connection:
    """Reads a connection text.

    `http://127.0.0.1:8000` and `https://…` name an endpoint, `dynamodb://eu-west-1?profile=prod`
    Amazon DynamoDB, `keyfold:./data` a data folder for which the `keyfold` binary is started.

    Messages repeat nothing in which a password may be.
    """
    if any(sign.isspace() and sign != " " for sign in text) or text != text.strip():
        raise Invalid("a connection has no line breaks, and no blanks around it")
    if not is_for_system(text):
        raise Invalid("a connection has no half characters, and none with the code 0")
    if text.startswith("keyfold:"):
        folder = text[len("keyfold:") :]
        if folder:
            return Connection(folder=folder)
    parts = _parts(text)
    if parts is None or parts.scheme not in ("http", "https", "dynamodb"):
        raise Invalid(
            f"{_shown(text)} is no connection; write http://host:port,"
            " dynamodb://region?profile=name or keyfold:./folder"
        )
    _check(text, parts)
    query = _query(parts.query)
    profile, region = query.get("profile"), query.get("region")
    if parts.scheme == "dynamodb":
        if parts.netloc and region:
            raise Invalid("a connection names one region: dynamodb://eu-west-1")
        return Connection(region=_region(parts.netloc or region), profile=profile)
    endpoint = f"{parts.scheme}://{parts.netloc}"
    return Connection(endpoint=endpoint, region=_region(region), profile=profile)


def _parts(text: str) -> SplitResult | None:
    """The parts of a text; none where it has no such form."""
    try:
        parts = urlsplit(text)
        # Which hosts with brackets it takes depends on the version of Python.
        found = _PLACE.fullmatch(parts.netloc)
        if found and found["address"] is not None:
            IPv6Address(found["address"])
        # Reading the port checks it.
        return parts if found and (parts.port is None or parts.port > 0) else None
    except ValueError:
        return None


def _check(text: str, parts: SplitResult) -> None:
    """Refuses the parts that a connection has not."""
    if "@" in parts.netloc:
        raise Invalid(
            "a connection has no user and no password; keys come from the AWS variables and the"
            " shared files: write http://host:port?profile=name"
        )
    if parts.path not in ("", "/") or "#" in text:
        raise Invalid(f"{_shown(text)}: a connection has no path and no fragment behind its host")
    if parts.scheme != "dynamodb" and (not parts.hostname or " " in parts.netloc):
        raise Invalid(f"{_shown(text)}: a connection has a host: write http://host:port")


def _query(text: str) -> dict[str, str]:
    """The settings behind the `?`."""
    pairs = parse_qsl(text, keep_blank_values=True)
    query = dict(pairs)
    if len(query) < len(pairs) or any(not value for value in query.values()):
        raise Invalid("a connection has `profile` and `region` at most once, with a value")
    unknown = sorted(set(query) - {"profile", "region"})
    if unknown:
        raise Invalid(f"a connection has `profile` and `region`, and no `{shown_text(unknown[0])}`")
    return query


def _region(name: str | None) -> str | None:
    """The name of a region. Requests to another host would be signed for it."""
    if name is not None and _REGION.fullmatch(name) is None:
        raise Invalid(f"`{shown_text(name)}` is no region; write one like eu-west-1")
    return name


def _shown(text: str) -> str:
    """A text in a message: only its scheme, where a password may be in it."""
    if any(sign in text for sign in "@?") or text.count(":") > 1:
        return f"`{text.partition(':')[0]}:…`" if "://" in text else "the text"
    return f"`{shown_text(text)}`"

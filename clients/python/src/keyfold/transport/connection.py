"""Connection texts: where requests go, and with which credentials."""

from __future__ import annotations

import os
from dataclasses import dataclass
from typing import Any, cast
from urllib.parse import parse_qs, urlsplit

from botocore.exceptions import ProfileNotFound  # type: ignore[import-untyped, unused-ignore]

from keyfold.errors import Invalid

_SETTINGS: dict[str, Any] = {
    # This package retries by itself: botocore would repeat writes that are not idempotent.
    "retries": {"total_max_attempts": 1, "mode": "standard"},
    "connect_timeout": 10,
    "read_timeout": 30,
    # What the plan makes is right; the service checks it anyway.
    "parameter_validation": False,
    "tcp_keepalive": True,
}
"""The settings of botocore's clients."""
_REGIONS = ("AWS_REGION", "AWS_DEFAULT_REGION")


@dataclass(frozen=True)
class Connection:
    """A connection text, read."""

    endpoint: str | None = None
    """The address of an endpoint; none for Amazon's."""
    folder: str | None = None
    """The data folder of an own server."""
    region: str | None = None
    profile: str | None = None

    @property
    def settings(self) -> dict[str, Any]:
        """The settings of a client for DynamoDB."""
        # `dynamodb://` is Amazon's service, whatever AWS_ENDPOINT_URL and the shared files say.
        return {**_SETTINGS, "ignore_configured_endpoint_urls": True}

    def opened(self, sessions: Any) -> tuple[Any, dict[str, Any]]:
        """A session of boto3 or aioboto3, and the arguments of its client for DynamoDB.

        The region is the text's, that of AWS_REGION or AWS_DEFAULT_REGION, or the profile's.
        """
        try:
            session = sessions(**({"profile_name": self.profile} if self.profile else {}))
            own = cast("str | None", session.region_name)
        except ProfileNotFound as error:
            raise Invalid(str(error)) from None
        region = self.region or next(filter(None, map(os.environ.get, _REGIONS)), None)
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
    """
    if text.startswith("keyfold:"):
        folder = text[len("keyfold:") :]
        if folder:
            return Connection(folder=folder)
    parts = urlsplit(text)
    query = {name: values[-1] for name, values in parse_qs(parts.query).items()}
    unknown = sorted(set(query) - {"profile", "region"})
    if unknown:
        raise Invalid(f"`{text}`: a connection has `profile` and `region`, and no {unknown[0]}")
    profile = query.get("profile")
    if parts.scheme in ("http", "https") and parts.netloc:
        endpoint = f"{parts.scheme}://{parts.netloc}{parts.path}"
        return Connection(endpoint=endpoint, region=query.get("region"), profile=profile)
    if parts.scheme == "dynamodb":
        return Connection(region=parts.netloc or query.get("region"), profile=profile)
    raise Invalid(
        f"`{text}` is no connection; write http://host:port, dynamodb://region?profile=name or"
        " keyfold:./folder"
    )

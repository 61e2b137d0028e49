"""Connection texts: where requests go, and with which credentials."""

from __future__ import annotations

import os
from dataclasses import dataclass
from typing import Any
from urllib.parse import parse_qs, urlsplit

from keyfold.errors import Invalid

SETTINGS: dict[str, Any] = {
    # This package retries by itself: botocore would repeat writes that are not idempotent.
    "retries": {"total_max_attempts": 1, "mode": "standard"},
    "connect_timeout": 10,
    "read_timeout": 30,
    # What the plan makes is right; the service checks it anyway.
    "parameter_validation": False,
    "tcp_keepalive": True,
}
"""The settings of botocore's clients."""


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
    def session(self) -> dict[str, Any]:
        """The arguments of a session."""
        return {"profile_name": self.profile} if self.profile else {}

    @property
    def client(self) -> dict[str, Any]:
        """The arguments of a client for DynamoDB."""
        made: dict[str, Any] = {}
        if self.endpoint is None:
            return {"region_name": self.region} if self.region else made
        made["endpoint_url"] = self.endpoint
        made["region_name"] = self.region or os.environ.get("AWS_REGION") or "local"
        has_own = self.profile or os.environ.get("AWS_ACCESS_KEY_ID")
        if not has_own and self.endpoint.startswith("http://"):
            # A server without credentials of its own takes any.
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

"""What a program may give as its own client: one for DynamoDB, of the SDK that is called."""

from __future__ import annotations

import inspect
from typing import Any

from keyfold.errors import Invalid


def check_client(client: Any, sdk: str) -> None:
    """Refuses what is no client of boto3 or aioboto3 for DynamoDB: it would fail at a call."""
    why = _mistake(client, sdk)
    if why is not None:
        raise Invalid(f"a connection is a text or a client of {sdk}, and {why}")


def _mistake(client: Any, sdk: str) -> str | None:
    """Why it is none."""
    meta = getattr(client, "meta", None)
    if isinstance(client, type) or meta is None:
        return f"no {type(client).__name__}"
    if not hasattr(meta, "events") and hasattr(meta, "client"):
        return "no resource: give its `meta.client`"
    service = getattr(getattr(meta, "service_model", None), "service_name", None)
    if not hasattr(meta, "events"):
        return f"no {type(client).__name__}"
    # A program's own stand-in for a client may not say what it is for.
    if isinstance(service, str) and service != "dynamodb":
        return f"no client for {service}"
    call = getattr(client, "_make_api_call", None)
    is_awaited = inspect.iscoroutinefunction(call)
    if call is not None and is_awaited != (sdk == "aioboto3"):
        return f"none of {'aioboto3' if is_awaited else 'boto3'}"
    return None

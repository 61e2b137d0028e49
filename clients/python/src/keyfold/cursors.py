"""Cursors as opaque texts. They may be given to a browser, and come back.

A cursor belongs to the model, the pattern and the arguments of its page: any other one is refused
before anything is sent. With a secret, a cursor ends with an HMAC-SHA256 of it.
"""

from __future__ import annotations

import base64
import hashlib
import hmac
import json

from keyfold.errors import Invalid
from keyfold.lower.arguments import the_pattern
from keyfold.plan.model import Model, Pattern
from keyfold.values.value import Item, Values, decoded_item, encoded

_BOUND_BYTES = 16
_SEAL_BYTES = 32


def check_secret(secret: object) -> None:
    """Refuses what seals nothing."""
    if secret is not None and not (isinstance(secret, bytes) and secret):
        raise Invalid(
            "a cursor secret is `bytes` of at least one byte, such as those of"
            " secrets.token_bytes(32)",
            attribute="cursor_secret",
        )


def _bound(model: Model, pattern: Pattern, arguments: Values) -> bytes:
    """The digest of what a cursor belongs to."""
    owner = json.dumps([model.hash, pattern.name, encoded(arguments)])
    return hashlib.sha256(owner.encode()).digest()[:_BOUND_BYTES]


def seal(
    model: Model, pattern: Pattern, arguments: Values, position: Item, secret: bytes | None
) -> str:
    """The text of a position."""
    raw = _bound(model, pattern, arguments) + encoded(position).encode()
    if secret is not None:
        raw += hmac.digest(secret, raw, "sha256")
    return _text(raw)


def _text(raw: bytes) -> str:
    """The one text of these bytes."""
    return base64.urlsafe_b64encode(raw).decode("ascii").rstrip("=")


def open_(
    model: Model, pattern: Pattern, arguments: Values, text: str, secret: bytes | None
) -> Item:
    """The position of a text. Raises `Invalid` for a text that is none of this pattern."""
    try:
        raw = base64.b64decode(text + "=" * (-len(text) % 4), b"-_", validate=True)
        # base64 also reads signs at the end, and bits of the last one, that say nothing.
        if _text(raw) != text:
            raise ValueError("another text")
        if secret is not None:
            raw, mac = raw[:-_SEAL_BYTES], raw[-_SEAL_BYTES:]
            if not hmac.compare_digest(hmac.digest(secret, raw, "sha256"), mac):
                raise ValueError("another seal")
        if raw[:_BOUND_BYTES] != _bound(model, pattern, arguments):
            raise ValueError("another owner")
        position = decoded_item(json.loads(raw[_BOUND_BYTES:]))
        # Half a character is in no text that can be sent.
        encoded(position).encode()
        return position
    except (ValueError, TypeError, LookupError, AttributeError, StopIteration, RecursionError):
        raise Invalid(
            f"this is no cursor of {pattern.name} with these arguments;"
            " give the `next` of a page of it",
            of=the_pattern(pattern.name),
            attribute="after",
        ) from None

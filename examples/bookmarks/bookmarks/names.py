"""The names that the application answers to.

A page whose own name leads to this machine (DNS rebinding) reads and writes what only this machine
reaches; its name shows in the header `Host`.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterable

SAFE = re.compile(
    r"(\[[0-9a-f:.]+\]|([0-9]{1,3}\.){3}[0-9]{1,3}|([a-z0-9_-]+\.)*localhost|[a-z0-9_-]+)(:[0-9]{1,5})?"
)
"""An address, a name without a dot, or one below `localhost`, each with a port or without: no page of
the web has it."""

MISNAMED = (
    "the application does not have the name in Host: if it does, start it with that name in "
    "ALLOW_HOST"
)


def is_foreign_name(headers: Iterable[tuple[bytes, bytes]]) -> bool:
    """Whether a request calls the application by a name that anybody may let lead here."""
    named = [value for name, value in headers if name == b"host"]
    # Probes of HTTP/1.0 name none.
    if not named:
        return False
    host = named[0].decode("latin-1").lower()
    allowed = os.environ.get("ALLOW_HOST", "").lower()
    return not SAFE.fullmatch(host) and re.sub(":[0-9]+$", "", host) != allowed

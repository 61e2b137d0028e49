"""Who may call the application.

A page whose own name leads to this machine (DNS rebinding) reads and writes what only this machine
reaches; its name shows in the header `Host`.
"""

from __future__ import annotations

import os
import re
from collections.abc import Mapping, Sequence
from ipaddress import AddressValueError, IPv4Address, IPv6Address
from typing import Any

HOST = re.compile(r"([^:\[\]]+|\[[0-9a-f:.]+\])(:[0-9]{1,5})?")
"""A name, or an IPv6 address in brackets; with a port or without."""

LOCAL = re.compile(r"([a-z0-9_-]+\.)*localhost|[a-z0-9_-]+")
"""A name without a dot, or one below `localhost`: no page of the web has it."""

ALONE = re.compile(r"([A-Za-z0-9_-]+\.)*[A-Za-z0-9_-]+")
"""A name alone, as an application is told of one."""

MISNAMED = (
    "the application does not have the name in Host: if it does, start it with that name in "
    "ALLOW_HOST"
)
FOREIGN = "a page of another site sends this"


class WrongName(Exception):
    """ALLOW_HOST is no name."""


def check_name() -> None:
    """Whoever starts the application has to know of a wrong name: no request would ever be called so."""
    name = os.environ.get("ALLOW_HOST", "")
    if name and not ALONE.fullmatch(name):
        raise WrongName(
            f"ALLOW_HOST is {name!r}. Set it to a name alone, as club.example.com, without http:// and port"
        )


def refused(scope: Mapping[str, Any]) -> str | None:
    """Why a request is not taken, whatever it asks for; `scope` is that of ASGI."""
    headers = [(name, value.decode("latin-1")) for name, value in scope["headers"]]
    hosts = [value for name, value in headers if name == b"host"]
    if len(hosts) != 1 or not _is_own(hosts[0].lower()):
        return MISNAMED
    if scope["method"] not in ("GET", "HEAD") and _is_foreign(headers, hosts[0]):
        return FOREIGN
    return None


def _is_own(host: str) -> bool:
    """Whether a name is the application's: nobody else lets it lead here."""
    found = HOST.fullmatch(host)
    if found is None:
        return False
    name = found[1]
    return LOCAL.fullmatch(name) is not None or _is_address(name) or _is_allowed(name)


def _is_allowed(name: str) -> bool:
    """Whether a name is that of a proxy, which the application was told of."""
    return name.lower() == os.environ.get("ALLOW_HOST", "").lower()


def _is_address(name: str) -> bool:
    try:
        IPv6Address(name[1:-1]) if name.startswith("[") else IPv4Address(name)
    except AddressValueError:
        return False
    return True


def _is_foreign(headers: Sequence[tuple[bytes, str]], host: str) -> bool:
    """Whether a browser sends what a page of another site has made. Programs send neither header.

    A proxy may call the application by another name or port than the page has, which is then that
    of ALLOW_HOST.
    """
    sites = [value for name, value in headers if name == b"sec-fetch-site"]
    if sites:
        return any(site not in ("same-origin", "none") for site in sites)
    origins = [value for name, value in headers if name == b"origin"]
    if not origins:
        return False
    page = origins[0].partition("://")[2]
    found = HOST.fullmatch(page)
    is_own = page == host or (found is not None and _is_allowed(found[1]))
    return len(origins) > 1 or not is_own

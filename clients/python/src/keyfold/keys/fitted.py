"""Ends of ranges that are longer than a key can be.

DynamoDB refuses them, though no key is longer: such an end becomes one of a key's length that no
key distinguishes from it.
"""

from __future__ import annotations

from typing import Literal, TypeAlias

from keyfold.keys.end import At, End
from keyfold.values.value import Value

_MOST = 1024
"""The most bytes of a sort key."""
Side: TypeAlias = Literal["low", "high"]


def is_longer_than_keys(beginning: str) -> bool:
    """Whether a beginning of sort keys is longer than they can be, so that none has it."""
    return len(beginning.encode()) > _MOST


def fitted(end: End, side: Side, most: int = _MOST) -> End:
    """An end of a range of sort keys that is no longer than a key can be."""
    if isinstance(end, str):
        return end
    # No key is as long as a longer end, so none equals it.
    found: Value | None
    text, raw = end.value.get("S"), end.value.get("B")
    if text is not None and len(text.encode()) > most:
        below = text_below(text, most) if side == "high" else text_above(text, most)
        found = None if below is None else {"S": below}
    elif raw is not None and len(raw) > most:
        kept = raw[:most] if side == "high" else _bytes_above(raw[:most])
        found = None if kept is None else {"B": kept}
    else:
        return end
    return "nothing" if found is None else At(found)


def text_below(text: str, most: int) -> str:
    """The greatest text of at most so many bytes below a longer one."""
    kept = _beginning(text, most)
    left = most - len(kept.encode())
    # The character that is cut is longer than the bytes that are left, so all that fit are less.
    return kept + ("", "\x7f", "\u07ff", "\uffff")[left]


def text_above(text: str, most: int) -> str | None:
    """The least text of at most so many bytes above a longer one; none if there is none."""
    kept = _beginning(text, most)
    while kept:
        # Surrogates are no characters.
        following = 0xE000 if kept[-1] == "\ud7ff" else ord(kept[-1]) + 1
        kept = kept[:-1]
        # A character after the last one that fits is longer.
        if following <= 0x10FFFF and len((kept + chr(following)).encode()) <= most:
            return kept + chr(following)
    return None


def _beginning(text: str, most: int) -> str:
    """The longest beginning of whole characters with at most so many bytes."""
    return text.encode()[:most].decode(errors="ignore")


def _bytes_above(kept: bytes) -> bytes | None:
    """The least bytes above longer ones that begin with these; none if there are none."""
    stripped = kept.rstrip(b"\xff")
    return stripped[:-1] + bytes([stripped[-1] + 1]) if stripped else None

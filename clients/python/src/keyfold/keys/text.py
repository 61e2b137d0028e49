"""Keys: the texts and values that templates make of values."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Sequence
from typing import cast

from keyfold.errors import Invalid
from keyfold.keys.periods import period_of
from keyfold.plan.template import Chunk, Field, Part, Shard, Text, bare_field
from keyfold.values.value import Value, Values, display, shown_text

BREAK = "\x00"
"""The border between two attributes of a composite key."""
LAST = "\U0010ffff"
"""The last character. No key contains it."""
SHARD = "#shard"
"""The name of the value that selects a shard."""
CHUNK = "#part"
"""The name of the value that selects a part of a split list."""


def missing(name: str) -> Invalid:
    """The error about an absent value that a key needs."""
    return Invalid(f"{name} is missing, and a key is made of it", attribute=name)


def column(parts: Sequence[Part], values: Values) -> Value:
    """The value of one attribute of a key."""
    bare = bare_field(parts)
    if bare is None:
        return {"S": text(parts, values)}
    held = values.get(bare.name)
    if held is None:
        raise missing(bare.name)
    if held.get("S") == "":
        raise _empty(bare.name)
    return held


def text(parts: Sequence[Part], values: Values) -> str:
    """The text that parts make of values."""
    out: list[str] = []
    for part in parts:
        if isinstance(part, Text):
            out.append(part.text)
        elif isinstance(part, Field):
            held = values.get(part.name)
            if held is None:
                raise missing(part.name)
            out.append(written(part, held))
        elif isinstance(part, Shard):
            out.append(_shard(part, values).zfill(part.digits))
        elif isinstance(part, Chunk):
            number = values.get(CHUNK)
            out.append((display(number) if number else "0").zfill(part.digits))
        else:
            out.append(BREAK)
    return "".join(out)


def _shard(part: Shard, values: Values) -> str:
    selected = values.get(SHARD)
    if selected is not None:
        return display(selected)
    digest = hashlib.sha256(text(part.of, values).encode()).digest()
    return str(int.from_bytes(digest[:4], "big") % max(part.count, 1))


def prefix(parts: Sequence[Part], values: Values) -> str:
    """The text that a range of keys starts with. A last field with an empty text is left out."""
    last = parts[-1] if parts else None
    if isinstance(last, Field) and values.get(last.name, {}).get("S") == "":
        return text(parts[:-1], values)
    return text(parts, values)


def digest(held: str) -> str:
    """The first 32 hexadecimal digits of a text's SHA-256."""
    return hashlib.sha256(held.encode()).hexdigest()[:32]


def written(field: Field, value: Value) -> str:
    """The text of a value in a field of a key."""
    plain = _plain_text(field, value)
    form = field.format.form
    if form == "padded":
        return _padded_text(field, plain)
    if form == "cut":
        return period_of(field.format.unit, plain)
    if form == "reversed":
        return nines(plain)
    if form == "hash":
        return digest(plain)
    if form == "escaped":
        return _escaped(plain, field.excluded)
    if form == "lower":
        plain = lower(plain)
    return _without_excluded(field, plain)


_WITH_SMALL = re.compile(
    "["
    "\u0041-\u0376\u037f\u0386-\u038a\u038c\u038e-\u03a1\u03a3-\u052e\u0531-\u0556"
    "\u10a0-\u10c5\u10c7\u10cd\u13a0-\u13f5\u1c90-\u1cba\u1cbd-\u1cbf\u1e00-\u1f0f"
    "\u1f18-\u1f1d\u1f28-\u1f3f\u1f48-\u1f4d\u1f59\u1f5b\u1f5d\u1f5f-\u1f6f\u1f88-\u1faf"
    "\u1fb8-\u1fbc\u1fc8-\u1fcc\u1fd8-\u1fdb\u1fe8-\u1fec\u1ff8-\u1ffc\u2126-\u2183"
    "\u24b6-\u24cf\u2c00-\u2c2e\u2c60-\u2cf2\ua640-\ua69a\ua722-\ua7be\ua7c2-\ua7c9\ua7f5"
    "\uff21-\uff3a\U00010400-\U00010427\U000104b0-\U000104d3\U00010c80-\U00010cb2"
    "\U000118a0-\U000118bf\U00016e40-\U00016e5f\U0001e900-\U0001e921"
    "]"
)
"""The code points that have a small letter in Unicode 13, in ranges whose gaps Unicode 13 does not
have. A key has one form in all languages, whose runtimes have later versions: what those add stays
as it is."""


def lower(held: str) -> str:
    """A text in small letters: each on its own, so that a prefix gives a prefix of the result."""
    return _WITH_SMALL.sub(lambda found: found[0].lower(), held)


def _plain_text(field: Field, value: Value) -> str:
    kind = field.kind
    if kind.is_text and "S" in value:
        return cast(str, value["S"])
    if kind.is_number and "N" in value:
        return cast(str, value["N"])
    if kind.name == "bool" and "BOOL" in value:
        return display(value)
    raise Invalid(f"{field.name} is no {kind}: {shown_text(display(value))}", attribute=field.name)


def _without_excluded(field: Field, plain: str) -> str:
    excluded = field.excluded if field.kind.name == "string" else ""
    for sign in plain:
        if sign in excluded or sign in (BREAK, LAST):
            why = "which separates the parts of the key"
            if sign == LAST:
                why = "the last character of all, where ranges of keys end"
            raise Invalid(
                f"{field.name}: `{shown_text(plain)}` contains `{_debug(sign)}`, {why};"
                f" escape it in the template ({{{field.name}:escape}}) or"
                " choose another value",
                attribute=field.name,
            )
    if not plain:
        raise _empty(field.name)
    return plain


def _debug(sign: str) -> str:
    return {BREAK: "\\0", LAST: "\\u{10ffff}"}.get(sign, sign)


def _empty(name: str) -> Invalid:
    return Invalid(f"{name} is empty, and a key is made of it", attribute=name)


def _padded_text(field: Field, plain: str) -> str:
    made = field.format
    is_negative = made.signed and plain.startswith("-")
    size = _padded(plain[1:] if is_negative else plain, made.whole, made.decimals)
    if size is None:
        digits = f"{made.whole}.{made.decimals}" if made.decimals else str(made.whole)
        raise Invalid(
            f"{field.name}: {plain} does not fit {digits} digits; a padded number has no more"
            " digits, and is 0 or more unless it is `signed`",
            attribute=field.name,
        )
    return directed(size, is_negative=is_negative, reverses=made.reversed, signed=made.signed)


def _padded(size: str, whole: int, decimals: int) -> str | None:
    before, _, behind = size.partition(".")
    if not before.isdigit() or len(before) > whole or len(behind) > decimals:
        return None
    padded = before.zfill(whole)
    return f"{padded}.{behind.ljust(decimals, '0')}" if decimals else padded


def directed(size: str, *, is_negative: bool, reverses: bool, signed: bool) -> str:
    """A padded number as a key has it: greater numbers have greater texts, or lesser ones."""
    if not signed:
        return nines(size) if reverses else size
    if is_negative != reverses and size.strip("0."):
        return f"-{nines(size)}"
    return f"0{size}"


_NINES = str.maketrans("0123456789", "9876543210")


def nines(held: str) -> str:
    """Each digit subtracted from nine."""
    return held.translate(_NINES)


def _escaped(plain: str, excluded: str) -> str:
    out: list[str] = []
    for sign in plain:
        if sign in ("%", BREAK, LAST) or sign in excluded:
            out.extend(f"%{byte:02X}" for byte in sign.encode())
        else:
            out.append(sign)
    # An empty text must not make an empty key.
    return "".join(out) or "%"

"""Keys to values: a template read backwards. Hashes, small letters and cuts do not come back."""

from __future__ import annotations

from collections.abc import Sequence
from typing import cast
from urllib.parse import unquote_to_bytes

from keyfold.errors import Invalid
from keyfold.keys.periods import WIDTH
from keyfold.keys.text import BREAK, nines, written
from keyfold.plan.template import Break, Chunk, Field, Part, Shard, Text, bare_field
from keyfold.values import number
from keyfold.values.times import DIGITS
from keyfold.values.value import Value, Values

_KEPT = ("plain", "escaped", "bare", "padded", "reversed")


def _is_invertible(field: Field) -> bool:
    form, kind = field.format.form, field.kind
    if form in ("plain", "escaped"):
        return kind.is_text or kind.is_number or kind.name == "bool"
    return form in _KEPT


def gives_back(parts: Sequence[Part], name: str) -> bool:
    """Whether keys made of these parts give the value of an attribute back."""
    fields = (part for part in parts if isinstance(part, Field))
    return any(field.name == name and _is_invertible(field) for field in fields)


def inverse(parts: Sequence[Part], made: Value) -> Values | None:
    """The values that a key attribute was made of; none when the template cannot have made it."""
    bare = bare_field(parts)
    if bare is not None:
        return {bare.name: made}
    if "S" not in made:
        return None
    rest = cast(str, made["S"])
    values: Values = {}
    for at, part in enumerate(parts):
        length = _length(part, parts[at + 1] if at + 1 < len(parts) else None, rest)
        if length is None or length > len(rest):
            return None
        own, rest = rest[:length], rest[length:]
        if not isinstance(part, Field):
            if not _fits(part, own):
                return None
        elif _is_invertible(part):
            value = _value(part, own)
            if value is None or values.setdefault(part.name, value) != value:
                return None
    return None if rest else values


def _fits(part: Text | Shard | Chunk | Break, own: str) -> bool:
    if isinstance(part, Text):
        return own == part.text
    if isinstance(part, Break):
        return own == BREAK
    return own.isascii() and own.isdigit()


def _length(part: Part, following: Part | None, rest: str) -> int | None:
    if isinstance(part, Text):
        return len(part.text)
    if isinstance(part, Break):
        return 1
    if isinstance(part, (Shard, Chunk)):
        return part.digits
    width = _width(part)
    if width is not None:
        return width
    if following is None:
        return len(rest)
    # The field does not contain the first character of the text behind it.
    if isinstance(following, (Text, Break)):
        sign = following.text[:1] if isinstance(following, Text) else BREAK
        found = rest.find(sign)
        return None if found < 0 or not sign else found
    return None


def _width(field: Field) -> int | None:
    made, kind = field.format, field.kind
    if made.form == "padded":
        return made.whole + int(made.signed) + (made.decimals + 1 if made.decimals else 0)
    if made.form == "cut":
        return WIDTH[made.unit]
    if made.form == "hash":
        return 32
    if kind.is_time:
        digits = DIGITS[kind.name]
        return 21 + digits if digits else 20
    fixed = {"date": 10, "hour": 13, "day": 10, "month": 7, "year": 4, "ulid": 26, "uuid": 36}
    return fixed.get(kind.name)


def _value(field: Field, own: str) -> Value | None:
    made = field.format
    plain: str | None = own
    if made.form == "padded" and made.signed:
        is_below = own.startswith("-")
        size = nines(own[1:]) if is_below else own[1:]
        plain = f"-{size}" if is_below != made.reversed else size
    elif made.form == "reversed" or (made.form == "padded" and made.reversed):
        plain = nines(own)
    elif made.form == "escaped":
        plain = _unescaped(own)
    if plain is None:
        return None
    value: Value
    if field.kind.is_number:
        try:
            value = {"N": number.of_text(plain)}
        except number.NumberError:
            return None
    elif field.kind.name == "bool":
        if plain not in ("true", "false"):
            return None
        value = {"BOOL": plain == "true"}
    else:
        value = {"S": plain}
    # Only the text that the value makes is its text: `007` is not that of a plain 7.
    try:
        return value if written(field, value) == own else None
    except Invalid:
        return None


def _unescaped(own: str) -> str | None:
    # An empty text is a sign on its own.
    if own == "%":
        return ""
    try:
        return unquote_to_bytes(own).decode()
    except UnicodeDecodeError:
        return None

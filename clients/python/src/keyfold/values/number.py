"""DynamoDB's numbers: exact decimals of at most 38 significant digits, as canonical texts."""

from __future__ import annotations

import re
from decimal import Context, Decimal

DIGITS_MAX = 38
_MAGNITUDE_MIN = -130
_MAGNITUDE_MAX = 125
_PLAIN = re.compile(r"0|-?[1-9][0-9]{0,36}")
"""Whole numbers in their one form."""
_SMALL = 10**DIGITS_MAX
# Enough digits for every exact sum of two numbers.
_EXACT = Context(prec=320, Emin=-99999, Emax=99999)
_FORM = re.compile(r"[+-]?([0-9]+\.?[0-9]*|\.[0-9]+)([eE][+-]?[0-9]+)?")


class NumberError(ValueError):
    """A text or a result is no number of DynamoDB."""


def of_int(number: int) -> str:
    """The canonical text of a whole number."""
    if -_SMALL < number < _SMALL:
        return str(number)
    return of_decimal(Decimal(number))


def of_decimal(number: Decimal) -> str:
    """The canonical text of a decimal: without an exponent and without zeros at the ends."""
    sign, digits, exponent = number.as_tuple()
    if not isinstance(exponent, int):
        raise NumberError("not a number")
    coefficient = "".join(map(str, digits)).lstrip("0")
    kept = coefficient.rstrip("0")
    if not kept:
        return "0"
    exponent += len(coefficient) - len(kept)
    magnitude = exponent + len(kept) - 1
    if magnitude > _MAGNITUDE_MAX:
        raise NumberError("magnitude larger than supported")
    if magnitude < _MAGNITUDE_MIN:
        raise NumberError("magnitude smaller than supported")
    if len(kept) > DIGITS_MAX:
        raise NumberError("more than 38 significant digits")
    return ("-" if sign else "") + _plain(kept, exponent)


def _plain(digits: str, exponent: int) -> str:
    if exponent >= 0:
        return digits + "0" * exponent
    if len(digits) > -exponent:
        return f"{digits[:exponent]}.{digits[exponent:]}"
    return "0." + "0" * (-exponent - len(digits)) + digits


def of_text(text: str) -> str:
    """The canonical text of a number's text."""
    if _PLAIN.fullmatch(text):
        return text
    if not _FORM.fullmatch(text):
        raise NumberError("not a number")
    # A huge exponent is no memory: the decimal holds it as a number.
    mantissa, _, power = text.lower().partition("e")
    if power:
        exponent = max(-1_000_000, min(1_000_000, int(power)))
        text = f"{mantissa}e{exponent}"
    return of_decimal(Decimal(text))


def is_whole(text: str) -> bool:
    """Whether a canonical text is that of a whole number."""
    return "." not in text


def add(left: str, right: str) -> str:
    """The exact sum of two canonical texts."""
    return of_decimal(_EXACT.add(Decimal(left), Decimal(right)))


def subtract(left: str, right: str) -> str:
    """The exact difference of two canonical texts."""
    return of_decimal(_EXACT.subtract(Decimal(left), Decimal(right)))


def negated(text: str) -> str:
    """The number with the other sign."""
    if text == "0":
        return text
    return text[1:] if text.startswith("-") else f"-{text}"


def next_up(text: str) -> str | None:
    """The least number that is greater; none above the greatest."""
    sign, digits, exponent = Decimal(text).normalize(_EXACT).as_tuple()
    assert isinstance(exponent, int)
    coefficient = int("".join(map(str, digits)))
    if coefficient == 0:
        return of_decimal(Decimal((0, (1,), _MAGNITUDE_MIN)))
    missing = DIGITS_MAX - len(digits)
    full, exponent = coefficient * 10**missing, exponent - missing
    if not sign:
        return _number(full + 1, exponent)
    # Below a power of ten, numbers have one more digit behind the point.
    if coefficient == 1:
        full, exponent = full * 10, exponent - 1
    # No number lies between the greatest negative one and zero.
    less = _number(full - 1, exponent)
    return "0" if less is None else f"-{less}"


def _number(coefficient: int, exponent: int) -> str | None:
    digits = tuple(int(digit) for digit in str(coefficient))
    try:
        return of_decimal(Decimal((0, digits, exponent)))
    except NumberError:
        return None

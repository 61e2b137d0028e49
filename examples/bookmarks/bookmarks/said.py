"""What a request has that is not taken, in sentences for its caller.

Sentences of the decoder, the router and Keyfold are for those who write programs: they name types,
patterns and keys.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Coroutine, Mapping, Sequence
from typing import Annotated, Any

from fastapi import HTTPException, Request, Response
from fastapi.routing import APIRoute
from pydantic import AfterValidator, BeforeValidator
from pydantic_core import PydanticCustomError

SHOWN_MAX = 60
"""The characters of a given text that a sentence shows at most."""
NO_OBJECT = (
    "The body is no object of JSON. Send one, with Content-Type: application/json."
)
TWICE_MAX = 100
"""The depth to which a body is looked through: none that is taken is deeper."""


class Twice(HTTPException):
    """A member stands twice in a body: readers differ in which of the two they take."""

    def __init__(self, field: str) -> None:
        super().__init__(400)
        self.field = field
        self.sentence = f"The body has the member {field} twice. Send it once."


class _Doubled(dict[str, Any]):
    """An object with a member that it has twice."""

    name = ""


def _object(pairs: Sequence[tuple[str, Any]]) -> dict[str, Any]:
    read = dict(pairs)
    if len(read) == len(pairs):
        return read
    doubled = _Doubled(read)
    names = [name for name, _ in pairs]
    doubled.name = next(name for at, name in enumerate(names) if name in names[:at])
    return doubled


def _constant(name: str) -> Any:
    raise json.JSONDecodeError(f"{name} is no number of JSON", name, 0)


def _twice(value: object, path: str, depth: int = 0) -> str | None:
    """The path of a member that an object in a value has twice."""
    if depth > TWICE_MAX:
        return None
    if isinstance(value, _Doubled):
        return f"{path}.{value.name}" if path else value.name
    if isinstance(value, dict):
        within = [
            (f"{path}.{name}" if path else name, one) for name, one in value.items()
        ]
    elif isinstance(value, list):
        within = [(f"{path}[{at}]", one) for at, one in enumerate(value)]
    else:
        return None
    found = (_twice(one, of, depth + 1) for of, one in within)
    return next((one for one in found if one is not None), None)


class _Read(Request):
    """A request whose body has each member once."""

    async def json(self) -> Any:
        """The value of the body."""
        read = json.loads(
            await self.body(), object_pairs_hook=_object, parse_constant=_constant
        )
        if (field := _twice(read, "")) is not None:
            raise Twice(field)
        return read


class Once(APIRoute):
    """A route whose bodies have each member once."""

    def get_route_handler(
        self,
    ) -> Callable[[Request], Coroutine[Any, Any, Response]]:
        """The handler, which reads the body so."""
        handle = super().get_route_handler()

        async def handled(request: Request) -> Response:
            return await handle(_Read(request.scope, request.receive))

        return handled


def _digits(given: object) -> object:
    if isinstance(given, str) and not re.fullmatch(r"-?[0-9]{1,40}", given):
        raise ValueError
    return given


def _decimal(given: object) -> object:
    if isinstance(given, str) and not re.fullmatch(
        r"-?[0-9]{1,40}(\.[0-9]{1,40})?([eE][+-]?[0-9]{1,4})?", given
    ):
        raise ValueError
    return given


Digits = BeforeValidator(_digits)
"""Refuses what Python reads as a whole number and JSON does not, such as `4_2`."""
Decimals = BeforeValidator(_decimal)
"""Refuses what Python reads as a number and JSON does not, such as `1_000`."""
Whole = Annotated[int, Digits]


def _written(given: str) -> str:
    if given and not given.strip():
        raise PydanticCustomError("blank", "blank")
    return given


Written = AfterValidator(_written)
"""Refuses a text of blanks, which nobody sees on a page."""


def shown(given: object) -> str:
    """A given text in quotes. One that is long is cut."""
    text = str(given)
    return json.dumps(text if len(text) <= SHOWN_MAX else f"{text[:SHOWN_MAX]}…")


def place_of(loc: Sequence[int | str]) -> str:
    """A member of a request by its path: `lines[2].price`."""
    path = ""
    for part in loc[1:]:
        if isinstance(part, int):
            path += f"[{part}]"
        else:
            path += f".{part}" if path else part
    return path


def of_unread(first: Mapping[str, Any]) -> tuple[str | None, str]:
    """The member and the sentence about the first fault of a request that is not as it is described."""
    loc = first["loc"]
    if first["type"] == "json_invalid" or tuple(loc) == ("body",):
        return None, NO_OBJECT
    field = place_of(loc)
    return field, f"The member {field} {_fault(first)}"


def _fault(first: Mapping[str, Any]) -> str:
    kind, limits = str(first["type"]), first.get("ctx", {})
    if kind in _FAULTS:
        return _FAULTS[kind].format(**limits)
    for start, fault in _FAMILIES.items():
        if kind.startswith(start):
            return fault
    return "is not taken. The description of the API says what it has to be: send that."


_FAULTS = {
    "missing": "is missing. Send it.",
    "extra_forbidden": "is not known. Leave it out.",
    "blank": "is blank. Send a text that can be seen.",
    "greater_than_equal": "is too small. Send a number from {ge}.",
    "less_than_equal": "is too large. Send a number up to {le}.",
    "string_too_short": "is too short. Its least length is {min_length}: send a longer text.",
    "string_too_long": "is too long. Its greatest length is {max_length}: send a shorter text.",
    "literal_error": "is none of its words. Send {expected}.",
    "string_unicode": "is no text: it has half of a character. Send a whole one.",
    "decimal_max_digits": "has too many digits. Send at most {max_digits}.",
    "decimal_whole_digits": "has too many digits. Send at most {whole_digits} before the point.",
    "decimal_max_places": "has too many digits behind its point. Send at most {decimal_places}.",
    # Of the validators above.
    "value_error": "is no number. Send its digits.",
}
_FAMILIES = {
    "int_": "is no whole number. Send one.",
    "decimal_": "is no number. Send one.",
    "finite_": "is no number. Send one.",
    "float_": "is no number. Send one.",
    "string_": "is no text. Send one.",
    "bool_": "is no truth value. Send true or false.",
    "model_": "is no object. Send one.",
    "dict_": "is no object. Send one.",
    "list_": "is no array. Send one.",
}


def of_route(status: int) -> str:
    """The sentence about a request that no route takes."""
    if status == 404:
        return "There is nothing at this address. The description of the API has those that there are."
    if status == 405:
        return "This address does not take that method. The header allow has those that it takes."
    return (
        "The request cannot be read. The description of the API says what it has to be."
    )


def of_invalid(message: str, attribute: str | None) -> tuple[str | None, str]:
    """The member and the sentence about an argument that the model does not take. Its name may be that of
    several members, whose values are too long together."""
    if attribute is None:
        why = "It cannot be asked or stored so. The description of the API says what it has to be."
        return None, why
    field = named(attribute.split(", ", 1)[0])
    if field == "after":
        return field, "This after is of another list. Begin at the first page."
    return field, f"The member {field} {_reason(message, attribute)}"


def _reason(message: str, attribute: str) -> str:
    if " bytes long, " in message:
        return "is too long. Shorten it."
    if ":escape})" in message:
        what = "has a character that it cannot have."
        return f"{what} Take out `#`, `:`, and what cannot be seen."
    if " is empty, " in message:
        return "is empty. Send a text."
    if message.endswith(" is not valid Unicode"):
        return _FAULTS["string_unicode"]
    why = message.rpartition(f"{attribute}: ")[2]
    # These say only what the value is, and what it has to be.
    if why.startswith(("`", "there is no `", "from ")):
        return f"is not taken: {why.rstrip('.')}. Send another one."
    return "is not taken. The description of the API says what it has to be: send that."


def named(attribute: str) -> str:
    """An attribute of the model by its name in the API: `orderId` is `order_id`."""
    return re.sub(
        r"(?<=[a-z0-9])[A-Z]", lambda found: f"_{found[0]}", attribute
    ).lower()

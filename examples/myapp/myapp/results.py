"""The results that callers of the application see."""

from __future__ import annotations

import re
from dataclasses import dataclass

from keyfold import Code, Exists, Invalid, KeyfoldError, Place, Refused, Taken


@dataclass(frozen=True, slots=True)
class Problem:
    """Why an operation was not carried out."""

    status: int
    """The status of HTTP."""
    code: str
    """The word that programs compare."""
    detail: str
    """The sentence that people read."""
    field: str | None = None
    """What is wrong with the call, by its name in the API."""


def absent(what: str) -> Problem:
    """The problem of something that is not there."""
    return Problem(404, "not_found", f"There is no {what}.")


def invalid(field: str | None, detail: str) -> Problem:
    """The problem of a call that can never succeed."""
    return Problem(400, "invalid", detail, field)


def named(attribute: str) -> str:
    """An attribute of the model by its name in the API: `orderId` is `order_id`."""
    return re.sub(
        r"(?<=[a-z0-9])[A-Z]", lambda found: f"_{found[0]}", attribute
    ).lower()


def problem_of(error: KeyfoldError) -> Problem:
    """The problem of an error: by its class where there is more to say, and by its code else."""
    status = status_of(error.code)
    match error:
        case Taken(attributes=attributes):
            names = [named(one) for one in attributes]
            return Problem(status, "taken", f"{', '.join(names)} is in use.", names[0])
        case Exists(place=place):
            key = list(place.id or {}) if place else []
            # A key of several attributes is no single member that is wrong.
            field = named(key[0]) if len(key) == 1 else None
            return Problem(
                status, "exists", "There is one with this key already.", field
            )
        case Refused(place=Place(entity="Product")):
            return Problem(status, "out_of_stock", "Too few are left.")
        case Invalid(attribute=attribute):
            name = None if attribute is None else named(attribute)
            return Problem(status, "invalid", error.message, name)
    # What went wrong inside is for the log.
    return Problem(
        status, error.code, "Try again later." if status >= 500 else error.message
    )


def status_of(code: Code) -> int:
    """The status of HTTP. A new code is an error of the type checker here."""
    match code:
        case "invalid":
            return 400
        case "not_found":
            return 404
        case "exists" | "refused" | "stale_version" | "taken" | "too_many":
            return 409
        case "service" | "table_differs" | "unknown_item":
            return 500
        case "overtaken" | "throttled" | "transport":
            return 503
        case "aborted" | "incomplete" | "outcome_unknown":
            return 504

"""The results that callers of the application see."""

from __future__ import annotations

from dataclasses import dataclass

from keyfold import Code, Exists, Invalid, KeyfoldError, Place, Refused, Taken

from myapp.said import named, of_invalid


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


def problem_of(error: KeyfoldError) -> Problem:
    """The problem of an error: by its class where there is more to say, and by its code else."""
    status = status_of(error.code)
    match error:
        case Taken(attributes=attributes):
            names = [named(one) for one in attributes]
            detail = f"The {', '.join(names)} is in use. Choose another one."
            return Problem(status, "taken", detail, names[0])
        case Exists(place=place):
            key = list(place.id or {}) if place else []
            # A key of several attributes is no single member that is wrong.
            field = named(key[0]) if len(key) == 1 else None
            detail = "There is one with this key already. Choose another one."
            return Problem(status, "exists", detail, field)
        case Refused(place=Place(entity="Product")):
            return Problem(status, "out_of_stock", "Too few are left. Order fewer.")
        case Invalid(attribute=attribute):
            field, detail = of_invalid(error.message, attribute)
            return Problem(status, "invalid", detail, field)
    # What went wrong inside is for the log.
    return Problem(status, error.code, _excuse(status))


def _excuse(status: int) -> str:
    """The sentence about an error of which there is no more to say."""
    if status >= 500:
        return "Something does not work at the moment. Try again later."
    if status == 404:
        return "It is not there. Look for it in the lists."
    return "It is not as it was. Look at it as it is now."


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

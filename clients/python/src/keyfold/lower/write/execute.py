"""Sends the steps of a write: a single step as a plain operation, several as a transaction."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field, replace

from keyfold.errors import (
    KeyfoldError,
    OutcomeUnknown,
    Place,
    Refused,
    Service,
    failed_actions,
    is_absent_table,
    is_conflict,
)
from keyfold.lower import capacity, tables
from keyfold.lower.complete import Made
from keyfold.lower.steps import Lowering, Origin, Request, ask, back_off
from keyfold.lower.write import invalid, lacking
from keyfold.lower.write.aggregate import with_aggregates
from keyfold.lower.write.invalid import Sent, place_text
from keyfold.lower.write.lacking import Unread
from keyfold.lower.write.refusal import at_item, error_of, place_of_item
from keyfold.lower.write.step import Check, Draft, Put, Step
from keyfold.plan.model import Model
from keyfold.values.size import size_of_item

ACTIONS_MAX = 100
"""The most actions of one transaction."""
BYTES_MAX = 4 * 1024 * 1024
"""The most bytes of one transaction."""
_LABELS_SHOWN_MAX = 4


@dataclass(frozen=True)
class Written:
    """The report of a write."""

    operation: str
    """PutItem, UpdateItem, DeleteItem or TransactWriteItems; GetItem when nothing had to be
    written."""
    changes: list[str] = field(default_factory=lambda: [])
    """The change of each item: `put Order`, `delete the guard of email`."""
    made: list[Made] = field(default_factory=lambda: [])
    """Attributes that were not given and have the present moment or a new identifier."""

    def with_made(self, made: list[Made]) -> Written:
        """The report with the attributes that were made."""
        return replace(self, made=made)


def sent(model: Model, origin: Origin, draft: Draft, tried: int) -> Lowering[Written | None]:
    """Sends the steps of one try of a write. Returns none when another writer was faster, after a
    pause: the write then reads again and makes its steps again."""
    steps = yield from with_aggregates(model, draft)
    return (yield from sent_steps(model, origin, steps, draft.unread, tried))


def sent_steps(
    model: Model, origin: Origin, steps: Sequence[Step], unread: Sequence[Unread], tried: int
) -> Lowering[Written | None]:
    """Sends all steps of one try of a write, as `sent`."""
    if not steps or _is_judged(steps):
        return Written("GetItem")
    try:
        written = yield from _execute(model, origin, steps)
    except Service as error:
        known = yield from lacking.explained(error, unread)
        raise invalid.explained(known, [_sent(step) for step in steps]) from None
    if written is None:
        yield from back_off(tried)
    return written


def _is_judged(steps: Sequence[Step]) -> bool:
    """Whether the steps are one check of an item as it was read: reading it has judged it."""
    return len(steps) == 1 and isinstance(steps[0].action, Check) and steps[0].refusal == "stale"


def _execute(model: Model, origin: Origin, steps: Sequence[Step]) -> Lowering[Written | None]:
    _check_distinct(steps)
    _check_count(steps)
    _check_size(steps)
    names = sorted({step.table for step in steps})
    request = _request_of(steps)
    try:
        try:
            yield from ask(request)
        except KeyfoldError as error:
            # The table of a new period is created when its first item is written.
            if not is_absent_table(error):
                raise
            if not (yield from tables.ensure_periods(origin, model, names)):
                raise
            yield from ask(request)
    except KeyfoldError as error:
        _judge(error, steps)
        return None
    changes = [step.label for step in steps]
    return Written(request.operation, changes)


def _judge(error: KeyfoldError, steps: Sequence[Step]) -> None:
    """Raises the caller's error; returns when another writer was faster."""
    if is_conflict(error):
        return
    if isinstance(error, OutcomeUnknown):
        changes = ", ".join(step.label for step in steps)
        places = ", ".join(place_text(step.table, step.key) for step in steps)
        raise OutcomeUnknown(error.why, f"{changes} of {places}") from error
    failed = failed_actions(error)
    if failed is None:
        raise error
    own = [(at, steps[at]) for at in failed if at < len(steps)]
    # A stale step decides before a refusal: the other writer may have changed the same entity, so
    # the write reads it again.
    if any(step.refusal == "stale" for _, step in own):
        return
    found = error.found if isinstance(error, Service) else ()
    errors = (error_of(step.refusal, at in found, _place(step)) for at, step in own)
    raise next((one for one in errors if one is not None), error)


def _place(step: Step) -> Place:
    return place_of_item(step.label, step.table, step.key)


def _check_distinct(steps: Sequence[Step]) -> None:
    """Refuses two steps of one item: a transaction allows one action per item."""
    for at, step in enumerate(steps):
        for other in steps[:at]:
            if step.is_at(other.table, other.key):
                error = Refused(
                    f"`{other.label}` and `{step.label}` meet the same item, and a transaction has"
                    " one action for each; put them together"
                )
                raise at_item(error, step.label, step.table, step.key)


def _check_count(steps: Sequence[Step]) -> None:
    """Refuses more steps than a transaction has."""
    if len(steps) <= ACTIONS_MAX:
        return
    counts = sorted(Counter(step.label for step in steps).items())
    counts.sort(key=lambda one: -one[1])
    shown = ", ".join(f"{label}: {count}" for label, count in counts[:_LABELS_SHOWN_MAX])
    others = ", others" if len(counts) > _LABELS_SHOWN_MAX else ""
    raise Refused(
        f"the write would change {len(steps)} items ({shown}{others}), and a transaction changes"
        f" at most {ACTIONS_MAX}; nothing was written: give it less at a time"
    )


def _check_size(steps: Sequence[Step]) -> None:
    """Refuses more bytes than a transaction has. The sizes of items that are updated are not
    known."""
    size = sum(size_of_item(step.action.item) for step in steps if isinstance(step.action, Put))
    if len(steps) > 1 and size > BYTES_MAX:
        raise Refused(
            f"the write would put {size} bytes, and a transaction has at most {BYTES_MAX}; nothing"
            " was written: give it less at a time"
        )


def _sent(step: Step) -> Sent:
    put = step.action.item if isinstance(step.action, Put) else None
    return Sent(step.label, step.table, step.key, put)


def _request_of(steps: Sequence[Step]) -> Request:
    """The request that carries out the steps."""
    actions = [step.lower() for step in steps]
    if len(actions) == 1 and actions[0][0] != "ConditionCheck":
        name, members = actions[0]
        return Request(f"{name}Item", {**members, **capacity.REQUESTED})
    items = [{name: members} for name, members in actions]
    return Request("TransactWriteItems", {"TransactItems": items, **capacity.REQUESTED})

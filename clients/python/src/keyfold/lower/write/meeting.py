"""Two steps of one item, of two writes in one transaction: DynamoDB takes one action for each item.

They become one where that has the outcome of the first write and then the second; otherwise they
cannot be in one transaction. A later step sees the item as it was before the transaction. That is
the same as behind the earlier step where it reads nothing that the earlier one writes. Both may add
to the same number.

The guard of a unique value that one item gives away and another takes is put over: of the deletion
and the put that must find no guard, the outcome is the put.
"""

from __future__ import annotations

from collections.abc import Sequence

from keyfold.errors import Invalid, KeyfoldError, Taken
from keyfold.lower.bound import All, Any, Bound, Not
from keyfold.lower.expression import Add, Change, Equal, Exists, InField, Joined, Missing, Of, Term
from keyfold.lower.write.refusal import Reason, Refusal, error_of, joined, place_of_item
from keyfold.lower.write.step import Check, Delete, Put, RemainingItems, Step, StepAction, Update
from keyfold.plan.condition import Attribute
from keyfold.values import number


def join(earlier: Step, later: Step, remaining: Sequence[RemainingItems]) -> bool:
    """Puts a later step of the same item into an earlier one.

    `remaining` are the items that the later write leaves counted. Returns whether that is possible;
    if not, the earlier step may be changed in part.
    """
    if _is_given_guard(earlier) and _is_taken_guard(later):
        earlier.label, earlier.action = later.label, later.action
        return True
    refusal = _refusal(earlier, later)
    if refusal is None or not _is_possible(earlier.action, later, remaining):
        return False
    earlier.conditions.extend(one for one in later.conditions if one not in earlier.conditions)
    is_merged = isinstance(earlier.action, Update) and isinstance(later.action, Update)
    if not is_merged and not isinstance(later.action, Check):
        is_check = isinstance(earlier.action, Check)
        earlier.label = f"{earlier.label}, {later.label}" if is_check else later.label
        earlier.action = later.action
    earlier.refusal = refusal
    return True


def hand_over(steps: Sequence[Step]) -> list[Step]:
    """Makes one step of the deletion and the put of each guard whose value one item of a write
    gives away and another takes, in whichever order: the actions of a write happen together. An
    item that takes a value which another takes, too, is refused."""
    takers: list[Step] = []
    for step in steps:
        if _is_taken_guard(step):
            for earlier in takers:
                if earlier.is_at(step.table, step.key):
                    check_taken_twice(earlier, step)
            takers.append(step)
    left: list[Step] = []
    for step in steps:
        taker = next((one for one in takers if one.is_at(step.table, step.key)), None)
        if taker is None or not _is_given_guard(step):
            left.append(step)
        else:
            # It holds nothing of its item, so that it is the same guard. It is put, and not
            # checked, since an item of another program may lack it.
            taker.conditions, taker.refusal = [], "none"
    return left


def check_taken_twice(earlier: Step, later: Step) -> None:
    """Refuses an item that takes a unique value which another one takes in the same transaction."""
    if isinstance(earlier.action, Put) and _is_taken_guard(later):
        place = place_of_item(later.label, later.table, later.key)
        error = error_of(later.refusal, True, place)
        if error is not None:
            raise error


def _is_given_guard(step: Step) -> bool:
    """Whether a step deletes an item without a condition of its own, as the guard of a value that
    its item gives away. The deletion rests on the item being as it was read."""
    return isinstance(step.action, Delete) and not step.conditions


def _is_taken_guard(step: Step) -> bool:
    """Whether a step puts the guard of a value that an item takes."""
    if not isinstance(step.action, Put) or not isinstance(step.refusal, Reason):
        return False
    return isinstance(step.refusal.error, Taken)


def _is_possible(action: StepAction, later: Step, remaining: Sequence[RemainingItems]) -> bool:
    if isinstance(action, Check):
        return True
    if not isinstance(action, Update) or isinstance(later.action, Put):
        return False
    reads = _reads(later)
    if not isinstance(later.action, Delete):
        if any(_is_written(action, name) for name in reads):
            return False
        return isinstance(later.action, Check) or _add_changes(action, later.action)
    own = [one for one in remaining if later.is_at(one.table, one.key)]
    counters = {one.counter for one in own if not one.judged}
    others = [name for name in reads if name not in counters]
    return _subtract(action, own) and not any(_is_written(action, name) for name in others)


def _refusal(earlier: Step, later: Step) -> Refusal | None:
    """The meaning of a failed condition of both steps; none where it is not known which of the two
    it has."""
    one, other = earlier.refusal, later.refusal
    if one == "none":
        return other
    if other == "none":
        return one
    if one == "stale" and other == "stale":
        return "stale"
    # Both steps find an item that has gone, and the other one says so.
    if one == "stale" and _needs_existence_only(earlier):
        return other
    if other == "stale" and _needs_existence_only(later):
        return one
    # The write that read the item reads it again, and says that it has gone.
    if one == "stale":
        return "stale" if _needs_existence_only(later) else None
    if other == "stale":
        return "stale" if _needs_existence_only(earlier) else None
    return joined(one, other)


def _needs_existence_only(step: Step) -> bool:
    return all(isinstance(one, Exists) for one in step.conditions)


def _reads(step: Step) -> list[str]:
    """The attributes that a step reads."""
    names = [name for term in step.conditions for name in _names(term)]
    if isinstance(step.action, Update):
        names.extend(name for _, change in step.action.changes for name in _operands(change))
    return names


def _names(term: Term) -> list[str]:
    if isinstance(term, (Exists, Missing, Equal)):
        return [term.attribute]
    return _of_bound(term)


def _of_bound(bound: Bound) -> list[str]:
    if isinstance(bound, Not):
        return _of_bound(bound.member)
    if isinstance(bound, (All, Any)):
        return [name for member in bound.members for name in _of_bound(member)]
    others = [one.path[0] for one in bound.operands if isinstance(one, Attribute)]
    return [bound.path[0], *others]


def _operands(change: Change) -> list[str]:
    """The attributes whose values a change takes, beside the one that it writes."""
    if isinstance(change, Of):
        return [change.path[0]]
    if isinstance(change, Joined):
        return [*_operands(change.left), *_operands(change.right)]
    if isinstance(change, InField):
        return _operands(change.change)
    return []


def _is_written(update: Update, name: str) -> bool:
    written = any(one == name for one, _ in update.changes)
    return written or any(path[0] == name for path in update.removed)


def _add_changes(earlier: Update, later: Update) -> bool:
    """Adds the changes of a later update to those of an earlier one. Returns whether they write
    different attributes, or add to the same ones."""
    if any(_is_written(earlier, path[0]) for path in later.removed):
        return False
    for name, change in later.changes:
        found = (at for at, (written, _) in enumerate(earlier.changes) if written == name)
        at = next(found, None)
        if at is None:
            if any(path[0] == name for path in earlier.removed):
                return False
            earlier.changes.append((name, change))
            continue
        known = earlier.changes[at][1]
        if not isinstance(known, Add) or not isinstance(change, Add):
            return False
        added = _sum(known.number, change.number)
        if added is None:
            return False
        earlier.changes[at] = (name, Add(added))
    earlier.removed.extend(later.removed)
    return True


def _subtract(update: Update, remaining: Sequence[RemainingItems]) -> bool:
    """Adds what an earlier write adds to the counters of a deleted item. Returns whether it does
    nothing else with them."""
    for one in remaining:
        change = next((own for name, own in update.changes if name == one.counter), None)
        if change is None:
            continue
        added = _sum(one.items, change.number) if isinstance(change, Add) else None
        if added is None:
            return False
        one.items = added
    return True


def _sum(left: str, right: str) -> str | None:
    try:
        return number.add(left, right)
    except number.NumberError:
        return None


def numbered(at: int, name: str) -> str:
    """A write of a transaction by its number, for people."""
    return f"write {at} ({name})"


def no_write(at: int, wanted: str, given: object) -> Invalid:
    """The error about what is no write of a transaction."""
    error = Invalid(
        f"write {at} of the transaction is {wanted}, and no {type(given).__name__}",
        of="transact",
        attribute="writes",
    )
    error.write = at
    return error


def in_write(error: KeyfoldError, name: str, at: int) -> KeyfoldError:
    """The error of one write of a transaction: its message begins with the write."""
    if error.code in _OF_WRITES:
        if not error.message.startswith(name):
            error.message = f"{name}: {error.message}"
            error.args = (error.message,)
        error.write = at
    return error


_OF_WRITES = ("refused", "exists", "taken", "not_found", "stale_version", "invalid")

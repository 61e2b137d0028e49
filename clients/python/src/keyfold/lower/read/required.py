"""The items that a collection must contain: `Order + OrderItem[]` without its order is no
answer."""

from __future__ import annotations

from collections.abc import Sequence

from keyfold.errors import Invalid, NotFound
from keyfold.keys.text import column
from keyfold.lower.read.question import FoundItem, Question, Raw
from keyfold.plan.model import Pattern, Returned
from keyfold.plan.template import KeyColumn
from keyfold.values.value import Item


def check(
    pattern: Pattern,
    question: Question,
    after: Item | None,
    items: Sequence[FoundItem],
    raw: Raw,
) -> None:
    """Refuses a page of a collection that lacks a required item.

    Its key lies between the beginning and the end of the page, or anywhere if the page is whole.
    """
    beside = [pattern.returns[at] for at, _ in question.plan.beside]
    for missing in _missing(pattern, items):
        # The first page has read the kinds beside the range.
        if any(own.entity is missing.entity and own.copy is missing.copy for own in beside):
            continue
        is_whole = after is None and raw.next is None
        if is_whole or _lies_in(missing, question, after, raw.next):
            raise _not_found(pattern, missing, raw.condition)


def check_all(pattern: Pattern, items: Sequence[FoundItem], condition: str) -> None:
    """Refuses a whole answer that lacks a required item."""
    for missing in _missing(pattern, items):
        raise _not_found(pattern, missing, condition)


def _missing(pattern: Pattern, items: Sequence[FoundItem]) -> list[Returned]:
    """The required kinds that are not among the items."""
    # No filter drops a required item: the compiler refuses it.
    if len(pattern.returns) < 2:
        return []
    found = {item.kind for item in items}
    return [one for one in pattern.returns if not (one.many or one.optional or one.name in found)]


def _not_found(pattern: Pattern, missing: Returned, condition: str) -> NotFound:
    return NotFound(f"{pattern.name}: there is no {missing.name} for {condition}")


def _lies_in(one: Returned, question: Question, after: Item | None, following: Item | None) -> bool:
    """Whether the key of the one item lies in the part of the range that a page read."""
    own = _sort_key(one, question) if question.plan.fan is None else None
    if own is None:
        return False
    if after is not None and question.compare(own, after) <= 0:
        return False
    if following is None:
        return True
    # Several items of an index may have the same sort key: the last item of a page need not be the
    # last of them.
    order = question.compare(own, following)
    return order <= 0 if question.plan.index is None else order < 0


def _sort_key(one: Returned, question: Question) -> Item | None:
    """The sort key of the one item; none where the arguments do not determine it."""
    plan = question.plan
    key: tuple[KeyColumn, ...] | None
    if plan.index is None:
        key = one.copy.key if one.copy else one.entity.key
    elif one.copy is not None:
        return None
    else:
        keys = (own.key for own in one.entity.indexes if own.index is plan.index)
        key = next(keys, None)
    if key is None or len(key) < 2:
        return None
    made: Item = {}
    try:
        for own in key:
            if own.attribute in plan.sort_attributes:
                made[own.attribute] = column(own.parts, question.arguments)
    except Invalid:
        return None
    return made

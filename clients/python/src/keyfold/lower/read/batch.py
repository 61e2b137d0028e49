"""Several items by their keys: BatchGetItem, in the order of the given ids."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, TypeAlias

from keyfold.errors import Invalid, KeyfoldError, Transport, is_absent_table
from keyfold.lower import capacity
from keyfold.lower.arguments import the_pattern
from keyfold.lower.bound import missing_argument
from keyfold.lower.expression import Placeholders
from keyfold.lower.read.question import Question, Raw
from keyfold.lower.read.request import key_of, projection, table_name
from keyfold.lower.steps import Lowering, Request, ask, pause, together
from keyfold.plan.model import Pattern
from keyfold.values.value import Item, canonical_item

_TRIES = 16
"""The most requests for keys that the service leaves unprocessed."""
KEYS_MAX = 100
"""The most keys of one request."""

Wanted: TypeAlias = "dict[str, dict[str, Any]]"
"""What one request reads: keys of tables."""
Found: TypeAlias = "list[tuple[str, Item]]"
"""Items, each with its table."""


def get(question: Question, pattern: Pattern) -> Lowering[Raw]:
    """Reads the items of the pattern's list of ids. Absent items are left out."""
    listed = next((one for one in pattern.parameters.values() if one.limit == "among"), None)
    if listed is None or listed.attribute is None:
        raise Invalid(f"{pattern.name} has no list of ids", of=the_pattern(pattern.name))
    ids = question.arguments.get(listed.name, {}).get("L")
    if ids is None:
        raise missing_argument("the pattern", listed.name)
    # Each key with its table. An id that is given twice is read once.
    wanted: Found = []
    for one in ids:
        arguments = {**question.arguments, listed.attribute: one}
        place = (table_name(question, arguments), key_of(question, arguments))
        if place not in wanted:
            wanted.append(place)
    raw = Raw(condition=f"{len(wanted)} keys")
    batches = (wanted[at : at + KEYS_MAX] for at in range(0, len(wanted), KEYS_MAX))
    asked = [one for batch in batches for one in _requests(question, batch)]
    found = yield from ask_all(question, asked, raw)
    items = (at_key(found, table, key) for table, key in wanted)
    raw.items = [item for item in items if item is not None]
    return raw


def at_key(found: Found, table: str, key: Item) -> Item | None:
    """The item with this key among those that were read."""
    for place, item in found:
        if place == table and all(item.get(name) == value for name, value in key.items()):
            return item
    return None


def keys(question: Question, key: Item) -> dict[str, Any]:
    """The part of a request that reads the item with this key, and others of its table."""
    made = Placeholders()
    projected = projection(question, made)
    strong = {"ConsistentRead": True} if question.plan.strong else {}
    return {"Keys": [key], **strong, **projected, **made.members()}


def _requests(question: Question, batch: Found) -> list[Wanted]:
    """The requests that read one batch of keys."""
    wanted: Wanted = {}
    for table, key in batch:
        if table in wanted:
            wanted[table]["Keys"].append(key)
        else:
            wanted[table] = keys(question, key)
    # One absent table of a period would fail the request for all tables.
    if question.plan.table.period is not None and len(wanted) > 1:
        return [{table: own} for table, own in wanted.items()]
    return [wanted]


def ask_all(question: Question, asked: Iterable[Wanted], raw: Raw) -> Lowering[Found]:
    """Sends requests at the same time. Returns their items, and adds their cost to `raw`."""
    all_of: Found = []
    for found, cost in (yield from together(_ask(question, one) for one in asked)):
        raw.requests += cost.requests
        raw.capacity += cost.capacity
        all_of.extend(found)
    return all_of


def _ask(question: Question, wanted: Wanted) -> Lowering[tuple[Found, Raw]]:
    """Sends one request of a pattern."""
    return (yield from fetch(question.plan.table.period is not None, wanted))


def fetch(has_periods: bool, wanted: Wanted) -> Lowering[tuple[Found, Raw]]:
    """Sends one request, and sends the keys that the service leaves unprocessed again. A table of a
    period that does not exist has no items."""
    found: Found = []
    raw = Raw()
    for tried in range(_TRIES):
        if not wanted:
            return found, raw
        raw.requests += 1
        try:
            request = {"RequestItems": wanted, **capacity.REQUESTED}
            response = yield from ask(Request("BatchGetItem", request))
        except KeyfoldError as error:
            if has_periods and is_absent_table(error):
                return found, raw
            raise
        raw.capacity += capacity.total(response)
        for table, items in response.get("Responses", {}).items():
            found.extend((table, canonical_item(item)) for item in items)
        wanted = response.get("UnprocessedKeys") or {}
        if wanted and tried > 0:
            yield from pause(1, 20 << min(tried, 6))
    raise Transport("the backend left keys unprocessed again and again; try again later")

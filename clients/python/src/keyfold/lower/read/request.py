"""The requests of a plan: GetItem, Query and Scan."""

from __future__ import annotations

from typing import Any

from keyfold.errors import KeyfoldError, is_absent_table
from keyfold.keys.text import column
from keyfold.lower import capacity
from keyfold.lower.bound import bind
from keyfold.lower.derive import name_in_period
from keyfold.lower.expression import Placeholders
from keyfold.lower.read import condition
from keyfold.lower.read.cursor import check_end
from keyfold.lower.read.question import Question, Raw, printed_key
from keyfold.lower.steps import Lowering, Request, Response, ask
from keyfold.plan.model import Index, Table
from keyfold.values.value import Item, Values, canonical_item


def table_name(question: Question, arguments: Values) -> str:
    """The name of the table that a request goes to; with periods, of that of the given time."""
    plan = question.plan
    if plan.period is None:
        return plan.table.name
    unit, attribute = plan.period
    return name_in_period(plan.table, unit, attribute, arguments)


def key_of(question: Question, arguments: Values) -> Item:
    """The key of a plan that reads items by their whole key."""
    plan = question.plan
    key = {one.attribute: question.checked("partition", one, arguments) for one in plan.partition}
    if plan.sort is not None and plan.sort.shape == "equal":
        held = column(plan.sort.at, arguments)
        question.check_length("sort", plan.sort.attribute, plan.sort.at, held)
        key[plan.sort.attribute] = held
    return key


def _holds(index: Index, table: Table, name: str) -> bool:
    is_projected = index.projection == "all" or name in index.projection
    return is_projected or name in table.columns or name in index.columns


def projection(question: Question, made: Placeholders) -> dict[str, Any]:
    """The projection of a plan: the attributes that it returns, and keys that distinguish kinds."""
    plan = question.plan
    if not plan.only:
        return {}
    index, table = plan.index, plan.table
    # What an index lacks is read back from keys, or fetched. DynamoDB refuses a request for it from
    # a global index, and reads the table for it behind a local one.
    names = {
        name
        for name in plan.only
        if index is None or _holds(index, table, name) or name in plan.fetched
    }
    names.update(question.digests)
    names.update(table.columns)
    # The cursor of a page that is merged from several is the key of one of its items in the index.
    names.update(one.attribute for one in plan.partition)
    names.update(plan.sort_attributes)
    return {"ProjectionExpression": ", ".join(made.name(name) for name in sorted(names))}


def is_absent(question: Question, error: KeyfoldError) -> bool:
    """Whether the table of a period does not exist: nothing has been written in that period."""
    return question.plan.table.period is not None and is_absent_table(error)


def _strong(question: Question) -> dict[str, Any]:
    return {"ConsistentRead": True} if question.plan.strong else {}


def get(question: Question) -> Lowering[Raw]:
    """Reads one item by its key."""
    key = key_of(question, question.arguments)
    made = Placeholders()
    projected = projection(question, made)
    request = {
        "TableName": table_name(question, question.arguments),
        "Key": key,
        **_strong(question),
        **projected,
        **made.members(),
        **capacity.REQUESTED,
    }
    raw = Raw(condition=printed_key(key), requests=1)
    try:
        response = yield from ask(Request("GetItem", request))
    except KeyfoldError as error:
        if is_absent(question, error):
            return raw
        raise
    if "Item" in response:
        raw.items.append(canonical_item(response["Item"]))
    raw.capacity = capacity.total(response)
    return raw


def one_page(
    question: Question, arguments: Values, after: Item | None, limit: int | None
) -> Lowering[Raw]:
    """Reads one page of a query or scan, of the partition and table that the arguments give."""
    if question.plan.request == "Scan":
        return (yield from _scan(question, after, limit))
    name = table_name(question, arguments)
    return (yield from query(question, name, arguments, after, limit))


def query(
    question: Question, name: str, arguments: Values, after: Item | None, limit: int | None
) -> Lowering[Raw]:
    """Reads one page of a query."""
    plan = question.plan
    made = Placeholders()
    terms = condition.of_key(question, arguments, made)
    if terms is None:
        return Raw(condition="nothing: no key lies in the range")
    filtered = _filter(question, made)
    projected = projection(question, made)
    request: dict[str, Any] = {"TableName": name, **_strong(question)}
    if plan.index is not None:
        request["IndexName"] = plan.index.name
    if limit is not None:
        request["Limit"] = limit
    if question.is_descending:
        request["ScanIndexForward"] = False
    if after is not None:
        request["ExclusiveStartKey"] = after
    request["KeyConditionExpression"] = " AND ".join(expression for expression, _ in terms)
    # A projection names what is fetched.
    if plan.fetched and not plan.only:
        request["Select"] = "ALL_ATTRIBUTES"
    request.update({**filtered, **projected, **made.members(), **capacity.REQUESTED})
    shown = " AND ".join(printed for _, printed in terms)
    try:
        response = yield from ask(Request("Query", request))
    except KeyfoldError as error:
        if is_absent(question, error):
            return Raw(condition=shown, requests=1)
        raise
    return _raw(question, arguments, response, shown)


def _raw(question: Question, arguments: Values, response: Response, shown: str) -> Raw:
    found = response.get("LastEvaluatedKey")
    next_key = canonical_item(found) if found else None
    if next_key is not None:
        check_end(question, arguments, next_key)
    return Raw(
        items=[canonical_item(item) for item in response.get("Items", ())],
        condition=shown,
        requests=1,
        capacity=capacity.total(response),
        next=next_key,
    )


def _scan(question: Question, after: Item | None, limit: int | None) -> Lowering[Raw]:
    made = Placeholders()
    filtered = _filter(question, made)
    projected = projection(question, made)
    request: dict[str, Any] = {"TableName": question.plan.table.name, **_strong(question)}
    if limit is not None:
        request["Limit"] = limit
    if after is not None:
        request["ExclusiveStartKey"] = after
    request.update({**filtered, **projected, **made.members(), **capacity.REQUESTED})
    response = yield from ask(Request("Scan", request))
    return _raw(question, question.arguments, response, "every item")


def _filter(question: Question, made: Placeholders) -> dict[str, Any]:
    terms = [bind(one, question.arguments) for one in question.plan.filters]
    expression = made.terms(terms)
    return {} if expression is None else {"FilterExpression": expression}

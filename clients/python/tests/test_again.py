"""A service that has pages again: each reading ends, also one of several requests in one call."""

from __future__ import annotations

from typing import Any

import pytest
import support

from keyfold import Options, Transport, load
from keyfold.calls import Calls, Walk
from keyfold.lower.steps import Ask, Lowering

BETWEEN = {"sensor": "s", "from": "2024-01-15T00:00:00Z", "to": "2024-03-15T00:00:00Z"}
PATTERNS = {
    "notes": {"author": "a"},
    "logs": {"id": "a"},
    "orders": {"id": "a"},
    "readings": BETWEEN,
}


def circling(call: Lowering[Any], length: int) -> tuple[Any, int]:
    """Plays a service whose pages are empty and lead to each other in a circle. Returns the result
    of a call, and the number of its requests."""
    asked, step = 0, next(call)
    while True:
        assert isinstance(step, Ask)
        answers: list[Any] = []
        for request in step.requests:
            asked += 1
            assert asked < 1000, "endless"
            before = request.input.get("ExclusiveStartKey", {"SK": {"S": "-1"}})
            at = (int(before["SK"]["S"]) + 1) % length
            partition = request.input["ExpressionAttributeValues"][":v0"]
            end = {"PK": partition, "SK": {"S": str(at)}}
            answers.append({"Items": [], "Count": 0, "LastEvaluatedKey": end})
        try:
            step = call.send(answers)
        except StopIteration as done:
            return done.value, asked


@pytest.mark.parametrize("length", [1, 2, 5])
@pytest.mark.parametrize("pattern", [f"{name}{end}" for name in PATTERNS for end in ("", "_paged")])
def test_a_reading_ends_where_pages_come_again(pattern: str, length: int) -> None:
    calls = Calls(load(support.plan(support.CASES / "again.keyfold")), Options())
    walk = Walk(calls, pattern, PATTERNS[pattern.removesuffix("_paged")], {})
    asked = 0
    with pytest.raises(Transport, match=f"{pattern} has a page again that it had before"):
        while True:
            page, count = circling(walk.next_page(), length)
            asked += count
            assert page.next is not None
            assert asked < 1000, "endless"

"""Consumed capacity: requested with every request, and summed over the answers."""

from __future__ import annotations

from typing import Any, TypeVar

from keyfold.errors import KeyfoldError
from keyfold.lower.steps import Ask, Lowering

T = TypeVar("T")

REQUESTED: dict[str, Any] = {"ReturnConsumedCapacity": "TOTAL"}
"""The request member that asks the service to report the consumed capacity."""


def total(response: dict[str, Any]) -> float:
    """The units that an answer reports; zero when it reports none."""
    consumed: Any = response.get("ConsumedCapacity") or []
    rows: list[dict[str, Any]] = [consumed] if isinstance(consumed, dict) else consumed
    return sum(float(row.get("CapacityUnits", 0)) for row in rows)


def counted(call: Lowering[T]) -> Lowering[tuple[T, float]]:
    """The result of a call, with the units that all of its answers report."""
    units = 0.0
    answers: Any = None
    while True:
        try:
            step = next(call) if answers is None else call.send(answers)
        except StopIteration as end:
            return end.value, units
        answers = yield step
        if isinstance(step, Ask):
            known = (one for one in answers if not isinstance(one, KeyfoldError))
            units += sum(total(one) for one in known)

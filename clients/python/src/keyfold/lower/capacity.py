"""Consumed capacity: requested with every request, and summed over the answers."""

from __future__ import annotations

from typing import Any

REQUESTED: dict[str, Any] = {"ReturnConsumedCapacity": "TOTAL"}
"""The request member that asks the service to report the consumed capacity."""


def total(response: dict[str, Any]) -> float:
    """The units that an answer reports; zero when it reports none."""
    consumed: Any = response.get("ConsumedCapacity") or []
    rows: list[dict[str, Any]] = [consumed] if "TableName" in consumed else consumed
    return sum(float(row.get("CapacityUnits", 0)) for row in rows)

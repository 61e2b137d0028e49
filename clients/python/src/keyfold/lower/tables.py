"""A model's tables: created if they are absent, compared if they exist."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Literal, TypeAlias

from keyfold.errors import (
    KeyfoldError,
    OutcomeUnknown,
    Service,
    TableDiffers,
    Transport,
    is_absent_table,
)
from keyfold.keys.periods import period_of
from keyfold.lower import settings
from keyfold.lower.derive import is_of_period, physical_name
from keyfold.lower.steps import Lowering, Origin, Request, ask, pause
from keyfold.plan.model import Model, Table
from keyfold.values import times

_ACTIVE_TRIES = 240
"""The most times that a new table is asked for, each half a second after the other."""
Outcome: TypeAlias = Literal["created", "existing"]


def ensure(origin: Origin, model: Model) -> Lowering[dict[str, Outcome]]:
    """Creates the tables of a model, or checks those that exist.

    A table with periods is created for the present period; others are created when their first item
    is written. Raises `TableDiffers` when a table contradicts the model.
    """
    # All tables are compared first: nothing is created for a model that contradicts one of them.
    missing: list[tuple[Table, str]] = []
    outcomes: dict[str, Outcome] = {}
    for table in model.tables.values():
        name = _present_name(origin, table)
        existing = yield from _described(name)
        if existing is None:
            missing.append((table, name))
            continue
        differences = settings.key_differences(table, existing)
        differences += yield from settings.differences(table, name, existing)
        if differences:
            raise TableDiffers(name, tuple(differences))
        outcomes[name] = "existing"
    for table, name in missing:
        yield from _make(origin, table, name)
        outcomes[name] = "created"
    return outcomes


def _present_name(origin: Origin, table: Table) -> str:
    """The name of a table; with periods, of the table of the present period."""
    if table.period is None:
        return table.name
    present = times.of_epoch_ms("time.ms", origin.now_epoch_ms) or ""
    return physical_name(table, period_of(table.period, present))


def _make(origin: Origin, table: Table, name: str) -> Lowering[None]:
    """Creates a table and waits until it is active."""
    # The names of periods sort by time: those before the present one are in the past.
    is_over = table.period is not None and name < _present_name(origin, table)
    body = table.create_past if is_over and table.create_past is not None else table.create
    try:
        yield from ask(Request("CreateTable", {"TableName": name, **body}))
    except OutcomeUnknown:
        # The answer was lost. The table shows whether the request was carried out.
        if (yield from _described(name)) is None:
            raise
    except Service as error:
        # Another writer was faster.
        if error.exception != "ResourceInUseException":
            raise
    yield from _wait_until_active(name)
    yield from settings.settle(table, name)


def ensure_periods(origin: Origin, model: Model, names: Sequence[str]) -> Lowering[bool]:
    """Creates those of the named tables that belong to a period and do not exist.

    Returns whether one was created.
    """
    made = False
    for table in model.tables.values():
        for name in names:
            if not is_of_period(table, name):
                continue
            if (yield from _described(name)) is None:
                yield from _make(origin, table, name)
                made = True
    return made


def _described(table: str) -> Lowering[dict[str, Any] | None]:
    """The description of a table; none when the table does not exist."""
    try:
        response = yield from ask(Request("DescribeTable", {"TableName": table}))
    except KeyfoldError as error:
        if is_absent_table(error):
            return None
        raise
    found: dict[str, Any] = response["Table"]
    return found


def _wait_until_active(table: str) -> Lowering[None]:
    for _ in range(_ACTIVE_TRIES):
        description = yield from _described(table)
        if description is not None and description.get("TableStatus") == "ACTIVE":
            return
        yield from pause(500, 500)
    raise Transport(f"the table {table} did not become active in two minutes")

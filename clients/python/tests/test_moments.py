"""Moments with the digits that a model keeps are taken as they are."""

from __future__ import annotations

from datetime import datetime, timedelta, timezone

import pytest

from keyfold import Invalid, typed
from keyfold.plan.kind import Kind
from keyfold.typed import Timespec
from keyfold.values.typed import typed as stored

SPECS: list[tuple[str, Timespec]] = [
    ("time.s", "seconds"),
    ("time.ms", "milliseconds"),
    ("time.us", "microseconds"),
]
EXACT = datetime(2024, 1, 15, 10, 30, 0, 123456, tzinfo=timezone(timedelta(hours=2)))


@pytest.mark.parametrize(("name", "timespec"), SPECS)
def test_a_truncated_moment_is_one_of_its_type(name: str, timespec: Timespec) -> None:
    kept = typed.truncated(EXACT, timespec)
    assert kept.isoformat(timespec=timespec) == EXACT.isoformat(timespec=timespec)
    assert kept <= EXACT and typed.truncated(kept, timespec) == kept
    for moment in (kept, *(typed.now(timespec) for _ in range(100))):
        assert moment.utcoffset() is not None
        stored("at", Kind(name), moment)


def test_a_moment_of_the_clock_is_told_how_it_is_cut() -> None:
    with pytest.raises(Invalid, match="`keyfold.typed.truncated` cuts them"):
        stored("at", Kind("time.ms"), EXACT)
    assert abs(typed.now() - datetime.now(timezone.utc)) < timedelta(minutes=1)

"""Values of wrong types: whatever a program gives for an attribute, a key or an argument of another
type is refused with its entity and its name, before anything is sent.
"""

from __future__ import annotations

import importlib.util
import subprocess
import sys
from collections.abc import Callable
from datetime import date, datetime, time, timedelta, timezone, tzinfo
from decimal import Decimal
from fractions import Fraction
from types import ModuleType
from typing import Any

import pytest
import support

from keyfold import (
    Client,
    Create,
    Delete,
    Invalid,
    Options,
    Put,
    Run,
    Transport,
    Update,
    load,
)
from keyfold.plan.kind import Kind
from keyfold.values.typed import typed

FILE = support.CASES / "kinds.keyfold"
MOMENT = datetime(2024, 1, 15, 10, 30, tzinfo=timezone.utc)
SHORT = datetime(2024, 1, 15, 10, 30)


class Nowhere(tzinfo):
    """A zone that does not know what time it is there."""

    def utcoffset(self, dt: datetime | None) -> timedelta | None:
        return None

    def dst(self, dt: datetime | None) -> timedelta | None:
        return None

    def tzname(self, dt: datetime | None) -> str | None:
        return None


class Broken(Nowhere):
    """A zone that fails."""

    def utcoffset(self, dt: datetime | None) -> timedelta | None:
        raise RuntimeError("no table of zones")


UUID = "123e4567-e89b-12d3-a456-426614174000"
ULID = "01HM5Z0000ABCDEFGHJKMNPQRS"
POOL: dict[str, Any] = {
    "text": "x",
    "empty text": "",
    "time as text": "2024-01-15T10:30:00Z",
    "day as text": "2024-01-15",
    "number as text": "7",
    "word": "open",
    "uuid": UUID,
    "ulid": ULID,
    "int": 7,
    "float": 7.0,
    "nan": float("nan"),
    "decimal": Decimal("1.5"),
    "whole decimal": Decimal(7),
    "nan decimal": Decimal("NaN"),
    "fraction": Fraction(1, 2),
    "complex": 1j,
    "bool": True,
    "bytes": b"x",
    "moment": MOMENT,
    "moment without a zone": SHORT,
    "moment of a zone without an offset": MOMENT.replace(tzinfo=Nowhere()),
    "day": date(2024, 1, 15),
    "clock": time(10, 30),
    "delta": timedelta(1),
    "list": [1],
    "tuple": (1,),
    "dict": {"a": 1},
    "set": {1},
    "class": int,
    "object": object(),
}
TEXTS = {
    "text",
    "empty text",
    "time as text",
    "day as text",
    "number as text",
    "word",
    "uuid",
    "ulid",
}
TIMES = {"moment"}
TAKEN: dict[str, set[str]] = {
    "text": TEXTS,
    "whole": {"int", "whole decimal"},
    "number": {"int", "decimal", "whole decimal"},
    "flag": {"bool"},
    "blob": {"bytes"},
    "time": TIMES,
    "seconds": TIMES,
    "micros": TIMES,
    "nanos": {"moment", "time as text", "day as text"},
    "date": {"day"},
    "ulid": {"ulid"},
    "uuid": {"uuid"},
    "word": {"word"},
}
"""What is taken for each attribute of the model, by generated clients."""
OF_NAME: dict[str, set[str]] = {
    name: taken | {"time as text", "day as text"} if taken == TIMES else taken
    for name, taken in TAKEN.items()
} | {"date": {"day", "day as text"}}
"""The same of a client by name: programs have times and days of JSON, too."""
KEYS = [name for name in TAKEN if name not in ("number", "flag", "blob")]
# A key has no empty text.
IN_KEY = {name: taken - {"empty text"} for name, taken in TAKEN.items()}
INSIDE: dict[str, Callable[[Any], Any]] = {
    "times": lambda held: [held],
    "dates": lambda held: {"a": held},
    "ints": lambda held: {held},
    "words": lambda held: {held},
}
OF_INSIDE = {"times": "time", "dates": "date", "ints": "whole", "words": "text"}


def test_a_zone_that_fails_is_named() -> None:
    kind = Kind("time.ms")
    with pytest.raises(Invalid, match="at: the zone of the time fails: no table of zones"):
        typed("at", kind, MOMENT.replace(tzinfo=Broken()))


@pytest.fixture(scope="module")
def kinds(tmp_path_factory: pytest.TempPathFactory) -> ModuleType:
    folder = tmp_path_factory.mktemp("kinds")
    command = [support.KEYFOLD, "generate", "python", str(FILE), "-o", str(folder)]
    subprocess.run(command, check=True, capture_output=True, timeout=60)
    spec = importlib.util.spec_from_file_location("kinds", folder / "kinds.py")
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules["kinds"] = module
    spec.loader.exec_module(module)
    return module


NOWHERE = "http://127.0.0.1:1"
OPTIONS = Options(retries=0)
VALID: dict[str, Any] = {
    "text": "s",
    "whole": 1,
    "time": MOMENT,
    "seconds": MOMENT,
    "micros": MOMENT,
    "nanos": "2024-01-15T10:30:00Z",
    "date": date(2024, 1, 15),
    "ulid": ULID,
    "uuid": UUID,
    "number": Decimal(1),
    "flag": True,
    "blob": b"x",
}


def by_name(client: Client, name: str, entity: str) -> dict[str, Callable[[Any], object]]:
    """The calls that take an attribute of `All`, and those that take the key of an entity."""
    calls: dict[str, Callable[[Any], object]] = {
        "create": lambda held: client.create("All", {"id": "a", name: held}),
        "put": lambda held: client.put("All", {"id": "a", name: held}),
        "update": lambda held: client.update("All", {"id": "a", name: held}),
        "put_many": lambda held: client.put_many("All", [{"id": "a", name: held}]),
        "transact create": lambda held: client.transact([Create("All", {"id": "a", name: held})]),
        "transact put": lambda held: client.transact([Put("All", {"id": "a", name: held})]),
        "transact update": lambda held: client.transact([Update("All", {"id": "a", name: held})]),
    }
    if name in VALID:
        args: dict[str, Any] = {"id": "a", **VALID}
        calls["write"] = lambda held: client.write("change", {**args, name: held})
        calls["transact write"] = lambda held: client.transact(
            [Run("change", {**args, name: held})]
        )
    if name in KEYS:
        calls["key create"] = lambda held: client.create(entity, {name: held})
        calls["key update"] = lambda held: client.update(entity, {"note": "n"}, key={name: held})
        calls["key delete"] = lambda held: client.delete(entity, {name: held})
        calls["key get_many"] = lambda held: client.get_many(entity, [{name: held}])
        calls["key delete_many"] = lambda held: client.delete_many(entity, [{name: held}])
        calls["key transact"] = lambda held: client.transact([Delete(entity, {name: held})])
        calls["key pattern"] = lambda held: client.one(f"by_{name}", {name: held})
    return calls


def generated(kinds: ModuleType, name: str, entity: str) -> dict[str, Callable[[Any], object]]:
    """The same calls of a generated client."""
    client = kinds.KindsClient(NOWHERE, OPTIONS)
    new, patch, key = kinds.NewAll, kinds.AllPatch, kinds.AllKey(id="a")
    part = client.All.part
    calls: dict[str, Callable[[Any], object]] = {
        "create": lambda held: client.All.create(new(id="a", **{name: held})),
        "put": lambda held: client.All.put(new(id="a", **{name: held})),
        "update": lambda held: client.All.update(key, patch(**{name: held})),
        "put_many": lambda held: client.All.put_many([new(id="a", **{name: held})]),
        "transact create": lambda held: client.transact([part.create(new(id="a", **{name: held}))]),
        "transact put": lambda held: client.transact([part.put(new(id="a", **{name: held}))]),
        "transact update": lambda held: client.transact([part.update(key, patch(**{name: held}))]),
    }
    if name in VALID:
        args: dict[str, Any] = {"id": "a", **VALID}
        calls["write"] = lambda held: client.change(**{**args, name: held})
        calls["transact write"] = lambda held: client.transact(
            [client.part.change(**{**args, name: held})]
        )
    if name in KEYS:
        writer = getattr(client, entity)
        new_own, key_own = (getattr(kinds, name) for name in (f"New{entity}", f"{entity}Key"))
        patch_own = getattr(kinds, f"{entity}Patch")(note="n")
        pattern = getattr(client, f"by_{name}")
        calls["key create"] = lambda held: writer.create(new_own(**{name: held}))
        calls["key update"] = lambda held: writer.update(key_own(**{name: held}), patch_own)
        calls["key delete"] = lambda held: writer.delete(key_own(**{name: held}))
        calls["key get_many"] = lambda held: writer.get_many([key_own(**{name: held})])
        calls["key delete_many"] = lambda held: writer.delete_many([key_own(**{name: held})])
        calls["key transact"] = lambda held: client.transact(
            [writer.part.delete(key_own(**{name: held}))]
        )
        calls["key pattern"] = lambda held: pattern(**{name: held})
    return calls


def check(calls: dict[str, Callable[[Any], object]], name: str, taken: set[str]) -> None:
    """Every value of the pool is taken or refused."""
    wrap = INSIDE.get(name, lambda held: held)
    wrong: list[str] = []
    for how, call in calls.items():
        is_key = how.startswith("key")
        own = taken - {"empty text"} if is_key else taken
        for what, held in POOL.items():
            try:
                given = wrap(held)
            except TypeError:
                continue
            said: object
            try:
                said = call(given)
            except (Invalid, Transport) as error:
                said = error
            if what in own:
                is_right = isinstance(said, Transport)
            else:
                is_right = isinstance(said, Invalid) and is_named(said, name)
            if not is_right:
                wrong.append(f"{how}: {what}: {said!r}")
    assert not wrong, "\n".join(wrong)


def is_named(error: Invalid, name: str) -> bool:
    """Whether an error says what it is about, and why."""
    attribute = (error.attribute or "").partition("[")[0].partition(".")[0]
    return attribute == name and bool(error.of) and name in error.message


@pytest.mark.parametrize("name", [*TAKEN, *OF_INSIDE])
def test_wrong_values_are_refused_by_name(name: str) -> None:
    client = Client(load(support.plan(FILE)), NOWHERE, OPTIONS)
    entity = f"By{name[0].upper()}{name[1:]}"
    check(by_name(client, name, entity), name, OF_NAME[OF_INSIDE.get(name, name)])


@pytest.mark.parametrize("name", [*TAKEN, *OF_INSIDE])
def test_wrong_values_are_refused_by_generated_clients(kinds: ModuleType, name: str) -> None:
    entity = f"By{name[0].upper()}{name[1:]}"
    check(generated(kinds, name, entity), name, TAKEN[OF_INSIDE.get(name, name)])


@pytest.mark.parametrize("name", [name for name in TAKEN if name != "word"])
def test_wrong_values_in_records_are_refused(kinds: ModuleType, name: str) -> None:
    client = kinds.KindsClient(NOWHERE, OPTIONS)
    field = f"{name}_in"
    for what, held in POOL.items():
        inner = kinds.Inner(**{field: held})
        for path, values in (("inner", {"inner": inner}), ("inners[0]", {"inners": [inner]})):
            with pytest.raises((Invalid, Transport)) as caught:
                client.All.create(kinds.NewAll(id="a", **values))
            error = caught.value
            if what in TAKEN[name]:
                assert isinstance(error, Transport), (what, error)
            else:
                assert isinstance(error, Invalid), (what, error)
                assert (error.of, error.attribute) == ("All", f"{path}.{name}In"), what

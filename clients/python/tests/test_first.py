"""`first` answers as soon as it has an item, whatever follows it on the page. An item that the
model does not know is an error before it, or is left out."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from typing import Any

import pytest
import support
from served import served
from test_unknown_kinds import Place, outcome, store
from test_unknown_kinds import place as shared

from keyfold import Client, Model, load
from keyfold.aio import AsyncClient

place = shared


def num(at: int, **other: Any) -> dict[str, Any]:
    """An item of a group, which may lack something or say something else."""
    own = {"PK": "GROUP#g", "SK": f"N#{at}", "GP": "PLACE#p", "GS": f"N#{at}", "entity": "Num"}
    own |= {"WP": "WORD#w", "WS": f"N#{at}"}
    made = {**own, "id": str(at), "group": "g", "n": at, "place": "p", "word": "w", **other}
    return {name: one for name, one in made.items() if one is not None}


HEAD = {"PK": "GROUP#g", "SK": "HEAD", "group": "g", "id": "h", "entity": "Head"}
UNKNOWN: list[dict[str, Any]] = [
    {"entity": "Zed"},
    {"word": None, "WP": None},
    {"n": "many"},
    {"SK": "X#2"},
]
"""What makes an item one that the model does not know: its kind, an attribute, a value, its key."""
PAIR = {"group": "g", "one": "1", "two": "2"}
CASES: list[tuple[str, dict[str, Any], list[dict[str, Any]], str]] = [
    ("nums", {"group": "g"}, [num(1)], "1"),
    ("some", {"group": "g", "id": ["1", "2"]}, [num(1)], "1"),
    ("of_place", {"place": "p"}, [num(1)], "1"),
    ("all", {"group": "g"}, [HEAD, num(1)], "h"),
    ("pair", PAIR, [num(1)], "1"),
    ("both", PAIR, [num(1)], "1"),
]
"""Patterns with the items before the one that is not known, and the id of the first."""


def ids(model: Model, place: Place, of: Any) -> list[Any]:
    """The id of the first item, of both clients."""
    pattern, args, options = of
    endpoint = place.raw.meta.endpoint_url

    async def awaited() -> Any:
        async with AsyncClient(model, endpoint) as client:
            return await client.first(pattern, args, **options)

    def blocking() -> Any:
        with Client(model, endpoint) as client:
            return client.first(pattern, args, **options)

    def shown(call: Any) -> Any:
        found = outcome(call)
        return found if found is None or isinstance(found, str) else found["id"]

    return [shown(blocking), shown(lambda: asyncio.run(awaited()))]


@pytest.fixture(scope="module")
def model() -> Iterator[Model]:
    yield load(support.plan(support.CASES / "unknown.keyfold"))


@pytest.mark.parametrize("wrong", UNKNOWN, ids=str)
@pytest.mark.parametrize("case", CASES, ids=lambda case: case[0])
def test_the_first_is_before_what_is_not_known(
    place: Place, model: Model, case: Any, wrong: dict[str, Any]
) -> None:
    pattern, args, before, first = case
    if "SK" in wrong and pattern in ("nums", "some", "pair", "both"):
        pytest.skip("an item with another key is not read")
    store(place, {"items": [*before, num(2, **wrong), num(3)]})
    assert ids(model, place, (pattern, args, {})) == [first] * 2
    # A page has all of its items, and is the error.
    whole = place.strict.together if pattern in ("pair", "both") else place.strict.page
    assert outcome(lambda: whole(pattern, args)) == "unknown"


@pytest.mark.parametrize("wrong", UNKNOWN[:3], ids=str)
def test_what_is_not_known_before_the_first(
    place: Place, model: Model, wrong: dict[str, Any]
) -> None:
    store(place, {"items": [num(2, **wrong), num(3)]})
    args = {"group": "g"}
    assert ids(model, place, ("nums", args, {})) == ["unknown"] * 2
    assert ids(model, place, ("nums", args, {"on_unknown": "skip"})) == ["3"] * 2
    assert ids(model, place, ("nums", {"group": "none"}, {})) == [None] * 2


def test_the_parts_of_a_list_behind_the_first(tmp_path: Any) -> None:
    """One that is read beside its parts' writer is read again, but not for the first."""
    text = """\
model m 1
table Tab (PK, SK)
entity List
  group: string, id: string, lines: list of int
  key    "G#{group}"  "L#{id}#"
  split  lines by 2
pattern lists(group) -> List[]
"""
    with served(text, tmp_path) as (client, tables):
        for one in ("1", "2"):
            client.put("List", {"group": "g", "id": one, "lines": [1, 2, 3]})
        tables.Table("Tab").delete_item(Key={"PK": "G#g", "SK": "L#2#0001"})
        found = client.first("lists", {"group": "g"})
        assert found is not None and found["id"] == "1"

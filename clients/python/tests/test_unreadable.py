"""Items of other programs with a compressed value or a split list that cannot be read, as in
`crates/keyfold-client/tests/unreadable_values.rs`: the error names entity and item, and the item
can be deleted, replaced and corrected."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest
from served import served

from keyfold import Client, KeyfoldError, UnknownItem

MODEL = """\
model m 1
table Tab (PK, SK) type kind
entity Doc
  id: string, state: string, note: string?, size: int?
  lines: list of string?
  key  "D#{id}" "D"
  copy card "C#{id}" "C" only id, note
  compress note, size
  split lines by 2
entity Sum
  id: string, code: string?
  key  "S#{id}" "S"
  compress code
  unique code
pattern doc(id) -> Doc?
pattern sum(id) -> Sum?
write renew(id, note: string)
  update Doc set note = note
write drop_closed(id)
  delete Doc when state = "closed" or exists note
write drop_open(id)
  delete Doc when state = "open"
"""
KEY = {"PK": "D#1", "SK": "D#0000"}
WHOLE = {"id": "1", "state": "open", "note": "long", "lines": ["a", "b", "c", "d", "e"]}
SHORT = {"id": "1", "state": "new"}
BROKEN: list[tuple[str, dict[str, Any]]] = [
    ("note", {"note": "long"}),
    ("note", {"note": b"\\0\\0\\0"}),
    ("lines", {"lines": "a"}),
    ("lines", {"lines": ["x"]}),
    ("lines", {"lines:digest": "x"}),
]


class Place:
    """A client, and the table as another program sees it."""

    def __init__(self, client: Client, table: Any) -> None:
        self.client = client
        self.table = table

    def stored(self) -> list[dict[str, Any]]:
        """All items."""
        items: list[dict[str, Any]] = self.table.scan()["Items"]
        return items

    def clear(self) -> None:
        """Deletes all items."""
        for item in self.stored():
            self.table.delete_item(Key={"PK": item["PK"], "SK": item["SK"]})

    def broken(self, change: dict[str, Any]) -> None:
        """Stores an item whose attribute another program wrote."""
        self.clear()
        self.client.put("Doc", WHOLE)
        item = self.table.get_item(Key=KEY)["Item"]
        self.table.put_item(Item={**item, **change, "extra": "kept"})

    def refused(self, write: Any) -> KeyfoldError:
        """The error of a call."""
        with pytest.raises(KeyfoldError) as error:
            write()
        return error.value


@pytest.fixture(scope="module")
def place(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Place]:
    """A server of its own."""
    folder = tmp_path_factory.mktemp("model")
    with served(MODEL, folder) as (client, tables):
        yield Place(client, tables.Table("Tab"))


@pytest.mark.parametrize(("attribute", "change"), BROKEN)
def test_what_needs_the_value_is_refused_with_entity_and_item(
    place: Place, attribute: str, change: dict[str, Any]
) -> None:
    place.broken(change)
    start = f'Doc (PK = "D#1", SK = "D#0000"): {attribute} is stored, but '
    calls = [lambda: place.client.update("Doc", {"id": "1", "state": "closed"})]
    if attribute == "note":
        calls.append(lambda: place.client.write("drop_closed", {"id": "1"}))
    for call in calls:
        error = place.refused(call)
        assert isinstance(error, UnknownItem)
        assert str(error).startswith(start)
        assert (error.entity, error.attribute) == ("Doc", attribute)
    read = str(place.refused(lambda: place.client.one("doc", {"id": "1"})))
    assert start in read or "belong together" in read


@pytest.mark.parametrize(("attribute", "change"), BROKEN)
def test_the_item_is_deleted(place: Place, attribute: str, change: dict[str, Any]) -> None:
    place.broken(change)
    place.client.delete("Doc", {"id": "1"})
    assert place.stored() == [], attribute
    place.broken(change)
    place.client.write("drop_open", {"id": "1"})
    assert place.stored() == [], attribute


@pytest.mark.parametrize("whole", [WHOLE, SHORT])
@pytest.mark.parametrize(("attribute", "change"), BROKEN)
def test_the_item_is_replaced(
    place: Place, attribute: str, change: dict[str, Any], whole: dict[str, Any]
) -> None:
    place.clear()
    place.client.put("Doc", whole)
    fresh = place.stored()
    place.broken(change)
    place.client.put("Doc", whole)
    stored = place.stored()
    assert [item.pop("extra", None) for item in stored].count("kept") == 1
    assert stored == fresh, attribute


@pytest.mark.parametrize(("attribute", "change"), BROKEN)
def test_the_value_is_corrected(place: Place, attribute: str, change: dict[str, Any]) -> None:
    given: dict[str, Any] = {"note": "new"} if attribute == "note" else {"lines": ["x", "y", "z"]}
    place.broken(change)
    place.client.update("Doc", {"id": "1", **given})
    found = place.client.one("doc", {"id": "1"})
    assert found is not None
    assert {**found, **WHOLE, **given} == dict(found)
    if attribute == "note":
        place.broken(change)
        place.client.write("renew", {"id": "1", "note": "new"})
        found = place.client.one("doc", {"id": "1"})
        assert found is not None and found["note"] == "new"


def test_an_item_whose_guard_is_not_known_stays(place: Place) -> None:
    place.clear()
    place.client.put("Sum", {"id": "1", "code": "c"})
    item = place.table.get_item(Key={"PK": "S#1", "SK": "S"})["Item"]
    place.table.put_item(Item={**item, "code": "c"})
    error = str(place.refused(lambda: place.client.delete("Sum", {"id": "1"})))
    assert error.startswith('Sum (PK = "S#1", SK = "S"): code is stored')
    assert len(place.stored()) == 2

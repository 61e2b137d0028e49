"""Items that another program left in an index where they should not be, as in `stale_keys.txt` of
keyfold-lower."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest
from served import served

from keyfold import Client

MODEL = """\
model stale 1
table Tab (PK, SK) type kind
  gsi Idx (A, B)
  gsi Europe (E, F)
  gsi Town (G, I)
  gsi Tags (H, I)
entity Booking
  region: string, id: string, at: time, status: pending | paid, note: string?
  key     "REGION#{region}" "{id}"
  Idx     "open" "{at}" sparse when status = pending
  Europe  "EU#{id}" "{at:day}" sparse when region = eu
entity Tagged
  id: string, at: time, city: string?, tag: string?, note: string?
  key   "TAGGED#{id}"  "T"
  Town  "CITY#{city}"  "{at}"
  Tags  "TAG#{tag}"    "{at}"
pattern booking(region, id) -> Booking?
write annotate(note)
  update Booking set note = note
"""
KEY = {"PK": "REGION#us", "SK": "a"}
OWN = {"kind": "Booking", "region": "us", "id": "a", "at": "2026-07-01T00:00:00.000Z"}
STALE = {"A": "open", "B": "x", "E": "EU#a"}
WHICH = {"region": "us", "id": "a"}


class Place:
    """A client, and the table as another program sees it."""

    def __init__(self, client: Client, table: Any) -> None:
        self.client = client
        self.table = table

    def store(self, **others: str) -> None:
        """Stores the item with keys of indexes in which it is not."""
        self.table.put_item(Item={**KEY, **OWN, **STALE, **others})

    def keys(self) -> set[str]:
        """The attributes of index keys that the item has."""
        item = self.table.get_item(Key=KEY)["Item"]
        return {name for name in item if name in ("A", "B", "E", "F")}


@pytest.fixture(scope="module")
def place(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Place]:
    """A server of its own."""
    folder = tmp_path_factory.mktemp("model")
    with served(MODEL, folder) as (client, tables):
        yield Place(client, tables.Table("Tab"))


@pytest.mark.parametrize("change", [{"status": "paid"}, {"note": "hello"}], ids=str)
def test_an_update_takes_the_item_out(place: Place, change: dict[str, str]) -> None:
    place.store(status="paid")
    place.client.update("Booking", {**WHICH, **change})
    assert place.keys() == set()


def test_an_item_of_which_it_is_not_known_stays(place: Place) -> None:
    place.store()
    place.client.update("Booking", {**WHICH, "note": "hello"})
    assert place.keys() == {"A", "B"}


def test_an_update_that_reads_nothing_knows_what_the_key_says(place: Place) -> None:
    place.store(status="paid")
    place.client.write("annotate", {**WHICH, "note": "hello"})
    assert place.keys() == {"A", "B"}


def test_a_key_that_cannot_be_read_stays_with_the_column_that_it_shares(place: Place) -> None:
    key = {"PK": "TAGGED#a", "SK": "T"}
    held = {"kind": "Tagged", "id": "a", "at": OWN["at"], "H": "LABEL#x", "I": OWN["at"]}
    place.table.put_item(Item={**key, **held})
    place.client.update("Tagged", {"id": "a", "note": "hello"})
    assert place.table.get_item(Key=key)["Item"] == {**key, **held, "note": "hello"}

"""Factories: valid for every model of the repository, and the same by their seed."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
import support

from keyfold import Client, Create, Invalid, Model, Put, load, testing
from keyfold.plan.model import Entity
from keyfold.testing import Fakes

ENTITIES = 8
FIRST = support.ROOT / "crates" / "keyfold-cli" / "src" / "cmd" / "first.keyfold"
"""The model of `keyfold init`."""


def ordered(model: Model) -> list[Entity]:
    """The entities, those that others refer to or that count others first."""
    done: list[Entity] = []

    def visit(entity: Entity, path: list[str]) -> None:
        if entity in done or entity.name in path:
            return
        waits = [one.refers[0] for one in entity.attributes.values() if one.refers]
        for other in model.entities.values():
            if any(one.entity == entity.name for one in other.aggregates):
                waits.append(other.name)
        for name in waits:
            visit(model.entities[name], [*path, entity.name])
        done.append(entity)

    for entity in model.entities.values():
        visit(entity, [])
    # Nobody writes a view.
    return [entity for entity in done if entity.view is None]


@pytest.mark.parametrize(
    "path",
    [*support.MODELS, support.EVERYTHING, support.THINGS, FIRST],
    ids=lambda path: path.stem,
)
def test_factories_are_valid(path: Path) -> None:
    model = load(support.plan(path))
    with testing.serve() as server, Client(model, server.endpoint) as client:
        client.ensure_tables()
        fakes = Fakes(client)
        for at in range(ENTITIES):
            related: dict[str, Any] = {}
            for entity in ordered(model):
                related[entity.name] = fakes.entity(entity.name, related=related)
                write = client.put if at % 2 else client.create
                # It has what a write would make.
                assert write(entity.name, related[entity.name]).made == [], entity.name


KEPT = """
model kept 1
table Tab (PK, SK)
entity Shelf
  shelfId: ulid = new, floor: int = 1, open: bool = true, label: fresh | worn = fresh
  madeAt: time(s) = now, changedAt: time = now always
  key "S#{shelfId}" "F#{floor}"
  count books of Book
  version revision
entity Book
  shelfId: Shelf.shelfId, floor: Shelf.floor, bookId: uuid = new, day: date = now
  key "S#{shelfId}" "B#{bookId}"
pattern shelf(shelfId, floor) -> Shelf?
pattern books(shelfId) -> Book[]
"""


def test_a_fake_has_what_a_stored_one_has_and_others_refer_to_it(tmp_path: Path) -> None:
    path = tmp_path / "kept.keyfold"
    path.write_text(KEPT)
    model = load(support.plan(path))
    with testing.serve() as server, Client(model, server.endpoint) as client:
        client.ensure_tables()
        for seed in range(40):
            fakes = Fakes(client, seed=seed)
            shelf = fakes.entity("Shelf")
            book = fakes.entity("Book", related={"Shelf": shelf})
            key = {name: shelf[name] for name in ("shelfId", "floor")}
            assert {name: book[name] for name in key} == key
            client.transact([Create("Shelf", shelf), Put("Book", book)])
            stored = client.one("shelf", key)
            assert stored is not None
            assert dict(stored) == {**shelf, "books": 1, "revision": 1}
            [found] = client.all("books", {"shelfId": shelf["shelfId"]})
            assert dict(found) == book
        assert Fakes(client, seed=5).entity("Shelf") == Fakes(client, seed=5).entity("Shelf")
        assert "floor" not in Fakes(client).entity("Shelf", {"floor": None})


def test_a_view_is_written_by_nobody() -> None:
    path = next(one for one in support.MODELS if one.stem == "sales_reports")
    model = load(support.plan(path))
    with testing.serve() as server, Client(model, server.endpoint) as client:
        client.ensure_tables()
        row = {"orderId": "o1"}
        for write in (client.create, client.put, client.update, client.delete):
            with pytest.raises(
                Invalid, match="OrderLine is a view, .* follow from Order: write Order"
            ):
                write("OrderLine", row)


SEEDS = """
model seeds 1
table Tab (PK, SK)
entity Thing
  id: string, at: time, day: date, number: int, code: ulid, unit: uuid
  key "T#{id}#{at}#{day}#{number:09}" "C#{code}#{unit}"
pattern thing(id, at, day, number, code, unit) -> Thing?
"""


def test_two_seeds_make_no_identifier_in_common(tmp_path: Path) -> None:
    path = tmp_path / "seeds.keyfold"
    path.write_text(SEEDS)
    model = load(support.plan(path))
    seen: dict[tuple[str, Any], int] = {}
    for seed in (0, 1, 2, 11, 12, 1_700_000_000_050):
        fakes = Fakes(model, seed=seed)
        for _ in range(50):
            for made in fakes.entity("Thing").items():
                assert seen.setdefault(made, seed) == seed, made
    with pytest.raises(Invalid, match="a seed is a whole number"):
        Fakes(model, seed=-1)


def test_the_same_seed_makes_the_same(model: Model) -> None:
    def made(seed: int) -> list[dict[str, Any]]:
        fakes = Fakes(model, seed=seed)
        thing = fakes.entity("Thing")
        return [thing, fakes.entity("Note", {"text": "given"}, related={"Thing": thing})]

    assert made(3) == made(3) != made(4)
    thing, note = made(3)
    assert (note["thingId"], note["text"]) == (thing["thingId"], "given")
    with pytest.raises(Invalid, match="no entity `Nothing`"):
        Fakes(model).entity("Nothing")
    with pytest.raises(Invalid, match="Thing has no `thing_id`; did you mean `thingId`?"):
        Fakes(model).entity("Thing", {"thing_id": "t"})
    with pytest.raises(Invalid, match="no entity `thing`; did you mean `Thing`?"):
        Fakes(model).entity("Note", related={"thing": thing})

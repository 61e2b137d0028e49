"""What named writes make: also the moments that each write sets."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import datetime, timezone
from pathlib import Path

import pytest
import support

from keyfold import Client, Run, load, testing

MODEL = """
model made 1
table Docs (PK, SK)
entity Doc
  id: string, title: string, changedAt: time = now always
  key "D#{id}" "D"
pattern doc(id) -> Doc?
write rename(id, title: string)
  update Doc set title = title
write both(title: string)
  update Doc as one set title = title
  update Doc as two set title = title
write add(id, title)
  create Doc
write again(id, title)
  put Doc
write pair(title: string)
  put Doc as one set title = title
  put Doc as two set title = title
entity Mark
  markId: ulid = new, title: string
  key "M#{markId}" "M"
entity Note
  markId: Mark.markId, at: string, title: string
  key "M#{markId}" "N#{at}"
pattern notes(markId) -> Note[]
write mark(title: string, at: string)
  create Mark
  create Note as note set markId = Mark.markId, at = at, title = Mark.title
entity Task
  taskId: string, state: open | closed = open, closedAt: time?, seenAt: time?
  key "T#{taskId}" "T"
record Which
  taskId: string
pattern task(taskId) -> Task?
write close(taskId)
  update Task set state = closed, closedAt = now
write close_both()
  update Task as one set closedAt = now
  update Task as two set closedAt = now
write close_each(tasks: list of Which)
  update Task for each tasks set closedAt = now
write born_closed(taskId)
  create Task set closedAt = now
write over(taskId)
  put Task set closedAt = now
write see(taskId, at: time)
  create or update Task set seenAt = now, closedAt = now else closedAt = at
"""
GIVEN = datetime(2023, 1, 1, tzinfo=timezone.utc)


@pytest.fixture
def docs(tmp_path: Path) -> Iterator[Client]:
    """A client with two documents."""
    path = tmp_path / "made.keyfold"
    path.write_text(MODEL)
    with testing.serve() as server, Client(load(support.plan(path)), server.endpoint) as client:
        client.ensure_tables()
        for name in ("a", "b"):
            client.create("Doc", {"id": name, "title": "t", "changedAt": GIVEN})
        yield client


def test_a_named_update_reports_the_moment_that_it_sets(docs: Client) -> None:
    (made,) = docs.write("rename", {"id": "a", "title": "u"}).made
    assert (made.entity, made.attribute) == ("Doc", "changedAt")
    found = docs.one("doc", {"id": "a"})
    assert found is not None and found["changedAt"] == made.value > GIVEN
    assert docs.write("rename", {"id": "a", "title": "u", "changedAt": GIVEN}).made == []


def test_each_action_reports_its_own_behind_its_alias(docs: Client) -> None:
    args = {"title": "u", "one.id": "a", "two.id": "b", "two.changedAt": GIVEN}
    assert [one.attribute for one in docs.write("both", args).made] == ["one.changedAt"]
    (done,) = docs.transact([Run("both", args)]).writes
    assert [one.attribute for one in done.made] == ["one.changedAt"]


def test_a_whole_item_of_a_named_write_reports_its_moment(docs: Client) -> None:
    for write, name in (("add", "c"), ("again", "a")):
        args = {"id": name, "title": "u"}
        (made,) = docs.write(write, args).made
        assert (made.entity, made.attribute) == ("Doc", "changedAt")
        found = docs.one("doc", {"id": name})
        assert found is not None and found["changedAt"] == made.value > GIVEN
        again = {**args, "id": f"{name}2", "changedAt": GIVEN}
        assert docs.write(write, again).made == []
    both = {"title": "u", "one.id": "a", "two.id": "b", "two.changedAt": GIVEN}
    assert [one.attribute for one in docs.write("pair", both).made] == ["one.changedAt"]


def test_an_identifier_that_is_made_is_that_of_all_items(docs: Client) -> None:
    (made,) = docs.write("mark", {"title": "t", "at": "a"}).made
    assert (made.entity, made.attribute) == ("Mark", "markId")
    (note,) = docs.all("notes", {"markId": made.value})
    assert (note["markId"], note["title"]) == (made.value, "t")


def test_a_moment_that_a_named_write_sets_is_reported(docs: Client) -> None:
    args = {"taskId": "a"}
    for write in ("born_closed", "close", "over"):
        (made,) = docs.write(write, args).made
        assert (made.entity, made.attribute) == ("Task", "closedAt")
        found = docs.one("task", args)
        assert found is not None and found["closedAt"] == made.value > GIVEN
    for write in ("close", "over"):
        assert docs.write(write, {**args, "now": GIVEN}).made == []
    docs.create("Task", {"taskId": "b"})
    both = docs.write("close_both", {"one.taskId": "a", "two.taskId": "b"})
    assert [one.attribute for one in both.made] == ["one.closedAt", "two.closedAt"]
    each = docs.write("close_each", {"tasks": [{"taskId": "a"}, {"taskId": "b"}]})
    assert [one.attribute for one in each.made] == ["closedAt", "closedAt"]
    # What a new item gets instead is not told from what a stored one gets.
    seen = docs.write("see", {**args, "at": GIVEN})
    assert [one.attribute for one in seen.made] == ["seenAt"]

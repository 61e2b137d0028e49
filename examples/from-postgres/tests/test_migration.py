"""The migration from start to end, and its reports."""

from __future__ import annotations

from conftest import Moved


def test_every_step_found_what_it_should(moved: Moved) -> None:
    steps = {one.name: one.found for one in moved.story.steps}
    assert list(steps) == [
        "check",
        "copy",
        "compare",
        "verify rows",
        "switch reads",
        "switch",
        "let rows follow",
        "switch back",
        "switch again",
        "verify rows again",
        "complete",
        "verify items",
    ]
    assert steps["compare"].endswith(" 0 different")
    for name in ("verify rows", "let rows follow", "verify rows again"):
        assert steps[name].endswith(" 0 differ"), name
    assert steps["verify items"].endswith(" 0 findings")


def test_each_pattern_was_asked_of_both_sides(moved: Moved) -> None:
    assert len(moved.story.patterns) == 9
    for one in moved.story.patterns:
        assert one["asked"] > 0 and one["different"] == 0, one


def test_the_program_wrote_to_whoever_led(moved: Moved) -> None:
    sql, client = moved.story.written["SQL"], moved.story.written["the generated client"]
    assert min(sql.orders, sql.payments, sql.shipped, sql.moves) > 0
    assert min(client.orders, client.payments, client.shipped, client.moves) > 0
    assert moved.story.read["SQL"] > 0 and moved.story.read["the generated client"] > 0
    turns = [one.to for one in moved.story.turns]
    assert turns == ["the generated client", "SQL", "the generated client"]
    assert all(0 < one.pause < 60 for one in moved.story.turns)


def test_the_reports_say_it_in_both_forms(moved: Moved) -> None:
    from from_postgres.report import write

    markdown, html = write(moved.story, moved.reports)
    for path in (markdown, html):
        text = path.read_text(encoding="utf-8")
        for part in ("rows became items", "verify items", "recent_orders", "new addresses"):
            assert part.replace("_", "\\_") in text or part in text, (path, part)
        assert "http" not in text
    made = {one.name for one in moved.reports.iterdir()}
    assert {"run.md", "compare.md", "verify.md"} <= made

"""What is no plan is refused in a sentence that says what would be one."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

import pytest
import support

from keyfold import Client, Invalid
from keyfold.aio import AsyncClient

CONNECTION = "http://127.0.0.1:1"


def refused(plan: Any) -> Invalid:
    """The error of both clients about a plan."""
    errors: list[Invalid] = []
    for client in (Client, AsyncClient):
        with pytest.raises(Invalid) as caught:
            client(plan, CONNECTION)
        errors.append(caught.value)
    assert errors[0].message == errors[1].message
    assert errors[0].attribute == "plan", errors[0]
    return errors[0]


def test_a_model_is_no_plan(tmp_path: Path) -> None:
    by_name = f"{support.THINGS} is a model, and no plan; "
    how = "`keyfold plan {} > things.plan.json` writes its plan"
    for path in (str(support.THINGS), support.THINGS):
        assert refused(path).message == by_name + how.format(support.THINGS)
    # A model of another name, and its text.
    other = tmp_path / "things.txt"
    other.write_text(support.THINGS.read_text())
    assert refused(other).message.startswith(f"{other} is no plan")
    for text in (support.THINGS.read_text(), "# A comment\nmodel x 1\n"):
        assert refused(text).message == (
            "the text is no plan and no path of one; `keyfold plan FILE` writes the plan of a model"
        )


def test_what_is_no_plan_is_refused(tmp_path: Path) -> None:
    other = tmp_path / "other.json"
    for held, why in (
        ("", "it is empty"),
        ("not JSON", "it is no JSON"),
        ("{", "it is no JSON"),
        ("[]", "it is no object of JSON"),
        ("5", "it is no object of JSON"),
        ("{}", "it has no `keyfoldPlan`"),
        ('{"dependencies": {}}', "it has no `keyfoldPlan`"),
    ):
        other.write_text(held)
        assert refused(other).message == (
            f"{other} is no plan: {why}; `keyfold plan FILE` writes the plan of a model"
        )
    other.write_bytes(b"\xff\xfe")
    assert "is no plan: it is no text" in refused(other).message
    for text in ("{", "{}", '{"a": 1}'):
        assert refused(text).message.startswith("the text is no plan: it ")
    assert refused({}).message.startswith("the dictionary is no plan: it has no `keyfoldPlan`; ")
    absent = tmp_path / "absent.json"
    assert refused(absent).message == f"the plan {absent} cannot be read: No such file or directory"
    assert "Is a directory" in refused(tmp_path).message
    assert len(refused("x" * 100_000).message) < 300
    wrong: list[Any] = [None, 5, [], b"{}"]
    for one in wrong:
        assert "a plan is a dictionary" in refused(one).message


def test_a_plan_of_which_a_part_is_missing_is_refused() -> None:
    whole = support.plan(support.THINGS)
    for name in ("model", "tables", "entities"):
        broken = {key: held for key, held in whole.items() if key != name}
        assert refused(broken).message.startswith("the dictionary is no plan: it is damaged")
    wrong: list[Any] = [5, [5], [{}], {"a": 1}, [None]]
    for name in ("tables", "entities", "patterns", "writes"):
        for held in wrong:
            text = json.dumps({**whole, name: held})
            assert refused(text).message.startswith("the text is no plan: it is damaged"), name


def test_a_plan_of_another_version_says_so() -> None:
    message = refused({**support.plan(support.THINGS), "keyfoldPlan": 99}).message
    assert "has the version 99, and this package reads 1" in message


def test_a_path_of_bytes_is_read(tmp_path: Path) -> None:
    (tmp_path / "other.json").write_bytes(b"\xff\0\x01")
    for entry in os.scandir(os.fsencode(tmp_path)):
        assert "other.json is no plan: it is no text" in refused(entry).message

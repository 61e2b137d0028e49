"""Errors by their code, and what each says."""

from __future__ import annotations

import re
from collections.abc import Callable
from datetime import datetime, timezone
from pathlib import Path
from typing import Any, get_args

import boto3  # type: ignore[import-untyped, unused-ignore]
import pytest
import support

import keyfold
from keyfold import (
    Client,
    Code,
    Create,
    Exists,
    Invalid,
    KeyfoldError,
    NotFound,
    Place,
    Refused,
    Service,
    StaleVersion,
    Taken,
    Transport,
    load,
    testing,
)
from keyfold.errors import OutcomeUnknown, Throttled

ACCOUNT = {"accountId": "e", "owner": "ada", "email": "e@example.com"}


@pytest.fixture
def account(client: Client) -> None:
    client.put("Account", ACCOUNT)


def subclasses(of: type[KeyfoldError]) -> set[type[KeyfoldError]]:
    return {of, *(one for own in of.__subclasses__() for one in subclasses(own))}


def test_each_code_has_one_class_that_is_exported() -> None:
    classes = subclasses(KeyfoldError) - {KeyfoldError}
    assert sorted(one.code for one in classes) == sorted(get_args(Code))
    assert all(getattr(keyfold, one.__name__) is one for one in classes)


def described(error: KeyfoldError) -> str:
    """A `match` over all codes, as a program writes it; mypy proves it whole."""
    code: Code = error.code
    if code == "exists" or code == "taken":
        return "there already"
    if code == "refused" or code == "invalid":
        return "no"
    return code


def test_exists(client: Client, account: None) -> None:
    with pytest.raises(Exists, match=r"Account exists already \(accountId = e\)") as caught:
        client.create("Account", {**ACCOUNT, "email": "other@example.com"})
    assert (caught.value.code, described(caught.value)) == ("exists", "there already")


def test_taken(client: Client, account: None) -> None:
    with pytest.raises(Taken, match="email `e@example.com` is taken") as caught:
        client.create("Account", {**ACCOUNT, "accountId": "other"})
    assert caught.value.attributes == ("email",)


def test_not_found(client: Client) -> None:
    calls: list[Callable[[], object]] = [
        lambda: client.update("Account", {"accountId": "none", "owner": "x"}),
        lambda: client.delete("Account", {"accountId": "none"}),
        lambda: client.write("rename", {"accountId": "none", "owner": "x"}),
    ]
    for call in calls:
        with pytest.raises(NotFound, match="there is no Account with accountId = none"):
            call()


def test_stale_version(client: Client, account: None) -> None:
    stored = client.one("account", {"accountId": "e"}, strong=True)
    assert stored is not None
    read = {"accountId": "e", "owner": "x", "edition": stored["edition"]}
    client.update("Account", read)
    with pytest.raises(StaleVersion, match="read it again"):
        client.update("Account", read)
    with pytest.raises(StaleVersion, match="it has been deleted"):
        client.put("Account", {**ACCOUNT, "accountId": "gone", "email": "g@e.c", "edition": 3})


def test_refused_conditions_say_whose_they_are(client: Client, account: None) -> None:
    client.update("Account", {"accountId": "e", "balance": -1})
    with pytest.raises(Refused) as caught:
        client.write("book", {"accountId": "e", "amount": 5})
    error = caught.value
    assert (error.code, error.conditions) == ("refused", "balance >= 0")
    assert error.place == place("update Account", "Account", "e")
    assert "the Account with accountId = e does not meet the condition balance >= 0" in str(error)
    assert not client.all("bookings", {"accountId": "e"})
    with pytest.raises(NotFound, match="there is no Account with accountId = none") as gone:
        client.write("book", {"accountId": "none", "amount": 5})
    assert gone.value.place == place("update Account", "Account", "none")


def place(action: str, entity: str, account: str) -> Place:
    """The main item of an account."""
    key = {"PK": f"ACCOUNT#{account}", "SK": "ACCOUNT"}
    return Place(action, "Things", key, entity, {"accountId": account})


def test_each_refusal_has_its_place(client: Client, account: None) -> None:
    """Action, table, key, entity and identity, as `error.place` has them in TypeScript."""
    other = {**ACCOUNT, "email": "place@example.com"}
    stale = {"accountId": "e", "owner": "x", "edition": 900}
    gone = {**ACCOUNT, "accountId": "gone", "email": "g@e.c", "edition": 3}
    calls: list[tuple[Callable[[], object], type[KeyfoldError], Place]] = [
        (lambda: client.create("Account", other), Exists, place("put Account", "Account", "e")),
        (
            lambda: client.update("Account", {"accountId": "none", "owner": "x"}),
            NotFound,
            place("update Account", "Account", "none"),
        ),
        (
            lambda: client.delete("Account", {"accountId": "none"}),
            NotFound,
            place("delete Account", "Account", "none"),
        ),
        (
            lambda: client.update("Account", stale),
            StaleVersion,
            place("update Account", "Account", "e"),
        ),
        (
            lambda: client.put("Account", gone),
            StaleVersion,
            place("put Account", "Account", "gone"),
        ),
    ]
    for call, kind, wanted in calls:
        with pytest.raises(kind) as caught:
            call()
        assert caught.value.place == wanted
    with pytest.raises(Taken) as taken:
        client.create("Account", {**ACCOUNT, "accountId": "other"})
    at = taken.value.place
    assert at is not None
    assert (at.action, at.entity, at.id) == (
        "put the guard of email",
        "Account",
        {"accountId": "other"},
    )
    assert at.table == "Things" and "e@example.com" in str(at.key["PK"])
    with pytest.raises(Exists) as second:
        client.transact(
            [Create("Booking", {"accountId": "e", "amount": 1}), Create("Account", other)]
        )
    assert (second.value.write, second.value.place) == (1, place("put Account", "Account", "e"))


def test_an_item_without_a_required_field_is_named(client: Client, endpoint: str) -> None:
    """The service says that an update is invalid, and not why; the item is read to say it."""
    client.put("Page", {"pageId": "p", "stats": {"views": 1, "inner": {}}})
    client.write("view", {"pageId": "p", "more": 2})
    client.write("copy_view", {"pageId": "p"})
    raw = boto3.client(
        "dynamodb",
        endpoint_url=endpoint,
        region_name="local",
        aws_access_key_id="own",
        aws_secret_access_key="own",
    )
    key = {"PK": {"S": "PAGE#old"}, "SK": {"S": "PAGE"}, "pageId": {"S": "old"}}
    raw.put_item(TableName="Things", Item=key)
    with pytest.raises(Refused) as caught:
        client.write("view", {"pageId": "old", "more": 1})
    at = {"PK": "PAGE#old", "SK": "PAGE"}
    assert caught.value.place == Place("update Page", "Things", at, "Page", {"pageId": "old"})
    assert "the Page with pageId = old has no `stats`, in which `stats.views` lies" in str(
        caught.value
    )
    raw.put_item(TableName="Things", Item={**key, "stats": {"M": {"inner": {"M": {}}}}})
    with pytest.raises(Refused, match="has no `stats.views`, which the model requires"):
        client.write("copy_view", {"pageId": "old"})
    with pytest.raises(NotFound):
        client.write("view", {"pageId": "none", "more": 1})


def test_errors_are_plain_exceptions() -> None:
    assert str(Invalid("it is wrong")) == "it is wrong"
    assert isinstance(Throttled("ThrottlingException", "slow"), Service)
    assert str(Service("A", "b")) == "A: b"
    unknown = OutcomeUnknown("the connection was closed", "put Order of Shop (PK = 1)")
    assert "look at put Order of Shop" in str(unknown)
    assert Transport("x").code == "transport"


MISSING = """
model missing 1
table Main (PK, SK)
  gsi Late (GP, GS)
table Other (PK, SK)
entity Note in Main
  id: string, at: time, text: string
  key "N#{id}" "{at}"
  Late "T#{text}" "{at}"
entity Owner in Other
  id: string, name: string
  key "O#{id}" "O"
  unique name
pattern note(id, at) -> Note?
pattern notes(id) -> Note[]
pattern late(text) -> Note[]
pattern both(id, at) -> (Note?, Owner?)
write rename(id, name: string)
  update Owner set name = name
"""
AT = datetime(2024, 1, 15, tzinfo=timezone.utc)
NOTE = {"id": "a", "at": AT, "text": "t"}
KEY = {"id": "a", "at": AT}
CALLS: list[tuple[str, Callable[[Client], object]]] = [
    ("Main", lambda client: client.one("note", KEY)),
    ("Main", lambda client: client.page("notes", {"id": "a"})),
    ("Main", lambda client: client.first("late", {"text": "a"})),
    ("Main", lambda client: client.create("Note", NOTE)),
    ("Main", lambda client: client.delete("Note", KEY)),
    ("Main", lambda client: client.get_many("Note", [KEY])),
    ("Main", lambda client: client.put_many("Note", [NOTE])),
    ("Main", lambda client: client.together("both", KEY)),
    ("Other", lambda client: client.put("Owner", {"id": "a", "name": "n"})),
    ("Other", lambda client: client.write("rename", {"id": "a", "name": "n"})),
    ("Other", lambda client: client.together("both", KEY)),
]


def boto_client(endpoint: str) -> object:
    keys = {"aws_access_key_id": "local", "aws_secret_access_key": "local"}
    return boto3.client("dynamodb", endpoint_url=endpoint, region_name="us-east-1", **keys)


@pytest.mark.parametrize("own", [True, False], ids=["text", "boto3"])
def test_a_missing_table_is_named(own: bool, tmp_path: Path) -> None:
    """The service does not say which table it misses, nor what to do."""
    file = tmp_path / "missing.keyfold"
    file.write_text(MISSING)
    model = load(support.plan(file))
    with testing.serve() as server:
        to = server.endpoint if own else boto_client(server.endpoint)
        with Client(model, to) as client:
            for table, call in CALLS:
                with pytest.raises(Service) as caught:
                    call(client)
                error = caught.value
                assert error.exception == "ResourceNotFoundException"
                assert re.search(rf"\b{table}\b", error.message), error.message
                assert re.search(r"`ensure_tables\(\)`.*region", error.message), error.message


HALF = "\ud800"
"""Half a character, which no text of UTF-8 has."""


def test_an_error_can_be_printed_whatever_it_is_about(client: Client) -> None:
    notes = {"thingId": "t"}
    calls: list[Callable[[], object]] = [
        lambda: client.one(f"user{HALF}"),
        lambda: client.one("thing", {f"{HALF}": "1"}),
        lambda: client.one("thing", {"thingId": HALF}),
        lambda: client.page("notes", notes, after=HALF),
        lambda: client.page("notes", notes, on_unknown=HALF),  # type: ignore[arg-type]
        lambda: client.page("notes", notes, **{HALF: 1}),  # type: ignore[arg-type]
        lambda: client.page("notes", notes, limit=HALF),  # type: ignore[arg-type]
        lambda: client.page("notes", notes, timeout=HALF),  # type: ignore[arg-type]
        lambda: client.put(f"Thing{HALF}", {}),
        lambda: client.put("Thing", {"thingId": "t", HALF: 1}),
        lambda: client.put("Thing", {"thingId": "t", "color": HALF}),
        lambda: client.put("Thing", {"thingId": "t", "size": HALF}),
        lambda: client.put("Thing", {"thingId": "t", "madeAt": HALF}),
        lambda: client.put("Thing", {"thingId": "t", "extra": {HALF: HALF}}),
        lambda: client.put("Thing", {"thingId": "t", "parts": [{HALF: 1}]}),
        lambda: client.update("Thing", {"thingId": "t"}, [HALF]),
        lambda: client.delete("Thing", {"thingId": "t"} | {HALF: "t"}),
        lambda: client.write(HALF),
        lambda: client.write("rename", {HALF: 1}),
        lambda: client.put_many("Booking", [{HALF: 1}]),
        lambda: client.transact([Create(HALF, {})]),
        lambda: client.transact([Create("Thing", {HALF: 1})]),
        lambda: client.transact([HALF]),  # type: ignore[list-item]
        lambda: client.event({"dynamodb": {"NewImage": {HALF: {"S": HALF}}}}),
        lambda: client.event({"dynamodb": {"NewImage": {"PK": {HALF: "x"}, "SK": {"S": HALF}}}}),
        lambda: Client(client.model, f"{HALF}:x"),
        lambda: Client(client.model, f"http://h?{HALF}=x"),
        lambda: Client(f"{HALF}.json", "http://127.0.0.1:1"),
        lambda: Client(f"{HALF}.keyfold", "http://127.0.0.1:1"),
        lambda: testing.Fakes(client).entity(HALF),
        lambda: testing.Fakes(client).entity("Thing", {HALF: 1}),
    ]
    for at, call in enumerate(calls):
        with pytest.raises(KeyfoldError) as caught:
            call()
            pytest.fail(f"took {at}")
        assert str(caught.value).encode(), at


def test_the_name_of_an_entity_is_a_text(client: Client) -> None:
    wrong: Any = None
    with pytest.raises(Invalid, match="the name of an entity is a text, and no NoneType"):
        client.transact([Create(wrong, wrong)])
    with pytest.raises(Invalid, match="the name of a pattern is a text, and no NoneType"):
        client.page(wrong)

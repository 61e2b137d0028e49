"""Values of Python, stored and read; and those that are refused before anything is sent."""

from __future__ import annotations

import enum
import uuid
from datetime import date, datetime, timedelta, timezone
from decimal import Decimal
from typing import Any, cast

import pytest
from support import CASES, SHOP, THINGS, Proxy, plan

from keyfold import Client, Invalid, Model, Options, Run, load
from keyfold.calls import Calls
from keyfold.keys.end import At
from keyfold.keys.fitted import Side, fitted
from keyfold.keys.periods import is_period, is_period_in_name
from keyfold.keys.text import lower
from keyfold.lower import arguments
from keyfold.plan.kind import Kind
from keyfold.plan.template import Unit
from keyfold.values.typed import typed
from keyfold.values.value import Value

UTC = timezone.utc
NOTE = {"thingId": "t", "noteId": 1, "text": ""}


class Color(str, enum.Enum):
    RED = "red"


class Size(enum.IntEnum):
    LARGE = 7


def stored(client: Client, **values: Any) -> dict[str, Any]:
    """The attributes of a thing after they were written and read."""
    thing_id = str(uuid.uuid4())
    client.put("Thing", {"thingId": thing_id, **values})
    item = client.one("thing", {"thingId": thing_id})
    assert item is not None
    found = dict(item)
    assert found.pop("thingId") == thing_id
    assert len(found.pop("stamp")) == 26
    return found


@pytest.mark.parametrize(
    "values",
    [
        {"size": 0},
        {"size": -(10**37) - 1},
        {"size": 10**125},
        {"price": Decimal("12345678901234567890.123456789012345678")},
        {"price": Decimal("-1E-130")},
        {"price": Decimal("9.9999999999999999999999999999999999999E+125")},
        {"isOpen": False},
        {"color": "green"},
        {"madeAt": datetime(2024, 2, 29, 23, 59, 59, tzinfo=UTC)},
        {"changedAt": datetime(2024, 1, 1, 0, 0, 0, 999_000, tzinfo=UTC)},
        {"readAt": datetime(1, 1, 1, 0, 0, 0, 1, tzinfo=UTC)},
        {"readAt": datetime(9999, 12, 30, 21, 59, 59, 999_999, tzinfo=UTC)},
        {"sentAt": "2024-01-15T10:30:00.123456789Z"},
        {"day": date(2024, 2, 29)},
        {"blob": b""},
        {"blob": bytes(range(256))},
        {"tags": frozenset({"a", "\U0001f600", "é"})},
        {"codes": frozenset({Decimal("1.5"), Decimal(-3)})},
        {"parts": []},
        {"parts": [{"x": 1, "y": Decimal("2.5"), "names": frozenset({"n"})}]},
        {"extra": {}},
        {"extra": {"": 1, "\U00010000": -2}},
    ],
    ids=lambda values: next(iter(values)),
)
def test_values_come_back_as_they_were_given(client: Client, values: dict[str, Any]) -> None:
    found = stored(client, **values)
    assert found == values
    for name, value in values.items():
        assert type(found[name]) is type(value)


def test_values_have_one_stored_form(client: Client) -> None:
    """Other forms of the same value are stored as one."""
    plus = timezone(timedelta(hours=5, minutes=30))
    found = stored(
        client,
        color=Color.RED,
        size=Size.LARGE,
        price=3,
        changedAt="2024-01-15T12:00:00+01:30",
        readAt=datetime(2024, 1, 1, 2, 0, tzinfo=plus),
        day="2024-01-15",
        tags=["b", "a"],
        parts=({"x": 1, "names": {"n"}, "y": None},),
        reference=uuid.UUID("123E4567-E89B-12D3-A456-426614174000"),
        isOpen=None,
        blob=memoryview(b"abc"),
    )
    assert found == {
        "color": "red",
        "size": 7,
        "price": Decimal(3),
        "changedAt": datetime(2024, 1, 15, 10, 30, tzinfo=UTC),
        "readAt": datetime(2023, 12, 31, 20, 30, tzinfo=UTC),
        "day": date(2024, 1, 15),
        "tags": frozenset({"a", "b"}),
        "parts": [{"x": 1, "names": frozenset({"n"})}],
        "reference": "123e4567-e89b-12d3-a456-426614174000",
        "blob": b"abc",
    }


def test_texts_are_kept_to_the_letter(client: Client) -> None:
    for text in (
        "",
        " ",
        "\x01",
        "e\u0301",
        "\ud7ff\ue000",
        "\U0001f469\u200d\U0001f680",
        "\uffff",
    ):
        client.put("Note", {"thingId": "texts", "noteId": 1, "text": text})
        note = client.first("notes", {"thingId": "texts"})
        assert note is not None and note["text"] == text


def test_keys_of_astral_characters_sort_as_the_service_does(client: Client) -> None:
    """UTF-8 sorts by code point, UTF-16 does not."""
    names = ["\uffee", "\U00010000", "z", "\U0001f600"]
    for name in names:
        client.put("Thing", {"thingId": name, "color": "green", "madeAt": None})
    found = [item["thingId"] for item in client.items("things_of_color", {"color": "green"})]
    assert [one for one in found if one in names] == sorted(names)


@pytest.mark.parametrize(
    ("attribute", "value", "reason"),
    [
        ("size", 1.0, "is a float, which is not exact"),
        ("size", True, "size is no int: True"),
        ("size", "1", 'size is no int: "1"'),
        ("size", Decimal("1.5"), "`1.5` is not a whole number"),
        ("size", 10**126, "magnitude larger than supported"),
        ("price", Decimal("1." + "1" * 38), "more than 38 significant digits"),
        ("price", Decimal("NaN"), "not a number"),
        ("price", Decimal("-Infinity"), "not a number"),
        ("price", Decimal("1e-131"), "magnitude smaller than supported"),
        ("isOpen", 1, "isOpen is no bool: 1"),
        ("color", "blue", "`blue` is not one of red, green"),
        ("changedAt", datetime(2024, 1, 1), "has no zone"),
        ("changedAt", datetime(2024, 1, 1, 0, 0, 0, 1, tzinfo=UTC), "finer than a time keeps it"),
        ("madeAt", "2024-01-01T00:00:00.5Z", "finer than a time(s) keeps it"),
        ("changedAt", "2024-02-30T00:00:00Z", "is not a time with its zone"),
        ("changedAt", "2024-01-01T00:00:00", "is not a time with its zone"),
        ("changedAt", date(2024, 1, 1), "changedAt is no time"),
        ("day", datetime(2024, 1, 1, tzinfo=UTC), "day is no date"),
        ("day", "2024-02-30", "is not a day like 2024-01-15"),
        ("blob", "text", 'blob is no binary: "text"'),
        ("tags", "ab", 'tags is no set of string: "ab"'),
        ("tags", [], "a set has at least one value, and none twice"),
        ("tags", ["a", "a"], "a set has at least one value, and none twice"),
        ("tags[0]", ["\ud800"], "is not valid Unicode"),
        ("codes[1]", [1, 2.0], "is a float"),
        ("parts", {"x": 1}, "parts is no list of Point"),
        ("parts[0].x", [{"names": ["n"]}], "parts[0].x is missing"),
        ("parts[1].z", [{"x": 1, "names": ["n"]}, {"z": 1}], "is no field of Point"),
        ("extra.a", {"a": None}, "extra.a is no int"),
        ("extra", {1: 1}, "extra is no map of int"),
        ("reference", "6f1c", "is not a UUID like"),
        ("stamp", "6f1c", "is not a ULID of 26 characters"),
        ("changedAt", date(2024, 1, 1), "is no time: datetime.date(2024, 1, 1); give an aware"),
        ("day", datetime(2024, 1, 1, tzinfo=UTC), "give a date: .date()"),
        ("sise", 1, "Thing has no `sise`; did you mean `size`?"),
    ],
)
def test_wrong_values_are_refused_before_anything_is_sent(
    proxied: Client, proxy: Proxy, attribute: str, value: object, reason: str
) -> None:
    name = attribute.partition("[")[0].partition(".")[0]
    with pytest.raises(Invalid) as caught:
        proxied.put("Thing", {"thingId": "t", name: value})
    assert (caught.value.of, caught.value.attribute) == ("Thing", attribute)
    assert reason in caught.value.message
    assert caught.value.message.startswith("Thing has " if name == "sise" else "Thing: ")
    assert caught.value.code == "invalid"
    assert proxy.operations() == []


@pytest.mark.parametrize(
    ("call", "of", "attribute"),
    [
        (lambda own: own.put("Thing", {}), "Thing", "thingId"),
        (lambda own: own.put("Thng", {}), "Thng", None),
        (lambda own: own.update("Note", {"thingId": "t"}), "Note", "noteId"),
        (lambda own: own.update("Note", {"thingId": "t", "noteId": 1}, ["text"]), "Note", "text"),
        (lambda own: own.page("notes", {}), "the pattern notes", "thingId"),
        (lambda own: own.page("notes", {"thingId": "t", "more": 1}), "the pattern notes", "more"),
        (lambda own: own.page("nots", {}), "the pattern nots", None),
        (lambda own: own.page("notes", {"thingId": "t"}, limit=0), "the pattern notes", "limit"),
        (lambda own: own.one("notes", {"thingId": "t"}), "the pattern notes", None),
        (lambda own: own.together("notes", {"thingId": "t"}), "the pattern notes", None),
        (lambda own: own.write("rename", {"accountId": "a"}), "the write rename", "owner"),
        (lambda own: own.write("renam", {}), "the write renam", None),
        (lambda own: own.put("Account", {"edition": "1"}), "Account", "edition"),
        (lambda own: own.create("Note", {**NOTE, "thingId": "#"}), "Note", "thingId"),
        (lambda own: own.create("Note", {**NOTE, "noteId": 10**6}), "Note", "noteId"),
        (lambda own: own.put("Note", {**NOTE, "thingId": ""}), "Note", "thingId"),
        (lambda own: own.page("thing", {"thingId": "a\0"}), "the pattern thing", "thingId"),
        (lambda own: own.page("notes", {"thingId": "t"}, after="x"), "the pattern notes", "after"),
        (
            lambda own: own.page("all_notes", strong=True),
            "the pattern all_notes",
            "strong",
        ),
        (lambda own: own.page("notes", {"thingId": "t"}, strong=1), "the pattern notes", "strong"),
        (lambda own: own.page("notes", {"thingId": "t"}, lmit=1), "the pattern notes", "lmit"),
        (lambda own: own.all("notes", {"thingId": "t"}, most=-1), "the pattern notes", "most"),
        (
            lambda own: own.write("rename", {"accountId": "", "owner": "o"}),
            "the write rename",
            "accountId",
        ),
        (
            lambda own: own.transact([Run("rename", {"accountId": "", "owner": "o"})]),
            "the write rename",
            "accountId",
        ),
    ],
)
def test_wrong_calls_are_refused_before_anything_is_sent(
    proxied: Client, proxy: Proxy, call: Any, of: str | None, attribute: str | None
) -> None:
    with pytest.raises(Invalid) as caught:
        call(proxied)
    assert (caught.value.of, caught.value.attribute) == (of, attribute)
    assert proxy.operations() == []


def test_keys_that_are_too_long_are_refused(proxied: Client, proxy: Proxy) -> None:
    """DynamoDB refuses them without the name of what they are made of."""
    for text, size in (("x" * 2048, 2054), ("\U0001f600" * 600, 2406)):
        with pytest.raises(Invalid) as caught:
            proxied.create("Thing", {"thingId": text})
        assert f"thingId makes PK {size} bytes long, and a partition key has" in str(caught.value)
        assert (caught.value.of, caught.value.attribute) == ("Thing", "thingId")
        with pytest.raises(Invalid, match=f"the pattern thing: thingId makes PK {size} bytes"):
            proxied.one("thing", {"thingId": text})
    with pytest.raises(Invalid, match="thingId makes GSI1SK of GSI1 1506 bytes long, and a sort"):
        proxied.create("Thing", {"thingId": "x" * 1500, "color": "red"})
    with pytest.raises(Invalid, match="the guard of email of Account: email makes PK 2"):
        proxied.create("Account", {"accountId": "a", "owner": "o", "email": "x" * 2100})
    assert proxy.operations() == []


def test_a_wrong_key_of_a_write_is_named_by_its_argument() -> None:
    shop = load(plan(SHOP))
    order = {"orderId": "7", "userId": "u", "total": 1, "status": "paid"}
    line = {"itemId": "1", "productId": "p", "quantity": 1, "price": 1}
    call = Calls(shop, Options()).write(
        "create_order",
        {**order, "createdAt": "2024-01-15", "lines": [line, {**line, "itemId": ""}]},
    )
    with pytest.raises(Invalid) as caught:
        next(call)
    error = caught.value
    assert (error.of, error.attribute) == ("the write create_order", "lines[1].itemId")
    assert str(caught.value) == "lines[1].itemId: itemId is empty, and a key is made of it"


def test_ends_of_ranges_are_cut(model: Model) -> None:
    """A finer time is refused where it is a value, and cut where it is an upper end."""
    notes = model.patterns["notes_from"]
    held = arguments.of_pattern(notes, {"thingId": "t", "from": 3})
    assert held == {"thingId": {"S": "t"}, "from": {"N": "3"}}


@pytest.mark.parametrize(
    ("attribute", "given"),
    [
        # Digits and letters beyond ASCII are none.
        ("sentAt", "\uff12\uff10\uff12\uff14-01-15T10:30:00Z"),
        ("changedAt", "\u0662\u0660\u0662\u0664-01-15T10:30:00Z"),
        ("day", "\u0662\u0660\u0662\u0664-01-15"),
        ("stamp", "01HM5Z2V4XA7B8C9D0E1F2G3H\u017f"),
        ("stamp", "01HM5Z2V4XA7B8C9D0E1F2G3\u00df"),
        ("reference", "123e4567-e89b-12d3-a456-42661417400\u0660"),
        ("changedAt", "2024-01-15T10:30:00+99:99"),
        ("changedAt", "2024-01-15T10:30:00+26:00"),
        ("changedAt", "2024-01-15T10:30:00+05:60"),
        # Python's calendar lacks the year 0.
        ("changedAt", "0000-06-01T00:00:00Z"),
        ("day", "0000-01-01"),
        pytest.param("size", 10**5000, id="size"),
        pytest.param("day", 10**5000, id="day"),
        pytest.param("parts", [{"x": 10**5000, "names": {"a"}}], id="parts"),
    ],
)
def test_texts_and_numbers_that_are_none_are_refused(attribute: str, given: object) -> None:
    model = load(plan(THINGS))
    with pytest.raises(Invalid) as caught:
        arguments.of_entity(model.entities["Thing"], {"thingId": "t", attribute: given})
    assert caught.value.of == "Thing"
    assert (caught.value.attribute or "").startswith(attribute)
    assert len(caught.value.message) < 300


@pytest.mark.parametrize("text", ["2024-W01-1", "2024-01-1\u0661", "0000-01-01"])
def test_days_have_one_form(text: str) -> None:
    assert not is_period("day", text)


def test_an_hour_has_one_form() -> None:
    assert is_period("hour", "2024-01-15T10")
    assert not is_period("hour", "2024-01-15x10")


class Unprintable:
    def __repr__(self) -> str:
        raise RuntimeError("no")


@pytest.mark.parametrize("given", [None, ["thingId"], "x", 5, {5: 1, "thingId": "t"}, {None: 1}])
def test_what_has_no_names_is_invalid(client: Client, given: Any) -> None:
    for call in (client.create, client.put, client.update, client.delete):
        with pytest.raises(Invalid) as caught:
            call("Thing", given)
        assert caught.value.of == "Thing"
    with pytest.raises(Invalid):
        client.put(given, {})
    with pytest.raises(Invalid):
        client.put("Thing", {"thingId": Unprintable()})
    if given:
        with pytest.raises(Invalid):
            client.one("thing", given)
        with pytest.raises(Invalid):
            client.write("rename", given)


def test_a_time_without_a_zone_is_advised() -> None:
    model = load(plan(THINGS))
    naive = datetime(2024, 1, 15)
    with pytest.raises(Invalid, match=r"\.replace\(tzinfo=timezone\.utc\)"):
        arguments.of_entity(model.entities["Thing"], {"thingId": "t", "madeAt": naive})
    aware = naive.replace(tzinfo=timezone.utc)
    arguments.of_entity(model.entities["Thing"], {"thingId": "t", "madeAt": aware})


def test_an_end_longer_than_a_key_becomes_one_that_no_key_distinguishes_from_it() -> None:
    """The other languages have the same list in their tests."""
    lines = (CASES / "ends.txt").read_text().splitlines()

    def text(points: str) -> Value:
        return {"S": "".join(chr(int(point, 16)) for point in points.split(","))}

    for side, long, short in (line.split(" ") for line in lines if not line.startswith("#")):
        wanted = "nothing" if short == "-" else At(text(short))
        assert fitted(At(text(long)), cast(Side, side), 4) == wanted, (side, long)
    assert fitted(At({"B": b"\1\2\3"}), "high", 2) == At({"B": b"\1\2"})
    assert fitted(At({"B": b"\1\xff\0"}), "low", 2) == At({"B": b"\2"})
    assert fitted(At({"B": b"\xff\xff\0"}), "low", 2) == "nothing"


@pytest.mark.parametrize("given", [datetime(2024, 1, 15, 10, tzinfo=UTC), date(2024, 1, 15)])
def test_a_moment_given_for_a_period_is_refused_with_the_form_of_its_text(given: date) -> None:
    for unit, form in (
        ("hour", "an hour like 2024-01-15T10"),
        ("day", "a day like 2024-01-15"),
        ("month", "a month like 2024-01"),
        ("year", "a year like 2024"),
    ):
        if unit == "day" and not isinstance(given, datetime):
            assert typed("createdAt", Kind(unit), given) == {"S": "2024-01-15"}
            continue
        with pytest.raises(Invalid, match=f"createdAt is no {unit}: .*; give the text of {form}$"):
            typed("createdAt", Kind(unit), given)


def test_a_name_of_no_period_of_the_calendar_is_refused() -> None:
    """The other languages have the same list in their tests."""
    lines = (CASES / "periods.txt").read_text().splitlines()
    for unit, name, period in (line.split(" ") for line in lines if not line.startswith("#")):
        assert is_period_in_name(cast(Unit, unit), name) == (period != "-"), (unit, name)


def test_texts_that_name_moments_are_those_of_all_languages() -> None:
    lines = (CASES / "times.txt").read_text().splitlines()
    for text, stored in (line.split("\t") for line in lines if not line.startswith("#")):
        try:
            found = typed("at", Kind("time.ms"), text)["S"]
        except Invalid:
            found = "-"
        assert found == stored, repr(text)


def test_every_code_point_has_the_small_letter_of_unicode_13() -> None:
    """The other languages have the same list in their tests."""
    lines = (CASES / "lower.txt").read_text().splitlines()
    listed = [line for line in lines if not line.startswith("#")]
    letters = map(chr, (*range(0xD800), *range(0xE000, 0x110000)))

    def points(text: str) -> str:
        return " ".join(f"{ord(sign):04X}" for sign in text)

    found = [f"{points(one)} {points(lower(one))}" for one in letters if lower(one) != one]
    assert found == listed

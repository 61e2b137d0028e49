"""Times and counts that bound nothing are refused before anything is sent."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import pytest
from both import BOTH, Asked, called
from support import Proxy

from keyfold import Aborted, Client, Invalid, Model, Options
from keyfold.aio import AsyncClient

NAN = math.nan
WRONG: list[tuple[str, Any, str]] = [
    ("one", {"timeout": NAN}, "`timeout` is a number of seconds, such as 2.5, and not nan"),
    ("one", {"timeout": "5"}, "`timeout` is a number of seconds, such as 2.5, and not '5'"),
    ("one", {"timeout": True}, "and not True"),
    ("one", {"timeout": -1}, "`timeout` is a number of seconds from 0 on, and not -1"),
    ("one", {"timeout": -0.5}, "`timeout` is a number of seconds from 0 on, and not -0.5"),
    ("one", {"timeout": -math.inf}, "and not -inf"),
    ("all", {"most": NAN}, "the pattern notes: `most` is a whole number from 0 on, and not nan"),
    ("all", {"most": True}, "and not True"),
    ("all", {"most": -1}, "and not -1"),
    (
        "page",
        {"limit": True},
        "the pattern notes: `limit` is a whole number from 1 on, and not True",
    ),
    ("page", {"limit": NAN}, "and not nan"),
    ("page", {"limit": 2.0}, "and not 2.0"),
    ("page", {"limit": "2"}, "and not '2'"),
    ("page", {"limit": 0}, "and not 0"),
]


@pytest.mark.parametrize("ask", BOTH)
@pytest.mark.parametrize(("method", "given", "reason"), WRONG)
def test_a_number_that_bounds_nothing_is_refused(
    model: Model, proxy: Proxy, ask: Asked, method: str, given: Any, reason: str
) -> None:
    pattern = "thing" if method == "one" else "notes"
    call = called(method, pattern, {"thingId": "t"}, **given)
    with pytest.raises(Invalid) as caught:
        ask(model, proxy.endpoint, Options(), call)
    assert reason in caught.value.message
    assert [caught.value.attribute] == list(given)
    if method == "one":
        with pytest.raises(Invalid, match="`timeout`"):
            ask(model, proxy.endpoint, Options(), called("put", "Thing", {"thingId": "t"}, **given))
    assert proxy.operations() == []


class Evil:
    def __repr__(self) -> str:
        raise RuntimeError("trap")


def nested(levels: int) -> Any:
    held: Any = []
    for _ in range(levels):
        held = [held]
    return held


@pytest.mark.parametrize(
    "wrong",
    [10**5000, -(10**5000), nested(3000), Evil(), {Evil(): 1}, "x" * 500_000, "\ud800"],
    ids=["huge", "less", "deep", "evil", "key", "long", "half"],
)
def test_a_wrong_value_of_any_kind_is_refused_in_a_short_sentence(
    model: Model, proxy: Proxy, wrong: Any
) -> None:
    note = {"thingId": "t", "noteId": 1, "text": ""}
    wrongs: list[Callable[[Client], Any]] = [
        *(
            (lambda client, name=name: client.page("notes", {"thingId": "t"}, **{name: wrong}))
            for name in ("limit", "backward", "strong", "on_unknown", "timeout", "after")
        ),
        lambda client: client.all(
            "notes", {"thingId": "t"}, most=-1 if wrong == 10**5000 else wrong
        ),
        lambda client: client.page(wrong, {"thingId": "t"}),
        lambda client: client.page("notes", {wrong if isinstance(wrong, str) else "x": 1}),
        lambda client: client.create(wrong, note),
        lambda client: client.delete(wrong, note),
        lambda client: client.get_many(wrong, [note]),
        lambda client: client.write(wrong, {}),
        lambda client: client.get_many("Note", wrong),
        lambda client: client.put_many("Note", wrong),
        lambda client: client.transact(wrong),
        lambda client: client.create(
            "Note", {**note, "text": wrong if type(wrong) is not str else 5}
        ),
        lambda client: client.put("Thing", {"thingId": "t", "parts": [{"x": wrong}]}),
        lambda client: client.put("Thing", {"thingId": "t", "parts": wrong}),
    ]
    with Client(model, proxy.endpoint) as client:
        for at, call in enumerate(wrongs):
            with pytest.raises(Invalid) as caught:
                call(client)
            assert len(caught.value.message) < 500, (at, caught.value.message[:300])
    assert proxy.operations() == []


def test_a_limit_that_no_request_can_have_is_refused(model: Model, proxy: Proxy) -> None:
    with Client(model, proxy.endpoint) as client:
        for limit in (2**31, 2**130):
            with pytest.raises(Invalid, match="`limit` is a whole number from 1 to 2147483647"):
                client.page("notes", {"thingId": "t"}, limit=limit)
        for timeout in (10**400, -(10**400)):
            with pytest.raises(Invalid, match="`timeout` is a number of seconds"):
                client.page("notes", {"thingId": "t"}, timeout=timeout)
    assert proxy.operations() == []


def test_a_record_has_names_of_fields(model: Model, proxy: Proxy) -> None:
    with Client(model, proxy.endpoint) as client:
        with pytest.raises(Invalid, match="is no Point"):
            client.put("Thing", {"thingId": "t", "parts": [{Evil(): 1}]})


@pytest.mark.parametrize("client", [Client, AsyncClient])
@pytest.mark.parametrize(
    "given",
    [
        {"timeout": NAN},
        {"timeout": "5"},
        {"timeout": -1},
        {"deadline": NAN},
        {"deadline": -0.1},
        {"retries": NAN},
    ],
)
def test_options_that_bound_nothing_are_refused(model: Model, client: Any, given: Any) -> None:
    (name,) = given
    with pytest.raises(Invalid, match=f"`{name}` is a") as caught:
        client(model, "http://127.0.0.1:1", Options(**given))
    assert caught.value.attribute == name


def test_no_time_at_all_is_a_limit(model: Model, proxy: Proxy) -> None:
    for ask in BOTH:
        with pytest.raises(Aborted, match="^put Thing did not end within 0 seconds$"):
            ask(
                model,
                proxy.endpoint,
                Options(),
                called("put", "Thing", {"thingId": "t"}, timeout=0),
            )
    assert proxy.operations() == []


def test_a_limit_without_an_end_is_one(model: Model, endpoint: str) -> None:
    for ask in BOTH:
        call = called("one", "thing", {"thingId": "endless"}, timeout=math.inf)
        assert ask(model, endpoint, Options(), call) is None

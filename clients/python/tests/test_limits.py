"""Times and counts that bound nothing are refused before anything is sent."""

from __future__ import annotations

import math
from typing import Any

import pytest
from both import BOTH, Asked, called
from support import Proxy

from keyfold import Client, Invalid, Model, Options
from keyfold.aio import AsyncClient

NAN = math.nan
WRONG: list[tuple[str, Any, str]] = [
    ("one", {"timeout": NAN}, "`timeout` is a number of seconds, such as 2.5, and not nan"),
    ("one", {"timeout": "5"}, "`timeout` is a number of seconds, such as 2.5, and not '5'"),
    ("one", {"timeout": True}, "and not True"),
    ("all", {"most": NAN}, "notes: `most` is a whole number from 0 on, and not nan"),
    ("all", {"most": True}, "and not True"),
    ("all", {"most": -1}, "and not -1"),
    ("page", {"limit": True}, "notes: `limit` is a whole number from 1 on, and not True"),
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


@pytest.mark.parametrize("client", [Client, AsyncClient])
@pytest.mark.parametrize(
    "given", [{"timeout": NAN}, {"timeout": "5"}, {"deadline": NAN}, {"retries": NAN}]
)
def test_options_that_bound_nothing_are_refused(model: Model, client: Any, given: Any) -> None:
    (name,) = given
    with pytest.raises(Invalid, match=f"`{name}` is a") as caught:
        client(model, "http://127.0.0.1:1", Options(**given))
    assert caught.value.attribute == name


def test_a_limit_without_an_end_is_one(model: Model, endpoint: str) -> None:
    for ask in BOTH:
        call = called("one", "thing", {"thingId": "endless"}, timeout=math.inf)
        assert ask(model, endpoint, Options(), call) is None

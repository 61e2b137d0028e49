"""What answers mean: the cases that the clients of all languages share."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any, NamedTuple

import support
from test_direct import direct

from keyfold import OutcomeUnknown, Service, Throttled, Transport
from keyfold.lower.steps import Request
from keyfold.transport import answers
from keyfold.transport.botocore_errors import EXPECTED, outcome_of
from keyfold.transport.policy import READS, Attempts

DIRECT = direct()
CASES: dict[str, Any] = json.loads((support.CASES / "answers.json").read_text())


class Case(NamedTuple):
    """An answer and its meaning."""

    request: Request
    status: int
    text: str
    meaning: str


def cases() -> Iterator[Case]:
    for case in CASES["cases"]:
        for operation in case["of"]:
            request = Request(operation, CASES["requests"][operation])
            for body in case["bodies"]:
                text = body if isinstance(body, str) else json.dumps(body)
                yield Case(request, case["status"], text, case["is"])


def meaning(request: Request, status: int, text: str) -> str:
    """The meaning of an answer, in the words of the cases."""
    try:
        answers.fitting(request, DIRECT.read(request.operation, status, text.encode()))
    except EXPECTED as error:
        attempts = Attempts(request, started=0, deadline=1, retries=0)
        ended = attempts.after(outcome_of(error, request), 0)
    else:
        return "done"
    if isinstance(ended, Throttled):
        return "throttled"
    if isinstance(ended, Service):
        return "refused"
    assert isinstance(ended, Transport if request.operation in READS else OutcomeUnknown)
    return "lost"


def test_an_answer_means_the_same_to_clients_of_all_languages() -> None:
    wrong = [
        f"{one.request.operation} {one.status} {one.text}: {found}, not {one.meaning}"
        for one in cases()
        if (found := meaning(*one[:3])) != one.meaning
    ]
    assert not wrong, "\n".join([str(len(wrong)), *wrong])


def test_an_answer_that_is_cut_is_lost() -> None:
    for request, status, text, expected in cases():
        whole = text.rstrip()
        if expected == "lost" or not whole.endswith("}"):
            continue
        for end in range(len(whole)):
            assert meaning(request, status, whole[:end]) == "lost", whole[:end]

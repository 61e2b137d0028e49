"""A transaction whose answer was lost is not reported as refused, where its repeat is refused."""

from __future__ import annotations

import json

import pytest
from both import BOTH, Asked, called, name_of
from support import Fault, Json, Proxy, Send, lost_after, lost_before

from keyfold import Client, Exists, Model, Options, OutcomeUnknown, Service


def refusing(exception: str) -> Fault:
    """Refuses a request with an exception."""

    def refuse(_operation: str, _input: Json, _send: Send) -> tuple[int, bytes]:
        name = f"com.amazonaws.dynamodb.v20120810#{exception}"
        return 400, json.dumps({"__type": name, "message": "no"}).encode()

    return refuse


OPEN = [
    "AccessDeniedException",
    "ExpiredTokenException",
    "IdempotentParameterMismatchException",
    "ResourceNotFoundException",
    "SomeNewException",
    "UnrecognizedClientException",
    "ValidationException",
]
"""What the service says of a request, whatever became of the one before."""


@pytest.mark.parametrize("ask", BOTH)
@pytest.mark.parametrize("exception", OPEN)
@pytest.mark.parametrize("lost", [lost_after, lost_before])
def test_a_refused_repeat_does_not_show_what_became_of_the_first(
    model: Model, proxy: Proxy, ask: Asked, exception: str, lost: Fault
) -> None:
    name = f"{name_of(ask)} {exception} {lost.__name__}"
    account = {"accountId": name, "owner": "o", "email": f"{name}@lost"}
    proxy.fail("TransactWriteItems", lost, refusing(exception))
    with pytest.raises(OutcomeUnknown, match=f"sent again, it was refused: {exception}: no"):
        ask(model, proxy.endpoint, Options(), called("create", "Account", account))
    # Without a lost answer, a refusal is one.
    proxy.fail("TransactWriteItems", refusing(exception))
    with pytest.raises(Service) as caught:
        ask(model, proxy.endpoint, Options(), called("create", "Account", account))
    assert caught.value.exception == exception


@pytest.mark.parametrize("ask", BOTH)
def test_a_condition_that_refuses_a_repeat_is_a_refusal(
    model: Model, proxy: Proxy, ask: Asked
) -> None:
    """With the token of the first, which would have succeeded again if it had."""
    account = {"accountId": "decided", "owner": "o", "email": f"{name_of(ask)}@decided"}
    with Client(model, proxy.endpoint) as client:
        client.put("Account", account)
    proxy.fail("TransactWriteItems", lost_after)
    with pytest.raises(Exists):
        ask(model, proxy.endpoint, Options(), called("create", "Account", account))


@pytest.mark.parametrize("ask", BOTH)
def test_a_transaction_that_is_under_way_is_not_refused(
    model: Model, proxy: Proxy, ask: Asked
) -> None:
    account = {"accountId": "under way", "owner": "o", "email": "under@way"}
    proxy.fail("TransactWriteItems", *[refusing("TransactionInProgressException")] * 3)
    with pytest.raises(OutcomeUnknown, match="TransactionInProgressException"):
        ask(model, proxy.endpoint, Options(retries=2), called("create", "Account", account))

"""Retries: what may be repeated after which outcome. Nothing here sends or waits.

A request is sent again after a refusal that says that nothing was done, and after a lost answer if
it is idempotent: reads, and transactions, which carry a token. The lost answer of another write is
`OutcomeUnknown`, and so is that of a transaction whose repeats do not show what became of it.
"""

from __future__ import annotations

import random
import secrets
import time
from dataclasses import dataclass
from typing import Literal, TypeAlias

from keyfold.errors import (
    Aborted,
    KeyfoldError,
    OutcomeUnknown,
    Service,
    Throttled,
    Transport,
    is_conflict,
    naming_tables,
)
from keyfold.lower.steps import Request

READS = frozenset(
    "BatchGetItem GetItem Query Scan TransactGetItems DescribeTable DescribeTimeToLive"
    " DescribeContinuousBackups ListTagsOfResource".split()
)
_THROTTLES = frozenset(
    (
        "LimitExceededException",
        "ProvisionedThroughputExceededException",
        "ThrottlingException",
        "RequestLimitExceeded",
    )
)
_UNDER_WAY = "TransactionInProgressException"
_PASSING = _THROTTLES | {_UNDER_WAY}
_DECIDING = "TransactionCanceledException"
"""The refusal of a repeated transaction that shows that no earlier attempt succeeded: the service
compares tokens, and cancels none that was carried out. It refuses keys, permissions and inputs
before that, whatever an earlier attempt did. A failed condition cancels a transaction, too."""
_THROTTLED_REASONS = frozenset(("ThrottlingError", "ProvisionedThroughputExceeded"))
_DELAYS_GROW = 8
"""The retry from which on delays do not grow any more."""
_NEAR_DELAYS_GROW = 2
"""The same, where nothing listens on this machine."""


_TOKEN_SECONDS = 9 * 60
"""The time from the start of a transaction after which it is not sent again, if it may have been
carried out. DynamoDB knows a token for ten minutes: the same transaction is then a new one. The
rest is for the way of the request."""


@dataclass(frozen=True)
class NotSent:
    """The request was not sent."""

    why: str
    is_final: bool = False
    """Whether the next attempt would be as this one."""
    is_near: bool = False
    """Whether nothing listens at an address of this machine: a person waits there, for a server
    that starts within a second or not at all."""


@dataclass(frozen=True)
class Lost:
    """The request may have been carried out, or may still be."""

    why: str


Outcome: TypeAlias = "Service | NotSent | Lost"
"""A failed attempt: the service's refusal, a request that was not sent, or a lost answer."""


@dataclass(frozen=True)
class Wait:
    """The request is sent again after these seconds."""

    seconds: float


def prepared(request: Request) -> Request:
    """The request with a token that all attempts have, where the operation takes one."""
    if request.operation != "TransactWriteItems":
        return request
    return Request(
        request.operation, {"ClientRequestToken": secrets.token_hex(16), **request.input}
    )


class Attempts:
    """The attempts of one request."""

    def __init__(self, request: Request, *, started: float, deadline: float, retries: int) -> None:
        self._operation = request.operation
        self._request = request
        self._idempotency: Literal["reads", "token", "none"] = "none"
        if request.operation in READS:
            self._idempotency = "reads"
        elif request.operation == "TransactWriteItems":
            self._idempotency = "token"
        self._end = started + deadline
        self._retries = retries
        self._tried = 0
        self._lost: str | None = None
        # The other clock stands still while the machine sleeps.
        self._began = time.time()

    def after(self, outcome: Outcome, now: float) -> Wait | KeyfoldError:
        """The time to wait before the next attempt, or the error of the request."""
        self._tried += 1
        if isinstance(outcome, Lost):
            self._lost = outcome.why
        elif self._is_under_way(outcome):
            self._lost = self._lost or str(outcome)
        may_repeat = self._may_repeat(outcome)
        if may_repeat and self._tried <= self._retries:
            # The delay is random, so that many clients do not retry at the same moment.
            is_near = isinstance(outcome, NotSent) and outcome.is_near
            grown = min(self._tried, _NEAR_DELAYS_GROW if is_near else _DELAYS_GROW)
            delay = random.uniform(0.025, 0.05) * 2**grown
            if now + delay < self._end:
                return Wait(delay)
        return self._error(outcome, is_final=not may_repeat)

    def outlived(self) -> KeyfoldError | None:
        """The error of a transaction whose answer was lost, and whose token the service may have
        forgotten: sent again, it could be carried out twice."""
        seconds = time.time() - self._began
        if self._idempotency != "token" or self._lost is None or seconds < _TOKEN_SECONDS:
            return None
        self._lost = (
            f"{self._lost}; it was not sent again {seconds:.0f} s after its start, since the"
            " service knows its token for ten minutes"
        )
        return self._error(Lost(self._lost), is_final=True)

    def ended(self, why: Aborted | Transport) -> KeyfoldError:
        """The error of a request that was under way when its call ended, or its client."""
        if self._idempotency == "reads":
            return why
        self._lost = why.message
        return self._error(Lost(why.message), is_final=False)

    def unsent(self, why: Aborted | Transport) -> KeyfoldError:
        """The error of a request whose call, or client, ended before this attempt was sent."""
        return why if self._lost is None else self.ended(why)

    def _is_under_way(self, outcome: Outcome) -> bool:
        """Whether the service is carrying an attempt out: a program between has sent one again."""
        if self._idempotency == "reads" or not isinstance(outcome, Service):
            return False
        return outcome.exception == _UNDER_WAY

    def _may_repeat(self, outcome: Outcome) -> bool:
        if isinstance(outcome, Lost) or self._is_under_way(outcome):
            return self._idempotency != "none"
        if isinstance(outcome, NotSent):
            return not outcome.is_final
        if outcome.exception in _PASSING or _is_throttled_transaction(outcome):
            return True
        # The transaction in the way may be an earlier attempt of this one. A write that is made
        # again has another token: the service would carry out both.
        return self._lost is not None and self._idempotency == "token" and is_conflict(outcome)

    def _error(self, outcome: Outcome, *, is_final: bool) -> KeyfoldError:
        if isinstance(outcome, Service) and _is_throttled(outcome):
            known: KeyfoldError | None = Throttled(outcome.exception, outcome.text, outcome.reasons)
        elif isinstance(outcome, NotSent):
            known = Transport(outcome.why)
        else:
            known = None
            if isinstance(outcome, Service):
                known = naming_tables(outcome, self._request.tables())
        if known is not None and self._lost is None:
            return known
        if self._idempotency == "reads":
            return known or Transport(self._lost or "")
        why = self._lost or ""
        if isinstance(outcome, Service):
            if is_final and self._idempotency == "token" and outcome.exception == _DECIDING:
                return outcome
            why = why if str(outcome) == why else f"{why}; sent again, it was refused: {outcome}"
        return OutcomeUnknown(why, f"what the {self._operation} was to change")


def _is_throttled(error: Service) -> bool:
    return error.exception in _THROTTLES or _is_throttled_transaction(error)


def _is_throttled_transaction(error: Service) -> bool:
    """Whether a transaction was cancelled for nothing but throttling."""
    codes = {reason.code for reason in error.reasons} - {"None"}
    return bool(codes) and codes <= _THROTTLED_REASONS

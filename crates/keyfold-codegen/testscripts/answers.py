"""A client of the model answers, version 3.

Made by keyfold (test). The plan document's hash:
067f20403a279264c52197bbb6e0d7b6.
Changes here are lost: change the model, and run `keyfold generate`.
"""

from __future__ import annotations

import datetime as _datetime
from collections.abc import Mapping, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass
from decimal import Decimal
from typing import Any, Literal, NewType, TypeAlias, overload

from keyfold import Client, Options, typed
from keyfold.aio import AsyncClient

AccountId = NewType("AccountId", str)
"""A value of `Account.id`."""
TicketId = NewType("TicketId", str)
"""A value of `Ticket.ticketId`."""

AccountPlan: TypeAlias = Literal["free", "paid"]
"""The words of `Account.plan`."""
TicketStatus: TypeAlias = Literal["open", "waiting", "closed"]
"""The words of `Ticket.status`."""
EntryState: TypeAlias = Literal["open", "waiting", "closed"]
"""The words of `Entry.state`."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Address:
    """The record `Address`."""

    street: str
    zip: str | None = None
    account: AccountId


@dataclass(frozen=True, slots=True, kw_only=True)
class Entry:
    """The record `Entry`."""

    at: _datetime.datetime
    by: str
    state: EntryState


@dataclass(frozen=True, slots=True, kw_only=True)
class Account:
    """The entity `Account` as it is stored, under `"ACCOUNT#{id}" "ACCOUNT"`."""

    id: AccountId
    owner: str
    balance: int
    country: str
    city: str
    street: str
    plan: AccountPlan
    tags: frozenset[str] | None = None
    prices: dict[str, Decimal] | None = None
    logo: bytes | None = None
    home: Address | None = None
    grid: list[list[int]] | None = None
    visits: dict[str, list[Address]] | None = None
    updated_at: _datetime.datetime
    tickets: int
    """Kept by the model: a count."""
    v: int
    """Counts the versions of the item."""


@dataclass(frozen=True, slots=True, kw_only=True)
class NewAccount:
    """The attributes of an `Account` that is created or put."""

    id: AccountId
    owner: str
    balance: int | None = None
    """Default: `0`."""
    country: str
    city: str
    street: str
    plan: AccountPlan | None = None
    """Default: `free`."""
    tags: AbstractSet[str] | None = None
    prices: Mapping[str, Decimal | int] | None = None
    logo: bytes | None = None
    home: Address | None = None
    grid: Sequence[Sequence[int]] | None = None
    visits: Mapping[str, Sequence[Address]] | None = None
    updated_at: _datetime.datetime | None = None
    """Default: `now always`."""


@dataclass(frozen=True, slots=True, kw_only=True)
class PutAccount:
    """The attributes of an `Account` that is put, and the version that is stored."""

    id: AccountId
    owner: str
    balance: int | None = None
    """Default: `0`."""
    country: str
    city: str
    street: str
    plan: AccountPlan | None = None
    """Default: `free`."""
    tags: AbstractSet[str] | None = None
    prices: Mapping[str, Decimal | int] | None = None
    logo: bytes | None = None
    home: Address | None = None
    grid: Sequence[Sequence[int]] | None = None
    visits: Mapping[str, Sequence[Address]] | None = None
    updated_at: _datetime.datetime | None = None
    """Default: `now always`."""
    v: int | None = None
    """The version that the stored item is expected to have."""


@dataclass(frozen=True, slots=True, kw_only=True)
class AccountKey:
    """The key of an `Account`."""

    id: AccountId
    v: int | None = None
    """The version that the stored item is expected to have."""


@dataclass(frozen=True, slots=True, kw_only=True)
class AccountPatch:
    """Changes of an `Account`: what is not named stays as it is, and `None` removes
    an optional attribute.
    """

    owner: str | typed.Unset = typed.UNSET
    balance: int | typed.Unset = typed.UNSET
    country: str | typed.Unset = typed.UNSET
    city: str | typed.Unset = typed.UNSET
    street: str | typed.Unset = typed.UNSET
    plan: AccountPlan | typed.Unset = typed.UNSET
    tags: AbstractSet[str] | None | typed.Unset = typed.UNSET
    prices: Mapping[str, Decimal | int] | None | typed.Unset = typed.UNSET
    logo: bytes | None | typed.Unset = typed.UNSET
    home: Address | None | typed.Unset = typed.UNSET
    grid: Sequence[Sequence[int]] | None | typed.Unset = typed.UNSET
    visits: Mapping[str, Sequence[Address]] | None | typed.Unset = typed.UNSET
    updated_at: _datetime.datetime | typed.Unset = typed.UNSET


@dataclass(frozen=True, slots=True, kw_only=True)
class AccountMade:
    """What an `Account` gets that is created or put: as given, or made."""

    updated_at: _datetime.datetime


@dataclass(frozen=True, slots=True, kw_only=True)
class AccountTouched:
    """What an update of an `Account` sets."""

    updated_at: _datetime.datetime


@dataclass(frozen=True, slots=True, kw_only=True)
class AccountChange:
    """A change of an `Account` that a stream reports."""

    old: Account | None = None
    new: Account | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Ticket:
    """The entity `Ticket` as it is stored, under `"ACCOUNT#{id}"
    "TICKET#{ticketId}"`.
    """

    id: AccountId
    ticket_id: TicketId
    opened_at: _datetime.datetime
    due_at: _datetime.datetime | None = None
    severity: int | None = None
    status: TicketStatus
    history: list[Entry]
    assignee: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class NewTicket:
    """The attributes of a `Ticket` that is created or put."""

    id: AccountId
    ticket_id: TicketId | None = None
    """Default: `new`."""
    opened_at: _datetime.datetime
    due_at: _datetime.datetime | None = None
    severity: int | None = None
    status: TicketStatus | None = None
    """Default: `open`."""
    history: Sequence[Entry] | None = None
    """Default: `[]`."""
    assignee: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class TicketKey:
    """The key of a `Ticket`."""

    id: AccountId
    ticket_id: TicketId


@dataclass(frozen=True, slots=True, kw_only=True)
class TicketPatch:
    """Changes of a `Ticket`: what is not named stays as it is, and `None` removes an
    optional attribute.
    """

    opened_at: _datetime.datetime | typed.Unset = typed.UNSET
    due_at: _datetime.datetime | None | typed.Unset = typed.UNSET
    severity: int | None | typed.Unset = typed.UNSET
    status: TicketStatus | typed.Unset = typed.UNSET
    history: Sequence[Entry] | typed.Unset = typed.UNSET
    assignee: str | None | typed.Unset = typed.UNSET


@dataclass(frozen=True, slots=True, kw_only=True)
class TicketMade:
    """What a `Ticket` gets that is created or put: as given, or made."""

    ticket_id: TicketId


@dataclass(frozen=True, slots=True, kw_only=True)
class TicketBrief:
    """The copy `Ticket.brief`."""

    id: AccountId
    ticket_id: TicketId
    opened_at: _datetime.datetime
    status: TicketStatus
    assignee: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class TicketBriefChange:
    """A change of a copy `Ticket.brief` that a stream reports."""

    old: TicketBrief | None = None
    new: TicketBrief | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class TicketChange:
    """A change of a `Ticket` that a stream reports."""

    old: Ticket | None = None
    new: Ticket | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class FindAccountItem:
    """`Account` as `find_account` returns it."""

    id: AccountId
    owner: str
    balance: int


WholeItem: TypeAlias = Account | Ticket
"""An item of `whole`; its class says which."""


@dataclass(frozen=True, slots=True, kw_only=True)
class WholeAnswer:
    """The whole answer of `whole`."""

    account: Account
    tickets: list[Ticket]


@dataclass(frozen=True, slots=True, kw_only=True)
class DueItem:
    """`Ticket` as `due` returns it."""

    id: AccountId
    ticket_id: TicketId
    opened_at: _datetime.datetime
    due_at: _datetime.datetime
    severity: int | None = None
    status: TicketStatus
    history: list[Entry]
    assignee: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class SevereItem:
    """`Ticket` as `severe` returns it."""

    id: AccountId
    ticket_id: TicketId
    opened_at: _datetime.datetime
    due_at: _datetime.datetime | None = None
    severity: int
    status: TicketStatus
    history: list[Entry]
    assignee: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class BriefsItem:
    """`Ticket.brief` as `briefs` returns it."""

    id: AccountId
    ticket_id: TicketId
    opened_at: _datetime.datetime
    status: TicketStatus
    assignee: str


@dataclass(frozen=True, slots=True, kw_only=True)
class WaitingItem:
    """`Ticket.brief` as `waiting` returns it."""

    id: AccountId
    ticket_id: TicketId
    opened_at: _datetime.datetime
    status: Literal["waiting"]
    assignee: str


@dataclass(frozen=True, slots=True, kw_only=True)
class PairAnswer:
    """The answer of `pair`."""

    payer: Account
    payee: Account | None


@dataclass(frozen=True, slots=True, kw_only=True)
class TransferMade:
    """What `transfer` writes of itself: as given, or made."""

    from_updated_at: _datetime.datetime
    to_updated_at: _datetime.datetime


@dataclass(frozen=True, slots=True, kw_only=True)
class EditMade:
    """What `edit` writes of itself: as given, or made."""

    updated_at: _datetime.datetime


@dataclass(frozen=True, slots=True, kw_only=True)
class OpenTicketMade:
    """What `open_ticket` writes of itself: as given, or made."""

    ticket_id: TicketId


AnswersEvent: TypeAlias = AccountChange | TicketChange
"""A change that a stream reports; its class says of what."""


AnswersEventWithCopies: TypeAlias = AnswersEvent | TicketBriefChange
"""A change of an entity or of a copy; its class says of what."""


class AnswersParts(typed.NamedParts):
    """The named writes as parts of a transaction: nothing is sent before `transact`
    takes them.
    """

    def transfer(
        self,
        *,
        amount: int,
        from_id: AccountId,
        from_updated_at: _datetime.datetime | None = None,
        to_id: AccountId,
        to_updated_at: _datetime.datetime | None = None,
    ) -> typed.NamedPart[TransferMade]:
        """The write `transfer`."""
        return self._run(
            "transfer",
            {
                "amount": amount,
                "from.id": from_id,
                "from.updatedAt": from_updated_at,
                "to.id": to_id,
                "to.updatedAt": to_updated_at,
            },
            TransferMade,
        )

    def edit(
        self,
        *,
        owner: str | None = None,
        plan: AccountPlan | None = None,
        id: AccountId,
        updated_at: _datetime.datetime | None = None,
    ) -> typed.NamedPart[EditMade]:
        """The write `edit`."""
        return self._run(
            "edit",
            {"owner": owner, "plan": plan, "id": id, "updatedAt": updated_at},
            EditMade,
        )

    def open_ticket(
        self,
        *,
        id: AccountId,
        ticket_id: TicketId | None = None,
        opened_at: _datetime.datetime,
        due_at: _datetime.datetime | None = None,
        severity: int | None = None,
        status: TicketStatus | None = None,
        history: Sequence[Entry] | None = None,
        assignee: str | None = None,
    ) -> typed.NamedPart[OpenTicketMade]:
        """The write `open_ticket`."""
        return self._run(
            "open_ticket",
            {
                "id": id,
                "ticketId": ticket_id,
                "openedAt": opened_at,
                "dueAt": due_at,
                "severity": severity,
                "status": status,
                "history": history,
                "assignee": assignee,
            },
            OpenTicketMade,
        )

    def log(
        self,
        *,
        entry: Entry,
        id: AccountId,
        ticket_id: TicketId,
    ) -> typed.NamedPart[typed.NothingMade]:
        """The write `log`."""
        return self._run(
            "log",
            {"entry": entry, "id": id, "ticketId": ticket_id},
            typed.NothingMade,
        )


class AnswersFakes(typed.NamedFakes):
    """Entities for tests: random by a seed, and valid for the model. What is not
    given is made; of `_related`, entities by their names, attributes that refer
    to one have its values.
    """

    def account(
        self,
        _related: Mapping[str, object] | None = None,
        /,
        *,
        id: AccountId | typed.Unset = typed.UNSET,
        owner: str | typed.Unset = typed.UNSET,
        balance: int | None | typed.Unset = typed.UNSET,
        country: str | typed.Unset = typed.UNSET,
        city: str | typed.Unset = typed.UNSET,
        street: str | typed.Unset = typed.UNSET,
        plan: AccountPlan | None | typed.Unset = typed.UNSET,
        tags: AbstractSet[str] | None | typed.Unset = typed.UNSET,
        prices: Mapping[str, Decimal | int] | None | typed.Unset = typed.UNSET,
        logo: bytes | None | typed.Unset = typed.UNSET,
        home: Address | None | typed.Unset = typed.UNSET,
        grid: Sequence[Sequence[int]] | None | typed.Unset = typed.UNSET,
        visits: Mapping[str, Sequence[Address]] | None | typed.Unset = typed.UNSET,
        updated_at: _datetime.datetime | None | typed.Unset = typed.UNSET,
    ) -> NewAccount:
        """A new `Account`."""
        return self._new(
            "Account",
            NewAccount,
            {
                "id": id,
                "owner": owner,
                "balance": balance,
                "country": country,
                "city": city,
                "street": street,
                "plan": plan,
                "tags": tags,
                "prices": prices,
                "logo": logo,
                "home": home,
                "grid": grid,
                "visits": visits,
                "updatedAt": updated_at,
            },
            _related,
        )

    def ticket(
        self,
        _related: Mapping[str, object] | None = None,
        /,
        *,
        id: AccountId | typed.Unset = typed.UNSET,
        ticket_id: TicketId | None | typed.Unset = typed.UNSET,
        opened_at: _datetime.datetime | typed.Unset = typed.UNSET,
        due_at: _datetime.datetime | None | typed.Unset = typed.UNSET,
        severity: int | None | typed.Unset = typed.UNSET,
        status: TicketStatus | None | typed.Unset = typed.UNSET,
        history: Sequence[Entry] | None | typed.Unset = typed.UNSET,
        assignee: str | None | typed.Unset = typed.UNSET,
    ) -> NewTicket:
        """A new `Ticket`."""
        return self._new(
            "Ticket",
            NewTicket,
            {
                "id": id,
                "ticketId": ticket_id,
                "openedAt": opened_at,
                "dueAt": due_at,
                "severity": severity,
                "status": status,
                "history": history,
                "assignee": assignee,
            },
            _related,
        )


class AnswersClient(typed.Typed):
    """The patterns, named writes and entities of the model `answers`, version 3."""

    def __init__(self, connection: str | Any, options: Options | None = None) -> None:
        """Takes `http://localhost:8000`, `dynamodb://eu-west-1?profile=prod`,
        `keyfold:./data`, or a low-level client of boto3.
        """
        super().__init__(Client(_PLAN, connection, options or Options()), _SHAPES)
        self.Account = typed.Writer[
            NewAccount,
            PutAccount,
            AccountKey,
            AccountPatch,
            Account,
            AccountMade,
            AccountTouched,
        ](self, "Account", Account, AccountMade, AccountTouched)
        """Writes an `Account` with all that follows from it."""
        self.Ticket = typed.Writer[
            NewTicket,
            NewTicket,
            TicketKey,
            TicketPatch,
            Ticket,
            TicketMade,
            typed.NothingMade,
        ](self, "Ticket", Ticket, TicketMade, typed.NothingMade)
        """Writes a `Ticket` with all that follows from it."""
        self.fake = AnswersFakes(self)
        """Entities for tests, random by a seed."""
        self.part = AnswersParts(_SHAPES)
        """The named writes as parts of a transaction."""

    def account(
        self,
        *,
        id: AccountId,
        strong: bool = False,
        timeout: float | None = None,
    ) -> Account:
        """`account(id) -> Account`

        GetItem of Main: `PK = "ACCOUNT#{id}" AND SK = "ACCOUNT"`; 1 request,
        about 1.5 read units.
        """
        return self._required(
            "account",
            {"id": id},
            {"Account": Account},
            strong,
            timeout,
        )

    def find_account(
        self,
        *,
        id: AccountId,
        strong: bool = False,
        timeout: float | None = None,
    ) -> FindAccountItem | None:
        """`find_account(id) -> Account? only id, owner, balance`

        GetItem of Main: `PK = "ACCOUNT#{id}" AND SK = "ACCOUNT"`; 1 request,
        about 1.5 read units.
        """
        return self._one(
            "find_account",
            {"id": id},
            {"Account": FindAccountItem},
            strong,
            timeout,
        )

    def accounts(
        self,
        *,
        id: Sequence[AccountId],
        strong: bool = False,
    ) -> typed.Query[Account]:
        """`accounts(id) -> Account[]`

        BatchGetItem of Main: `PK = "ACCOUNT#{id}" AND SK = "ACCOUNT"`; requests:
        1 per 100 ids.
        """
        return typed.Query(
            self,
            "accounts",
            {"id": id},
            {"Account": Account},
            strong=strong,
        )

    def every_account(self, *, strong: bool = False) -> typed.Query[Account]:
        """`every_account() -> Account[] page 100`

        Scan of Main: `every item`, 100 items a page; requests: 1 per MB of the
        table.
        """
        return typed.Query(
            self,
            "every_account",
            {},
            {"Account": Account},
            strong=strong,
        )

    @overload
    def places(
        self,
        *,
        country: str | None = None,
        backward: bool = False,
    ) -> typed.Query[Account]: ...

    @overload
    def places(
        self,
        *,
        country: str,
        city: str | None = None,
        backward: bool = False,
    ) -> typed.Query[Account]: ...

    @overload
    def places(
        self,
        *,
        country: str,
        city: str,
        street: str | None = None,
        backward: bool = False,
    ) -> typed.Query[Account]: ...

    def places(
        self,
        *,
        country: str | None = None,
        city: str | None = None,
        street: str | None = None,
        backward: bool = False,
    ) -> typed.Query[Account]:
        """`places(country?, city?, street?) -> Account[] page 50`

        Query of Main.GSI1: `GSI1PK = "PLACES" AND begins_with(GSI1SK,
        "{country}#{city}#{street}#")`, 50 items a page; 1 request a page, about
        59.5 read units.
        Without street: Query of Main.GSI1: `GSI1PK = "PLACES" AND
        begins_with(GSI1SK, "{country}#{city}#")`, 50 items a page; 1 request a
        page, about 59.5 read units.
        Without city, street: Query of Main.GSI1: `GSI1PK = "PLACES" AND
        begins_with(GSI1SK, "{country}#")`, 50 items a page; 1 request a page,
        about 59.5 read units.
        Without country, city, street: Query of Main.GSI1: `GSI1PK = "PLACES"`, 50
        items a page; 1 request a page, about 59.5 read units.
        """
        return typed.Query(
            self,
            "places",
            {"country": country, "city": city, "street": street},
            {"Account": Account},
            backward=backward,
        )

    def ticket(
        self,
        *,
        id: AccountId,
        ticket_id: TicketId,
        strong: bool = False,
        timeout: float | None = None,
    ) -> Ticket | None:
        """`ticket(id, ticketId) -> Ticket?`

        GetItem of Main: `PK = "ACCOUNT#{id}" AND SK = "TICKET#{ticketId}"`; 1
        request, about 0.5 read units.
        """
        return self._one(
            "ticket",
            {"id": id, "ticketId": ticket_id},
            {"Ticket": Ticket},
            strong,
            timeout,
        )

    def whole(
        self,
        *,
        id: AccountId,
        backward: bool = False,
        strong: bool = False,
    ) -> typed.Collection[WholeItem, WholeAnswer]:
        """`whole(id) -> Account + Ticket[]`

        Query of Main: `PK = "ACCOUNT#{id}"`; 1 request a page.
        """
        return typed.Collection(
            self,
            "whole",
            {"id": id},
            {"Account": Account, "Ticket": Ticket},
            WholeAnswer,
            backward=backward,
            strong=strong,
        )

    def since(
        self,
        *,
        id: AccountId,
        since: _datetime.datetime,
        backward: bool = False,
    ) -> typed.Query[Ticket]:
        """`since(id, since) -> Ticket[] newest page 20`

        Query of Main.GSI1: `GSI1PK = "TICKETS#{id}" AND GSI1SK >= "{since}"`,
        descending, 20 items a page; 1 request a page, about 2.5 read units.

        - `since`: `openedAt` is at least this.
        """
        return typed.Query(
            self,
            "since",
            {"id": id, "since": since},
            {"Ticket": Ticket},
            backward=backward,
        )

    def before(
        self,
        *,
        id: AccountId,
        until: _datetime.datetime,
        backward: bool = False,
    ) -> typed.Query[Ticket]:
        """`before(id, until) -> Ticket[] oldest page 20`

        Query of Main.GSI1: `GSI1PK = "TICKETS#{id}" AND GSI1SK <= "{<until}"`, 20
        items a page; 1 request a page, about 2.5 read units.

        - `until`: `openedAt` is below this.
        """
        return typed.Query(
            self,
            "before",
            {"id": id, "until": until},
            {"Ticket": Ticket},
            backward=backward,
        )

    def opened(
        self,
        *,
        id: AccountId,
        day: str,
        backward: bool = False,
    ) -> typed.Query[Ticket]:
        """`opened(id, day) -> Ticket[]`

        Query of Main.GSI1: `GSI1PK = "TICKETS#{id}" AND begins_with(GSI1SK,
        "{day}")`; 1 request a page.

        - `day`: `openedAt` lies in this day.
        """
        return typed.Query(
            self,
            "opened",
            {"id": id, "day": day},
            {"Ticket": Ticket},
            backward=backward,
        )

    def due(
        self,
        *,
        now: _datetime.datetime | None = None,
        backward: bool = False,
    ) -> typed.Query[DueItem]:
        """`due(now) -> Ticket[] page 20`

        Query of Main.Open: `OPENPK = "OPEN" AND OPENSK <= "{now}…"`, 20 items a
        page; 1 request a page, about 2.5 read units.

        - `now`: `dueAt` is at most this. Default: the present moment.
        """
        return typed.Query(
            self,
            "due",
            {"now": now},
            {"Ticket": DueItem},
            backward=backward,
        )

    def severe(
        self,
        *,
        id: AccountId,
        least: int,
        backward: bool = False,
        strong: bool = False,
    ) -> typed.Query[SevereItem]:
        """`severe(id, least) -> Ticket[] page 20`

        Query of Main: `PK = "ACCOUNT#{id}" AND begins_with(SK, "TICKET#")`, 20
        items a page, filtered by `severity >= least`; 1 request a page, about 2.5
        read units.
        """
        return typed.Query(
            self,
            "severe",
            {"id": id, "least": least},
            {"Ticket": SevereItem},
            backward=backward,
            strong=strong,
        )

    def briefs(
        self,
        *,
        status: TicketStatus,
        backward: bool = False,
        strong: bool = False,
    ) -> typed.Query[BriefsItem]:
        """`briefs(status) -> Ticket.brief[] newest openedAt page 20`

        Query of Main: `PK = "STATUS#{status}"`, descending, 20 items a page; 1
        request a page, about 2.5 read units.
        """
        return typed.Query(
            self,
            "briefs",
            {"status": status},
            {"Ticket.brief": BriefsItem},
            backward=backward,
            strong=strong,
        )

    def waiting(
        self,
        *,
        backward: bool = False,
        strong: bool = False,
    ) -> typed.Query[WaitingItem]:
        """`waiting() -> Ticket.brief[] where status = waiting`

        Query of Main: `PK = "STATUS#waiting"`; 1 request a page.
        """
        return typed.Query(
            self,
            "waiting",
            {},
            {"Ticket.brief": WaitingItem},
            backward=backward,
            strong=strong,
        )

    def pair(
        self,
        *,
        from_: AccountId,
        to: AccountId,
        timeout: float | None = None,
    ) -> PairAnswer:
        """`pair(from, to) -> (Account as payer where id = from, Account? as payee
        where id = to)`

        TransactGetItems of Main: `payer: PK = "ACCOUNT#{from}" AND SK =
        "ACCOUNT"; payee: PK = "ACCOUNT#{to}" AND SK = "ACCOUNT"`; 1 request,
        about 12 read units, strongly consistent.
        """
        return self._together(
            "pair",
            {"from": from_, "to": to},
            {"payer": Account, "payee": Account},
            PairAnswer,
            timeout,
        )

    def transfer(
        self,
        *,
        amount: int,
        from_id: AccountId,
        from_updated_at: _datetime.datetime | None = None,
        to_id: AccountId,
        to_updated_at: _datetime.datetime | None = None,
        timeout: float | None = None,
    ) -> typed.Written[TransferMade]:
        """The write `transfer`:

        - update Account as from (balance = balance - amount) if balance >= amount
        - update Account as to (balance = balance + amount)
        Requests: TransactWriteItems.
        """
        return self._write(
            self.part.transfer(
                amount=amount,
                from_id=from_id,
                from_updated_at=from_updated_at,
                to_id=to_id,
                to_updated_at=to_updated_at,
            ),
            timeout,
        )

    def edit(
        self,
        *,
        owner: str | None = None,
        plan: AccountPlan | None = None,
        id: AccountId,
        updated_at: _datetime.datetime | None = None,
        timeout: float | None = None,
    ) -> typed.Written[EditMade]:
        """The write `edit`:

        - update Account (owner = owner, plan = plan)
        Requests: UpdateItem.
        """
        return self._write(
            self.part.edit(owner=owner, plan=plan, id=id, updated_at=updated_at),
            timeout,
        )

    def open_ticket(
        self,
        *,
        id: AccountId,
        ticket_id: TicketId | None = None,
        opened_at: _datetime.datetime,
        due_at: _datetime.datetime | None = None,
        severity: int | None = None,
        status: TicketStatus | None = None,
        history: Sequence[Entry] | None = None,
        assignee: str | None = None,
        timeout: float | None = None,
    ) -> typed.Written[OpenTicketMade]:
        """The write `open_ticket`:

        - create Ticket
        Requests: TransactWriteItems.
        """
        return self._write(
            self.part.open_ticket(
                id=id,
                ticket_id=ticket_id,
                opened_at=opened_at,
                due_at=due_at,
                severity=severity,
                status=status,
                history=history,
                assignee=assignee,
            ),
            timeout,
        )

    def log(
        self,
        *,
        entry: Entry,
        id: AccountId,
        ticket_id: TicketId,
        timeout: float | None = None,
    ) -> typed.Written[typed.NothingMade]:
        """The write `log`:

        - update Ticket (history = history + entry)
        Requests: UpdateItem.
        """
        return self._write(
            self.part.log(entry=entry, id=id, ticket_id=ticket_id),
            timeout,
        )

    @overload
    def event(
        self,
        record: Mapping[str, Any],
        *,
        on_unknown: typed.OnUnknown | None = None,
        copies: Literal[False] = False,
    ) -> AnswersEvent | None: ...

    @overload
    def event(
        self,
        record: Mapping[str, Any],
        *,
        on_unknown: typed.OnUnknown | None = None,
        copies: bool,
    ) -> AnswersEventWithCopies | None: ...

    def event(
        self,
        record: Mapping[str, Any],
        *,
        on_unknown: typed.OnUnknown | None = None,
        copies: bool = False,
    ) -> AnswersEventWithCopies | None:
        """The change that a stream's record reports, of a reader or of Lambda; None
        for an item that follows from an entity. `on_unknown` says what becomes of
        an item that the model does not know, instead of the client's. With
        `copies`, those of copies are changes, too.
        """
        return self._change(record, _EVENTS, on_unknown, copies)


class AsyncAnswersClient(typed.AsyncTyped):
    """The patterns, named writes and entities of the model `answers`, version 3, for
    `asyncio`.
    """

    def __init__(self, connection: str | Any, options: Options | None = None) -> None:
        """Takes `http://localhost:8000`, `dynamodb://eu-west-1?profile=prod`,
        `keyfold:./data`, or a low-level client of aioboto3. It is used in `async
        with`.
        """
        super().__init__(AsyncClient(_PLAN, connection, options or Options()), _SHAPES)
        self.Account = typed.AsyncWriter[
            NewAccount,
            PutAccount,
            AccountKey,
            AccountPatch,
            Account,
            AccountMade,
            AccountTouched,
        ](self, "Account", Account, AccountMade, AccountTouched)
        """Writes an `Account` with all that follows from it."""
        self.Ticket = typed.AsyncWriter[
            NewTicket,
            NewTicket,
            TicketKey,
            TicketPatch,
            Ticket,
            TicketMade,
            typed.NothingMade,
        ](self, "Ticket", Ticket, TicketMade, typed.NothingMade)
        """Writes a `Ticket` with all that follows from it."""
        self.fake = AnswersFakes(self)
        """Entities for tests, random by a seed."""
        self.part = AnswersParts(_SHAPES)
        """The named writes as parts of a transaction."""

    async def account(
        self,
        *,
        id: AccountId,
        strong: bool = False,
        timeout: float | None = None,
    ) -> Account:
        """`account(id) -> Account`

        GetItem of Main: `PK = "ACCOUNT#{id}" AND SK = "ACCOUNT"`; 1 request,
        about 1.5 read units.
        """
        return await self._required(
            "account",
            {"id": id},
            {"Account": Account},
            strong,
            timeout,
        )

    async def find_account(
        self,
        *,
        id: AccountId,
        strong: bool = False,
        timeout: float | None = None,
    ) -> FindAccountItem | None:
        """`find_account(id) -> Account? only id, owner, balance`

        GetItem of Main: `PK = "ACCOUNT#{id}" AND SK = "ACCOUNT"`; 1 request,
        about 1.5 read units.
        """
        return await self._one(
            "find_account",
            {"id": id},
            {"Account": FindAccountItem},
            strong,
            timeout,
        )

    def accounts(
        self,
        *,
        id: Sequence[AccountId],
        strong: bool = False,
    ) -> typed.AsyncQuery[Account]:
        """`accounts(id) -> Account[]`

        BatchGetItem of Main: `PK = "ACCOUNT#{id}" AND SK = "ACCOUNT"`; requests:
        1 per 100 ids.
        """
        return typed.AsyncQuery(
            self,
            "accounts",
            {"id": id},
            {"Account": Account},
            strong=strong,
        )

    def every_account(self, *, strong: bool = False) -> typed.AsyncQuery[Account]:
        """`every_account() -> Account[] page 100`

        Scan of Main: `every item`, 100 items a page; requests: 1 per MB of the
        table.
        """
        return typed.AsyncQuery(
            self,
            "every_account",
            {},
            {"Account": Account},
            strong=strong,
        )

    @overload
    def places(
        self,
        *,
        country: str | None = None,
        backward: bool = False,
    ) -> typed.AsyncQuery[Account]: ...

    @overload
    def places(
        self,
        *,
        country: str,
        city: str | None = None,
        backward: bool = False,
    ) -> typed.AsyncQuery[Account]: ...

    @overload
    def places(
        self,
        *,
        country: str,
        city: str,
        street: str | None = None,
        backward: bool = False,
    ) -> typed.AsyncQuery[Account]: ...

    def places(
        self,
        *,
        country: str | None = None,
        city: str | None = None,
        street: str | None = None,
        backward: bool = False,
    ) -> typed.AsyncQuery[Account]:
        """`places(country?, city?, street?) -> Account[] page 50`

        Query of Main.GSI1: `GSI1PK = "PLACES" AND begins_with(GSI1SK,
        "{country}#{city}#{street}#")`, 50 items a page; 1 request a page, about
        59.5 read units.
        Without street: Query of Main.GSI1: `GSI1PK = "PLACES" AND
        begins_with(GSI1SK, "{country}#{city}#")`, 50 items a page; 1 request a
        page, about 59.5 read units.
        Without city, street: Query of Main.GSI1: `GSI1PK = "PLACES" AND
        begins_with(GSI1SK, "{country}#")`, 50 items a page; 1 request a page,
        about 59.5 read units.
        Without country, city, street: Query of Main.GSI1: `GSI1PK = "PLACES"`, 50
        items a page; 1 request a page, about 59.5 read units.
        """
        return typed.AsyncQuery(
            self,
            "places",
            {"country": country, "city": city, "street": street},
            {"Account": Account},
            backward=backward,
        )

    async def ticket(
        self,
        *,
        id: AccountId,
        ticket_id: TicketId,
        strong: bool = False,
        timeout: float | None = None,
    ) -> Ticket | None:
        """`ticket(id, ticketId) -> Ticket?`

        GetItem of Main: `PK = "ACCOUNT#{id}" AND SK = "TICKET#{ticketId}"`; 1
        request, about 0.5 read units.
        """
        return await self._one(
            "ticket",
            {"id": id, "ticketId": ticket_id},
            {"Ticket": Ticket},
            strong,
            timeout,
        )

    def whole(
        self,
        *,
        id: AccountId,
        backward: bool = False,
        strong: bool = False,
    ) -> typed.AsyncCollection[WholeItem, WholeAnswer]:
        """`whole(id) -> Account + Ticket[]`

        Query of Main: `PK = "ACCOUNT#{id}"`; 1 request a page.
        """
        return typed.AsyncCollection(
            self,
            "whole",
            {"id": id},
            {"Account": Account, "Ticket": Ticket},
            WholeAnswer,
            backward=backward,
            strong=strong,
        )

    def since(
        self,
        *,
        id: AccountId,
        since: _datetime.datetime,
        backward: bool = False,
    ) -> typed.AsyncQuery[Ticket]:
        """`since(id, since) -> Ticket[] newest page 20`

        Query of Main.GSI1: `GSI1PK = "TICKETS#{id}" AND GSI1SK >= "{since}"`,
        descending, 20 items a page; 1 request a page, about 2.5 read units.

        - `since`: `openedAt` is at least this.
        """
        return typed.AsyncQuery(
            self,
            "since",
            {"id": id, "since": since},
            {"Ticket": Ticket},
            backward=backward,
        )

    def before(
        self,
        *,
        id: AccountId,
        until: _datetime.datetime,
        backward: bool = False,
    ) -> typed.AsyncQuery[Ticket]:
        """`before(id, until) -> Ticket[] oldest page 20`

        Query of Main.GSI1: `GSI1PK = "TICKETS#{id}" AND GSI1SK <= "{<until}"`, 20
        items a page; 1 request a page, about 2.5 read units.

        - `until`: `openedAt` is below this.
        """
        return typed.AsyncQuery(
            self,
            "before",
            {"id": id, "until": until},
            {"Ticket": Ticket},
            backward=backward,
        )

    def opened(
        self,
        *,
        id: AccountId,
        day: str,
        backward: bool = False,
    ) -> typed.AsyncQuery[Ticket]:
        """`opened(id, day) -> Ticket[]`

        Query of Main.GSI1: `GSI1PK = "TICKETS#{id}" AND begins_with(GSI1SK,
        "{day}")`; 1 request a page.

        - `day`: `openedAt` lies in this day.
        """
        return typed.AsyncQuery(
            self,
            "opened",
            {"id": id, "day": day},
            {"Ticket": Ticket},
            backward=backward,
        )

    def due(
        self,
        *,
        now: _datetime.datetime | None = None,
        backward: bool = False,
    ) -> typed.AsyncQuery[DueItem]:
        """`due(now) -> Ticket[] page 20`

        Query of Main.Open: `OPENPK = "OPEN" AND OPENSK <= "{now}…"`, 20 items a
        page; 1 request a page, about 2.5 read units.

        - `now`: `dueAt` is at most this. Default: the present moment.
        """
        return typed.AsyncQuery(
            self,
            "due",
            {"now": now},
            {"Ticket": DueItem},
            backward=backward,
        )

    def severe(
        self,
        *,
        id: AccountId,
        least: int,
        backward: bool = False,
        strong: bool = False,
    ) -> typed.AsyncQuery[SevereItem]:
        """`severe(id, least) -> Ticket[] page 20`

        Query of Main: `PK = "ACCOUNT#{id}" AND begins_with(SK, "TICKET#")`, 20
        items a page, filtered by `severity >= least`; 1 request a page, about 2.5
        read units.
        """
        return typed.AsyncQuery(
            self,
            "severe",
            {"id": id, "least": least},
            {"Ticket": SevereItem},
            backward=backward,
            strong=strong,
        )

    def briefs(
        self,
        *,
        status: TicketStatus,
        backward: bool = False,
        strong: bool = False,
    ) -> typed.AsyncQuery[BriefsItem]:
        """`briefs(status) -> Ticket.brief[] newest openedAt page 20`

        Query of Main: `PK = "STATUS#{status}"`, descending, 20 items a page; 1
        request a page, about 2.5 read units.
        """
        return typed.AsyncQuery(
            self,
            "briefs",
            {"status": status},
            {"Ticket.brief": BriefsItem},
            backward=backward,
            strong=strong,
        )

    def waiting(
        self,
        *,
        backward: bool = False,
        strong: bool = False,
    ) -> typed.AsyncQuery[WaitingItem]:
        """`waiting() -> Ticket.brief[] where status = waiting`

        Query of Main: `PK = "STATUS#waiting"`; 1 request a page.
        """
        return typed.AsyncQuery(
            self,
            "waiting",
            {},
            {"Ticket.brief": WaitingItem},
            backward=backward,
            strong=strong,
        )

    async def pair(
        self,
        *,
        from_: AccountId,
        to: AccountId,
        timeout: float | None = None,
    ) -> PairAnswer:
        """`pair(from, to) -> (Account as payer where id = from, Account? as payee
        where id = to)`

        TransactGetItems of Main: `payer: PK = "ACCOUNT#{from}" AND SK =
        "ACCOUNT"; payee: PK = "ACCOUNT#{to}" AND SK = "ACCOUNT"`; 1 request,
        about 12 read units, strongly consistent.
        """
        return await self._together(
            "pair",
            {"from": from_, "to": to},
            {"payer": Account, "payee": Account},
            PairAnswer,
            timeout,
        )

    async def transfer(
        self,
        *,
        amount: int,
        from_id: AccountId,
        from_updated_at: _datetime.datetime | None = None,
        to_id: AccountId,
        to_updated_at: _datetime.datetime | None = None,
        timeout: float | None = None,
    ) -> typed.Written[TransferMade]:
        """The write `transfer`:

        - update Account as from (balance = balance - amount) if balance >= amount
        - update Account as to (balance = balance + amount)
        Requests: TransactWriteItems.
        """
        return await self._write(
            self.part.transfer(
                amount=amount,
                from_id=from_id,
                from_updated_at=from_updated_at,
                to_id=to_id,
                to_updated_at=to_updated_at,
            ),
            timeout,
        )

    async def edit(
        self,
        *,
        owner: str | None = None,
        plan: AccountPlan | None = None,
        id: AccountId,
        updated_at: _datetime.datetime | None = None,
        timeout: float | None = None,
    ) -> typed.Written[EditMade]:
        """The write `edit`:

        - update Account (owner = owner, plan = plan)
        Requests: UpdateItem.
        """
        return await self._write(
            self.part.edit(owner=owner, plan=plan, id=id, updated_at=updated_at),
            timeout,
        )

    async def open_ticket(
        self,
        *,
        id: AccountId,
        ticket_id: TicketId | None = None,
        opened_at: _datetime.datetime,
        due_at: _datetime.datetime | None = None,
        severity: int | None = None,
        status: TicketStatus | None = None,
        history: Sequence[Entry] | None = None,
        assignee: str | None = None,
        timeout: float | None = None,
    ) -> typed.Written[OpenTicketMade]:
        """The write `open_ticket`:

        - create Ticket
        Requests: TransactWriteItems.
        """
        return await self._write(
            self.part.open_ticket(
                id=id,
                ticket_id=ticket_id,
                opened_at=opened_at,
                due_at=due_at,
                severity=severity,
                status=status,
                history=history,
                assignee=assignee,
            ),
            timeout,
        )

    async def log(
        self,
        *,
        entry: Entry,
        id: AccountId,
        ticket_id: TicketId,
        timeout: float | None = None,
    ) -> typed.Written[typed.NothingMade]:
        """The write `log`:

        - update Ticket (history = history + entry)
        Requests: UpdateItem.
        """
        return await self._write(
            self.part.log(entry=entry, id=id, ticket_id=ticket_id),
            timeout,
        )

    @overload
    def event(
        self,
        record: Mapping[str, Any],
        *,
        on_unknown: typed.OnUnknown | None = None,
        copies: Literal[False] = False,
    ) -> AnswersEvent | None: ...

    @overload
    def event(
        self,
        record: Mapping[str, Any],
        *,
        on_unknown: typed.OnUnknown | None = None,
        copies: bool,
    ) -> AnswersEventWithCopies | None: ...

    def event(
        self,
        record: Mapping[str, Any],
        *,
        on_unknown: typed.OnUnknown | None = None,
        copies: bool = False,
    ) -> AnswersEventWithCopies | None:
        """The change that a stream's record reports, of a reader or of Lambda; None
        for an item that follows from an entity. `on_unknown` says what becomes of
        an item that the model does not know, instead of the client's. With
        `copies`, those of copies are changes, too.
        """
        return self._change(record, _EVENTS, on_unknown, copies)


_MADE: typed.MadeTable = {
    "create Account": {
        "updatedAt": ("Account", "updatedAt", "argument", None),
    },
    "update Account": {
        "updatedAt": ("Account", "updatedAt", "argument", None),
    },
    "create Ticket": {
        "ticketId": ("Ticket", "ticketId", "argument", None),
    },
    "transfer": {
        "from.updatedAt": ("Account", "from.updatedAt", "argument", None),
        "to.updatedAt": ("Account", "to.updatedAt", "argument", None),
    },
    "edit": {
        "updatedAt": ("Account", "updatedAt", "argument", None),
    },
    "open_ticket": {
        "ticketId": ("Ticket", "ticketId", "argument", None),
    },
}
_SHAPES = typed.Shapes(
    {
        "dueAt": "due_at",
        "from": "from_",
        "from.id": "from_id",
        "from.updatedAt": "from_updated_at",
        "openedAt": "opened_at",
        "ticketId": "ticket_id",
        "to.id": "to_id",
        "to.updatedAt": "to_updated_at",
        "updatedAt": "updated_at",
    },
    {"Address": Address, "Entry": Entry},
    _MADE,
)
_EVENTS: Mapping[str, tuple[type[Any], type[AnswersEventWithCopies]]] = {
    "Account": (Account, AccountChange),
    "Ticket": (Ticket, TicketChange),
    "Ticket.brief": (TicketBrief, TicketBriefChange),
}

_PLAN = r"""
{
"entities": [
  {"aggregates":[{"attribute":"tickets","changes":"tickets:changes","entity":"Ticket","items":"tickets","kind":"count","link":[{"other":"id","own":"id"}]}],"alone":true,"attributes":[{"name":"id","type":"string"},{"name":"owner","type":"string"},{"default":{"value":{"N":"0"}},"name":"balance","type":"int"},{"name":"country","type":"string"},{"name":"city","type":"string"},{"name":"street","type":"string"},{"default":{"value":{"S":"free"}},"name":"plan","type":{"words":["free","paid"]}},{"name":"tags","optional":true,"type":{"set":"string"}},{"name":"prices","optional":true,"type":{"map":"number"}},{"name":"logo","optional":true,"type":"binary"},{"name":"home","optional":true,"type":{"record":"Address"}},{"name":"grid","optional":true,"type":{"list":{"list":"int"}}},{"name":"visits","optional":true,"type":{"map":{"list":{"record":"Address"}}}},{"default":"always","name":"updatedAt","type":"time.ms"},{"default":{"value":{"N":"0"}},"kept":true,"name":"tickets","type":"int"},{"default":{"value":{"N":"1"}},"kept":true,"name":"v","type":"int"}],"followed":["city","country","id","street"],"indexes":[{"index":"GSI1","key":[{"attribute":"GSI1PK","matches":"PLACES","parts":["PLACES"]},{"attribute":"GSI1SK","matches":"[^\u0000#]+#[^\u0000#]+#[^\u0000#]+#[^\u0000]+","parts":[{"field":"country","not":"#","type":"string"},"#",{"field":"city","not":"#","type":"string"},"#",{"field":"street","not":"#","type":"string"},"#",{"field":"id","type":"string"}]}]}],"key":[{"attribute":"PK","matches":"ACCOUNT#[^\u0000]+","parts":["ACCOUNT#",{"field":"id","type":"string"}]},{"attribute":"SK","matches":"ACCOUNT","parts":["ACCOUNT"]}],"name":"Account","table":"Main","version":"v"},
  {"attributes":[{"name":"id","refers":{"attribute":"id","entity":"Account"},"type":"string"},{"default":"new","name":"ticketId","type":"ulid"},{"name":"openedAt","type":"time.us"},{"name":"dueAt","optional":true,"type":"time.ms"},{"name":"severity","optional":true,"type":"int"},{"default":{"value":{"S":"open"}},"name":"status","type":{"words":["open","waiting","closed"]}},{"default":{"value":{"L":[]}},"name":"history","type":{"list":{"record":"Entry"}}},{"name":"assignee","optional":true,"type":"string"}],"copies":[{"attributes":["id","ticketId","openedAt","status","assignee"],"key":[{"attribute":"PK","matches":"STATUS#(?:open|waiting|closed)","parts":["STATUS#",{"field":"status","type":{"words":["open","waiting","closed"]}}]},{"attribute":"SK","matches":"[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9]{2}:[0-9]{2}:[0-9]{2}\\.[0-9]{6}Z#[^\u0000#]+#[0-9A-HJ-KM-NP-TV-Z]{26}","parts":[{"field":"openedAt","type":"time.us"},"#",{"field":"id","not":"#","type":"string"},"#",{"field":"ticketId","type":"ulid"}]}],"name":"brief","when":[{"attribute":"assignee","is":"exists","text":"exists assignee"}]}],"followed":["assignee","dueAt","id","openedAt","status","ticketId"],"indexes":[{"index":"GSI1","key":[{"attribute":"GSI1PK","matches":"TICKETS#[^\u0000]+","parts":["TICKETS#",{"field":"id","type":"string"}]},{"attribute":"GSI1SK","matches":"[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9]{2}:[0-9]{2}:[0-9]{2}\\.[0-9]{6}Z","parts":[{"field":"openedAt","type":"time.us"}]}]},{"index":"Open","key":[{"attribute":"OPENPK","matches":"OPEN","parts":["OPEN"]},{"attribute":"OPENSK","matches":"[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9]{2}:[0-9]{2}:[0-9]{2}\\.[0-9]{3}Z#[0-9A-HJ-KM-NP-TV-Z]{26}","parts":[{"field":"dueAt","type":"time.ms"},"#",{"field":"ticketId","type":"ulid"}]}],"sparse":{"attribute":"dueAt"}}],"key":[{"attribute":"PK","matches":"ACCOUNT#[^\u0000]+","parts":["ACCOUNT#",{"field":"id","type":"string"}]},{"attribute":"SK","matches":"TICKET#[0-9A-HJ-KM-NP-TV-Z]{26}","parts":["TICKET#",{"field":"ticketId","type":"ulid"}]}],"name":"Ticket","table":"Main"}
],
"keyfoldPlan": 1,
"model": {"hash":"067f20403a279264c52197bbb6e0d7b6","name":"answers","version":3},
"patterns": [
  {"name":"account","parameters":[{"attribute":"id","limit":"equal","name":"id","type":"string"}],"plan":{"partition":[{"attribute":"PK","parts":["ACCOUNT#",{"field":"id","type":"string"}]}],"request":"GetItem","sort":{"at":["ACCOUNT"],"attribute":"SK","is":"equal"},"sortAttributes":["SK"],"table":"Main"},"returns":[{"entity":"Account","name":"Account"}]},
  {"name":"find_account","only":["id","owner","balance"],"parameters":[{"attribute":"id","limit":"equal","name":"id","type":"string"}],"plan":{"only":["id","owner","balance"],"partition":[{"attribute":"PK","parts":["ACCOUNT#",{"field":"id","type":"string"}]}],"request":"GetItem","sort":{"at":["ACCOUNT"],"attribute":"SK","is":"equal"},"sortAttributes":["SK"],"table":"Main"},"returns":[{"entity":"Account","name":"Account","optional":true}]},
  {"name":"accounts","parameters":[{"attribute":"id","limit":"among","name":"id","type":{"list":"string"}}],"plan":{"partition":[{"attribute":"PK","parts":["ACCOUNT#",{"field":"id","type":"string"}]}],"request":"BatchGetItem","sort":{"at":["ACCOUNT"],"attribute":"SK","is":"equal"},"sortAttributes":["SK"],"table":"Main"},"returns":[{"entity":"Account","many":true,"name":"Account"}]},
  {"name":"every_account","plan":{"page":100,"request":"Scan","sortAttributes":["SK"],"table":"Main"},"returns":[{"entity":"Account","many":true,"name":"Account"}]},
  {"name":"places","parameters":[{"attribute":"country","limit":"equal","name":"country","optional":true,"type":"string"},{"attribute":"city","limit":"equal","name":"city","optional":true,"type":"string"},{"attribute":"street","limit":"equal","name":"street","optional":true,"type":"string"}],"plan":{"index":"GSI1","page":50,"partition":[{"attribute":"GSI1PK","parts":["PLACES"]}],"request":"Query","sort":{"at":[{"field":"country","not":"#","type":"string"},"#",{"field":"city","not":"#","type":"string"},"#",{"field":"street","not":"#","type":"string"},"#"],"attribute":"GSI1SK","is":"beginsWith"},"sortAttributes":["GSI1SK"],"table":"Main"},"returns":[{"entity":"Account","many":true,"name":"Account"}],"variants":[{"plan":{"index":"GSI1","page":50,"partition":[{"attribute":"GSI1PK","parts":["PLACES"]}],"request":"Query","sort":{"at":[{"field":"country","not":"#","type":"string"},"#",{"field":"city","not":"#","type":"string"},"#"],"attribute":"GSI1SK","is":"beginsWith"},"sortAttributes":["GSI1SK"],"table":"Main"},"without":["street"]},{"plan":{"index":"GSI1","page":50,"partition":[{"attribute":"GSI1PK","parts":["PLACES"]}],"request":"Query","sort":{"at":[{"field":"country","not":"#","type":"string"},"#"],"attribute":"GSI1SK","is":"beginsWith"},"sortAttributes":["GSI1SK"],"table":"Main"},"without":["city","street"]},{"plan":{"index":"GSI1","page":50,"partition":[{"attribute":"GSI1PK","parts":["PLACES"]}],"request":"Query","sortAttributes":["GSI1SK"],"table":"Main"},"without":["country","city","street"]}]},
  {"name":"ticket","parameters":[{"attribute":"id","limit":"equal","name":"id","type":"string"},{"attribute":"ticketId","limit":"equal","name":"ticketId","type":"ulid"}],"plan":{"partition":[{"attribute":"PK","parts":["ACCOUNT#",{"field":"id","type":"string"}]}],"request":"GetItem","sort":{"at":["TICKET#",{"field":"ticketId","type":"ulid"}],"attribute":"SK","is":"equal"},"sortAttributes":["SK"],"table":"Main"},"returns":[{"entity":"Ticket","name":"Ticket","optional":true}]},
  {"name":"whole","parameters":[{"attribute":"id","limit":"equal","name":"id","type":"string"}],"plan":{"partition":[{"attribute":"PK","parts":["ACCOUNT#",{"field":"id","type":"string"}]}],"request":"Query","sortAttributes":["SK"],"table":"Main"},"returns":[{"entity":"Account","name":"Account"},{"entity":"Ticket","many":true,"name":"Ticket"}]},
  {"name":"since","parameters":[{"attribute":"id","limit":"equal","name":"id","type":"string"},{"attribute":"openedAt","limit":"atLeast","name":"since","type":"time.us"}],"plan":{"descending":true,"index":"GSI1","orderedBy":"openedAt","page":20,"partition":[{"attribute":"GSI1PK","parts":["TICKETS#",{"field":"id","type":"string"}]}],"request":"Query","sort":{"at":[{"field":"since","type":"time.us"}],"attribute":"GSI1SK","is":"atLeast"},"sortAttributes":["GSI1SK"],"table":"Main"},"returns":[{"entity":"Ticket","many":true,"name":"Ticket"}]},
  {"name":"before","parameters":[{"attribute":"id","limit":"equal","name":"id","type":"string"},{"attribute":"openedAt","limit":"below","name":"until","type":"time.us"}],"plan":{"index":"GSI1","orderedBy":"openedAt","page":20,"partition":[{"attribute":"GSI1PK","parts":["TICKETS#",{"field":"id","type":"string"}]}],"request":"Query","sort":{"at":[{"field":"until","type":"time.us"}],"attribute":"GSI1SK","is":"atMost"},"sortAttributes":["GSI1SK"],"table":"Main"},"returns":[{"entity":"Ticket","many":true,"name":"Ticket"}]},
  {"name":"opened","parameters":[{"attribute":"id","limit":"equal","name":"id","type":"string"},{"attribute":"openedAt","limit":{"in":"day"},"name":"day","type":"day"}],"plan":{"index":"GSI1","partition":[{"attribute":"GSI1PK","parts":["TICKETS#",{"field":"id","type":"string"}]}],"request":"Query","sort":{"at":[{"field":"day","type":"day"}],"attribute":"GSI1SK","is":"beginsWith"},"sortAttributes":["GSI1SK"],"table":"Main"},"returns":[{"entity":"Ticket","many":true,"name":"Ticket"}]},
  {"name":"due","parameters":[{"attribute":"dueAt","limit":"atMost","name":"now","now":true,"type":"time.ms"}],"plan":{"index":"Open","page":20,"partition":[{"attribute":"OPENPK","parts":["OPEN"]}],"request":"Query","sort":{"at":[{"field":"now","type":"time.ms"},"􏿿"],"attribute":"OPENSK","is":"atMost"},"sortAttributes":["OPENSK"],"table":"Main"},"returns":[{"entity":"Ticket","many":true,"name":"Ticket","present":["dueAt"]}]},
  {"name":"severe","parameters":[{"attribute":"id","limit":"equal","name":"id","type":"string"},{"limit":"free","name":"least","type":"int"}],"plan":{"filters":[{"attribute":"severity","is":">=","operands":[{"parameter":"least"}],"text":"severity >= least"}],"page":20,"partition":[{"attribute":"PK","parts":["ACCOUNT#",{"field":"id","type":"string"}]}],"request":"Query","sort":{"at":["TICKET#"],"attribute":"SK","is":"beginsWith"},"sortAttributes":["SK"],"table":"Main"},"returns":[{"entity":"Ticket","many":true,"name":"Ticket","present":["severity"]}]},
  {"name":"briefs","parameters":[{"attribute":"status","limit":"equal","name":"status","type":{"words":["open","waiting","closed"]}}],"plan":{"descending":true,"orderedBy":"openedAt","page":20,"partition":[{"attribute":"PK","parts":["STATUS#",{"field":"status","type":{"words":["open","waiting","closed"]}}]}],"request":"Query","sortAttributes":["SK"],"table":"Main"},"returns":[{"copy":"brief","entity":"Ticket","many":true,"name":"Ticket.brief","present":["assignee"]}]},
  {"fixed":[{"name":"status","value":{"S":"waiting"}}],"name":"waiting","plan":{"partition":[{"attribute":"PK","parts":["STATUS#","waiting"]}],"request":"Query","sortAttributes":["SK"],"table":"Main"},"returns":[{"copy":"brief","entity":"Ticket","many":true,"name":"Ticket.brief","present":["assignee"]}]},
  {"name":"pair","parameters":[{"attribute":"from","limit":"equal","name":"from","type":"string"},{"attribute":"to","limit":"equal","name":"to","type":"string"}],"plan":{"gets":[{"name":"payer","plan":{"partition":[{"attribute":"PK","parts":["ACCOUNT#",{"field":"from","type":"string"}]}],"request":"GetItem","sort":{"at":["ACCOUNT"],"attribute":"SK","is":"equal"},"sortAttributes":["SK"],"table":"Main"}},{"name":"payee","plan":{"partition":[{"attribute":"PK","parts":["ACCOUNT#",{"field":"to","type":"string"}]}],"request":"GetItem","sort":{"at":["ACCOUNT"],"attribute":"SK","is":"equal"},"sortAttributes":["SK"],"table":"Main"}}],"request":"TransactGetItems","strong":true,"table":"Main"},"returns":[{"alias":true,"bound":[{"attribute":"id","parameter":"from"}],"entity":"Account","name":"payer"},{"alias":true,"bound":[{"attribute":"id","parameter":"to"}],"entity":"Account","name":"payee","optional":true}],"together":"snapshot"}
],
"records": [
  {"fields":[{"name":"street","type":"string"},{"name":"zip","optional":true,"type":"string"},{"name":"account","type":"string"}],"name":"Address"},
  {"fields":[{"name":"at","type":"time.ms"},{"name":"by","type":"string"},{"name":"state","type":{"words":["open","waiting","closed"]}}],"name":"Entry"}
],
"tables": [
  {"create":{"AttributeDefinitions":[{"AttributeName":"GSI1PK","AttributeType":"S"},{"AttributeName":"GSI1SK","AttributeType":"S"},{"AttributeName":"OPENPK","AttributeType":"S"},{"AttributeName":"OPENSK","AttributeType":"S"},{"AttributeName":"PK","AttributeType":"S"},{"AttributeName":"SK","AttributeType":"S"}],"BillingMode":"PAY_PER_REQUEST","GlobalSecondaryIndexes":[{"IndexName":"GSI1","KeySchema":[{"AttributeName":"GSI1PK","KeyType":"HASH"},{"AttributeName":"GSI1SK","KeyType":"RANGE"}],"Projection":{"ProjectionType":"ALL"}},{"IndexName":"Open","KeySchema":[{"AttributeName":"OPENPK","KeyType":"HASH"},{"AttributeName":"OPENSK","KeyType":"RANGE"}],"Projection":{"ProjectionType":"ALL"}}],"KeySchema":[{"AttributeName":"PK","KeyType":"HASH"},{"AttributeName":"SK","KeyType":"RANGE"}]},"indexes":[{"name":"GSI1","partition":[{"name":"GSI1PK","type":"S"}],"projection":"all","sort":[{"name":"GSI1SK","type":"S"}]},{"name":"Open","partition":[{"name":"OPENPK","type":"S"}],"projection":"all","sort":[{"name":"OPENSK","type":"S"}]}],"name":"Main","partition":{"name":"PK","type":"S"},"sort":{"name":"SK","type":"S"},"typeAttribute":"entity"}
],
"writes": [
  {"actions":[{"as":"from","entity":"Account","set":[{"attribute":"balance","joint":"minus","left":{"attribute":"balance"},"right":{"parameter":"amount"}},{"attribute":"updatedAt","left":{"parameter":"from.updatedAt"}}],"taken":[{"attribute":"id","from":{"parameter":"from.id"}},{"attribute":"updatedAt","from":{"parameter":"from.updatedAt"}}],"verb":"update","when":[{"attribute":"balance","is":">=","operands":[{"parameter":"amount"}],"text":"balance >= amount"}]},{"as":"to","entity":"Account","set":[{"attribute":"balance","joint":"plus","left":{"attribute":"balance"},"right":{"parameter":"amount"}},{"attribute":"updatedAt","left":{"parameter":"to.updatedAt"}}],"taken":[{"attribute":"id","from":{"parameter":"to.id"}},{"attribute":"updatedAt","from":{"parameter":"to.updatedAt"}}],"verb":"update"}],"name":"transfer","parameters":[{"name":"amount","type":"int"},{"name":"from.id","type":"string"},{"name":"from.updatedAt","now":true,"optional":true,"type":"time.ms"},{"name":"to.id","type":"string"},{"name":"to.updatedAt","now":true,"optional":true,"type":"time.ms"}]},
  {"actions":[{"entity":"Account","set":[{"attribute":"owner","left":{"parameter":"owner"}},{"attribute":"plan","left":{"parameter":"plan"}},{"attribute":"updatedAt","left":{"parameter":"updatedAt"}}],"verb":"update"}],"name":"edit","parameters":[{"name":"owner","optional":true,"type":"string"},{"name":"plan","optional":true,"type":{"words":["free","paid"]}},{"name":"id","type":"string"},{"name":"updatedAt","now":true,"optional":true,"type":"time.ms"}]},
  {"actions":[{"entity":"Ticket","verb":"create"}],"name":"open_ticket","parameters":[{"name":"id","type":"string"},{"name":"ticketId","optional":true,"type":"ulid"},{"name":"openedAt","type":"time.us"},{"name":"dueAt","optional":true,"type":"time.ms"},{"name":"severity","optional":true,"type":"int"},{"name":"status","optional":true,"type":{"words":["open","waiting","closed"]}},{"name":"history","optional":true,"type":{"list":{"record":"Entry"}}},{"name":"assignee","optional":true,"type":"string"}]},
  {"actions":[{"entity":"Ticket","set":[{"attribute":"history","joint":"plus","left":{"attribute":"history"},"right":{"parameter":"entry"}}],"verb":"update"}],"name":"log","parameters":[{"name":"entry","type":{"record":"Entry"}},{"name":"id","type":"string"},{"name":"ticketId","type":"ulid"}]}
]
}
"""

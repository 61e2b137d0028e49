"""A client of the model made, version 1.

Made by keyfold (test). The plan document's hash:
3ceebac73974e439e9d2bc1a23826ab5.
Changes here are lost: change the model, and run `keyfold generate`.
"""

from __future__ import annotations

import datetime as _datetime
from collections.abc import Mapping, Sequence
from typing import Any, Literal, NewType, TypeAlias

from keyfold import Client, Options, typed
from keyfold.aio import AsyncClient
from keyfold.typed.strict import Changes, ConfigDict, dataclass

_GIVEN = ConfigDict(strict=True, extra="forbid")

CartId = NewType("CartId", str)
"""A value of `Cart.id`."""
LineId = NewType("LineId", str)
"""A value of `Line.lineId`."""
TaskId = NewType("TaskId", str)
"""A value of `Task.taskId`."""
TrackId = NewType("TrackId", str)
"""A value of `Track.trackId`."""

TaskState: TypeAlias = Literal["open", "closed"]
"""The words of `Task.state`."""


@typed.checked("Wanted")
@dataclass(frozen=True, slots=True, kw_only=True, config=_GIVEN)
class Wanted:
    """The record `Wanted`."""

    amount: int
    line_id: str | None = None


@typed.checked("Which")
@dataclass(frozen=True, slots=True, kw_only=True, config=_GIVEN)
class Which:
    """The record `Which`."""

    task_id: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Cart:
    """The entity `Cart` as it is stored, under `"CART#{id}" "CART"`."""

    id: CartId
    at: _datetime.datetime
    note: str | None = None


@typed.checked("Cart")
@dataclass(frozen=True, slots=True, kw_only=True, config=_GIVEN)
class NewCart:
    """The attributes of a `Cart` that is created or put."""

    id: CartId | None = None
    """Default: `new`."""
    at: _datetime.datetime | None = None
    """Default: `now`."""
    note: str | None = None


@typed.checked("Cart")
@dataclass(frozen=True, slots=True, kw_only=True, config=_GIVEN)
class CartKey:
    """The key of a `Cart`."""

    id: CartId


@typed.checked("Cart")
@dataclass(frozen=True, slots=True, kw_only=True, config=_GIVEN)
class CartPatch(Changes):
    """Changes of a `Cart`: what is not named stays as it is, and `None` removes an
    optional attribute.
    """

    at: _datetime.datetime | typed.Unset = typed.UNSET
    note: str | None | typed.Unset = typed.UNSET


@dataclass(frozen=True, slots=True, kw_only=True)
class CartMade:
    """What a `Cart` gets that is created or put: as given, or made."""

    id: CartId
    at: _datetime.datetime


@dataclass(frozen=True, slots=True, kw_only=True)
class CartChange:
    """A change of a `Cart` that a stream reports."""

    old: Cart | None = None
    new: Cart | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Line:
    """The entity `Line` as it is stored, under `"CART#{cartId}" "LINE#{lineId}"`."""

    cart_id: CartId
    line_id: LineId
    at: _datetime.datetime
    amount: int


@typed.checked("Line")
@dataclass(frozen=True, slots=True, kw_only=True, config=_GIVEN)
class NewLine:
    """The attributes of a `Line` that is created or put."""

    cart_id: CartId
    line_id: LineId | None = None
    """Default: `new`."""
    at: _datetime.datetime | None = None
    """Default: `now`."""
    amount: int


@typed.checked("Line")
@dataclass(frozen=True, slots=True, kw_only=True, config=_GIVEN)
class LineKey:
    """The key of a `Line`."""

    cart_id: CartId
    line_id: LineId


@typed.checked("Line")
@dataclass(frozen=True, slots=True, kw_only=True, config=_GIVEN)
class LinePatch(Changes):
    """Changes of a `Line`: what is not named stays as it is."""

    at: _datetime.datetime | typed.Unset = typed.UNSET
    amount: int | typed.Unset = typed.UNSET


@dataclass(frozen=True, slots=True, kw_only=True)
class LineMade:
    """What a `Line` gets that is created or put: as given, or made."""

    line_id: LineId
    at: _datetime.datetime


@dataclass(frozen=True, slots=True, kw_only=True)
class LineChange:
    """A change of a `Line` that a stream reports."""

    old: Line | None = None
    new: Line | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Visit:
    """The entity `Visit` as it is stored, under `"VISITS" "{day}"`."""

    day: _datetime.date
    count: int
    first_at: _datetime.datetime


@typed.checked("Visit")
@dataclass(frozen=True, slots=True, kw_only=True, config=_GIVEN)
class NewVisit:
    """The attributes of a `Visit` that is created or put."""

    day: _datetime.date
    count: int
    first_at: _datetime.datetime | None = None
    """Default: `now`."""


@typed.checked("Visit")
@dataclass(frozen=True, slots=True, kw_only=True, config=_GIVEN)
class VisitKey:
    """The key of a `Visit`."""

    day: _datetime.date


@typed.checked("Visit")
@dataclass(frozen=True, slots=True, kw_only=True, config=_GIVEN)
class VisitPatch(Changes):
    """Changes of a `Visit`: what is not named stays as it is."""

    count: int | typed.Unset = typed.UNSET
    first_at: _datetime.datetime | typed.Unset = typed.UNSET


@dataclass(frozen=True, slots=True, kw_only=True)
class VisitMade:
    """What a `Visit` gets that is created or put: as given, or made."""

    first_at: _datetime.datetime


@dataclass(frozen=True, slots=True, kw_only=True)
class VisitChange:
    """A change of a `Visit` that a stream reports."""

    old: Visit | None = None
    new: Visit | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Task:
    """The entity `Task` as it is stored, under `"TASK#{taskId}" "TASK"`."""

    task_id: TaskId
    state: TaskState
    closed_at: _datetime.datetime | None = None
    seen_at: _datetime.datetime | None = None
    changed_at: _datetime.datetime


@typed.checked("Task")
@dataclass(frozen=True, slots=True, kw_only=True, config=_GIVEN)
class NewTask:
    """The attributes of a `Task` that is created or put."""

    task_id: TaskId
    state: TaskState | None = None
    """Default: `open`."""
    closed_at: _datetime.datetime | None = None
    seen_at: _datetime.datetime | None = None
    changed_at: _datetime.datetime | None = None
    """Default: `now always`."""


@typed.checked("Task")
@dataclass(frozen=True, slots=True, kw_only=True, config=_GIVEN)
class TaskKey:
    """The key of a `Task`."""

    task_id: TaskId


@typed.checked("Task")
@dataclass(frozen=True, slots=True, kw_only=True, config=_GIVEN)
class TaskPatch(Changes):
    """Changes of a `Task`: what is not named stays as it is, and `None` removes an
    optional attribute.
    """

    state: TaskState | typed.Unset = typed.UNSET
    closed_at: _datetime.datetime | None | typed.Unset = typed.UNSET
    seen_at: _datetime.datetime | None | typed.Unset = typed.UNSET
    changed_at: _datetime.datetime | typed.Unset = typed.UNSET


@dataclass(frozen=True, slots=True, kw_only=True)
class TaskMade:
    """What a `Task` gets that is created or put: as given, or made."""

    changed_at: _datetime.datetime


@dataclass(frozen=True, slots=True, kw_only=True)
class TaskTouched:
    """What an update of a `Task` sets."""

    changed_at: _datetime.datetime


@dataclass(frozen=True, slots=True, kw_only=True)
class TaskChange:
    """A change of a `Task` that a stream reports."""

    old: Task | None = None
    new: Task | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Track:
    """The entity `Track` as it is stored, under `"TRACK#{trackId}" "TRACK##‹part›"`."""

    track_id: TrackId
    title: str
    points: list[int]


@typed.checked("Track")
@dataclass(frozen=True, slots=True, kw_only=True, config=_GIVEN)
class NewTrack:
    """The attributes of a `Track` that is created or put."""

    track_id: TrackId
    title: str
    points: Sequence[int]


@typed.checked("Track")
@dataclass(frozen=True, slots=True, kw_only=True, config=_GIVEN)
class TrackKey:
    """The key of a `Track`."""

    track_id: TrackId


@typed.checked("Track")
@dataclass(frozen=True, slots=True, kw_only=True, config=_GIVEN)
class TrackPatch(Changes):
    """Changes of a `Track`: what is not named stays as it is."""

    title: str | typed.Unset = typed.UNSET
    points: Sequence[int] | typed.Unset = typed.UNSET


@dataclass(frozen=True, slots=True, kw_only=True)
class TrackImage:
    """The entity `Track` as a stream record shows it: `points` only where one item
    holds all of it.
    """

    track_id: TrackId
    title: str
    points: list[int] | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class TrackChange:
    """A change of a `Track` that a stream reports."""

    old: TrackImage | None = None
    new: TrackImage | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class FillMade:
    """What `fill` writes of itself: as given, or made."""

    id: CartId
    cart_at: _datetime.datetime
    line_id: list[LineId]
    line_at: list[_datetime.datetime]


@dataclass(frozen=True, slots=True, kw_only=True)
class BuyMade:
    """What `buy` writes of itself: as given, or made."""

    id: CartId
    cart_at: _datetime.datetime
    line_id: list[LineId]
    line_at: list[_datetime.datetime]


@dataclass(frozen=True, slots=True, kw_only=True)
class PairMade:
    """What `pair` writes of itself: as given, or made."""

    one_id: CartId
    one_at: _datetime.datetime
    two_id: CartId
    two_at: _datetime.datetime


@dataclass(frozen=True, slots=True, kw_only=True)
class AddMade:
    """What `add` writes of itself: as given, or made."""

    line_id: LineId
    at: _datetime.datetime


@dataclass(frozen=True, slots=True, kw_only=True)
class VisitMade_:
    """What `visit` writes of itself: as given, or made."""

    first_at: _datetime.datetime | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class CloseMade:
    """What `close` writes of itself: as given, or made."""

    closed_at: _datetime.datetime
    changed_at: _datetime.datetime


@dataclass(frozen=True, slots=True, kw_only=True)
class CloseBothMade:
    """What `close_both` writes of itself: as given, or made."""

    one_closed_at: _datetime.datetime
    one_changed_at: _datetime.datetime
    two_closed_at: _datetime.datetime
    two_changed_at: _datetime.datetime


@dataclass(frozen=True, slots=True, kw_only=True)
class CloseEachMade:
    """What `close_each` writes of itself: as given, or made."""

    closed_at: list[_datetime.datetime]
    changed_at: list[_datetime.datetime]


@dataclass(frozen=True, slots=True, kw_only=True)
class BornClosedMade:
    """What `born_closed` writes of itself: as given, or made."""

    closed_at: _datetime.datetime
    changed_at: _datetime.datetime


@dataclass(frozen=True, slots=True, kw_only=True)
class SeeMade:
    """What `see` writes of itself: as given, or made."""

    seen_at: _datetime.datetime
    changed_at: _datetime.datetime


MadeEvent: TypeAlias = CartChange | LineChange | VisitChange | TaskChange | TrackChange
"""A change that a stream reports; its class says of what."""


class MadeParts(typed.NamedParts):
    """The named writes as parts of a transaction: nothing is sent before `transact`
    takes them.
    """

    def fill(
        self,
        *,
        lines: Sequence[Wanted],
        id: CartId | None = None,
        at: _datetime.datetime | None = None,
        note: str | None = None,
        cart_id: CartId,
    ) -> typed.NamedPart[FillMade]:
        """The write `fill`."""
        return self._run(
            "fill",
            {"lines": lines, "id": id, "at": at, "note": note, "cartId": cart_id},
            FillMade,
        )

    def buy(
        self,
        *,
        lines: Sequence[Wanted],
        id: CartId | None = None,
        at: _datetime.datetime | None = None,
        note: str | None = None,
    ) -> typed.NamedPart[BuyMade]:
        """The write `buy`."""
        return self._run(
            "buy",
            {"lines": lines, "id": id, "at": at, "note": note},
            BuyMade,
        )

    def pair(
        self,
        *,
        one_id: CartId | None = None,
        one_at: _datetime.datetime | None = None,
        one_note: str | None = None,
        two_id: CartId | None = None,
        two_at: _datetime.datetime | None = None,
        two_note: str | None = None,
    ) -> typed.NamedPart[PairMade]:
        """The write `pair`."""
        return self._run(
            "pair",
            {
                "one.id": one_id,
                "one.at": one_at,
                "one.note": one_note,
                "two.id": two_id,
                "two.at": two_at,
                "two.note": two_note,
            },
            PairMade,
        )

    def add(
        self,
        *,
        cart_id: CartId,
        line_id: LineId | None = None,
        at: _datetime.datetime | None = None,
        amount: int,
    ) -> typed.NamedPart[AddMade]:
        """The write `add`."""
        return self._run(
            "add",
            {"cartId": cart_id, "lineId": line_id, "at": at, "amount": amount},
            AddMade,
        )

    def visit(
        self,
        *,
        day: _datetime.date,
        first_at: _datetime.datetime | None = None,
    ) -> typed.NamedPart[VisitMade_]:
        """The write `visit`."""
        return self._run("visit", {"day": day, "firstAt": first_at}, VisitMade_)

    def close(
        self,
        *,
        task_id: TaskId,
        changed_at: _datetime.datetime | None = None,
        now: _datetime.datetime | None = None,
    ) -> typed.NamedPart[CloseMade]:
        """The write `close`."""
        return self._run(
            "close",
            {"taskId": task_id, "changedAt": changed_at, "now": now},
            CloseMade,
        )

    def close_both(
        self,
        *,
        one_task_id: TaskId,
        one_changed_at: _datetime.datetime | None = None,
        two_task_id: TaskId,
        two_changed_at: _datetime.datetime | None = None,
        now: _datetime.datetime | None = None,
    ) -> typed.NamedPart[CloseBothMade]:
        """The write `close_both`."""
        return self._run(
            "close_both",
            {
                "one.taskId": one_task_id,
                "one.changedAt": one_changed_at,
                "two.taskId": two_task_id,
                "two.changedAt": two_changed_at,
                "now": now,
            },
            CloseBothMade,
        )

    def close_each(
        self,
        *,
        tasks: Sequence[Which],
        changed_at: _datetime.datetime | None = None,
        now: _datetime.datetime | None = None,
    ) -> typed.NamedPart[CloseEachMade]:
        """The write `close_each`."""
        return self._run(
            "close_each",
            {"tasks": tasks, "changedAt": changed_at, "now": now},
            CloseEachMade,
        )

    def born_closed(
        self,
        *,
        task_id: TaskId,
        state: TaskState | None = None,
        seen_at: _datetime.datetime | None = None,
        changed_at: _datetime.datetime | None = None,
        now: _datetime.datetime | None = None,
    ) -> typed.NamedPart[BornClosedMade]:
        """The write `born_closed`."""
        return self._run(
            "born_closed",
            {
                "taskId": task_id,
                "state": state,
                "seenAt": seen_at,
                "changedAt": changed_at,
                "now": now,
            },
            BornClosedMade,
        )

    def see(
        self,
        *,
        task_id: TaskId,
        at: _datetime.datetime,
        state: TaskState | None = None,
        changed_at: _datetime.datetime | None = None,
        now: _datetime.datetime | None = None,
    ) -> typed.NamedPart[SeeMade]:
        """The write `see`."""
        return self._run(
            "see",
            {
                "taskId": task_id,
                "at": at,
                "state": state,
                "changedAt": changed_at,
                "now": now,
            },
            SeeMade,
        )


class MadeFakes(typed.NamedFakes):
    """Entities for tests: random by a seed, and valid for the model. What is not
    given is made; of `_related`, entities by their names, attributes that refer
    to one have its values.
    """

    def cart(
        self,
        _related: Mapping[str, object] | None = None,
        /,
        *,
        id: CartId | None | typed.Unset = typed.UNSET,
        at: _datetime.datetime | None | typed.Unset = typed.UNSET,
        note: str | None | typed.Unset = typed.UNSET,
    ) -> NewCart:
        """A new `Cart`."""
        return self._new("Cart", NewCart, {"id": id, "at": at, "note": note}, _related)

    def line(
        self,
        _related: Mapping[str, object] | None = None,
        /,
        *,
        cart_id: CartId | typed.Unset = typed.UNSET,
        line_id: LineId | None | typed.Unset = typed.UNSET,
        at: _datetime.datetime | None | typed.Unset = typed.UNSET,
        amount: int | typed.Unset = typed.UNSET,
    ) -> NewLine:
        """A new `Line`."""
        return self._new(
            "Line",
            NewLine,
            {"cartId": cart_id, "lineId": line_id, "at": at, "amount": amount},
            _related,
        )

    def visit(
        self,
        _related: Mapping[str, object] | None = None,
        /,
        *,
        day: _datetime.date | typed.Unset = typed.UNSET,
        count: int | typed.Unset = typed.UNSET,
        first_at: _datetime.datetime | None | typed.Unset = typed.UNSET,
    ) -> NewVisit:
        """A new `Visit`."""
        return self._new(
            "Visit",
            NewVisit,
            {"day": day, "count": count, "firstAt": first_at},
            _related,
        )

    def task(
        self,
        _related: Mapping[str, object] | None = None,
        /,
        *,
        task_id: TaskId | typed.Unset = typed.UNSET,
        state: TaskState | None | typed.Unset = typed.UNSET,
        closed_at: _datetime.datetime | None | typed.Unset = typed.UNSET,
        seen_at: _datetime.datetime | None | typed.Unset = typed.UNSET,
        changed_at: _datetime.datetime | None | typed.Unset = typed.UNSET,
    ) -> NewTask:
        """A new `Task`."""
        return self._new(
            "Task",
            NewTask,
            {
                "taskId": task_id,
                "state": state,
                "closedAt": closed_at,
                "seenAt": seen_at,
                "changedAt": changed_at,
            },
            _related,
        )

    def track(
        self,
        _related: Mapping[str, object] | None = None,
        /,
        *,
        track_id: TrackId | typed.Unset = typed.UNSET,
        title: str | typed.Unset = typed.UNSET,
        points: Sequence[int] | typed.Unset = typed.UNSET,
    ) -> NewTrack:
        """A new `Track`."""
        return self._new(
            "Track",
            NewTrack,
            {"trackId": track_id, "title": title, "points": points},
            _related,
        )


class MadeClient(typed.Typed):
    """The patterns, named writes and entities of the model `made`, version 1."""

    def __init__(self, connection: str | Any, options: Options | None = None) -> None:
        """Takes `http://localhost:8000`, `dynamodb://eu-west-1?profile=prod`,
        `keyfold:./data`, or a low-level client of boto3.
        """
        super().__init__(Client(_PLAN, connection, options or Options()), _SHAPES)
        self.Cart = typed.BatchWriter[
            NewCart,
            NewCart,
            CartKey,
            CartPatch,
            Cart,
            CartMade,
            typed.NothingMade,
        ](self, "Cart", Cart, CartMade, typed.NothingMade)
        """Writes a `Cart` with all that follows from it."""
        self.Line = typed.BatchWriter[
            NewLine,
            NewLine,
            LineKey,
            LinePatch,
            Line,
            LineMade,
            typed.NothingMade,
        ](self, "Line", Line, LineMade, typed.NothingMade)
        """Writes a `Line` with all that follows from it."""
        self.Visit = typed.BatchWriter[
            NewVisit,
            NewVisit,
            VisitKey,
            VisitPatch,
            Visit,
            VisitMade,
            typed.NothingMade,
        ](self, "Visit", Visit, VisitMade, typed.NothingMade)
        """Writes a `Visit` with all that follows from it."""
        self.Task = typed.BatchWriter[
            NewTask,
            NewTask,
            TaskKey,
            TaskPatch,
            Task,
            TaskMade,
            TaskTouched,
        ](self, "Task", Task, TaskMade, TaskTouched)
        """Writes a `Task` with all that follows from it."""
        self.Track = typed.Writer[
            NewTrack,
            NewTrack,
            TrackKey,
            TrackPatch,
            Track,
            typed.NothingMade,
            typed.NothingMade,
        ](self, "Track", Track, typed.NothingMade, typed.NothingMade)
        """Writes a `Track` with all that follows from it."""
        self.fake = MadeFakes(self)
        """Entities for tests, random by a seed."""
        self.part = MadeParts(_SHAPES)
        """The named writes as parts of a transaction."""

    def cart(
        self,
        *,
        id: CartId,
        strong: bool = False,
        timeout: float | None = None,
    ) -> Cart | None:
        """`cart(id) -> Cart?`

        GetItem of Main: `PK = "CART#{id}" AND SK = "CART"`; 1 request, about 0.5
        read units.
        """
        return self._one("cart", {"id": id}, {"Cart": Cart}, strong, timeout)

    def lines(
        self,
        *,
        cart_id: CartId,
        backward: bool = False,
        strong: bool = False,
    ) -> typed.Query[Line]:
        """`lines(cartId) -> Line[]`

        Query of Main: `PK = "CART#{cartId}" AND begins_with(SK, "LINE#")`; 1
        request a page.
        """
        return typed.Query(
            self,
            "lines",
            {"cartId": cart_id},
            {"Line": Line},
            backward=backward,
            strong=strong,
        )

    def task(
        self,
        *,
        task_id: TaskId,
        strong: bool = False,
        timeout: float | None = None,
    ) -> Task | None:
        """`task(taskId) -> Task?`

        GetItem of Main: `PK = "TASK#{taskId}" AND SK = "TASK"`; 1 request, about
        0.5 read units.
        """
        return self._one("task", {"taskId": task_id}, {"Task": Task}, strong, timeout)

    def track(
        self,
        *,
        track_id: TrackId,
        strong: bool = False,
        timeout: float | None = None,
    ) -> Track | None:
        """`track(trackId) -> Track?`

        Query of Main: `PK = "TRACK#{trackId}" AND begins_with(SK, "TRACK##")`; 1
        request, about 0.5 read units.
        """
        return self._one(
            "track",
            {"trackId": track_id},
            {"Track": Track},
            strong,
            timeout,
        )

    def fill(
        self,
        *,
        lines: Sequence[Wanted],
        id: CartId | None = None,
        at: _datetime.datetime | None = None,
        note: str | None = None,
        cart_id: CartId,
        timeout: float | None = None,
    ) -> typed.Written[FillMade]:
        """The write `fill`:

        - create Cart
        - create Line for each of lines
        Requests: TransactWriteItems.
        """
        return self._write(
            self.part.fill(lines=lines, id=id, at=at, note=note, cart_id=cart_id),
            timeout,
        )

    def buy(
        self,
        *,
        lines: Sequence[Wanted],
        id: CartId | None = None,
        at: _datetime.datetime | None = None,
        note: str | None = None,
        timeout: float | None = None,
    ) -> typed.Written[BuyMade]:
        """The write `buy`:

        - create Cart
        - create Line for each of lines (cartId = Cart.id)
        Requests: TransactWriteItems.
        """
        return self._write(self.part.buy(lines=lines, id=id, at=at, note=note), timeout)

    def pair(
        self,
        *,
        one_id: CartId | None = None,
        one_at: _datetime.datetime | None = None,
        one_note: str | None = None,
        two_id: CartId | None = None,
        two_at: _datetime.datetime | None = None,
        two_note: str | None = None,
        timeout: float | None = None,
    ) -> typed.Written[PairMade]:
        """The write `pair`:

        - create Cart as one
        - create Cart as two
        Requests: TransactWriteItems.
        """
        return self._write(
            self.part.pair(
                one_id=one_id,
                one_at=one_at,
                one_note=one_note,
                two_id=two_id,
                two_at=two_at,
                two_note=two_note,
            ),
            timeout,
        )

    def add(
        self,
        *,
        cart_id: CartId,
        line_id: LineId | None = None,
        at: _datetime.datetime | None = None,
        amount: int,
        timeout: float | None = None,
    ) -> typed.Written[AddMade]:
        """The write `add`:

        - check Cart where id = cartId
        - create Line
        Requests: TransactWriteItems.
        """
        return self._write(
            self.part.add(cart_id=cart_id, line_id=line_id, at=at, amount=amount),
            timeout,
        )

    def visit(
        self,
        *,
        day: _datetime.date,
        first_at: _datetime.datetime | None = None,
        timeout: float | None = None,
    ) -> typed.Written[VisitMade_]:
        """The write `visit`:

        - create or update Visit (count = count + 1) else (count = 1)
        Requests: UpdateItem.
        """
        return self._write(self.part.visit(day=day, first_at=first_at), timeout)

    def close(
        self,
        *,
        task_id: TaskId,
        changed_at: _datetime.datetime | None = None,
        now: _datetime.datetime | None = None,
        timeout: float | None = None,
    ) -> typed.Written[CloseMade]:
        """The write `close`:

        - update Task (state = "closed", closedAt = now)
        Requests: UpdateItem.
        """
        return self._write(
            self.part.close(task_id=task_id, changed_at=changed_at, now=now),
            timeout,
        )

    def close_both(
        self,
        *,
        one_task_id: TaskId,
        one_changed_at: _datetime.datetime | None = None,
        two_task_id: TaskId,
        two_changed_at: _datetime.datetime | None = None,
        now: _datetime.datetime | None = None,
        timeout: float | None = None,
    ) -> typed.Written[CloseBothMade]:
        """The write `close_both`:

        - update Task as one (closedAt = now)
        - update Task as two (closedAt = now)
        Requests: TransactWriteItems.
        """
        return self._write(
            self.part.close_both(
                one_task_id=one_task_id,
                one_changed_at=one_changed_at,
                two_task_id=two_task_id,
                two_changed_at=two_changed_at,
                now=now,
            ),
            timeout,
        )

    def close_each(
        self,
        *,
        tasks: Sequence[Which],
        changed_at: _datetime.datetime | None = None,
        now: _datetime.datetime | None = None,
        timeout: float | None = None,
    ) -> typed.Written[CloseEachMade]:
        """The write `close_each`:

        - update Task for each of tasks (closedAt = now)
        Requests: TransactWriteItems.
        """
        return self._write(
            self.part.close_each(tasks=tasks, changed_at=changed_at, now=now),
            timeout,
        )

    def born_closed(
        self,
        *,
        task_id: TaskId,
        state: TaskState | None = None,
        seen_at: _datetime.datetime | None = None,
        changed_at: _datetime.datetime | None = None,
        now: _datetime.datetime | None = None,
        timeout: float | None = None,
    ) -> typed.Written[BornClosedMade]:
        """The write `born_closed`:

        - create Task
        Requests: PutItem.
        """
        return self._write(
            self.part.born_closed(
                task_id=task_id,
                state=state,
                seen_at=seen_at,
                changed_at=changed_at,
                now=now,
            ),
            timeout,
        )

    def see(
        self,
        *,
        task_id: TaskId,
        at: _datetime.datetime,
        state: TaskState | None = None,
        changed_at: _datetime.datetime | None = None,
        now: _datetime.datetime | None = None,
        timeout: float | None = None,
    ) -> typed.Written[SeeMade]:
        """The write `see`:

        - create or update Task (seenAt = now, closedAt = now) else (closedAt =
        at)
        Requests: GetItem, then PutItem or UpdateItem.
        """
        return self._write(
            self.part.see(
                task_id=task_id,
                at=at,
                state=state,
                changed_at=changed_at,
                now=now,
            ),
            timeout,
        )

    def event(
        self,
        record: Mapping[str, Any],
        *,
        on_unknown: typed.OnUnknown | None = None,
    ) -> MadeEvent | None:
        """The change that a stream's record reports, of a reader or of Lambda; None
        for an item that follows from an entity. `on_unknown` says what becomes of
        an item that the model does not know, instead of the client's.
        """
        return self._change(record, _EVENTS, on_unknown)


class AsyncMadeClient(typed.AsyncTyped):
    """The patterns, named writes and entities of the model `made`, version 1, for
    `asyncio`.
    """

    def __init__(self, connection: str | Any, options: Options | None = None) -> None:
        """Takes `http://localhost:8000`, `dynamodb://eu-west-1?profile=prod`,
        `keyfold:./data`, or a low-level client of aioboto3. It is used in `async
        with`.
        """
        super().__init__(AsyncClient(_PLAN, connection, options or Options()), _SHAPES)
        self.Cart = typed.AsyncBatchWriter[
            NewCart,
            NewCart,
            CartKey,
            CartPatch,
            Cart,
            CartMade,
            typed.NothingMade,
        ](self, "Cart", Cart, CartMade, typed.NothingMade)
        """Writes a `Cart` with all that follows from it."""
        self.Line = typed.AsyncBatchWriter[
            NewLine,
            NewLine,
            LineKey,
            LinePatch,
            Line,
            LineMade,
            typed.NothingMade,
        ](self, "Line", Line, LineMade, typed.NothingMade)
        """Writes a `Line` with all that follows from it."""
        self.Visit = typed.AsyncBatchWriter[
            NewVisit,
            NewVisit,
            VisitKey,
            VisitPatch,
            Visit,
            VisitMade,
            typed.NothingMade,
        ](self, "Visit", Visit, VisitMade, typed.NothingMade)
        """Writes a `Visit` with all that follows from it."""
        self.Task = typed.AsyncBatchWriter[
            NewTask,
            NewTask,
            TaskKey,
            TaskPatch,
            Task,
            TaskMade,
            TaskTouched,
        ](self, "Task", Task, TaskMade, TaskTouched)
        """Writes a `Task` with all that follows from it."""
        self.Track = typed.AsyncWriter[
            NewTrack,
            NewTrack,
            TrackKey,
            TrackPatch,
            Track,
            typed.NothingMade,
            typed.NothingMade,
        ](self, "Track", Track, typed.NothingMade, typed.NothingMade)
        """Writes a `Track` with all that follows from it."""
        self.fake = MadeFakes(self)
        """Entities for tests, random by a seed."""
        self.part = MadeParts(_SHAPES)
        """The named writes as parts of a transaction."""

    async def cart(
        self,
        *,
        id: CartId,
        strong: bool = False,
        timeout: float | None = None,
    ) -> Cart | None:
        """`cart(id) -> Cart?`

        GetItem of Main: `PK = "CART#{id}" AND SK = "CART"`; 1 request, about 0.5
        read units.
        """
        return await self._one("cart", {"id": id}, {"Cart": Cart}, strong, timeout)

    def lines(
        self,
        *,
        cart_id: CartId,
        backward: bool = False,
        strong: bool = False,
    ) -> typed.AsyncQuery[Line]:
        """`lines(cartId) -> Line[]`

        Query of Main: `PK = "CART#{cartId}" AND begins_with(SK, "LINE#")`; 1
        request a page.
        """
        return typed.AsyncQuery(
            self,
            "lines",
            {"cartId": cart_id},
            {"Line": Line},
            backward=backward,
            strong=strong,
        )

    async def task(
        self,
        *,
        task_id: TaskId,
        strong: bool = False,
        timeout: float | None = None,
    ) -> Task | None:
        """`task(taskId) -> Task?`

        GetItem of Main: `PK = "TASK#{taskId}" AND SK = "TASK"`; 1 request, about
        0.5 read units.
        """
        return await self._one(
            "task",
            {"taskId": task_id},
            {"Task": Task},
            strong,
            timeout,
        )

    async def track(
        self,
        *,
        track_id: TrackId,
        strong: bool = False,
        timeout: float | None = None,
    ) -> Track | None:
        """`track(trackId) -> Track?`

        Query of Main: `PK = "TRACK#{trackId}" AND begins_with(SK, "TRACK##")`; 1
        request, about 0.5 read units.
        """
        return await self._one(
            "track",
            {"trackId": track_id},
            {"Track": Track},
            strong,
            timeout,
        )

    async def fill(
        self,
        *,
        lines: Sequence[Wanted],
        id: CartId | None = None,
        at: _datetime.datetime | None = None,
        note: str | None = None,
        cart_id: CartId,
        timeout: float | None = None,
    ) -> typed.Written[FillMade]:
        """The write `fill`:

        - create Cart
        - create Line for each of lines
        Requests: TransactWriteItems.
        """
        return await self._write(
            self.part.fill(lines=lines, id=id, at=at, note=note, cart_id=cart_id),
            timeout,
        )

    async def buy(
        self,
        *,
        lines: Sequence[Wanted],
        id: CartId | None = None,
        at: _datetime.datetime | None = None,
        note: str | None = None,
        timeout: float | None = None,
    ) -> typed.Written[BuyMade]:
        """The write `buy`:

        - create Cart
        - create Line for each of lines (cartId = Cart.id)
        Requests: TransactWriteItems.
        """
        return await self._write(
            self.part.buy(lines=lines, id=id, at=at, note=note),
            timeout,
        )

    async def pair(
        self,
        *,
        one_id: CartId | None = None,
        one_at: _datetime.datetime | None = None,
        one_note: str | None = None,
        two_id: CartId | None = None,
        two_at: _datetime.datetime | None = None,
        two_note: str | None = None,
        timeout: float | None = None,
    ) -> typed.Written[PairMade]:
        """The write `pair`:

        - create Cart as one
        - create Cart as two
        Requests: TransactWriteItems.
        """
        return await self._write(
            self.part.pair(
                one_id=one_id,
                one_at=one_at,
                one_note=one_note,
                two_id=two_id,
                two_at=two_at,
                two_note=two_note,
            ),
            timeout,
        )

    async def add(
        self,
        *,
        cart_id: CartId,
        line_id: LineId | None = None,
        at: _datetime.datetime | None = None,
        amount: int,
        timeout: float | None = None,
    ) -> typed.Written[AddMade]:
        """The write `add`:

        - check Cart where id = cartId
        - create Line
        Requests: TransactWriteItems.
        """
        return await self._write(
            self.part.add(cart_id=cart_id, line_id=line_id, at=at, amount=amount),
            timeout,
        )

    async def visit(
        self,
        *,
        day: _datetime.date,
        first_at: _datetime.datetime | None = None,
        timeout: float | None = None,
    ) -> typed.Written[VisitMade_]:
        """The write `visit`:

        - create or update Visit (count = count + 1) else (count = 1)
        Requests: UpdateItem.
        """
        return await self._write(self.part.visit(day=day, first_at=first_at), timeout)

    async def close(
        self,
        *,
        task_id: TaskId,
        changed_at: _datetime.datetime | None = None,
        now: _datetime.datetime | None = None,
        timeout: float | None = None,
    ) -> typed.Written[CloseMade]:
        """The write `close`:

        - update Task (state = "closed", closedAt = now)
        Requests: UpdateItem.
        """
        return await self._write(
            self.part.close(task_id=task_id, changed_at=changed_at, now=now),
            timeout,
        )

    async def close_both(
        self,
        *,
        one_task_id: TaskId,
        one_changed_at: _datetime.datetime | None = None,
        two_task_id: TaskId,
        two_changed_at: _datetime.datetime | None = None,
        now: _datetime.datetime | None = None,
        timeout: float | None = None,
    ) -> typed.Written[CloseBothMade]:
        """The write `close_both`:

        - update Task as one (closedAt = now)
        - update Task as two (closedAt = now)
        Requests: TransactWriteItems.
        """
        return await self._write(
            self.part.close_both(
                one_task_id=one_task_id,
                one_changed_at=one_changed_at,
                two_task_id=two_task_id,
                two_changed_at=two_changed_at,
                now=now,
            ),
            timeout,
        )

    async def close_each(
        self,
        *,
        tasks: Sequence[Which],
        changed_at: _datetime.datetime | None = None,
        now: _datetime.datetime | None = None,
        timeout: float | None = None,
    ) -> typed.Written[CloseEachMade]:
        """The write `close_each`:

        - update Task for each of tasks (closedAt = now)
        Requests: TransactWriteItems.
        """
        return await self._write(
            self.part.close_each(tasks=tasks, changed_at=changed_at, now=now),
            timeout,
        )

    async def born_closed(
        self,
        *,
        task_id: TaskId,
        state: TaskState | None = None,
        seen_at: _datetime.datetime | None = None,
        changed_at: _datetime.datetime | None = None,
        now: _datetime.datetime | None = None,
        timeout: float | None = None,
    ) -> typed.Written[BornClosedMade]:
        """The write `born_closed`:

        - create Task
        Requests: PutItem.
        """
        return await self._write(
            self.part.born_closed(
                task_id=task_id,
                state=state,
                seen_at=seen_at,
                changed_at=changed_at,
                now=now,
            ),
            timeout,
        )

    async def see(
        self,
        *,
        task_id: TaskId,
        at: _datetime.datetime,
        state: TaskState | None = None,
        changed_at: _datetime.datetime | None = None,
        now: _datetime.datetime | None = None,
        timeout: float | None = None,
    ) -> typed.Written[SeeMade]:
        """The write `see`:

        - create or update Task (seenAt = now, closedAt = now) else (closedAt =
        at)
        Requests: GetItem, then PutItem or UpdateItem.
        """
        return await self._write(
            self.part.see(
                task_id=task_id,
                at=at,
                state=state,
                changed_at=changed_at,
                now=now,
            ),
            timeout,
        )

    def event(
        self,
        record: Mapping[str, Any],
        *,
        on_unknown: typed.OnUnknown | None = None,
    ) -> MadeEvent | None:
        """The change that a stream's record reports, of a reader or of Lambda; None
        for an item that follows from an entity. `on_unknown` says what becomes of
        an item that the model does not know, instead of the client's.
        """
        return self._change(record, _EVENTS, on_unknown)


_MADE: typed.MadeTable = {
    "create Cart": {
        "id": ("Cart", "id", "argument", None),
        "at": ("Cart", "at", "argument", None),
    },
    "create Line": {
        "lineId": ("Line", "lineId", "argument", None),
        "at": ("Line", "at", "argument", None),
    },
    "create Visit": {
        "firstAt": ("Visit", "firstAt", "argument", None),
    },
    "create Task": {
        "changedAt": ("Task", "changedAt", "argument", None),
    },
    "update Task": {
        "changedAt": ("Task", "changedAt", "argument", None),
    },
    "fill": {
        "id": ("Cart", "id", "argument", None),
        "Cart.at": ("Cart", "at", "argument", None),
        "lineId": ("Line", "lineId", "element", "lines"),
        "Line.at": ("Line", "at", "argument", "lines"),
    },
    "buy": {
        "id": ("Cart", "id", "argument", None),
        "Cart.at": ("Cart", "at", "argument", None),
        "lineId": ("Line", "lineId", "element", "lines"),
        "Line.at": ("Line", "at", "argument", "lines"),
    },
    "pair": {
        "one.id": ("Cart", "one.id", "argument", None),
        "one.at": ("Cart", "one.at", "argument", None),
        "two.id": ("Cart", "two.id", "argument", None),
        "two.at": ("Cart", "two.at", "argument", None),
    },
    "add": {
        "lineId": ("Line", "lineId", "argument", None),
        "at": ("Line", "at", "argument", None),
    },
    "visit": {
        "firstAt": ("Visit", "firstAt", "never", None),
    },
    "close": {
        "closedAt": ("Task", "closedAt", "argument", None, "now"),
        "changedAt": ("Task", "changedAt", "argument", None),
    },
    "close_both": {
        "one.closedAt": ("Task", "one.closedAt", "argument", None, "now"),
        "one.changedAt": ("Task", "one.changedAt", "argument", None),
        "two.closedAt": ("Task", "two.closedAt", "argument", None, "now"),
        "two.changedAt": ("Task", "two.changedAt", "argument", None),
    },
    "close_each": {
        "closedAt": ("Task", "closedAt", "argument", "tasks", "now"),
        "changedAt": ("Task", "changedAt", "argument", "tasks"),
    },
    "born_closed": {
        "closedAt": ("Task", "closedAt", "argument", None, "now"),
        "changedAt": ("Task", "changedAt", "argument", None),
    },
    "see": {
        "seenAt": ("Task", "seenAt", "argument", None, "now"),
        "changedAt": ("Task", "changedAt", "argument", None),
    },
}
_SHAPES = typed.Shapes(
    {
        "Cart.at": "cart_at",
        "Line.at": "line_at",
        "cartId": "cart_id",
        "changedAt": "changed_at",
        "closedAt": "closed_at",
        "firstAt": "first_at",
        "lineId": "line_id",
        "one.at": "one_at",
        "one.changedAt": "one_changed_at",
        "one.closedAt": "one_closed_at",
        "one.id": "one_id",
        "one.note": "one_note",
        "one.taskId": "one_task_id",
        "seenAt": "seen_at",
        "taskId": "task_id",
        "trackId": "track_id",
        "two.at": "two_at",
        "two.changedAt": "two_changed_at",
        "two.closedAt": "two_closed_at",
        "two.id": "two_id",
        "two.note": "two_note",
        "two.taskId": "two_task_id",
    },
    {"Wanted": Wanted, "Which": Which},
    _MADE,
)
_EVENTS: Mapping[str, tuple[type[Any], type[MadeEvent]]] = {
    "Cart": (Cart, CartChange),
    "Line": (Line, LineChange),
    "Visit": (Visit, VisitChange),
    "Task": (Task, TaskChange),
    "Track": (TrackImage, TrackChange),
}

_PLAN = r"""
{
"entities": [
  {"alone":true,"attributes":[{"default":"new","name":"id","type":"ulid"},{"default":"now","name":"at","type":"time.ms"},{"name":"note","optional":true,"type":"string"}],"key":[{"attribute":"PK","matches":"CART#[0-9A-HJ-KM-NP-TV-Z]{26}","parts":["CART#",{"field":"id","type":"ulid"}]},{"attribute":"SK","matches":"CART","parts":["CART"]}],"name":"Cart","table":"Main"},
  {"alone":true,"attributes":[{"name":"cartId","refers":{"attribute":"id","entity":"Cart"},"type":"ulid"},{"default":"new","name":"lineId","type":"uuid"},{"default":"now","name":"at","type":"time.ms"},{"name":"amount","type":"int"}],"key":[{"attribute":"PK","matches":"CART#[0-9A-HJ-KM-NP-TV-Z]{26}","parts":["CART#",{"field":"cartId","type":"ulid"}]},{"attribute":"SK","matches":"LINE#[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}","parts":["LINE#",{"field":"lineId","type":"uuid"}]}],"name":"Line","table":"Main"},
  {"alone":true,"attributes":[{"name":"day","type":"date"},{"name":"count","type":"int"},{"default":"now","name":"firstAt","type":"time.ms"}],"key":[{"attribute":"PK","matches":"VISITS","parts":["VISITS"]},{"attribute":"SK","matches":"[0-9]{4}-[0-9]{2}-[0-9]{2}","parts":[{"field":"day","type":"date"}]}],"name":"Visit","table":"Main"},
  {"alone":true,"attributes":[{"name":"taskId","type":"string"},{"default":{"value":{"S":"open"}},"name":"state","type":{"words":["open","closed"]}},{"name":"closedAt","optional":true,"type":"time.ms"},{"name":"seenAt","optional":true,"type":"time.ms"},{"default":"always","name":"changedAt","type":"time.ms"}],"key":[{"attribute":"PK","matches":"TASK#[^\u0000]+","parts":["TASK#",{"field":"taskId","type":"string"}]},{"attribute":"SK","matches":"TASK","parts":["TASK"]}],"name":"Task","table":"Main"},
  {"attributes":[{"name":"trackId","type":"string"},{"name":"title","type":"string"},{"name":"points","type":{"list":"int"}}],"followed":["points"],"key":[{"attribute":"PK","matches":"TRACK#[^\u0000]+","parts":["TRACK#",{"field":"trackId","type":"string"}]},{"attribute":"SK","matches":"TRACK##[0-9]{4}","parts":["TRACK#","#",{"part":4}]}],"name":"Track","split":{"attribute":"points","size":100},"table":"Main"}
],
"keyfoldPlan": 1,
"model": {"hash":"3ceebac73974e439e9d2bc1a23826ab5","name":"made","version":1},
"patterns": [
  {"name":"cart","parameters":[{"attribute":"id","limit":"equal","name":"id","type":"ulid"}],"plan":{"partition":[{"attribute":"PK","parts":["CART#",{"field":"id","type":"ulid"}]}],"request":"GetItem","sort":{"at":["CART"],"attribute":"SK","is":"equal"},"sortAttributes":["SK"],"table":"Main"},"returns":[{"entity":"Cart","name":"Cart","optional":true}]},
  {"name":"lines","parameters":[{"attribute":"cartId","limit":"equal","name":"cartId","type":"ulid"}],"plan":{"partition":[{"attribute":"PK","parts":["CART#",{"field":"cartId","type":"ulid"}]}],"request":"Query","sort":{"at":["LINE#"],"attribute":"SK","is":"beginsWith"},"sortAttributes":["SK"],"table":"Main"},"returns":[{"entity":"Line","many":true,"name":"Line"}]},
  {"name":"task","parameters":[{"attribute":"taskId","limit":"equal","name":"taskId","type":"string"}],"plan":{"partition":[{"attribute":"PK","parts":["TASK#",{"field":"taskId","type":"string"}]}],"request":"GetItem","sort":{"at":["TASK"],"attribute":"SK","is":"equal"},"sortAttributes":["SK"],"table":"Main"},"returns":[{"entity":"Task","name":"Task","optional":true}]},
  {"name":"track","parameters":[{"attribute":"trackId","limit":"equal","name":"trackId","type":"string"}],"plan":{"partition":[{"attribute":"PK","parts":["TRACK#",{"field":"trackId","type":"string"}]}],"request":"Query","sort":{"at":["TRACK#","#"],"attribute":"SK","is":"beginsWith"},"sortAttributes":["SK"],"table":"Main"},"returns":[{"entity":"Track","name":"Track","optional":true}]}
],
"records": [
  {"fields":[{"name":"amount","type":"int"},{"name":"lineId","optional":true,"type":"uuid"}],"name":"Wanted"},
  {"fields":[{"name":"taskId","type":"string"}],"name":"Which"}
],
"tables": [
  {"create":{"AttributeDefinitions":[{"AttributeName":"PK","AttributeType":"S"},{"AttributeName":"SK","AttributeType":"S"}],"BillingMode":"PAY_PER_REQUEST","KeySchema":[{"AttributeName":"PK","KeyType":"HASH"},{"AttributeName":"SK","KeyType":"RANGE"}]},"name":"Main","partition":{"name":"PK","type":"S"},"sort":{"name":"SK","type":"S"}}
],
"writes": [
  {"actions":[{"entity":"Cart","verb":"create"},{"each":"lines","entity":"Line","verb":"create"}],"name":"fill","parameters":[{"name":"lines","type":{"list":{"record":"Wanted"}}},{"name":"id","optional":true,"type":"ulid"},{"name":"at","optional":true,"type":"time.ms"},{"name":"note","optional":true,"type":"string"},{"name":"cartId","type":"ulid"}]},
  {"actions":[{"entity":"Cart","verb":"create"},{"each":"lines","entity":"Line","set":[{"attribute":"cartId","left":{"lent":{"action":0,"attribute":"id"}}}],"verb":"create"}],"name":"buy","parameters":[{"name":"lines","type":{"list":{"record":"Wanted"}}},{"name":"id","optional":true,"type":"ulid"},{"name":"at","optional":true,"type":"time.ms"},{"name":"note","optional":true,"type":"string"}]},
  {"actions":[{"as":"one","entity":"Cart","taken":[{"attribute":"id","from":{"parameter":"one.id"}},{"attribute":"at","from":{"parameter":"one.at"}},{"attribute":"note","from":{"parameter":"one.note"}}],"verb":"create"},{"as":"two","entity":"Cart","taken":[{"attribute":"id","from":{"parameter":"two.id"}},{"attribute":"at","from":{"parameter":"two.at"}},{"attribute":"note","from":{"parameter":"two.note"}}],"verb":"create"}],"name":"pair","parameters":[{"name":"one.id","optional":true,"type":"ulid"},{"name":"one.at","optional":true,"type":"time.ms"},{"name":"one.note","optional":true,"type":"string"},{"name":"two.id","optional":true,"type":"ulid"},{"name":"two.at","optional":true,"type":"time.ms"},{"name":"two.note","optional":true,"type":"string"}]},
  {"actions":[{"entity":"Cart","taken":[{"attribute":"id","declared":true,"from":{"parameter":"cartId"}}],"verb":"check"},{"entity":"Line","verb":"create"}],"name":"add","parameters":[{"name":"cartId","type":"ulid"},{"name":"lineId","optional":true,"type":"uuid"},{"name":"at","optional":true,"type":"time.ms"},{"name":"amount","type":"int"}]},
  {"actions":[{"entity":"Visit","otherwise":[{"attribute":"count","left":{"value":{"N":"1"}}}],"set":[{"attribute":"count","joint":"plus","left":{"attribute":"count"},"right":{"value":{"N":"1"}}}],"upserts":[{"attributes":{"count":"moved","day":"first","firstAt":"first"}}],"verb":"upsert"}],"name":"visit","parameters":[{"name":"day","type":"date"},{"name":"firstAt","optional":true,"type":"time.ms"}]},
  {"actions":[{"entity":"Task","set":[{"attribute":"state","left":{"value":{"S":"closed"}}},{"attribute":"closedAt","left":{"parameter":"now"}},{"attribute":"changedAt","left":{"parameter":"changedAt"}}],"verb":"update"}],"name":"close","parameters":[{"name":"taskId","type":"string"},{"name":"changedAt","now":true,"optional":true,"type":"time.ms"},{"name":"now","now":true,"optional":true,"type":"time.ms"}]},
  {"actions":[{"as":"one","entity":"Task","set":[{"attribute":"closedAt","left":{"parameter":"now"}},{"attribute":"changedAt","left":{"parameter":"one.changedAt"}}],"taken":[{"attribute":"taskId","from":{"parameter":"one.taskId"}},{"attribute":"changedAt","from":{"parameter":"one.changedAt"}}],"verb":"update"},{"as":"two","entity":"Task","set":[{"attribute":"closedAt","left":{"parameter":"now"}},{"attribute":"changedAt","left":{"parameter":"two.changedAt"}}],"taken":[{"attribute":"taskId","from":{"parameter":"two.taskId"}},{"attribute":"changedAt","from":{"parameter":"two.changedAt"}}],"verb":"update"}],"name":"close_both","parameters":[{"name":"one.taskId","type":"string"},{"name":"one.changedAt","now":true,"optional":true,"type":"time.ms"},{"name":"two.taskId","type":"string"},{"name":"two.changedAt","now":true,"optional":true,"type":"time.ms"},{"name":"now","now":true,"optional":true,"type":"time.ms"}]},
  {"actions":[{"each":"tasks","entity":"Task","set":[{"attribute":"closedAt","left":{"parameter":"now"}},{"attribute":"changedAt","left":{"parameter":"changedAt"}}],"verb":"update"}],"name":"close_each","parameters":[{"name":"tasks","type":{"list":{"record":"Which"}}},{"name":"changedAt","now":true,"optional":true,"type":"time.ms"},{"name":"now","now":true,"optional":true,"type":"time.ms"}]},
  {"actions":[{"entity":"Task","set":[{"attribute":"closedAt","left":{"parameter":"now"}}],"verb":"create"}],"name":"born_closed","parameters":[{"name":"taskId","type":"string"},{"name":"state","optional":true,"type":{"words":["open","closed"]}},{"name":"seenAt","optional":true,"type":"time.ms"},{"name":"changedAt","now":true,"optional":true,"type":"time.ms"},{"name":"now","now":true,"optional":true,"type":"time.ms"}]},
  {"actions":[{"entity":"Task","otherwise":[{"attribute":"closedAt","left":{"parameter":"at"}}],"set":[{"attribute":"seenAt","left":{"parameter":"now"}},{"attribute":"closedAt","left":{"parameter":"now"}},{"attribute":"changedAt","left":{"parameter":"changedAt"}}],"verb":"upsert"}],"name":"see","parameters":[{"name":"taskId","type":"string"},{"name":"at","type":"time.ms"},{"name":"state","optional":true,"type":{"words":["open","closed"]}},{"name":"changedAt","now":true,"optional":true,"type":"time.ms"},{"name":"now","now":true,"optional":true,"type":"time.ms"}]}
]
}
"""

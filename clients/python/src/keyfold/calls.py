"""The calls of a client: what it takes and returns, as steps. No call knows how it is carried out.

`keyfold.client` carries them out with boto3, `keyfold.aio` with aioboto3.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Any, TypedDict, TypeVar

from keyfold import cursors
from keyfold.errors import Invalid, UnknownItem
from keyfold.item import BatchWritten, Item, Made, OneOfSeveral, Page, Transacted, Written
from keyfold.lower import arguments as given_arguments
from keyfold.lower import tables
from keyfold.lower.arguments import the_pattern, the_write
from keyfold.lower.capacity import counted
from keyfold.lower.complete import ChanceOrigin
from keyfold.lower.complete import Made as LoweredMade
from keyfold.lower.near import meant
from keyfold.lower.positions import each_of
from keyfold.lower.read import many as read_many
from keyfold.lower.read import required
from keyfold.lower.read.page import FoundPage, PageRequest, page
from keyfold.lower.read.places import Places
from keyfold.lower.read.question import FoundItem
from keyfold.lower.steps import Lowering, Origin
from keyfold.lower.write import change, named
from keyfold.lower.write import many as write_many
from keyfold.lower.write import transact as lower_transact
from keyfold.lower.write.execute import Written as Lowered
from keyfold.lower.write.meeting import in_write, no_write, numbered
from keyfold.options import (
    OnUnknown,
    Options,
    check_bool,
    check_count,
    check_list,
    check_on_unknown,
)
from keyfold.plan.kind import STRING, Kind
from keyfold.plan.model import Entity, Model, Pattern, Write
from keyfold.values.native import native
from keyfold.values.value import Values, shown, shown_given, shown_text
from keyfold.writes import Create, Delete, Put, Run, TransactionWrite, Update

T = TypeVar("T")
Given = Mapping[str, object]
"""Arguments or attributes by name. A value that is `None` is not given."""

LIMIT_MAX = 2**31 - 1
"""The largest limit that a request can have."""


class PageOptions(TypedDict, total=False):
    """The options of a page."""

    limit: int | None
    """The most items of the page, instead of the pattern's."""
    after: str | None
    """The cursor: the `next` of the page before."""
    backward: bool
    """Whether the items come against the pattern's order."""
    strong: bool
    """Whether the requests read what was written last, where the plan does not say so."""
    on_unknown: OnUnknown | None
    """Whether an item that the model does not know is an error, or is left out."""
    timeout: float | None
    """The seconds after which the call, or each page of an iterator, is aborted."""


class Calls:
    """A model's patterns and writes as calls."""

    def __init__(self, model: Model, options: Options) -> None:
        if not isinstance(options, Options):  # pyright: ignore[reportUnnecessaryIsInstance]
            raise Invalid(f"`options` are `Options`, and no {type(options).__name__}")
        cursors.check_secret(options.cursor_secret)
        options.check()
        self.model = model
        self.options = options
        self.new_origin: Callable[[], Origin] = ChanceOrigin

    def page(self, pattern: str, args: Given, options: PageOptions) -> Lowering[Page]:
        """Runs a pattern and returns one page."""
        return (yield from Walk(self, pattern, args, options).next_page())

    def one(self, pattern: str, args: Given, options: PageOptions) -> Lowering[Item | None]:
        """Runs a pattern of one item; none when it does not exist."""
        found = self.pattern(pattern)
        if not found.is_single:
            raise Invalid(
                f"{pattern} returns several items; use `items`, `page` or `together`",
                of=the_pattern(pattern),
            )
        own = yield from self.page(pattern, args, options)
        return own.items[0] if own.items else None

    def check_most(self, most: object, pattern: str) -> None:
        """Refuses what is no number of items of a pattern."""
        check_count("most", most, 0, the_pattern(self.pattern(pattern).name))

    def together(
        self, pattern: str, args: Given, options: PageOptions
    ) -> Lowering[dict[str, Item | None]]:
        """Runs a pattern that returns several items by their keys: the items by their names."""
        found = self.pattern(pattern)
        if found.together is None:
            raise Invalid(f"{pattern} does not return items by their keys", of=the_pattern(pattern))
        own = yield from self.page(pattern, args, options)
        by_name = {item.kind: item for item in own.items}
        return {one.name: by_name.get(one.name) for one in found.returns}

    def write(self, name: str, args: Given) -> Lowering[Written]:
        """Runs a named write."""
        write: Write = _known(self.model.writes, name, "write")
        arguments = given_arguments.of_write(write, args)
        lowered = named.run(self.new_origin(), self.model, write, arguments)
        return self._written((yield from counted(_owned(the_write(name), lowered))))

    def create(self, entity: str, values: Given) -> Lowering[Written]:
        """Creates an entity that must not exist."""
        own = self.written(entity)
        held = given_arguments.of_entity(own, values)
        lowered = change.create(self.new_origin(), self.model, own, held)
        return self._written((yield from counted(_owned(entity, lowered))))

    def put(self, entity: str, values: Given) -> Lowering[Written]:
        """Writes a whole entity, whether it exists or not."""
        own = self.written(entity)
        held = given_arguments.of_entity(own, values)
        lowered = change.put(self.new_origin(), self.model, own, held)
        return self._written((yield from counted(_owned(entity, lowered))))

    def update(
        self, entity: str, changes: Given, remove: Sequence[str], key: Given | None = None
    ) -> Lowering[Written]:
        """Changes some attributes of an entity that exists."""
        own = self.written(entity)
        held, removed = _changes(own, changes, remove, key)
        lowered = change.update(self.new_origin(), self.model, own, held, removed)
        return self._written((yield from counted(_owned(entity, lowered))))

    def delete(self, entity: str, key: Given) -> Lowering[Written]:
        """Deletes an entity that exists."""
        own = self.written(entity)
        held = given_arguments.key_of_entity(own, key)
        lowered = change.delete(self.new_origin(), self.model, own, held)
        return self._written((yield from counted(_owned(entity, lowered))))

    def transact(self, writes: Sequence[TransactionWrite]) -> Lowering[Transacted]:
        """Carries several writes out in one transaction: all of them or none."""
        listed = check_list("writes", writes, "transact")
        parts = [self._numbered(at, one) for at, one in enumerate(listed)]
        call = lower_transact.transact(self.new_origin(), self.model, parts)
        done, units = yield from counted(call)
        reports = [OneOfSeveral(one.changes, self._made(one.made)) for one in done.writes]
        return Transacted(done.operation, units, reports)

    def _numbered(self, at: int, one: TransactionWrite) -> lower_transact.Part:
        """A write of a transaction, whose errors name it."""
        if not isinstance(one, (Create, Put, Update, Delete, Run)):  # pyright: ignore[reportUnnecessaryIsInstance]
            wanted = "a Create, Put, Update, Delete or Run"
            raise no_write(at, wanted, one)
        try:
            return self._part(one)
        except Invalid as error:
            raise in_write(error, numbered(at, _name_of(one)), at) from None

    def _part(self, one: TransactionWrite) -> lower_transact.Part:
        if isinstance(one, Run):
            write: Write = _known(self.model.writes, one.write, "write")
            return lower_transact.Run(write, given_arguments.of_write(write, one.args))
        entity = self.written(one.entity)
        if isinstance(one, Update):
            held, removed = _changes(entity, one.changes, one.remove, one.key)
            return lower_transact.OfEntity("update", entity, held, removed)
        if isinstance(one, Delete):
            held = given_arguments.key_of_entity(entity, one.key)
            return lower_transact.OfEntity("delete", entity, held)
        held = given_arguments.of_entity(entity, one.values)
        return lower_transact.OfEntity("create" if isinstance(one, Create) else "put", entity, held)

    def get_many(
        self, entity: str, keys: Sequence[Given], strong: bool
    ) -> Lowering[list[Item | None]]:
        """Reads entities by their keys; none for an absent one."""
        own = self.entity(entity)
        check_bool("strong", strong, entity)
        listed = check_list("keys", keys, entity)
        held = each_of(listed, entity, lambda key: given_arguments.key_of_entity(own, key))
        skips = self.options.on_unknown == "skip"
        lowered = read_many.many(own, held, strong=strong, skips_unknown=skips)
        found = yield from _owned(entity, lowered)
        return [None if one is None else self._item(own, one) for one in found]

    def _item(self, entity: Entity, found: FoundItem) -> Item | None:
        """The item of a program; none for one with a wrong value that is left out."""
        try:
            return item_of(entity, found)
        except UnknownItem:
            if self.options.on_unknown == "skip":
                return None
            raise

    def put_many(self, entity: str, items: Sequence[Given]) -> Lowering[BatchWritten]:
        """Writes whole entities in batches."""
        own = self.written(entity)
        listed = check_list("items", items, entity)
        held = each_of(listed, entity, lambda values: given_arguments.of_entity(own, values))
        lowered = write_many.put_many(self.new_origin(), self.model, own, held)
        return self._batch((yield from _owned(entity, lowered)))

    def delete_many(self, entity: str, keys: Sequence[Given]) -> Lowering[BatchWritten]:
        """Deletes entities in batches."""
        own = self.written(entity)
        listed = check_list("keys", keys, entity)
        held = each_of(listed, entity, lambda key: given_arguments.key_of_entity(own, key))
        lowered = write_many.delete_many(self.new_origin(), self.model, own, held)
        return self._batch((yield from _owned(entity, lowered)))

    def _batch(self, done: write_many.ManyWritten) -> BatchWritten:
        made = [self._made(one) for one in done.made]
        return BatchWritten(done.requests, done.capacity, made)

    def ensure_tables(self) -> Lowering[dict[str, tables.Outcome]]:
        """Creates the model's tables, or checks those that exist."""
        return (yield from tables.ensure(self.new_origin(), self.model))

    def pattern(self, name: str) -> Pattern:
        """The pattern of a name."""
        return _known(self.model.patterns, name, "pattern")

    def entity(self, name: str) -> Entity:
        """The entity of a name."""
        return _known(self.model.entities, name, "entity")

    def written(self, name: str) -> Entity:
        """The entity of a name, which a write names: no view, whose rows follow from others."""
        entity = self.entity(name)
        if entity.view is not None:
            why = f"{name} is a view, and its rows follow from {entity.view}: write {entity.view}"
            raise Invalid(why, of=name)
        return entity

    def _written(self, done: tuple[Lowered, float]) -> Written:
        lowered, units = done
        made = self._made(lowered.made)
        return Written(lowered.operation, lowered.changes, units, made)

    def _made(self, made: Sequence[LoweredMade]) -> list[Made]:
        return [
            Made(one.entity, one.attribute, native(one.attribute, self._kind(one), one.value))
            for one in made
        ]

    def _kind(self, made: Any) -> Kind:
        name = made.attribute.rpartition(".")[2]
        attributes = self.model.entities[made.entity].attributes
        found = attributes.get(made.attribute) or attributes.get(name)
        return found.kind if found is not None else STRING


class Walk:
    """The pages of a pattern, from the first to the last.

    Where the first item is enough, a page ends before an item that is an error, if it has another
    before that.
    """

    def __init__(
        self,
        calls: Calls,
        pattern: str,
        args: Given,
        options: PageOptions,
        *,
        is_first: bool = False,
    ) -> None:
        self._calls = calls
        self._pattern = calls.pattern(pattern)
        of = the_pattern(pattern)
        _check(options, of)
        self._arguments: Values = given_arguments.of_pattern(self._pattern, args)
        self._kinds = {one.name: one for one in self._pattern.returns}
        on_unknown = options.get("on_unknown") or calls.options.on_unknown
        self._skips = on_unknown == "skip"
        limit = options.get("limit")
        if limit is not None:
            check_count("limit", limit, 1, of, LIMIT_MAX)
        after, cursor = None, options.get("after")
        if cursor is not None:
            secret = calls.options.cursor_secret
            after = cursors.open_(calls.model, self._pattern, self._arguments, cursor, secret)
        self._start = PageRequest(
            limit=limit,
            after=after,
            backward=options.get("backward", False),
            strong=options.get("strong", False),
            skips_unknown=self._skips,
            is_first=is_first,
        )
        self._found: list[FoundItem] = []
        self._is_whole = cursor is None
        self._condition: str | None = None
        self._places = Places(self._pattern.name)
        self.is_done = False

    def next_page(self) -> Lowering[Page]:
        """The next page."""
        origin = self._calls.new_origin()
        lowered = page(origin, self._pattern, self._arguments, self._start)
        found: FoundPage = yield from _owned(the_pattern(self._pattern.name), lowered)
        self._start = replace(self._start, after=found.next)
        self.is_done = found.next is None
        self._places.check(found.next)
        if self._condition is None:
            self._condition = found.condition
        following = None
        if found.next is not None:
            calls, secret = self._calls, self._calls.options.cursor_secret
            following = cursors.seal(
                calls.model, self._pattern, self._arguments, found.next, secret
            )
        made = self._made(found.items)
        # An item that is left out is not there.
        if not (self._start.is_first and made):
            self._check_required([one for one, _ in made])
        items = [item for _, item in made]
        return Page(items, following, found.requests, found.capacity)

    def _made(self, found: Sequence[FoundItem]) -> list[tuple[FoundItem, Item]]:
        """The items of a program. One with a wrong value is left out, or an error."""
        made: list[tuple[FoundItem, Item]] = []
        for one in found:
            try:
                kind = self._kinds[one.kind]
                made.append((one, item_of(kind.entity, one, kind.of)))
            except UnknownItem:
                if self._skips:
                    continue
                if self._start.is_first and made:
                    break
                raise
        return made

    def _check_required(self, found: Sequence[FoundItem]) -> None:
        """Refuses a whole answer that lacks a required item."""
        if self._pattern.together is not None or len(self._pattern.returns) < 2:
            return
        self._found.extend(found)
        # One item of each kind shows that the kind is there.
        self._found = list({item.kind: item for item in self._found}.values())
        if self.is_done and self._is_whole:
            required.check_all(self._pattern, self._found, self._condition or "")


def _changes(
    entity: Entity, changes: Given, remove: Sequence[str], key: Given | None
) -> tuple[Values, list[str]]:
    """The values of an update, with the key, and the attributes that it removes."""
    removed = check_list("remove", remove, entity.name)
    for name in removed:
        if not isinstance(name, str):  # pyright: ignore[reportUnnecessaryIsInstance]
            why = f"`remove` has the names of attributes, and no {type(name).__name__}"
            raise Invalid(f"{entity.name}: {why}", of=entity.name, attribute="remove")
    if key is None:
        both = given_arguments.without_kept(entity, changes)
    else:
        both = given_arguments.with_key(entity, changes, key)
    held = given_arguments.some_of_entity(entity, both)
    return held, [*(name for name, value in both.items() if value is None), *removed]


def _owned(of: str, call: Lowering[T]) -> Lowering[T]:
    """The call, whose errors about a value name the entity, pattern or write."""
    try:
        return (yield from call)
    except Invalid as error:
        error.of = error.of or of
        raise


def _check(options: PageOptions, of: str) -> None:
    """Refuses options of a page that there are not, or of another type."""
    for name in options:
        if name not in PageOptions.__annotations__:
            near = meant(name, PageOptions.__annotations__)
            shown = shown_text(name)
            raise Invalid(f"{of}: there is no option `{shown}`{near}", of=of, attribute=name)
    for name in ("backward", "strong"):
        check_bool(name, options.get(name, False), of)
    on_unknown = options.get("on_unknown")
    if on_unknown is not None:
        check_on_unknown(on_unknown, of)


def item_of(entity: Entity, found: FoundItem, of: str | None = None) -> Item:
    """The item of a program, with values of Python. `of` is the entity or copy where the kind is
    another name."""
    try:
        values = {
            name: native(name, entity.attributes[name].kind, value)
            for name, value in found.attributes.items()
        }
    except UnknownItem as error:
        held = ((name, found.attributes.get(name)) for name in entity.identity)
        key = ", ".join(f"{name} = {shown(value)}" for name, value in held if value is not None)
        raise UnknownItem(
            f"{found.kind} ({key}): {error.message}",
            entity=found.kind,
            key=key,
            attribute=error.attribute,
        ) from None
    return Item(found.kind, values, of)


def called(how: str, entity: object) -> str:
    """The name of a call about an entity: `create Order`."""
    return f"{how} {entity}" if isinstance(entity, str) else how


def _name_of(write: TransactionWrite) -> str:
    """A write of a transaction, for people."""
    if isinstance(write, Run):
        return shown_given(write.write)
    return f"{type(write).__name__.lower()} {shown_given(write.entity)}"


def _known(all_of: Mapping[str, T], name: str, what: str) -> T:
    if not isinstance(name, str):  # pyright: ignore[reportUnnecessaryIsInstance]
        article = "an" if what == "entity" else "a"
        raise Invalid(f"the name of {article} {what} is a text, and no {type(name).__name__}")
    found = all_of.get(name)
    if found is None:
        shown = shown_text(name)
        of = shown if what == "entity" else f"the {what} {shown}"
        raise Invalid(f"the model has no {what} `{shown}`{meant(name, all_of)}", of=of)
    return found

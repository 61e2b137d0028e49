"""The calls of a proof by the methods of a generated file, for `lockstep.py --generated`.

The plan document alone says which calls there are. The methods, classes and members that stand for
them are found in the file by their order and their spelling, and values are made as its signatures
want them. Results must have the types that the signatures promise.
"""

from __future__ import annotations

import collections.abc
import inspect
import sys
import types
import unicodedata
from collections.abc import Awaitable, Iterable, Iterator, Mapping, Sequence
from dataclasses import MISSING, fields, is_dataclass
from typing import Any, Literal, Union, cast, get_args, get_origin, get_type_hints

from keyfold import Item, Made, Model, NotFound, typed
from keyfold.plan.kind import Kind

Values = dict[str, Any]

WRITES = ("create", "put", "update", "delete", "write", "transact", "put_many", "delete_many")
OPTIONS = ("self", "backward", "strong", "timeout")
WRITERS = (typed.Writer, typed.AsyncWriter)
# Positions of a writer's classes.
NEW, PUT, KEY, PATCH, STORED, MADE, TOUCHED = range(7)


class NotOffered(Exception):
    """A call that a generated client does not have: programs make it by name."""


def spelled(name: str) -> str:
    """The letters and digits of a name: equal for `createdAt` and `created_at`."""
    normal = unicodedata.normalize("NFKC", name)
    return "".join(one for one in normal if one.isalnum()).lower()


_shapes: list[typed.Shapes] = []
"""What tells apart the names that are spelled alike: those of the file."""


def matched(own: Sequence[str], names: Sequence[str]) -> dict[str, str]:
    """The names of the model, by those of the file, for all of `own`."""
    found: dict[str, str] = {}
    for name in own:
        same = [one for one in names if spelled(one) == spelled(name)]
        if len(same) > 1:
            told = _shapes[0].model_name(name)
            same = [told] if told in same else [one for one in same if one not in found.values()]
        assert same, f"{name} stands for none of {names}"
        found[name] = same[0]
    return found


def paired(own: Sequence[str], names: Sequence[str]) -> dict[str, str]:
    """The names of the file by those of the model, which are in the same order."""
    assert len(own) == len(names), f"{own} are not {names}"
    for one, name in zip(own, names):
        assert spelled(one) == spelled(name), f"{one} is not {name}"
    return dict(zip(names, own))


_hints: dict[Any, Mapping[str, Any]] = {}


def hints_of(of: Any) -> Mapping[str, Any]:
    """The types of a class's members, or of a method's parameters and result."""
    key = getattr(of, "__func__", of)
    if key not in _hints:
        _hints[key] = get_type_hints(key)
    return _hints[key]


def members_of(of: type[Any]) -> list[str]:
    return [one.name for one in fields(of)]


def choices_of(hint: Any) -> tuple[Any, ...]:
    """The types of a union; the type itself where it is none."""
    return get_args(hint) if get_origin(hint) in (Union, types.UnionType) else (hint,)


def single(hint: Any) -> Any:
    """A type without what stands for an absent value."""
    left = [one for one in choices_of(hint) if one not in (type(None), typed.Unset)]
    return left[0] if len(left) == 1 else hint


def of_base(hint: Any) -> Any:
    """The type behind a `NewType`."""
    return getattr(hint, "__supertype__", hint)


def built(hint: Any, kind: Kind, value: Any) -> Any:
    """A value as a signature wants it: instances of classes for records."""
    hint = single(hint)
    if kind.record is not None and is_dataclass(hint):
        known = {name: one.kind for name, one in kind.record.fields.items()}
        return instance(cast("type[Any]", hint), known, value)
    if kind.of is None:
        return value
    inner = get_args(hint)[-1]
    if isinstance(value, Mapping):
        return {name: built(inner, kind.of, one) for name, one in value.items()}
    if isinstance(value, (set, frozenset)):
        return frozenset(built(inner, kind.of, one) for one in value)
    return [built(inner, kind.of, one) for one in value]


def instance(of: type[Any], kinds: Mapping[str, Kind], values: Values) -> Any:
    """An instance of a generated class with these attributes."""
    own = matched(members_of(of), list(kinds))
    if set(values) - set(own.values()):
        raise NotOffered(f"{of.__name__} has not all of {list(values)}")
    hints = hints_of(of)
    given = {
        member: None if values[name] is None else built(hints[member], kinds[name], values[name])
        for member, name in own.items()
        if name in values
    }
    needed = {one.name for one in fields(of) if one.default is MISSING}
    if needed - set(given):
        raise NotOffered(f"{of.__name__} needs {needed - set(given)}")
    for member, value in given.items():
        if value is None and type(None) not in choices_of(hints[member]):
            raise NotOffered(f"{of.__name__} does not remove {member}")
        check(hints[member], value, f"{of.__name__}.{member}")
    return of(**given)


def values_of(value: Any, kinds: Mapping[str, Kind]) -> Values:
    """The attributes of an instance, by their names in the model."""
    own = matched(members_of(type(value)), list(kinds))
    held = ((name, getattr(value, member)) for member, name in own.items())
    return {name: unbuilt(kinds[name], one) for name, one in held if one is not None}


def unbuilt(kind: Kind, value: Any) -> Any:
    """A value without instances of classes."""
    if kind.record is not None:
        return values_of(value, {name: one.kind for name, one in kind.record.fields.items()})
    if kind.of is None or isinstance(value, (set, frozenset)):
        return value
    if isinstance(value, Mapping):
        return {name: unbuilt(kind.of, one) for name, one in value.items()}
    return [unbuilt(kind.of, one) for one in value]


def check(hint: Any, value: Any, of: str) -> None:
    assert is_of(hint, value), f"{of}: {value!r} is no {hint}"


def is_of(hint: Any, value: Any) -> bool:
    """Whether a value is one of a type."""
    hint = of_base(hint)
    origin, arguments = get_origin(hint), get_args(hint)
    if origin in (Union, types.UnionType):
        return any(is_of(one, value) for one in arguments)
    if origin is Literal:
        return value in arguments
    if origin in (list, collections.abc.Sequence):
        return isinstance(value, list) and all(is_of(arguments[0], one) for one in value)
    if origin in (frozenset, collections.abc.Set):
        return isinstance(value, frozenset) and all(is_of(arguments[0], one) for one in value)
    if origin in (dict, collections.abc.Mapping):
        return isinstance(value, dict) and all(is_of(arguments[1], one) for one in value.values())
    if is_dataclass(value) and type(value) is hint:
        hints = hints_of(hint)
        return all(is_of(hints[name], getattr(value, name)) for name in members_of(hint))
    return type(value) is hint


def held_in(made: object) -> Iterator[object]:
    """The values of what a write made, each of a list."""
    for name in members_of(type(made)):
        held = getattr(made, name)
        yield from held if isinstance(held, list) else [held]


def check_made(hint: Any, made: object, report: Iterable[Made]) -> None:
    """What a write made must be of its class, and have all that the report has."""
    check(hint, made, "made")
    held = list(held_in(made))
    for one in report:
        assert one.value in held, f"{made!r} has no {one}"


async def settled(value: Any) -> Any:
    return await value if isinstance(value, Awaitable) else value


async def listed(of: Any) -> list[Any]:
    if hasattr(of, "__aiter__"):
        return [one async for one in of]
    return list(of)


def loaded(text: str) -> types.ModuleType:
    """The module of a generated file."""
    module = types.ModuleType("generated_client")
    sys.modules[module.__name__] = module
    exec(compile(text, "generated_client.py", "exec"), module.__dict__)
    return module


class Generated:
    """The client of a generated file, driven by the names of the plan document."""

    def __init__(self, text: str, model: Model, is_async: bool, *given: object) -> None:
        module = loaded(text)
        base: type[Any] = typed.AsyncTyped if is_async else typed.Typed
        (of,) = (
            one
            for one in vars(module).values()
            if isinstance(one, type) and issubclass(one, base) and one is not base
        )
        self.model = model
        self.client: Any = of(*given)
        _shapes.append(self.client.shapes)
        own = [name for name, one in vars(of).items() if inspect.isfunction(one)]
        methods = [name for name in own if name not in ("__init__", "event")]
        # A pattern and a write may have one name.
        self._patterns = paired(methods[: len(model.patterns)], list(model.patterns))
        self._writes = paired(methods[len(model.patterns) :], list(model.writes))
        part = getattr(self.client, "part", None)
        parts = [name for name, one in vars(type(part)).items() if callable(one)] if part else []
        self._parts = paired(parts, list(model.writes))
        writers = [name for name, one in vars(self.client).items() if isinstance(one, WRITERS)]
        written = [name for name, one in model.entities.items() if one.view is None]
        self._writers = paired(writers, written)
        self.report: Any = None
        """What the client under the generated one returned."""
        self._turn = 0
        for name in (*WRITES, "all"):
            self._watch(name)

    def _watch(self, name: str) -> None:
        """Keeps what a method of the client under the generated one returns."""
        inner = getattr(self.client.client, name)

        def sync(*given: Any, **options: Any) -> Any:
            self.report = inner(*given, **options)
            return self.report

        async def awaited(*given: Any, **options: Any) -> Any:
            self.report = await inner(*given, **options)
            return self.report

        is_async = isinstance(self.client, typed.AsyncTyped)
        setattr(self.client.client, name, awaited if is_async else sync)

    def _kinds(self, entity: str) -> dict[str, Kind]:
        return {name: one.kind for name, one in self.model.entities[entity].attributes.items()}

    def _arguments(self, method: Any, kinds: Mapping[str, Kind], values: Values) -> Values:
        """The keywords of a method."""
        known = [name for name in inspect.signature(method).parameters if name not in OPTIONS]
        hints, own = hints_of(method), matched(known, list(kinds))
        assert len(own) == len(kinds), f"{known} are not {list(kinds)}"
        given = {
            member: built(hints[member], kinds[name], values[name])
            for member, name in own.items()
            if values.get(name) is not None
        }
        for member, value in given.items():
            check(hints[member], value, f"{method.__name__}.{member}")
        return given

    async def read(
        self, name: str, values: Values, options: Mapping[str, Any], is_all: bool
    ) -> tuple[list[Item], str | None]:
        """The items of a page, or all of them, and the cursor behind them."""
        pattern = self.model.patterns[name]
        method = getattr(self.client, self._patterns[name])
        known = inspect.signature(method).parameters
        chosen = {one: True for one in ("backward", "strong") if options.get(one)}
        if set(chosen) - set(known):
            raise NotOffered(f"{name} has no {list(chosen)}")
        kinds = {one: parameter.kind for one, parameter in pattern.parameters.items()}
        given = self._arguments(method, kinds, values)
        answer = hints_of(method)["return"]
        if pattern.is_single or pattern.together is not None:
            if options["limit"] is not None or options.get("after") is not None:
                raise NotOffered(f"{name} has no pages")
            try:
                found = await settled(method(**given, **chosen))
            except NotFound as error:
                if error.message != f"{name}: no item":
                    raise
                # A page of it is empty.
                return [], None
            check(answer, found, name)
            if pattern.together is None:
                return list(self._named(pattern.returns, [answer], [found])), None
            members = members_of(answer)
            hints = [hints_of(answer)[member] for member in members]
            all_of = [getattr(found, member) for member in members]
            return list(self._named(pattern.returns, hints, all_of)), None
        classes = choices_of(get_args(answer)[0])
        query = method(**given, **chosen)
        if not is_all:
            page = await settled(query.page(limit=options["limit"], after=options.get("after")))
            return list(self._sorted(pattern.returns, classes, page.items)), page.next
        limit = options["limit"]
        self._turn += 1
        if limit is None and hasattr(query, "whole"):
            return await self._whole(pattern.returns, get_args(answer)[1], query), None
        if limit is None and self._turn % 3 == 0:
            items = await settled(query.all())
        elif self._turn % 3 == 1:
            items = await listed(query.items(limit=limit) if limit is not None else query)
        else:
            pages = await listed(query.pages(limit=limit))
            items = [one for page in pages for one in page.items]
        return list(self._sorted(pattern.returns, classes, items)), None

    def _named(
        self, returns: Iterable[Any], classes: Iterable[Any], all_of: Iterable[Any]
    ) -> Iterator[Item]:
        """Items of which each has its place."""
        for one, hint, found in zip(returns, classes, all_of, strict=True):
            if found is not None:
                check(hint, found, one.name)
                yield Item(one.name, values_of(found, self._kinds(one.entity.name)))

    def _sorted(
        self, returns: Sequence[Any], classes: Sequence[Any], all_of: Iterable[Any]
    ) -> Iterator[Item]:
        """Items of the classes of a pattern's kinds, which are in the order of the kinds."""
        assert len(returns) == len(classes), f"{classes} are the classes of {returns}"
        for found in all_of:
            (one,) = (one for one, hint in zip(returns, classes) if type(found) is hint)
            check(type(found), found, one.name)
            yield Item(one.name, values_of(found, self._kinds(one.entity.name)))

    async def _whole(self, returns: Sequence[Any], of: Any, query: Any) -> list[Item]:
        """The items of a whole answer, in the order in which the client found them."""
        self.report = None
        try:
            whole = await settled(query.whole())
        except NotFound:
            if self.report is None:
                raise
            single_kinds = {one.name for one in returns if not one.many and not one.optional}
            assert single_kinds - {one.kind for one in self.report}, "all single items are there"
            return list(self.report)
        check(of, whole, "the whole answer")
        left: dict[str, list[Item]] = {}
        for one, member in zip(returns, members_of(of), strict=True):
            held = getattr(whole, member)
            all_of = held if one.many else [held]
            kinds = self._kinds(one.entity.name)
            left[one.name] = [Item(one.name, values_of(it, kinds)) for it in all_of if it]
        items = [left[one.kind].pop(0) for one in self.report]
        assert not any(left.values()), f"{left} are too many"
        return items

    def _writer(self, entity: str) -> tuple[Any, tuple[Any, ...]]:
        """The writer of an entity, and its classes."""
        if entity not in self._writers:
            raise NotOffered(f"nobody writes {entity}")
        writer = getattr(self.client, self._writers[entity])
        return writer, get_args(writer.__orig_class__)

    def _given(self, entity: str, kind: str, values: Values, remove: Sequence[str]) -> list[Any]:
        """The arguments of a write of an entity."""
        _, classes = self._writer(entity)
        kinds = self._kinds(entity)
        if kind in ("create", "put", "delete"):
            of = {"create": NEW, "put": PUT, "delete": KEY}[kind]
            return [instance(classes[of], kinds, values)]
        in_key = matched(members_of(classes[KEY]), list(kinds)).values()
        key = {name: one for name, one in values.items() if name in in_key}
        patch = {name: one for name, one in values.items() if name not in in_key}
        removed = {name: None for name in remove}
        return [
            instance(classes[KEY], kinds, key),
            instance(classes[PATCH], kinds, {**patch, **removed}),
        ]

    def _made(self, entity: str, kind: str) -> Any:
        """The class of what a write of an entity makes."""
        _, classes = self._writer(entity)
        made = {"create": MADE, "put": MADE, "update": TOUCHED}.get(kind)
        return typed.NothingMade if made is None else classes[made]

    async def change(self, entity: str, kind: str, values: Values, remove: Sequence[str]) -> Any:
        """A write of an entity."""
        writer, _ = self._writer(entity)
        given = self._given(entity, kind, values, remove)
        done = await settled(getattr(writer, kind)(*given))
        check_made(self._made(entity, kind), done.made, self.report.made)
        return self._reported(done)

    async def write(self, name: str, values: Values) -> Any:
        """A named write."""
        method = getattr(self.client, self._writes[name])
        done = await settled(method(**self._arguments(method, self._of_write(name), values)))
        (made,) = get_args(hints_of(method)["return"])
        check_made(made, done.made, self.report.made)
        return self._reported(done)

    def _of_write(self, name: str) -> dict[str, Kind]:
        return {one: it.kind for one, it in self.model.writes[name].parameters.items()}

    def _reported(self, done: Any) -> Any:
        report = self.report
        assert (done.operation, done.changes) == (report.operation, report.changes)
        return report

    def part(self, name: str, values: Values) -> tuple[Any, Any]:
        """A named write as a part, and the class of what it makes."""
        method = getattr(self.client.part, self._parts[name])
        (made,) = get_args(hints_of(method)["return"])
        return method(**self._arguments(method, self._of_write(name), values)), made

    def part_of(
        self, entity: str, kind: str, values: Values, remove: Sequence[str]
    ) -> tuple[Any, Any]:
        """A write of an entity as a part, and the class of what it makes."""
        writer, _ = self._writer(entity)
        given = self._given(entity, kind, values, remove)
        return getattr(writer.part, kind)(*given), self._made(entity, kind)

    async def transact(self, parts: Sequence[tuple[Any, Any]]) -> Any:
        """Several writes as one transaction."""
        done = await settled(self.client.transact([part for part, _ in parts]))
        assert done.operation == self.report.operation
        for (part, hint), report in zip(parts, self.report.writes, strict=True):
            of_part = done.of(part)
            assert of_part.changes == report.changes
            check_made(hint, of_part.made, report.made)
        return self.report

    async def get_many(
        self, entity: str, keys: Sequence[Values], strong: bool
    ) -> list[Item | None]:
        """Entities by their keys."""
        writer, classes = self._writer(entity)
        kinds = self._kinds(entity)
        given = [instance(classes[KEY], kinds, key) for key in keys]
        found = await settled(writer.get_many(given, strong=strong))
        for one in found:
            check(classes[STORED] | None, one, entity)
        return [None if one is None else Item(entity, values_of(one, kinds)) for one in found]

    async def batch(self, entity: str, kind: str, all_of: Sequence[Values]) -> Any:
        """Entities that are put, or deleted by their keys."""
        writer, classes = self._writer(entity)
        if not hasattr(writer, kind):
            raise NotOffered(f"no batch writes {entity}")
        of = PUT if kind == "put_many" else KEY
        kinds = self._kinds(entity)
        given = [instance(classes[of], kinds, one) for one in all_of]
        done = await settled(getattr(writer, kind)(given))
        assert done.requests == self.report.requests
        hint = self._made(entity, "put" if kind == "put_many" else "delete")
        for made, report in zip(done.made, self.report.made, strict=True):
            check_made(hint, made, report)
        return self.report

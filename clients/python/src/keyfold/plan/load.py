"""Reads a plan document."""

from __future__ import annotations

import json
import os
import re
from collections.abc import Mapping, Sequence
from typing import Any, cast

from keyfold.errors import Invalid
from keyfold.plan import condition as conditions
from keyfold.plan.condition import Condition, Operand
from keyfold.plan.kind import Kind, Record, RecordField
from keyfold.plan.model import (
    Action,
    Aggregate,
    Assignment,
    AttributePlan,
    Copy,
    Default,
    Entity,
    GuardPlan,
    Held,
    Index,
    IndexKey,
    Model,
    ParameterPlan,
    Pattern,
    Periods,
    Plan,
    Range,
    Returned,
    Shards,
    Sparse,
    Table,
    Taken,
    Unique,
    Write,
    WriteParameter,
)
from keyfold.plan.template import (
    Break,
    Chunk,
    Field,
    Format,
    KeyColumn,
    Part,
    Parts,
    Shard,
    Text,
    key_fields,
)
from keyfold.values.value import decoded, is_for_system, shown_text

Json = Mapping[str, Any]
"""An object of the document."""
VERSION = 1
_REMEDY = "`keyfold plan FILE` writes the plan of a model"
_PATH_MAX = 4096
"""The characters from which on a text is the path of no file."""


def load(source: Model | Json | str | os.PathLike[str]) -> Model:
    """The model of a plan document: a dictionary, JSON text, or the path of a file with it.

    Raises `Invalid` for what is no plan, and for a document of another version.
    """
    if isinstance(source, Model):
        return source
    if isinstance(source, Mapping):
        return _model("the dictionary", source)
    if not isinstance(source, (str, os.PathLike)):  # pyright: ignore[reportUnnecessaryIsInstance]
        raise Invalid(
            "a plan is a dictionary, JSON text or the path of a file with it, and no"
            f" {type(source).__name__}",
            attribute="plan",
        )
    text = os.fsdecode(source)
    if text.lstrip().startswith("{"):
        return _model("the text", _parsed("the text", text))
    name = shown_text(text)
    return _model(name, _parsed(name, _read(text)))


def _read(path: str) -> str:
    """The text of the file of a plan."""
    name = shown_text(path)
    if not is_for_system(path) or "\n" in path or len(path) > _PATH_MAX:
        raise _wrong(f"the text is no plan and no path of one; {_REMEDY}")
    if path.endswith(".keyfold"):
        plan = shown_text(os.path.basename(path)[: -len(".keyfold")])
        why = f"{name} is a model, and no plan"
        raise _wrong(f"{why}; `keyfold plan {name} > {plan}.plan.json` writes its plan")
    try:
        with open(path, encoding="utf-8") as file:
            return file.read()
    except OSError as error:
        raise _wrong(f"the plan {name} cannot be read: {error.strerror or error}") from error
    except UnicodeDecodeError:
        raise _no_plan(name, "it is no text") from None


def _parsed(name: str, text: str) -> object:
    """What the JSON of a plan holds."""
    if not text.strip():
        raise _no_plan(name, "it is empty")
    try:
        return json.loads(text)
    except (ValueError, RecursionError):
        raise _no_plan(name, "it is no JSON") from None


def _model(name: str, document: object) -> Model:
    """The model of a document. `name` is that of the document in messages."""
    if not isinstance(document, Mapping):
        raise _no_plan(name, "it is no object of JSON")
    plan = cast(Json, document)
    if "keyfoldPlan" not in plan:
        raise _no_plan(name, "it has no `keyfoldPlan`")
    try:
        return _Loader(plan).model()
    except (LookupError, TypeError, ValueError, AttributeError, RecursionError) as error:
        raise _no_plan(name, "it is damaged") from error


def _no_plan(name: str, why: str) -> Invalid:
    """The error about what is no plan."""
    return _wrong(f"{name} is no plan: {why}; {_REMEDY}")


def _wrong(message: str) -> Invalid:
    return Invalid(message, attribute="plan")


class _Loader:
    """Reads the members of a document in their order: later ones name earlier ones."""

    def __init__(self, document: Json) -> None:
        version = document.get("keyfoldPlan")
        if version != VERSION:
            raise Invalid(
                f"the plan document has the version {version}, and this package reads {VERSION};"
                " install the package of the compiler that made it",
                attribute="plan",
            )
        self.document = document
        self.records: dict[str, Record] = {}
        for one in document.get("records", ()):
            fields = {
                own["name"]: RecordField(self.kind(own["type"]), bool(own.get("optional")))
                for own in one["fields"]
            }
            self.records[one["name"]] = Record(one["name"], fields)
        self.tables = {one["name"]: _table(one) for one in document["tables"]}
        self.counted = _counted(document)
        self.entities: dict[str, Entity] = {}
        for one in document["entities"]:
            self.entities[one["name"]] = self.entity(one)

    def model(self) -> Model:
        about = self.document["model"]
        patterns = [self.pattern(one) for one in self.document.get("patterns", ())]
        writes = [self.write(one) for one in self.document.get("writes", ())]
        return Model(
            name=about["name"],
            version=about["version"],
            hash=about["hash"],
            tables=self.tables,
            entities=self.entities,
            patterns={one.name: one for one in patterns},
            writes={one.name: one for one in writes},
        )

    def kind(self, kind: str | Json) -> Kind:
        if isinstance(kind, str):
            return Kind(kind)
        ((word, inside),) = kind.items()
        if word == "words":
            return Kind(word, words=tuple(inside))
        if word == "record":
            return Kind(word, record=self.records[inside])
        return Kind(word, of=self.kind(inside))

    def parts(self, parts: Sequence[str | Json]) -> Parts:
        return tuple(self.part(one) for one in parts)

    def part(self, part: str | Json) -> Part:
        if isinstance(part, str):
            return Text(part)
        if "field" in part:
            form = _format(part.get("format"))
            return Field(part["field"], self.kind(part["type"]), form, part.get("not", ""))
        if "shards" in part:
            return Shard(part["shards"], self.parts(part["of"]))
        return Chunk(part["part"]) if "part" in part else Break()

    def key(self, columns: Sequence[Json]) -> tuple[KeyColumn, ...]:
        return tuple(
            KeyColumn(
                one["attribute"],
                self.parts(one.get("parts", ())),
                re.compile(one["matches"], re.DOTALL) if "matches" in one else None,
            )
            for one in columns
        )

    def entity(self, one: Json) -> Entity:
        table = self.tables[one["table"]]
        key = self.key(one["key"])
        split = one.get("split")
        indexes = tuple(self.index_key(table, own) for own in one.get("indexes", ()))
        copies = {own["name"]: self.copy(own) for own in one.get("copies", ())}
        uniques = tuple(self.unique(own) for own in one.get("uniques", ()))
        deciding = {
            *(name for unique in uniques for name in unique.attributes),
            *(name for copy in copies.values() for name in _deciding(copy)),
            *(name for own in indexes for name in own.fields),
            *(own.sparse.attribute for own in indexes if own.sparse is not None),
            *self.counted.get(one["name"], ()),
            *([one["ttl"]] if "ttl" in one else []),
        }
        return Entity(
            name=one["name"],
            table=table,
            attributes={own["name"]: self.attribute(own) for own in one["attributes"]},
            key=key,
            key_fields=tuple(key_fields(key)),
            id=tuple(one.get("id", ())),
            left_out=frozenset(one.get("leftOut", ())),
            indexes=indexes,
            copies=copies,
            uniques=uniques,
            ttl=one.get("ttl"),
            view=one.get("view"),
            version=one.get("version"),
            aggregates=tuple(self.aggregate(own) for own in one.get("aggregates", ())),
            split=None if split is None else (split["attribute"], split["size"]),
            compressed=frozenset(one.get("compressed", ())),
            period_attribute=one.get("periodAttribute"),
            followed=tuple(one.get("followed", ())),
            deciding=frozenset(deciding),
            alone=bool(one.get("alone")),
        )

    def unique(self, one: Json) -> Unique:
        return Unique(
            attributes=tuple(one["attributes"]),
            lower=frozenset(one.get("lower", ())),
            key=self.parts(one["key"]),
            sort=one["sort"],
            holds=_held(one.get("holds", ())),
        )

    def attribute(self, one: Json) -> AttributePlan:
        given = one.get("default")
        default = None
        if isinstance(given, str):
            default = Default(cast(Any, given))
        elif given is not None:
            default = Default("value", decoded(given["value"]))
        refers = one.get("refers")
        return AttributePlan(
            name=one["name"],
            kind=self.kind(one["type"]),
            optional=bool(one.get("optional")),
            kept=bool(one.get("kept")),
            default=default,
            refers=refers and (refers["entity"], refers["attribute"]),
        )

    def index_key(self, table: Table, one: Json) -> IndexKey:
        sparse = one.get("sparse")
        key = self.key(one["key"])
        return IndexKey(
            index=table.indexes[one["index"]],
            key=key,
            fields=tuple(key_fields(key)),
            sparse=Sparse(sparse["attribute"], sparse.get("value")) if sparse else None,
        )

    def copy(self, one: Json) -> Copy:
        return Copy(
            name=one["name"],
            key=self.key(one["key"]),
            attributes=tuple(one["attributes"]),
            left_out=frozenset(one.get("leftOut", ())),
            when=_conditions(one.get("when", ())),
        )

    def aggregate(self, one: Json) -> Aggregate:
        where = one.get("where")
        return Aggregate(
            kind=one["kind"],
            attribute=one["attribute"],
            entity=one["entity"],
            of=one.get("of"),
            where=(where["attribute"], where["text"]) if where else None,
            link=tuple((own["own"], own["other"]) for own in one["link"]),
            items=one["items"],
            changes=one["changes"],
            next=self.plan(one["next"]) if "next" in one else None,
            next_copy=one.get("nextCopy"),
        )

    def plan(self, one: Json) -> Plan:
        table = self.tables[one["table"]]
        period = one.get("period")
        return Plan(
            request=one["request"],
            table=table,
            index=table.indexes[one["index"]] if "index" in one else None,
            partition=self.key(one.get("partition", ())),
            sort=self.range(one["sort"]) if "sort" in one else None,
            sort_attributes=tuple(one.get("sortAttributes", ())),
            fan=self.fan(one.get("fan")),
            period=(period["unit"], period["from"]) if period else None,
            descending=bool(one.get("descending")),
            reversed=bool(one.get("reversed")),
            page=one.get("page"),
            strong=bool(one.get("strong")),
            only=tuple(one.get("only", ())),
            filters=_conditions(one.get("filters", ())),
            gets=tuple((own["name"], self.plan(own["plan"])) for own in one.get("gets", ())),
            beside=tuple((own["returns"], self.plan(own["plan"])) for own in one.get("beside", ())),
            fetched=tuple(one.get("fetched", ())),
            guard=self.guard(one.get("guard")),
        )

    def guard(self, one: Json | None) -> GuardPlan | None:
        return None if one is None else GuardPlan(self.key(one["key"]), _held(one["holds"]))

    def range(self, one: Json) -> Range:
        return Range(
            shape=one["is"],
            before=self.key(one.get("before", ())),
            attribute=one["attribute"],
            at=self.parts(one.get("at", ())),
            to=self.parts(one["to"]) if "to" in one else None,
        )

    def fan(self, one: Json | None) -> Shards | Periods | None:
        if one is None:
            return None
        if "periods" not in one:
            return Shards(one["shards"])
        return Periods(
            unit=one["periods"],
            attribute=one["attribute"],
            kind=self.kind(one["type"]),
            low=one["low"],
            high=one.get("high"),
            shards=one.get("shards"),
        )

    def pattern(self, one: Json) -> Pattern:
        return Pattern(
            name=one["name"],
            parameters={own["name"]: self.parameter(own) for own in one.get("parameters", ())},
            fixed={own["name"]: decoded(own["value"]) for own in one.get("fixed", ())},
            returns=tuple(self.returned(own) for own in one["returns"]),
            together=one.get("together"),
            only=tuple(one.get("only", ())),
            plan=self.plan(one["plan"]),
            variants=tuple(
                (frozenset(own["without"]), self.plan(own["plan"]))
                for own in one.get("variants", ())
            ),
        )

    def parameter(self, one: Json) -> ParameterPlan:
        limit = one["limit"]
        return ParameterPlan(
            name=one["name"],
            attribute=one.get("attribute"),
            kind=self.kind(one["type"]),
            limit=limit if isinstance(limit, str) else "in",  # type: ignore[arg-type]
            optional=bool(one.get("optional")),
            now=bool(one.get("now")),
        )

    def returned(self, one: Json) -> Returned:
        entity = self.entities[one["entity"]]
        return Returned(
            name=one["name"],
            entity=entity,
            copy=entity.copies[one["copy"]] if "copy" in one else None,
            many=bool(one.get("many")),
            optional=bool(one.get("optional")),
        )

    def write(self, one: Json) -> Write:
        parameters = {
            own["name"]: WriteParameter(
                name=own["name"],
                kind=self.kind(own["type"]),
                optional=bool(own.get("optional")),
                now=bool(own.get("now")),
            )
            for own in one.get("parameters", ())
        }
        actions = tuple(self.action(own) for own in one["actions"])
        return Write(one["name"], parameters, actions)

    def action(self, one: Json) -> Action:
        return Action(
            verb=one["verb"],
            entity=self.entities[one["entity"]],
            alias=one.get("as"),
            taken=tuple(
                Taken(own["attribute"], _source(own["from"]), bool(own.get("declared")))
                for own in one.get("taken", ())
            ),
            each=one.get("each"),
            assignments=_assignments(one.get("set", ())),
            otherwise=_assignments(one.get("otherwise", ())),
            removed=(
                *((name,) for name in one.get("remove", ())),
                *((own["attribute"], *own["fields"]) for own in one.get("removeFields", ())),
            ),
            conditions=_conditions(one.get("when", ())),
            upserts=tuple(
                (frozenset(own.get("without", ())), dict(own["attributes"]))
                for own in one.get("upserts", ())
            ),
        )


def _counted(document: Json) -> dict[str, set[str]]:
    """For each entity the attributes by which others' aggregates count it."""
    found: dict[str, set[str]] = {}
    for one in (one for parent in document["entities"] for one in parent.get("aggregates", ())):
        names = found.setdefault(one["entity"], set())
        names.update(link["other"] for link in one["link"])
        names.update([one["of"]] if "of" in one else [])
        names.update([one["where"]["attribute"]] if "where" in one else [])
    return found


def _deciding(copy: Copy) -> set[str]:
    """The attributes that make the key of a copy, and those that decide whether there is one."""
    names = {name for one in copy.when for name in conditions.attributes(one)}
    return names.union(key_fields(copy.key))


def _format(form: str | Json | None) -> Format:
    if form is None:
        return Format()
    if isinstance(form, str):
        return Format(cast(Any, form))
    if "cut" in form:
        return Format("cut", unit=form["cut"])
    padded = form["padded"]
    return Format(
        "padded",
        whole=padded["whole"],
        decimals=padded.get("decimals", 0),
        reversed=bool(padded.get("reversed")),
        signed=bool(padded.get("signed")),
    )


def _table(one: Json) -> Table:
    indexes = [_index(own) for own in one.get("indexes", ())]
    columns = [one["partition"], *([one["sort"]] if "sort" in one else [])]
    return Table(
        name=one["name"],
        columns=tuple(column["name"] for column in columns),
        type_attribute=one.get("typeAttribute"),
        ttl_attribute=one.get("ttlAttribute"),
        period=one.get("period"),
        indexes={own.name: own for own in indexes},
        create=dict(one["create"]),
        create_past=one.get("createPast"),
        recovery=bool(one.get("recovery")),
    )


def _index(one: Json) -> Index:
    projection = one["projection"]
    columns = [*one["partition"], *one.get("sort", ())]
    if isinstance(projection, str):
        held: Any = "all" if projection == "all" else ()
    else:
        held = tuple(projection)
    names = tuple(column["name"] for column in columns)
    return Index(one["name"], names, len(one["partition"]), held, is_local=bool(one.get("local")))


def _held(all_of: Sequence[Json]) -> tuple[Held, ...]:
    return tuple(Held(one["attribute"], one["as"]) for one in all_of)


def _conditions(all_of: Sequence[Json]) -> tuple[Condition, ...]:
    return tuple(_condition(one) for one in all_of)


def _condition(one: Json) -> Condition:
    if "not" in one:
        return conditions.Not(_condition(one["not"]))
    if "all" in one:
        return conditions.All(_conditions(one["all"]))
    if "any" in one:
        return conditions.Any(_conditions(one["any"]))
    return conditions.Comparison(
        path=(one["attribute"], *one.get("fields", ())),
        comparator=one["is"],
        operands=tuple(_operand(own) for own in one.get("operands", ())),
        is_size=one.get("measure") == "size",
        text=one["text"],
    )


def _operand(one: Json) -> Operand:
    if "parameter" in one:
        return conditions.Parameter(one["parameter"])
    if "attribute" in one:
        return conditions.Attribute(one["attribute"], tuple(one.get("fields", ())))
    if "lent" in one:
        return conditions.Lent(one["lent"]["action"], one["lent"]["attribute"])
    return conditions.Literal_(decoded(one["value"]))


def _source(one: Json) -> Operand:
    if "action" in one:
        return conditions.Lent(one["action"], one["attribute"])
    return _operand(one)


def _assignments(all_of: Sequence[Json]) -> tuple[Assignment, ...]:
    return tuple(
        Assignment(
            attribute=one["attribute"],
            fields=tuple(one.get("fields", ())),
            left=_operand(one["left"]),
            joint=one.get("joint"),
            right=_operand(one["right"]) if "right" in one else None,
        )
        for one in all_of
    )

"""The assignments of a named write: as an expression that the engine evaluates, or as a value
computed from the attributes that were read."""

from __future__ import annotations

from decimal import Decimal

from keyfold.errors import Refused
from keyfold.lower.bound import missing_argument
from keyfold.lower.expression import Append, Change, Exclude, Include, InField, Joined, Of, Set
from keyfold.lower.write.lacking import Lacking, written_path
from keyfold.plan.condition import Attribute, Lent, Operand, Parameter, Path
from keyfold.plan.model import Assignment, Entity
from keyfold.values import number
from keyfold.values.value import Value, Values, at_path, shown, tag


def _kind_of(entity: Entity, assignment: Assignment) -> str:
    kind = entity.kind_at(assignment.path)
    return "string" if kind is None else kind.name


def _argument(name: str, arguments: Values) -> Value:
    held = arguments.get(name)
    if held is None:
        raise missing_argument("the write", name)
    return held


def change_of(entity: Entity, assignment: Assignment, arguments: Values) -> Change:
    """An assignment as a change that the engine carries out."""

    def one(operand: Operand) -> Of | Set:
        if isinstance(operand, Attribute):
            return Of(operand.path)
        if isinstance(operand, Parameter):
            return Set(_argument(operand.name, arguments))
        if isinstance(operand, Lent):
            return Set(_argument(operand.argument, arguments))
        return Set(operand.value)

    made: Change = one(assignment.left)
    if assignment.right is not None:
        kind = _kind_of(entity, assignment)
        made = _joined(kind, made, assignment.joint, one(assignment.right))
    return InField(assignment.fields, made) if assignment.fields else made


def _joined(kind: str, left: Change, joint: str | None, right: Of | Set) -> Change:
    """The change of a value of this type by an addition or subtraction."""
    if kind == "list" and isinstance(right, Set):
        return Append(right.value, is_before=joint == "before")
    if kind == "set" and isinstance(right, Set):
        element = _set_of(right.value)
        return Exclude(element) if joint == "minus" else Include(element)
    return Joined(left, right, is_sum=joint != "minus")


def _set_of(element: Value) -> Value:
    """The set of one element."""
    kind = tag(element)
    if kind not in ("S", "N", "B"):
        raise Refused(f"{shown(element)} is no element of a set")
    return {f"{kind}S": [element[kind]]}


def apply(
    entity: Entity, assignment: Assignment, arguments: Values, old: Values, new: Values
) -> None:
    """Carries an assignment out on `new`, from the item's old attributes. A set that loses its last
    element goes, since DynamoDB stores no empty set."""
    _put(entity, assignment.path, _evaluated(entity, assignment, arguments, old), new)


def remove(entity: Entity, path: Path, values: Values) -> None:
    """Removes an attribute, or a field inside it."""
    _put(entity, path, None, values)


def _evaluated(
    entity: Entity, assignment: Assignment, arguments: Values, old: Values
) -> Value | None:
    """The value that an assignment makes of the item's old attributes; none where a set loses its
    last element."""

    def one(operand: Operand) -> Value:
        if isinstance(operand, Parameter):
            return _argument(operand.name, arguments)
        if isinstance(operand, Lent):
            return _argument(operand.argument, arguments)
        if not isinstance(operand, Attribute):
            return operand.value
        held = at_path(old, operand.path)
        if held is None:
            raise Lacking(entity, old).of(operand.path)
        return held

    right = assignment.right
    if right is None:
        return one(assignment.left)
    kind = _kind_of(entity, assignment)
    if kind not in ("list", "set"):
        path = written_path(assignment.path)
        return _calculated(path, assignment.joint, one(assignment.left), one(right))
    left = assignment.left
    held = at_path(old, left.path) if isinstance(left, Attribute) else one(left)
    if kind == "list":
        return _joined_list(held, assignment.joint, one(right))
    return _joined_set(held, assignment.joint, _set_of(one(right)))


def _joined_list(held: Value | None, joint: str | None, element: Value) -> Value:
    if held is not None and "L" not in held:
        raise Refused(f"{shown(held)} is no list")
    elements: list[Value] = [] if held is None else held["L"]
    return {"L": [element, *elements] if joint == "before" else [*elements, element]}


def _joined_set(held: Value | None, joint: str | None, element: Value) -> Value | None:
    """A set with an element more or less; none when none remains."""
    takes = joint == "minus"
    if held is None:
        return None if takes else element
    kind = tag(element)
    if tag(held) != kind:
        raise Refused(f"{shown(held)} is no set of such elements")
    (one,) = element[kind]
    members = [member for member in held[kind] if member != one]
    if not takes:
        members = sorted([*members, one], key=Decimal if kind == "NS" else None)
    return {kind: members} if members else None


def _calculated(path: str, joint: str | None, left: Value, right: Value) -> Value:
    if "N" not in left or "N" not in right:
        raise Refused(f"{shown(left)} is no number")
    try:
        made = number.subtract if joint == "minus" else number.add
        return {"N": made(left["N"], right["N"])}
    except number.NumberError as error:
        raise Refused(f"{path}: {error}") from None


def _put(entity: Entity, path: Path, value: Value | None, values: Values) -> None:
    """Gives an attribute or a field inside it a value, or removes it."""
    refused = Lacking(entity, values).place(path, values)
    if refused is not None:
        raise refused
    made = _with(values, path, value)
    values.clear()
    values.update(made)


def _with(fields: dict[str, Value], path: Path, value: Value | None) -> dict[str, Value]:
    """The fields with another value at the end of a path. Nothing inside them is changed."""
    name, behind = path[0], path[1:]
    if behind:
        return {**fields, name: {"M": _with(fields[name]["M"], behind, value)}}
    made = {own: held for own, held in fields.items() if own != name or value is not None}
    if value is not None:
        made[name] = value
    return made

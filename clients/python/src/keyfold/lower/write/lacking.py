"""Items that lack what the model requires, since another program wrote them: a write by a path
says so in a sentence that names item and attribute."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from keyfold.errors import KeyfoldError, Refused, Service
from keyfold.lower.steps import Lowering
from keyfold.lower.write.refusal import at_entity, key_text
from keyfold.lower.write.stored_entity import get
from keyfold.plan.condition import Attribute, Path
from keyfold.plan.kind import written
from keyfold.plan.model import Action, Entity
from keyfold.values.value import Item, Values, at_path


def written_path(path: Path) -> str:
    """A path as the language writes it: `prices."eu-west"`."""
    return ".".join(written(name) for name in path)


@dataclass(frozen=True)
class Lacking:
    """An item by the attributes that identify it, for the sentences about what it lacks."""

    entity: Entity
    identity: Values

    def _refused(self, message: str) -> Refused:
        return Refused(f"{message}; `keyfold verify` finds such items")

    def _text(self) -> str:
        key = key_text(self.entity, self.identity)
        return f"the {self.entity.name} with {key}" if key else f"the {self.entity.name}"

    def of(self, path: Path) -> Refused:
        """The refusal of a write that takes the value of a path which the item lacks."""
        path_text = written_path(path)
        return self._refused(f"{self._text()} has no `{path_text}`, which the model requires")

    def place(self, path: Path, values: Values) -> Refused | None:
        """The refusal of a change of a field whose record or map the item lacks; none where it is
        there."""
        for length in range(1, len(path)):
            held = at_path(values, path[:length])
            if held is not None and "M" in held:
                continue
            item, wrong = self._text(), written_path(path[:length])
            has_none = f"{item} has no `{wrong}`"
            what = has_none if held is None else f"`{wrong}` of {item} has no fields"
            return self._refused(f"{what}, in which `{written_path(path)}` lies")
        return None


@dataclass(frozen=True)
class Unread:
    """An update that the engine evaluates on an item which is not read before."""

    action: str
    """The action, as the model writes it: `update Account as from`."""
    table: str
    key: Item
    lacking: Lacking
    changed: tuple[Path, ...]
    """The paths that it changes or removes."""
    taken: tuple[Path, ...]
    """The paths whose values it takes. An operand that is a missing list or set counts as empty."""

    def refusal(self, stored: Item) -> Refused | None:
        """The refusal of the update, where the item as it is stored lacks what it needs."""
        changed = (self.lacking.place(path, stored) for path in self.changed)
        taken = (self.lacking.of(path) for path in self.taken if at_path(stored, path) is None)
        refused = next((one for one in (*changed, *taken) if one is not None), None)
        if refused is not None:
            at_entity(refused, self.action, self.lacking.entity, self.lacking.identity)
        return refused


def unread(action: Action, identity: Values, table: str, key: Item) -> Unread:
    """The update of an action on the item with this key."""
    entity = action.entity
    taken: list[Path] = []
    for one in action.assignments:
        for operand in one.operands():
            if not isinstance(operand, Attribute):
                continue
            kind = entity.kind_at(operand.path)
            if one.right is None or (kind is not None and kind.is_number):
                taken.append(operand.path)
    changed = (*(one.path for one in action.assignments), *action.removed)
    return Unread(action.name, table, key, Lacking(entity, identity), changed, tuple(taken))


def explained(error: KeyfoldError, all_of: Sequence[Unread]) -> Lowering[KeyfoldError]:
    """The error of a request, or the sentence about an item of it that lacks what an update needs.

    The service finds such an update invalid, and does not say which attribute is missing.
    """
    if not isinstance(error, Service):
        return error
    codes = [reason.code for reason in error.reasons]
    if error.exception != "ValidationException" and "ValidationError" not in codes:
        return error
    for one in all_of:
        try:
            stored = yield from get(one.table, one.key)
        except KeyfoldError:
            continue
        refused = None if stored is None else one.refusal(stored)
        if refused is not None:
            return refused
    return error

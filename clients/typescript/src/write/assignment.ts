/** The assignments of a named write: as an expression that the engine evaluates, or as a value computed from
 * the attributes that were read. */

import { failure, invalid } from "../error.js";
import type { Change } from "../expression.js";
import type { Model } from "../model.js";
import type { AssignmentPlan, AttributeValue, EntityPlan, Operand, Type } from "../plan.js";
import { addNumbers, compareNumbers, negatedNumber } from "../value/number.js";
import { compareTexts, shown } from "../value/text.js";
import { held, isEqual, type Values } from "../value/value.js";

function typeOf(model: Model, entity: EntityPlan, name: string): Exclude<Type, string> {
  const type = model.attribute(entity, name)?.type;
  return typeof type === "object" ? type : {};
}

/** The value of a parameter. */
function argument(name: string, args: Values): AttributeValue {
  const value = args.get(name);
  if (value === undefined) throw invalid(`the write needs ${name}`, name);
  return value;
}

/** The value of an operand that is no attribute. */
function givenValue({ parameter, value }: Operand, args: Values): AttributeValue {
  return value ?? argument(parameter ?? "", args);
}

/** An assignment as a change that the engine carries out. */
export function changeOf(model: Model, entity: EntityPlan, assignment: AssignmentPlan, args: Values): Change {
  const one = (operand: Operand): Change =>
    operand.attribute === undefined
      ? { is: "set", value: givenValue(operand, args) }
      : { is: "attribute", name: operand.attribute };
  const { fields = [], joint } = assignment;
  const left = one(assignment.left);
  if (assignment.right === undefined) {
    return fields.length === 0 ? left : { is: "field", fields, change: left };
  }
  const right = one(assignment.right);
  const type = typeOf(model, entity, assignment.attribute);
  if (right.is === "set" && type.list !== undefined) {
    return { is: joint === "before" ? "prepend" : "append", value: right.value };
  }
  if (right.is === "set" && type.set !== undefined) {
    return { is: joint === "minus" ? "exclude" : "include", value: setOf(right.value) };
  }
  return { is: joint === "minus" ? "difference" : "sum", left, right };
}

/** The set of one element. */
function setOf(element: AttributeValue): AttributeValue {
  if (element.S !== undefined) return { SS: [element.S] };
  if (element.N !== undefined) return { NS: [element.N] };
  if (element.B !== undefined) return { BS: [element.B] };
  throw failure("refused", `${shown(element)} is no element of a set`);
}

/** The value that an assignment makes of the item's old attributes; `undefined` where a set loses its last
 * element, since DynamoDB stores no empty set. The fields of a record or map are set in `next`, which holds
 * the changes of the assignments before. */
export function evaluate(
  model: Model,
  entity: EntityPlan,
  assignment: AssignmentPlan,
  args: Values,
  [old, next]: readonly [Values, Values],
): AttributeValue | undefined {
  const stored = (values: Values, name: string): AttributeValue => {
    const value = values.get(name);
    if (value === undefined) throw failure("refused", `the ${entity.name} has no ${name}`);
    return value;
  };
  const one = (operand: Operand): AttributeValue =>
    operand.attribute === undefined ? givenValue(operand, args) : stored(old, operand.attribute);
  const { attribute, fields = [], left, right, joint } = assignment;
  if (right === undefined) {
    const value = one(left);
    return fields.length === 0 ? value : withField(stored(next, attribute), fields, value);
  }
  const type = typeOf(model, entity, attribute);
  if (type.list === undefined && type.set === undefined) {
    return calculated(attribute, joint === "minus", one(left), one(right));
  }
  // The list or set that the assignment adds to; a missing one is empty.
  const collection = left.attribute === undefined ? one(left) : old.get(left.attribute);
  return type.list === undefined
    ? joinedSet(collection, joint === "minus", setOf(one(right)))
    : joinedList(collection, joint === "before", one(right));
}

function joinedList(list: AttributeValue | undefined, isBefore: boolean, element: AttributeValue): AttributeValue {
  if (list !== undefined && list.L === undefined) throw failure("refused", `${shown(list)} is no list`);
  const all = list?.L ?? [];
  return { L: isBefore ? [element, ...all] : [...all, element] };
}

/** A set with an element more or less; `undefined` when none remains. */
function joinedSet(set: AttributeValue | undefined, takes: boolean, one: AttributeValue): AttributeValue | undefined {
  if (set === undefined) return takes ? undefined : one;
  const join = (
    kind: "SS" | "NS" | "BS",
    order: (left: string, right: string) => number,
  ): AttributeValue | undefined => {
    const [members, [element = ""] = []] = [set[kind] ?? [], one[kind]];
    const others = members.filter((member) => !isEqual({ [kind]: [member] }, { [kind]: [element] }));
    const joined = takes ? others : [...others, element].sort(order);
    return joined.length === 0 ? undefined : { [kind]: joined };
  };
  if (set.SS !== undefined && one.SS !== undefined) return join("SS", compareTexts);
  if (set.NS !== undefined && one.NS !== undefined) return join("NS", compareNumbers);
  if (set.BS !== undefined && one.BS !== undefined) {
    return join("BS", (left, right) => compareTexts(atob(left), atob(right)));
  }
  throw failure("refused", `${shown(set)} is no set of such elements`);
}

function calculated(name: string, takes: boolean, left: AttributeValue, right: AttributeValue): AttributeValue {
  if (left.N === undefined || right.N === undefined) throw failure("refused", `${shown(left)} is no number`);
  const N = addNumbers(left.N, takes ? negatedNumber(right.N) : right.N);
  if (N === undefined) throw failure("refused", `${name}: the result is no number of DynamoDB`);
  return { N };
}

/** A record or map with another value of a field inside it. */
function withField(whole: AttributeValue, fields: readonly string[], value: AttributeValue): AttributeValue {
  const [field, ...behind] = fields;
  if (field === undefined) return value;
  if (whole.M === undefined) throw failure("refused", `${shown(whole)} has no fields`);
  const inside = held(whole.M, field);
  if (behind.length > 0 && inside === undefined) throw failure("refused", `\`${field}\` is missing`);
  return { M: { ...whole.M, [field]: withField(inside ?? {}, behind, value) } };
}

/** The assignments of a named write: as an expression that the engine evaluates, or as a value computed from
 * the attributes that were read. */

import type { Path } from "../bound.js";
import { failure, invalid } from "../error.js";
import type { Change } from "../expression.js";
import { valueAt } from "../judge.js";
import type { Model } from "../model.js";
import type { AssignmentPlan, AttributeValue, EntityPlan, Operand, Type } from "../plan.js";
import { addNumbers, compareNumbers, negatedNumber } from "../value/arithmetic.js";
import { isEqual } from "../value/compare.js";
import { compareTexts, shown } from "../value/text.js";
import { held, type Values } from "../value/value.js";
import { lentName } from "./inputs.js";
import { lacks, noPlace, pathText } from "./lacking.js";
import { itemText } from "./refusal.js";

/** The type at the end of a path; `undefined` for a path that leads nowhere. */
export function typeAt(model: Model, entity: EntityPlan, [attribute = "", ...fields]: Path): Type | undefined {
  let type = model.attribute(entity, attribute)?.type;
  for (const field of fields) {
    if (typeof type !== "object") return undefined;
    const { record, map } = type;
    type = record === undefined ? map : model.records.get(record)?.find((one) => one.name === field)?.type;
  }
  return type;
}

/** The type that an assignment changes, where it is no scalar. */
function typeOf(model: Model, entity: EntityPlan, path: Path): Exclude<Type, string> {
  const type = typeAt(model, entity, path);
  return typeof type === "object" ? type : {};
}

/** The value of a parameter. */
function argument(name: string, args: Values): AttributeValue {
  const value = args.get(name);
  if (value === undefined) throw invalid(`the write needs ${name}`, name);
  return value;
}

/** The value of an operand that is no attribute of the item. */
function givenValue({ lent, parameter, value }: Operand, args: Values): AttributeValue {
  return value ?? argument(lent === undefined ? (parameter ?? "") : lentName(lent), args);
}

/** An assignment as a change that the engine carries out. */
export function changeOf(model: Model, entity: EntityPlan, assignment: AssignmentPlan, args: Values): Change {
  const { attribute, fields = [], joint, left, right } = assignment;
  const one = (operand: Operand): Change =>
    operand.attribute === undefined
      ? { is: "set", value: givenValue(operand, args) }
      : { is: "attribute", path: pathOf(operand.attribute, operand.fields) };
  const change =
    right === undefined
      ? one(left)
      : joined(typeOf(model, entity, pathOf(attribute, fields)), one(left), joint, one(right));
  return fields.length === 0 ? change : { is: "field", fields, change };
}

function pathOf(attribute: string, fields: readonly string[] = []): Path {
  return [attribute, ...fields];
}

/** The change of a value of this type by an addition or subtraction. */
function joined(type: Exclude<Type, string>, left: Change, joint: AssignmentPlan["joint"], right: Change): Change {
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

/** Carries an assignment out on `next`, from the item's old attributes. A set that loses its last element goes,
 * since DynamoDB stores no empty set. */
export function apply(
  model: Model,
  entity: EntityPlan,
  assignment: AssignmentPlan,
  args: Values,
  [old, next]: readonly [Values, Values],
): void {
  const path = pathOf(assignment.attribute, assignment.fields);
  const value = evaluate(model, entity, assignment, args, old);
  if (value === undefined) removeAt(entity, path, next);
  else changeAt(entity, path, next, value);
}

/** The value that an assignment makes of the item's old attributes; `undefined` where a set loses its last
 * element. */
function evaluate(
  model: Model,
  entity: EntityPlan,
  { attribute, fields, left, right, joint }: AssignmentPlan,
  args: Values,
  old: Values,
): AttributeValue | undefined {
  const one = (operand: Operand): AttributeValue => {
    if (operand.attribute === undefined) return givenValue(operand, args);
    const path = pathOf(operand.attribute, operand.fields);
    const value = valueAt(old, path);
    if (value === undefined) throw lacks(itemText(entity, old), path);
    return value;
  };
  if (right === undefined) return one(left);
  const path = pathOf(attribute, fields);
  const type = typeOf(model, entity, path);
  if (type.list === undefined && type.set === undefined) {
    return calculated(pathText(path), joint === "minus", one(left), one(right));
  }
  // The list or set that the assignment adds to; a missing one is empty.
  const collection = left.attribute === undefined ? one(left) : valueAt(old, pathOf(left.attribute, left.fields));
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

/** Removes an attribute, or a field inside it. */
export function removeAt(entity: EntityPlan, path: Path, values: Values): void {
  changeAt(entity, path, values, undefined);
}

/** Gives an attribute or a field inside it a value; `undefined` removes it. */
function changeAt(entity: EntityPlan, path: Path, values: Values, value: AttributeValue | undefined): void {
  const [attribute = "", ...fields] = path;
  const error = noPlace(itemText(entity, values), path, values);
  if (error !== undefined) throw error;
  const changed = withField(values.get(attribute), fields, value);
  if (changed === undefined) values.delete(attribute);
  else values.set(attribute, changed);
}

/** A record or map with another value of a field inside it, or without the field. */
function withField(
  whole: AttributeValue | undefined,
  [field, ...behind]: readonly string[],
  value: AttributeValue | undefined,
): AttributeValue | undefined {
  if (field === undefined) return value;
  const { [field]: _, ...others } = whole?.M ?? {};
  const inside = held(whole?.M ?? {}, field);
  const changed = withField(inside, behind, value);
  return { M: changed === undefined ? others : { ...others, [field]: changed } };
}

/** Which actions the engine carries out by itself, without a read before them. */

import type { Path } from "../bound.js";
import { attributesOf, parametersOf, without } from "../judge.js";
import type { Model } from "../model.js";
import type { ActionPlan, AssignmentPlan, EntityPlan, Operand } from "../plan.js";
import { typeAt } from "./assignment.js";

/** What an upsert as one update does to a stored attribute. */
export type Fate = "same" | "first" | "moved" | "added";

/** The operands of an assignment. */
export function operandsOf({ left, right }: AssignmentPlan): readonly Operand[] {
  return right === undefined ? [left] : [left, right];
}

function parametersOfAssignment(assignment: AssignmentPlan): string[] {
  return operandsOf(assignment).flatMap((one) => one.parameter ?? []);
}

/** The action without assignments and comparisons that use one of these parameters, which are not given:
 * their attributes stay as they are. */
export function withoutAbsent(action: ActionPlan, absent: ReadonlySet<string>): ActionPlan {
  if (absent.size === 0) return action;
  const kept = (all: readonly AssignmentPlan[] = []): AssignmentPlan[] =>
    all.filter((one) => !parametersOfAssignment(one).some((name) => absent.has(name)));
  return {
    ...action,
    set: kept(action.set),
    otherwise: kept(action.otherwise),
    when: (action.when ?? []).flatMap((one) => without(one, absent) ?? []),
  };
}

/** What an upsert as one update does to each stored attribute; `undefined` where the item is read first.
 * `action` has all of its assignments, `absent` are the optional parameters that are not given. */
export function fatesOf(action: ActionPlan, absent: ReadonlySet<string>): [string, Fate][] | undefined {
  const assigned = [...(action.set ?? []), ...(action.otherwise ?? [])].flatMap(parametersOfAssignment);
  const used = new Set([...assigned, ...(action.when ?? []).flatMap(parametersOf)]);
  const choice = [...used].filter((name) => absent.has(name));
  const found = action.upserts?.find(
    ({ without: names = [] }) => names.length === choice.length && choice.every((name) => names.includes(name)),
  );
  return found && (Object.entries(found.attributes) as [string, Fate][]);
}

/** Whether a put needs no read before it. */
export function isDirectPut(entity: EntityPlan, action: ActionPlan): boolean {
  return entity.alone === true && engineJudges(entity, action);
}

/** Whether a check needs no read before it. */
export function isDirectCheck(entity: EntityPlan, action: ActionPlan): boolean {
  return entity.id === undefined && engineJudges(entity, action);
}

/** Whether an update is one expression that the engine evaluates. */
export function isDirectUpdate(model: Model, entity: EntityPlan, action: ActionPlan): boolean {
  const version = entity.version === undefined ? [] : [entity.version];
  const isPlain = (name: string): boolean => entity.followed?.includes(name) !== true && storesPlainly(entity, name);
  return (
    entity.id === undefined &&
    [...writtenAttributes(action), ...version].every(isPlain) &&
    (action.set ?? []).every((one) => isSimple(model, entity, one)) &&
    engineJudges(entity, action)
  );
}

function isSamePath(one: Path, other: Path): boolean {
  return one.length === other.length && one.every((name, at) => name === other[at]);
}

/** The attributes that an action assigns or removes. */
export function writtenAttributes({ set = [], remove = [], removeFields = [] }: ActionPlan): string[] {
  return [...set, ...removeFields].map((one) => one.attribute).concat(remove);
}

/** Whether the engine can judge the conditions of an action: it sees attributes as they are stored, and the
 * item of a maximum may change in the same write. */
function engineJudges(entity: EntityPlan, { when = [] }: ActionPlan): boolean {
  const keepsMaximum = entity.aggregates?.some((one) => one.kind === "max") === true;
  const sees = when.flatMap(attributesOf).every((name) => storesPlainly(entity, name));
  return when.length === 0 || (!keepsMaximum && sees);
}

/** Whether the engine can carry out an assignment: it copies stored attributes, adds and subtracts numbers,
 * and adds one given element to the list or set itself. */
function isSimple(model: Model, entity: EntityPlan, assignment: AssignmentPlan): boolean {
  const { attribute, left, right, fields = [] } = assignment;
  const named = operandsOf(assignment).flatMap((one) => one.attribute ?? []);
  const path = [attribute, ...fields];
  const type = typeAt(model, entity, path);
  const isCollection = typeof type === "object" && (type.list !== undefined || type.set !== undefined);
  // ADD and DELETE take a whole attribute only.
  const isSetInside = typeof type === "object" && type.set !== undefined && fields.length > 0;
  const isItself = left.attribute !== undefined && isSamePath([left.attribute, ...(left.fields ?? [])], path);
  const changesItself = right === undefined || (isItself && !isSetInside && right.attribute === undefined);
  return (
    named.every((name) => storesPlainly(entity, name)) &&
    (fields.length === 0 || storesPlainly(entity, attribute)) &&
    (!isCollection || changesItself)
  );
}

/** Whether an entity stores an attribute in its main item as it is. */
function storesPlainly(entity: EntityPlan, name: string): boolean {
  const others = [...(entity.compressed ?? []), ...(entity.leftOut ?? [])];
  return !others.includes(name) && entity.split?.attribute !== name;
}

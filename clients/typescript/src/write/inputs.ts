/** The values that the actions of a named write take: parameters, fields of records, and attributes of the
 * entities of other actions. */

import type { MadeValue } from "../complete.js";
import { identifyingPlace } from "../derive.js";
import { failure, invalid, type KeyfoldError, retold } from "../error.js";
import type { Model } from "../model.js";
import type { ActionPlan, EntityPlan, Item, LentPlan, TakenPlan, WritePlan } from "../plan.js";
import { isSameItem } from "../value/compare.js";
import { shown } from "../value/text.js";
import type { Values } from "../value/value.js";
import { identityOf } from "./arguments.js";
import { lacks } from "./lacking.js";
import { itemText, placeOfEntity } from "./refusal.js";

/** The inputs of an action. */
export interface Inputs {
  /** The values that the action takes for attributes of its entity. */
  readonly own: Values;
  /** The parameters and the fields of the record, which operands name, and what they take from other actions. */
  readonly args: Values;
  /** The attributes of its entity that later actions take, except those that identify the item. They must not change
   * before the write. */
  readonly lent: readonly string[];
}

/** What the assignments of an action take from the entities of the actions above it. */
function takenByAssignments({ set = [], otherwise = [] }: ActionPlan): LentPlan[] {
  const operands = [...set, ...otherwise].flatMap(({ left, right }) => (right === undefined ? [left] : [left, right]));
  return operands.flatMap((one) => one.lent ?? []);
}

/** The attributes of an action's entity that other actions of the write take. Those that identify the item are
 * given, and do not change. */
export function lentOf(write: WritePlan, at: number, entity: EntityPlan): string[] {
  const sources = write.actions.flatMap((action) => [
    ...(action.taken ?? []).map((one) => one.from),
    ...takenByAssignments(action),
  ]);
  const names = sources.flatMap(({ action, attribute }) => (action === at ? (attribute ?? []) : []));
  return names.filter((name) => !identityOf(entity).includes(name));
}

/** The name of the value of another action's attribute among the arguments. No parameter has a colon in its name. */
export function lentName({ action, attribute }: LentPlan): string {
  return `${action}:${attribute}`;
}

/** The arguments of an action, and beside them what its assignments take from the entities of the actions above
 * it. */
export function withLent(
  model: Model,
  write: WritePlan,
  action: ActionPlan,
  args: Values,
  lenders: readonly (Values | undefined)[],
): Values {
  const all: Values = new Map(args);
  for (const lent of takenByAssignments(action)) {
    const values = lenders[lent.action];
    const value = values?.get(lent.attribute);
    if (value === undefined) {
      // A stored item of another program.
      const entity = model.entity(write.actions[lent.action]?.entity ?? "");
      throw lacks(itemText(entity, values ?? new Map()), [lent.attribute]);
    }
    all.set(lentName(lent), value);
  }
  return all;
}

/** The fields of the records that an action repeats over. */
export function fieldsOfEach(model: Model, write: WritePlan, action: ActionPlan): string[] {
  const type = write.parameters?.find((one) => one.name === action.each)?.type;
  const of = typeof type === "object" ? type.list : undefined;
  const record = typeof of === "object" ? of.record : undefined;
  return (record === undefined ? [] : (model.records.get(record) ?? [])).map((field) => field.name);
}

/** The arguments of an action: one set, or one for each record of the list that it repeats over. */
export function argumentsOfAction(action: ActionPlan, fields: readonly string[], args: Values): Values[] {
  if (action.each === undefined) return [args];
  // A field that a record lacks has no value: an argument of the same name is another item's.
  const others = [...args].filter(([name]) => !fields.includes(name));
  const records = args.get(action.each)?.L;
  if (records === undefined) throw invalid(`the write needs ${action.each}`, action.each);
  return records.map((record) => {
    if (record.M === undefined) throw failure("refused", `${action.each} holds ${shown(record)}, which is no record`);
    return new Map([...others, ...Object.entries(record.M)]);
  });
}

/** The values that an action takes for attributes of its entity; `undefined` when it is left out, because the
 * source of its key has no value. `lenders` are the attributes of the entities of the actions above it. */
export function ownValues(
  entity: EntityPlan,
  action: ActionPlan,
  args: Values,
  fields: readonly string[],
  lenders: readonly (Values | undefined)[],
): Values | undefined {
  // A parameter of an attribute's name belongs to another action where this one has an alias.
  const own = new Map(action.as === undefined ? args : [...args].filter(([name]) => fields.includes(name)));
  for (const { attribute, declared, from } of action.taken ?? []) {
    const value = sourceValue(from, args, lenders);
    if (value !== undefined) own.set(attribute, value);
    else if (declared === true && identityOf(entity).includes(attribute)) return undefined;
    else own.delete(attribute);
  }
  return own;
}

function sourceValue(
  { action, attribute = "", parameter = "", value }: TakenPlan["from"],
  args: Values,
  lenders: readonly (Values | undefined)[],
): ReturnType<Values["get"]> {
  if (action !== undefined) return lenders[action]?.get(attribute);
  return value ?? args.get(parameter);
}

/** The parameter that gives an attribute to an action that writes all of them; undefined where it has its value from
 * elsewhere. */
export function parameterOf(action: ActionPlan, fields: readonly string[], attribute: string): string | undefined {
  const taken = action.taken?.find((one) => one.attribute === attribute);
  if (taken !== undefined) return taken.from.parameter;
  return action.as !== undefined || fields.includes(attribute) ? undefined : attribute;
}

/** A value that was made, under the name of the parameter that would give it. */
export function ofAlias({ as }: ActionPlan, made: MadeValue): MadeValue {
  return as === undefined ? made : { ...made, attribute: `${as}.${made.attribute}` };
}

/** The error about an attribute, under the argument that gave its value: a parameter of another name, or a
 * field of the record of this number. */
export function ofArgument(
  { set = [], otherwise = [], taken = [], each }: ActionPlan,
  fields: readonly string[],
  number: number,
  error: KeyfoldError,
): KeyfoldError {
  const name = error.detail.code === "invalid" ? error.detail.name : undefined;
  if (error.detail.code !== "invalid" || name === undefined) return error;
  // The name may go on with the way into the value.
  const [attribute = ""] = name.split(/[.[]/, 1);
  const assigned = [...set, ...otherwise].find(
    (one) =>
      one.attribute === attribute &&
      one.fields === undefined &&
      one.right === undefined &&
      one.left.parameter !== undefined,
  );
  const source = taken.find((one) => one.attribute === attribute && one.from.parameter !== undefined);
  const parameter = assigned?.left.parameter ?? source?.from.parameter ?? attribute;
  const way = name.slice(attribute.length);
  const isField = each !== undefined && fields.includes(parameter);
  const argument = isField ? `${each}[${number}].${parameter}${way}` : `${parameter}${way}`;
  if (argument === name) return error;
  return retold(error, { message: `${argument}: ${error.message}`, detail: { ...error.detail, name: argument } });
}

/** An action as the model writes it: `update Account as from`. */
export function nameOf({ verb, as, entity }: ActionPlan): string {
  const word = verb === "upsert" ? "create or update" : verb;
  return `${word} ${entity}${as === undefined ? "" : ` as ${as}`}`;
}

/** An item that an action is given. */
interface GivenItem {
  readonly table: string;
  readonly key: Item;
  /** The action: `update Account as from`. */
  readonly action: string;
  /** The item, for people: `the Account with accountId = 7`. */
  readonly item: string;
  readonly isCheckedOnly: boolean;
}

/** The items that the actions of a write are given. A write changes an item once. */
export class GivenItems {
  readonly #all: GivenItem[] = [];

  /** Adds the main item of an entity that an action is given; refuses one that another action is given. */
  add(model: Model, entity: EntityPlan, action: ActionPlan, values: Values): void {
    const [table, key] = identifyingPlace(model, entity, values);
    const name = nameOf(action);
    const item = itemText(entity, values);
    const same = this.#find(table, key);
    if (same !== undefined) {
      const both =
        same.action === name ? `\`${name}\` is given twice` : `\`${same.action}\` and \`${name}\` are both given`;
      throw failure(
        "refused",
        `${both} ${item}; a write changes an item once`,
        placeOfEntity(model, name, entity, values),
      );
    }
    this.#all.push({ table, key, action: name, item, isCheckedOnly: action.verb === "check" });
  }

  /** Adds the main item of the one entity that a write changes. */
  addChanged(model: Model, entity: EntityPlan, verb: string, values: Values): void {
    const [table, key] = identifyingPlace(model, entity, values);
    const item = itemText(entity, values);
    this.#all.push({ table, key, action: `${verb} ${entity.name}`, item, isCheckedOnly: false });
  }

  /** The item that both an earlier write and this one are given, where the earlier one changes it; and the two
   * actions. */
  changedBefore(earlier: GivenItems): { first: string; second: string; item: string } | undefined {
    for (const one of earlier.#all.filter(({ isCheckedOnly }) => !isCheckedOnly)) {
      const same = this.#find(one.table, one.key);
      if (same !== undefined) return { first: one.action, second: same.action, item: same.item };
    }
    return undefined;
  }

  #find(table: string, key: Item): GivenItem | undefined {
    return this.#all.find((one) => one.table === table && isSameItem(one.key, key));
  }
}

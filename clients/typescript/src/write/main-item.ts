/** The change of an entity's main item: a put of the whole item where nothing can be lost, an update of its
 * attributes otherwise. */

import type { Derived } from "../derive.js";
import type { Changed, Term } from "../expression.js";
import type { Model } from "../model.js";
import type { AttributeValue, EntityPlan, Item } from "../plan.js";
import { isEqual } from "../value/compare.js";
import { sortedNames } from "../value/text.js";
import { held } from "../value/value.js";
import { put, type Step, step, unlessStale } from "./step.js";

/** The attributes that a caller gives: all of the entity, or these. Given ones are written even where they
 * equal the values read, since another writer may have changed them in the meantime. */
export type GivenNames = "all" | readonly string[];

/** The main item of an entity before and after a change. */
export interface MainItem {
  readonly entity: EntityPlan;
  /** The item as it was read, with attributes that the model does not name. */
  readonly stored: Item;
  readonly before: Derived;
  readonly after: Derived;
  readonly given: GivenNames;
  /** The attributes of index keys that go, and that did not follow from the old values. */
  readonly left: readonly string[];
}

/** Whether the model keeps an attribute in the item. The version is written with every change. */
function keeps(model: Model, entity: EntityPlan, name: string): boolean {
  return model.attribute(entity, name)?.kept === true && entity.version !== name;
}

/** The step that changes the main item; `undefined` when nothing differs. */
export function mainStep(model: Model, main: MainItem, conditions: readonly Term[]): Step | undefined {
  const { entity, stored, before, after, given, left } = main;
  if (given === "all" && !losesByPut(model, main)) return unlessStale(put(entity, after), conditions);
  const isKept = (name: string): boolean => keeps(model, entity, name);
  // Attributes that followed from the old values and do not follow from the new ones.
  const gone = Object.keys(before.item).filter((name) => !has(after.item, name) && !isKept(name));
  const lost = sortedNames([...gone, ...left]);
  const written = sortedNames(Object.keys(after.item))
    .filter((name) => !has(after.key, name) && !isKept(name))
    .map((name): [string, AttributeValue] => [name, after.item[name] ?? {}]);
  const differs = ([name, value]: [string, AttributeValue]): boolean => !isEqual(held(stored, name), value);
  if (given !== "all" && lost.length === 0 && !written.some(differs)) return undefined;
  const isGiven = (name: string): boolean => given === "all" || given.includes(name);
  const changes = written
    .filter((one) => differs(one) || isGiven(one[0]))
    .map(([name, value]): Changed => [name, { is: "set", value }]);
  const removed = [...lost, ...absentNames(main, isKept, lost)];
  return unlessStale(step(`update ${entity.name}`, after, { is: "update", changes, removed }), conditions);
}

function has(item: Item, name: string): boolean {
  return Object.hasOwn(item, name);
}

/** Whether a put would lose an attribute: one that the model keeps, or one that the model does not name and
 * that others may have written. */
function losesByPut(model: Model, { entity, stored, before, after }: MainItem): boolean {
  const isNamed = (name: string): boolean =>
    model.attribute(entity, name) !== undefined || has(before.item, name) || has(after.item, name);
  const keepsAny = entity.attributes.some(({ name }) => keeps(model, entity, name));
  return keepsAny || !Object.keys(stored).every(isNamed);
}

/** The given attributes without a value that were absent when the item was read: another writer may have
 * added them since. */
function absentNames(
  { entity, before, after, given }: MainItem,
  isKept: (name: string) => boolean,
  lost: readonly string[],
): string[] {
  if (given !== "all") {
    return sortedNames(given.filter((name) => !has(after.item, name) && !has(before.item, name)));
  }
  const names = entity.attributes.map((one) => one.name);
  return names.filter((name) => !has(after.item, name) && !isKept(name) && !lost.includes(name));
}

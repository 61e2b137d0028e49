/** An item that moves: its key is made of attributes that change. It is deleted where it was and put where it
 * belongs, in one transaction with the guard of its `id`. */

import { type Derived, idGuard } from "../derive.js";
import type { Term } from "../expression.js";
import { columnsOf, type Model } from "../model.js";
import type { EntityPlan, Item, TablePlan } from "../plan.js";
import { sortedNames } from "../value/text.js";
import { setOwn } from "../value/value.js";
import { itemText } from "./refusal.js";
import { type Draft, put, putNew, remove, type Step, unlessStale } from "./step.js";
import type { StoredEntity } from "./stored-entity.js";

/** The attributes that must be as they were read: all of them, since the new item is made of them. */
export function watchedOf(table: TablePlan, entity: EntityPlan, old: StoredEntity): string[] {
  const own = columnsOf(table).map((one) => one.name);
  const names = [...entity.attributes.map((one) => one.name), ...Object.keys(old.item)];
  return names.filter((name) => !own.includes(name));
}

/** Adds the steps that move a main item from one key to another, if it is as the conditions say. */
export function move(
  model: Model,
  entity: EntityPlan,
  old: StoredEntity,
  [before, after]: readonly [Derived, Derived],
  { conditions, left }: { readonly conditions: readonly Term[]; readonly left: readonly string[] },
  draft: Draft,
): void {
  const table = model.table(entity.table);
  const message = `${itemText(entity, old.values)} cannot move: an item that was not written through the model is in its place`;
  const item: Item = { ...after.item };
  for (const [name, value] of Object.entries(old.item)) {
    const isNamed =
      model.attribute(entity, name) !== undefined || Object.hasOwn(before.item, name) || left.includes(name);
    if (!isNamed && !Object.hasOwn(item, name)) setOwn(item, name, value);
  }
  draft.steps.push(unlessStale(remove(entity, before), conditions));
  draft.steps.push(putNew(table, entity, { ...after, item }, { code: "refused", message }));
}

/** The step that makes the guard of an `id` say the new place. It must say the old one until then, or be
 * absent where the item has none. */
export function movedGuard(entity: EntityPlan, before: Derived | undefined, after: Derived, partition: string): Step {
  const step = put(entity, after);
  if (before === undefined) return unlessStale(step, [{ missing: partition }]);
  const names = sortedNames((idGuard(entity)?.holds ?? []).map((one) => one.as));
  const said = names.filter((name) => Object.hasOwn(before.item, name));
  return unlessStale(step, said.map((name): Term => ({ equal: name, value: before.item[name] ?? {} })));
}

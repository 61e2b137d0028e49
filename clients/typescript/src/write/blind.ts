/** An entity in one request, without a read before it: an update that creates the item where it does not
 * exist. Attributes that the model keeps, and those that it does not name, stay. */

import { derive, type Derived } from "../derive.js";
import type { Change, Changed } from "../expression.js";
import { indexColumns, indexOf } from "../model.js";
import type { ActionPlan, AttributeValue, EntityPlan } from "../plan.js";
import { addNumbers, negatedNumber } from "../value/arithmetic.js";
import { compareTexts, sortedNames } from "../value/text.js";
import { held, type Values } from "../value/value.js";
import { changeOf } from "./assignment.js";
import type { Context } from "./context.js";
import type { Fate } from "./direct.js";
import { withOutside } from "./left-behind.js";
import { type Step, step } from "./step.js";

/** The step that writes a whole entity, whether it exists or not. No other item follows from it. */
export async function blindPut(context: Context, entity: EntityPlan, values: Values): Promise<Step> {
  const [main] = await derive(context.io, context.model, entity, values);
  const names = sortedNames(Object.keys(main.item));
  const own = names.filter((name) => !Object.hasOwn(main.key, name) && !isKept(context, entity, name));
  const changes = own.map((name): Changed => [name, { is: "set", value: main.item[name] ?? {} }]);
  const removed = absentNames(context, entity, main);
  return step(`put ${entity.name}`, main, { is: "update", changes: [...changes, ...keptChanges(entity)], removed });
}

/** The step of an upsert by its plan; `undefined` where a number is out of range. */
export async function blindUpsert(
  context: Context,
  entity: EntityPlan,
  action: ActionPlan,
  args: Values,
  values: Values,
  fates: readonly [string, Fate][],
): Promise<Step | undefined> {
  const [main] = await derive(context.io, context.model, entity, values);
  const changes: Changed[] = [];
  const removed: string[] = [];
  for (const [name, fate] of [...fates].sort(([one], [other]) => compareTexts(one, other))) {
    if (Object.hasOwn(main.key, name)) continue;
    const value = held(main.item, name);
    const assigned = action.set?.find((one) => one.attribute === name);
    if (fate === "same" && value === undefined) {
      removed.push(name);
    } else if (fate === "added" && assigned !== undefined) {
      changes.push([name, changeOf(context.model, entity, assigned, args)]);
    } else if (fate === "moved" && value !== undefined && assigned !== undefined) {
      const change = moved(changeOf(context.model, entity, assigned, args), value);
      if (change === undefined) return undefined;
      changes.push([name, change]);
    } else if ((fate === "same" || fate === "first") && value !== undefined) {
      changes.push([name, { is: fate === "same" ? "set" : "first", value }]);
    }
    // An attribute without a value that a new item gets is stored only inside keys.
  }
  const label = `create or update ${entity.name}`;
  const gone = withOutside(context.model, entity, values, removed);
  return step(label, main, { is: "update", changes: [...changes, ...keptChanges(entity)], removed: gone });
}

/** The change that moves a stored number, and gives a new item its `first` one: what is missing counts as the
 * number that the move takes there. `undefined` where that is out of range. */
function moved(change: Change, first: AttributeValue): Change | undefined {
  if ((change.is !== "sum" && change.is !== "difference") || change.right.is !== "set") return undefined;
  const by = change.right.value.N;
  if (by === undefined || first.N === undefined) return undefined;
  const start = addNumbers(first.N, change.is === "sum" ? negatedNumber(by) : by);
  return start === undefined ? undefined : { ...change, left: { is: "first", value: { N: start } } };
}

function isKept({ model }: Context, entity: EntityPlan, name: string): boolean {
  return model.attribute(entity, name)?.kept === true;
}

/** The changes of the attributes that the model keeps: the version goes up, and starts at 1; a count or sum
 * starts at 0, and stays where it is. */
function keptChanges(entity: EntityPlan): Changed[] {
  const kept = entity.attributes.filter((one) => one.kept === true && one.optional !== true);
  return kept.map(({ name }): Changed => [name, { is: "add", number: entity.version === name ? "1" : "0" }]);
}

/** The attributes that a stored item may have and the new one has not: its own, index keys, and the time of
 * expiry. */
function absentNames(context: Context, entity: EntityPlan, main: Derived): string[] {
  const table = context.model.table(entity.table);
  const keys = (entity.indexes ?? []).flatMap((key) => {
    const index = indexOf(table, key.index);
    return index === undefined ? [] : indexColumns(index).map((one) => one.name);
  });
  const expiry = table.ttlAttribute !== undefined && entity.ttl !== undefined ? [table.ttlAttribute] : [];
  const names = [...entity.attributes.map((one) => one.name), ...keys, ...expiry];
  return sortedNames(names).filter((name) => !Object.hasOwn(main.item, name) && !isKept(context, entity, name));
}

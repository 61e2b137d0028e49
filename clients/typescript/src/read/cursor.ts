/** Positions: the keys after which pages go on.
 *
 * Of one query or scan, it is the key of the last item in the table, and in the index. Of periods, it is that
 * key and `#period`; of shards, `#shardN` with the key in it, or `#done` at its end. */

import { column } from "../key/make.js";
import { columnsOf } from "../model.js";
import type { AttributeValue, Item, PatternPlan } from "../plan.js";
import { isEqual } from "../value/compare.js";
import { sortedNames } from "../value/text.js";
import { held } from "../value/value.js";
import type { Question } from "./question.js";

/** Where a position holds its period, and with a number behind it a shard. */
export const PERIOD = "#period";
export const SHARD = "#shard";

/** The key attributes of a plan, in the table and in the index. */
function namesOf({ table, plan }: Question): string[] {
  return sortedNames([
    ...columnsOf(table).map((one) => one.name),
    ...(plan.partition ?? []).map((one) => one.attribute),
    ...(plan.sortAttributes ?? []),
  ]);
}

/** The key of an item, after which a page goes on. */
export function positionOf(question: Question, item: Item): Item {
  const names = namesOf(question);
  return Object.fromEntries(names.flatMap((name): [string, AttributeValue][] => {
    const value = held(item, name);
    return value === undefined ? [] : [[name, value]];
  }));
}

/** Refuses a position that no page of this pattern with these arguments returns. */
export async function checkPosition(question: Question, pattern: PatternPlan, after: Item): Promise<void> {
  const { fan } = question.plan;
  let isOwn: boolean;
  if (fan === undefined) isOwn = isOwnKey(question, after);
  else if (fan.periods !== undefined) isOwn = held(after, PERIOD) !== undefined;
  else isOwn = Object.keys(after).every((name) => name.startsWith(SHARD));
  if (!isOwn) throw (await import("./refused.js")).noPosition(pattern.name);
}

/** Whether a key has the attributes of the pattern's keys, and lies in its partition. */
function isOwnKey(question: Question, after: Item): boolean {
  const { plan, args } = question;
  if (plan.request !== "Query" && plan.request !== "Scan") return false;
  const names = namesOf(question);
  const given = sortedNames(Object.keys(after));
  return (
    names.length === given.length &&
    names.every((name, at) => name === given[at]) &&
    (plan.partition ?? []).every((one) => isEqual(held(after, one.attribute), column(one.parts, args)))
  );
}

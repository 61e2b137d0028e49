/** Positions: the keys after which pages go on.
 *
 * Of one query or scan, it is the key of the last item in the table, and in the index. Of periods, it is that
 * key and `#period`; of shards, `#shardN` with the key in it, or `#done` at its end. */

import { column } from "../key/make.js";
import { columnsOf, indexColumns } from "../model.js";
import type { AttributeValue, Item, PatternPlan } from "../plan.js";
import { isEqual } from "../value/compare.js";
import { sortedNames } from "../value/text.js";
import { held, type Values } from "../value/value.js";
import { someOf } from "./items.js";
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
  return someOf(item, namesOf(question));
}

/** Refuses a position that no page of this pattern with these arguments, at this moment, returns. */
export async function checkPosition(question: Question, pattern: PatternPlan, after: Item, now: number): Promise<void> {
  const { fan } = question.plan;
  const isOwn: boolean =
    fan === undefined
      ? isOwnKey(question, question.args, after)
      : await (await import("./rare.js")).isInFan(question, fan, after, now);
  if (!isOwn) throw (await import("./refused.js")).noPosition(pattern.name);
}

/** Refuses the end of a page that is none of the partition that was read, or goes on elsewhere than pages of the pattern
 * do. */
export async function checkEnd(question: Question, args: Values, next: Item): Promise<void> {
  if (!isOwnKey(question, args, next)) throw (await import("./refused.js")).noEnd(question.name);
}

/** Whether a key has the attributes of the pattern's keys, each with a value of its type, and lies in the partition that
 * the arguments give. */
export function isOwnKey(question: Question, args: Values, after: Item): boolean {
  const { plan, table } = question;
  if (plan.request !== "Query" && plan.request !== "Scan") return false;
  const names = namesOf(question);
  const given = sortedNames(Object.keys(after));
  const columns = [...columnsOf(table), ...(table.indexes ?? []).flatMap(indexColumns)];
  return (
    names.length === given.length &&
    names.every((name, at) => name === given[at] && columns.some((one) => one.name === name && isOfType(after[name], one.type))) &&
    (plan.partition ?? []).every((one) => isEqual(held(after, one.attribute), column(one.parts, args)))
  );
}

/** Whether a value can stand in a key attribute of this type: no text has half a character in it. */
function isOfType(value: AttributeValue = {}, type: string): boolean {
  const [[own, held] = [], ...others] = Object.entries(value);
  return own === type && others.length === 0 && typeof held === "string" && held !== "" && !/\p{Cs}/u.test(held);
}

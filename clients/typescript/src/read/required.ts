/** The items that a collection must contain: `Order + OrderItem[]` without its order is no answer. */

import { failure, unlessInvalid } from "../error.js";
import { column } from "../key/make.js";
import { indexOf, type Model } from "../model.js";
import type { Item, KeyColumn, PatternPlan, ReturnedPlan } from "../plan.js";
import { setOwn } from "../value/value.js";
import { compareItems } from "./items.js";
import type { Found } from "./kinds.js";
import type { Question } from "./question.js";

/** What a page has read: from after a key to another one. */
export interface Read {
  readonly after: Item | undefined;
  readonly next: Item | undefined;
  /** The key condition, for messages. */
  readonly asked: string;
}

/** Refuses a page of a collection that lacks a required item: one whose key lies between the beginning and
 * the end of the page, or anywhere if the page is the whole answer. */
export function checkRequired(
  model: Model,
  pattern: PatternPlan,
  question: Question,
  items: readonly Found[],
  read: Read,
): void {
  // The first page has read the kinds beside the range.
  const beside = (question.plan.beside ?? []).map((one) => pattern.returns[one.returns]);
  const isBeside = (one: ReturnedPlan): boolean =>
    beside.some((other) => other !== undefined && other.entity === one.entity && other.copy === one.copy);
  for (const one of missing(pattern, items)) {
    const isWhole = read.after === undefined && read.next === undefined;
    if (!isBeside(one) && (isWhole || liesIn(model, one, question, read))) {
      throw notFound(pattern, one, read.asked);
    }
  }
}

/** The required kinds that are not among the items. */
export function missing(pattern: PatternPlan, items: readonly Found[]): ReturnedPlan[] {
  // No filter drops a required item: the compiler refuses it.
  return pattern.returns.filter(
    (one) => one.many !== true && one.optional !== true && !items.some((item) => item.name === one.name),
  );
}

/** The error about a required item. */
export function notFound(pattern: PatternPlan, one: ReturnedPlan, asked: string): Error {
  return failure("not_found", `${pattern.name}: there is no ${one.name} for ${asked}`);
}

/** Whether the key of the one item lies in the part of the range that a page read. */
function liesIn(model: Model, one: ReturnedPlan, question: Question, { after, next }: Read): boolean {
  if (question.plan.fan !== undefined) return false;
  const own = sortKey(model, one, question);
  if (own === undefined) return false;
  if (after !== undefined && compareItems(question, own, after) <= 0) return false;
  if (next === undefined) return true;
  // Several items of an index may have the same sort key: the last item of a page need not be the last of
  // them.
  const by = compareItems(question, own, next);
  return question.plan.index === undefined ? by <= 0 : by < 0;
}

/** The sort key of the one item that there can be; `undefined` where the arguments do not determine it. */
function sortKey(model: Model, one: ReturnedPlan, question: Question): Item | undefined {
  const columns = sortColumns(model, one, question);
  if (columns.length === 0) return undefined;
  const key: Item = {};
  for (const [at, name] of (question.plan.sortAttributes ?? []).entries()) {
    const parts = columns[at]?.parts;
    if (parts === undefined) break;
    const value = unlessInvalid(() => column(parts, question.args));
    if (value === undefined) return undefined;
    setOwn(key, name, value);
  }
  return key;
}

/** The attributes of the sort key of a kind, in the table or index that is read. */
function sortColumns(model: Model, one: ReturnedPlan, { plan, table }: Question): readonly KeyColumn[] {
  const entity = model.entity(one.entity);
  if (plan.index === undefined) {
    const copy = entity.copies?.find((other) => other.name === one.copy);
    return (copy ?? entity).key.slice(1);
  }
  if (one.copy !== undefined) return [];
  const key = entity.indexes?.find((other) => other.index === plan.index)?.key ?? [];
  return key.slice(indexOf(table, plan.index)?.partition.length ?? key.length);
}

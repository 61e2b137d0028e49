/** Questions that read an item by a key of its own, and the order of found items. */

import type { Io } from "../io.js";
import type { Model } from "../model.js";
import type { Item, ReadPlan } from "../plan.js";
import { order } from "../value/compare.js";
import { held, type Values } from "../value/value.js";
import { isDescending, type Question, type Raw } from "./question.js";

/** The order in which the answer has two items, by their sort keys. Absent attributes are equal to all. */
export function compareItems(question: Question, one: Item, other: Item): number {
  for (const name of question.plan.sortAttributes ?? []) {
    const [left, right] = [held(one, name), held(other, name)];
    const by = left && right ? (order(left, right) ?? 0) : 0;
    if (by !== 0) return isDescending(question) ? -by : by;
  }
  return 0;
}

/** A plan with its arguments: without parameters that end a range, and without a limit. */
export function questionOf(io: Io, model: Model, plan: ReadPlan, args: Values, name: string = plan.table): Question {
  return {
    io,
    name,
    model,
    table: model.table(plan.table),
    plan,
    args,
    parameters: [],
    digests: [],
    limit: undefined,
    backward: false,
    isStrong: plan.strong === true,
  };
}

/** The question that reads an item of a key of its own. */
export function itemQuestion(question: Question, plan: ReadPlan): Question {
  return { ...question, plan, digests: [], limit: undefined, backward: false };
}

/** The attributes of an item that have these names. */
export function someOf(item: Item, names: readonly string[]): Item {
  return Object.fromEntries(names.filter((name) => Object.hasOwn(item, name)).map((name) => [name, item[name] ?? {}]));
}

/** Adds the items and the cost of another reading. */
export function addRaw(raw: Raw, other: Raw): void {
  if (raw.requests === 0) raw.asked = other.asked;
  raw.requests += other.requests;
  raw.units += other.units;
  raw.items.push(...other.items);
}

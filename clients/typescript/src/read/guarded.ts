/** One item by its `id`, whose key has attributes that change: the guard of the id holds them. */

import { attempts } from "../attempts.js";
import { addRaw } from "./items.js";
import { strayItem } from "./stray.js";
import type { ReadPlan } from "../plan.js";
import { shown } from "../value/text.js";
import { held, type Values } from "../value/value.js";
import type { Found } from "./kinds.js";
import { emptyRaw, type Question, type Raw } from "./question.js";
import { getItem } from "./request.js";

/** The guard of a plan. */
type Guard = NonNullable<ReadPlan["guard"]>;

/** Reads the guard, and the page of the item that it leads to. An item that moved between the two reads is looked
 * for again, strongly. */
export async function readGuarded(
  question: Question,
  guard: Guard,
  read: (question: Question) => Promise<[Raw, Found[]]>,
): Promise<[Raw, Found[]]> {
  const all = emptyRaw();
  for await (const tried of attempts(question.io)) {
    const isStrong = question.isStrong || tried > 0;
    const [found, args] = await placeOfGuard(question, guard, isStrong);
    addRaw(all, found);
    if (args === undefined) return [all, []];
    const [raw, items] = await read({ ...question, args, isStrong });
    addRaw(all, raw);
    all.asked = raw.asked;
    // An item that the caller leaves out is there, too.
    if (raw.items.length > 0) return [all, items];
  }
  throw lost(question);
}

/** Reads the guard. Returns its cost, and the arguments with what the guard holds; no arguments where there
 * is no guard, and no item. */
async function placeOfGuard(
  question: Question,
  guard: Guard,
  isStrong: boolean,
): Promise<[Raw, Values | undefined]> {
  const found = await getItem({ ...question, plan: planOf(question.plan, guard), isStrong, digests: [] });
  const item = found.items.pop();
  if (item === undefined) return [found, undefined];
  const args = new Map(question.args);
  for (const { attribute, as } of guard.holds) {
    const value = held(item, as);
    if (value === undefined) throw lost(question);
    args.set(attribute, value);
  }
  return [found, args];
}

/** The plan that reads the guard. */
function planOf({ table }: ReadPlan, { key: [partition, sort] }: Guard): ReadPlan {
  return {
    request: "GetItem",
    table,
    ...(partition !== undefined && { partition: [partition] }),
    ...(sort !== undefined && { sort: { is: "equal", attribute: sort.attribute, at: sort.parts } }),
  };
}

/** The error about a guard whose item is not where it says. */
function lost(question: Question): Error {
  const names = [...question.args].map(([name, value]) => `${name} = ${shown(value)}`);
  return strayItem(
    `the item with ${names.join(", ")} is not where the guard of its id says: it was not written through the model, or moves without end`,
  );
}

/** Runs patterns: sends the requests of the plan and returns the items with their kinds.
 *
 * - `request` sends one request; `batch` reads items by their keys; `fan` reads several partitions or
 *   tables, and merges them; `split` reads entities that are stored as several items.
 * - `condition` makes the key condition, `range` its range; `cursor` holds the keys after which pages go on.
 * - `together` reads several items by keys of their own.
 * - `guarded` reads the guard of an `id` first, which says where the item lies.
 * - `current` decides between the entries of a late index.
 * - `kinds` distinguishes kinds; `parts` puts split lists together; `required` checks collections.
 * - `unknown` makes the errors of other items, `refused` those of patterns that cannot be read so.
 *
 * What few patterns need is imported when one of them runs, so that a program loads it only then. */

import { failure } from "../error.js";
import { types } from "../features.js";
import type { Io } from "../io.js";
import { indexOf, type Model } from "../model.js";
import type { Item, PatternPlan, ReadPlan } from "../plan.js";
import type { Numbers } from "../value/plain.js";
import type { Values } from "../value/value.js";
import { type Found, Kinds, type OnUnknown } from "./kinds.js";
import type { Question, Raw } from "./question.js";
import { getItem, onePage } from "./request.js";

/** The start, the size and the direction of a page. */
export interface PageStart {
  readonly limit?: number | undefined;
  /** The position after which the page begins. */
  readonly after?: Item | undefined;
  readonly backward?: boolean | undefined;
  readonly strong?: boolean | undefined;
  /** The moment of the pattern, instead of that of the call. */
  readonly now?: number | undefined;
  readonly onUnknown?: OnUnknown | undefined;
  readonly numbers?: Numbers | undefined;
  /** Whether nothing behind the first item is looked at. */
  readonly isFirst?: boolean | undefined;
}

/** One page of a pattern's answer. */
export interface FoundPage {
  readonly items: Found[];
  /** The position of the next page. */
  readonly next: Item | undefined;
  /** The moment of the pattern, where pages behind this one need it. */
  readonly now: number | undefined;
  /** The key condition, for messages. */
  readonly asked: string;
  readonly requests: number;
  readonly units: number;
}

/** Runs a pattern and returns one page. */
export async function readPage(
  io: Io,
  model: Model,
  pattern: PatternPlan,
  args: Values,
  start: PageStart,
): Promise<FoundPage> {
  const plan = planFor(pattern, args);
  const { after, now = io.now } = start;
  if (plan.gets !== undefined) {
    if (after !== undefined) throw (await import("./refused.js")).onePageOnly(pattern.name);
    const { readTogether } = await import("./rare.js");
    const [raw, items] = await readTogether(io, model, pattern, plan, args, start);
    return { ...raw, items, now: undefined };
  }
  const kinds = new Kinds(io, model, pattern, plan, start);
  const question: Question = {
    io,
    name: pattern.name,
    model,
    table: model.table(plan.table),
    plan,
    args: withFixed(pattern, args, now),
    parameters: pattern.parameters ?? [],
    digests: kinds.isSplit ? (await import("./rare.js")).digests(kinds) : [],
    // Whether one item is single is seen only where all of them are read.
    limit: isSingle(pattern) ? undefined : (start.limit ?? plan.page),
    backward: start.backward === true,
    isStrong: plan.strong === true || (start.strong === true && (await isStrong(pattern, plan, model))),
  };
  if (after !== undefined) await (await import("../paging.js")).checkPosition(question, pattern, after, now);
  const hasBeside = plan.beside !== undefined && after === undefined;
  const read = (one: Question): Promise<[Raw, Found[]]> => readConsistent(one, pattern, kinds, after, now);
  const { guard } = plan;
  const range = async (): Promise<[Raw, Found[]]> =>
    guard === undefined ? read(question) : (await import("./rare.js")).readGuarded(question, guard, read);
  const [raw, items] = hasBeside
    ? await (await import("./collection.js")).withBeside(question, pattern, kinds, range)
    : await range();
  if (isSingle(pattern)) await checkSingle(pattern, items, raw.asked);
  if (pattern.returns.length > 1 && start.isFirst !== true) {
    const { checkRequired } = await import("./collection.js");
    checkRequired(model, pattern, question, items, { after, next: raw.next, asked: raw.asked });
  }
  const usesNow = pattern.parameters?.some((one) => one.now === true) === true || plan.fan?.periods !== undefined;
  return { ...raw, items, now: usesNow ? now : undefined };
}

/** Whether a pattern returns one item. */
export function isSingle({ returns: [first, second] }: PatternPlan): boolean {
  return second === undefined && first?.many !== true;
}

/** The plan for the parameters that are given. */
function planFor(pattern: PatternPlan, args: Values): ReadPlan {
  const optional = (pattern.parameters ?? []).filter((one) => one.optional === true);
  const fits = (absent: readonly string[]): boolean =>
    optional.every(({ name }) => absent.includes(name) !== args.has(name));
  return pattern.variants?.find((variant) => fits(variant.without))?.plan ?? pattern.plan;
}

/** Refuses strong consistency of a global index. */
async function isStrong(pattern: PatternPlan, plan: ReadPlan, model: Model): Promise<true> {
  const index = indexOf(model.table(plan.table), plan.index);
  if (index === undefined || index.local === true) return true;
  throw (await import("./refused.js")).notStrong(pattern.name, index.name);
}

/** The arguments, the values that the pattern fixes, and the present moment where `now` is not given. */
function withFixed(pattern: PatternPlan, args: Values, now: number): Values {
  const all = new Map(args);
  for (const { name, type, now: isNow } of pattern.parameters ?? []) {
    const moment = isNow === true && !all.has(name) ? types.timeOfEpochMs(type, now) : undefined;
    if (moment !== undefined) all.set(name, { S: moment });
  }
  for (const { name, value } of pattern.fixed ?? []) all.set(name, value);
  return all;
}

/** Reads a page, again until the parts of every list in it belong together: a writer may change them while they are
 * read. */
async function readConsistent(
  question: Question,
  pattern: PatternPlan,
  kinds: Kinds,
  after: Item | undefined,
  now: number,
): Promise<[Raw, Found[]]> {
  const read = async (): Promise<[Raw, Found[]] | undefined> => {
    const raw = await readOnce(question, kinds, after, now);
    if (isSingle(pattern) && raw.items.length > 1) {
      await (await import("./rare.js")).keepCurrent(question, pattern, kinds, raw);
    }
    const items = await kinds.found(raw.items);
    return items && [raw, items];
  };
  return (await read()) ?? (await import("./rare.js")).readAgain(question, read);
}

/** Reads a page once. */
async function readOnce(question: Question, kinds: Kinds, after: Item | undefined, now: number): Promise<Raw> {
  const { plan, args, limit } = question;
  switch (plan.request) {
    case "GetItem":
      return getItem(question);
    case "BatchGetItem":
    case "TransactGetItems":
      return (await import("./rare.js")).batchGet(question);
    case "Query":
    case "Scan":
      if (plan.fan !== undefined) {
        return (await import("./rare.js")).readFan(question, plan.fan, kinds.isSplit, after, now);
      }
      if (kinds.isSplit) return (await import("./rare.js")).readSplit(question, kinds, after);
      return onePage(question, args, after, limit);
  }
}

/** Refuses an answer that breaks the pattern's promise of one item. */
async function checkSingle(pattern: PatternPlan, items: readonly Found[], asked: string): Promise<void> {
  if (items.length > 1) throw (await import("./refused.js")).notSingle(pattern.name, items.length);
  if (items.length === 0 && pattern.returns[0]?.optional !== true) {
    throw failure("not_found", `${pattern.name}: no item for ${asked}`);
  }
}

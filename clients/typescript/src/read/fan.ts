/** Patterns over several partitions or tables: the periods one after the other, or all shards merged by sort
 * key. */

import { together } from "../attempts.js";
import { invalid } from "../error.js";
import { types } from "../features.js";
import { SHARD } from "../key/formats.js";
import type { FanPlan, Item, Type, Unit } from "../plan.js";
import { whole } from "../value/arithmetic.js";
import { jsonOfItem } from "../value/compare.js";
import { firstTime, PERIODS_MAX, periodsBetween } from "../value/period.js";
import { display } from "../value/text.js";
import type { Values } from "../value/value.js";
import { isOwnKey, positionOf } from "./cursor.js";
import { addRaw, compareItems } from "./items.js";
import { inPeriod, inShards, shardPosition, type ShardPosition, splitPeriod } from "./position.js";
import { emptyRaw, isDescending, type Question, type Raw } from "./question.js";
import { onePage } from "./request.js";
import { pagesOf } from "./split.js";

/** A fan over periods. */
interface Periods extends FanPlan {
  readonly periods: Unit;
}

/** Reads a page of several periods or shards. */
export async function readFan(
  question: Question,
  fan: FanPlan,
  isSplit: boolean,
  after: Item | undefined,
  now: number,
): Promise<Raw> {
  if (isSplit) {
    throw (await import("./refused.js")).splitInFan();
  }
  const { periods } = fan;
  if (periods === undefined) {
    return merged(question, fan.shards ?? 0, question.args, after, question.limit);
  }
  return readPeriods(question, { ...fan, periods }, after, now);
}

/** Whether a position is one in these periods or shards. */
export async function isInFan(question: Question, fan: FanPlan, after: Item, now: number): Promise<boolean> {
  const { periods, shards } = fan;
  if (periods === undefined) return isInShards(question, shards ?? 0, question.args, after);
  const [period, key] = splitPeriod(after);
  if (period === undefined || !(await periodsOf(question, { ...fan, periods }, now)).includes(period)) return false;
  const args = argsOfPeriod(question, fan, period);
  if (key === undefined) return true;
  return typeof shards === "number" ? isInShards(question, shards, args, key) : isOwnKey(question, args, key);
}

/** Whether a position is one in all shards of the partition that the arguments give. */
function isInShards(question: Question, count: number, args: Values, after: Item): boolean {
  const shards = Array.from({ length: count }, (_, number) => shardPosition(after, number));
  const isOwn = (shard: ShardPosition, number: number): boolean =>
    typeof shard === "string" || isOwnKey(question, argsOfShard(args, number), shard);
  return jsonOfItem(inShards(shards)) === jsonOfItem(after) && shards.every(isOwn);
}

/** The arguments that give the partition of a period, and that of a shard. */
function argsOfPeriod({ args }: Question, { attribute = "", type = "time.ms" }: FanPlan, period: string): Values {
  return new Map(args).set(attribute, { S: firstTime(type, period) });
}

function argsOfShard(args: Values, shard: number): Values {
  return new Map(args).set(SHARD, whole(shard));
}

async function readPeriods(question: Question, fan: Periods, after: Item | undefined, now: number): Promise<Raw> {
  const all = await periodsOf(question, fan, now);
  const [period, key] = splitPeriod(after);
  const left = all.slice(Math.max(all.indexOf(period ?? ""), 0));
  const raw =
    question.limit === undefined
      ? await wholePeriods(question, fan, left, key)
      : await untilFull(question, fan, left, key, question.limit);
  raw.asked = `${left.length} ${fan.periods}s of ${question.plan.table}`;
  return raw;
}

/** Reads periods one after the other until the page is full; to their end where it has no limit. */
async function untilFull(
  question: Question,
  fan: Periods,
  periods: readonly string[],
  start: Item | undefined,
  limit: number | undefined,
): Promise<Raw> {
  const raw = emptyRaw();
  let from = start;
  for (const [at, period] of periods.entries()) {
    const read = (after: Item | undefined): Promise<Raw> =>
      pageOfPeriod(question, fan, period, after, limit && limit - raw.items.length);
    for await (const page of pagesOf(question, from, read)) {
      addRaw(raw, page);
      if (limit === undefined || raw.items.length < limit) continue;
      const next = page.next === undefined ? periods[at + 1] : period;
      if (next !== undefined) raw.next = inPeriod(page.next, next);
      return raw;
    }
    from = undefined;
  }
  return raw;
}

/** Reads all of the periods at the same time, the first of them after a key. Without a limit every one is
 * read, whatever the others hold. */
async function wholePeriods(
  question: Question,
  fan: Periods,
  periods: readonly string[],
  after: Item | undefined,
): Promise<Raw> {
  const raw = emptyRaw();
  const parts = periods.map((period, at) => untilFull(question, fan, [period], at === 0 ? after : undefined, undefined));
  for (const part of await together(parts)) addRaw(raw, part);
  return raw;
}

/** Reads a page of a period. */
function pageOfPeriod(
  question: Question,
  fan: Periods,
  period: string,
  after: Item | undefined,
  limit: number | undefined,
): Promise<Raw> {
  const { shards } = fan;
  const args = argsOfPeriod(question, fan, period);
  return shards === undefined || shards === null
    ? onePage(question, args, after, limit)
    : merged(question, shards, args, after, limit);
}

/** The periods that the arguments ask for, in the order in which they are read: the latest first where the
 * answer has the latest times first. */
async function periodsOf(question: Question, fan: Periods, now: number): Promise<string[]> {
  const { periods: unit, attribute = "", type = "time.ms", low = "", high } = fan;
  const from = given(question.args, low);
  // Without an upper end, the present period is the last.
  const until = typeof high === "string" ? given(question.args, high) : (types.timeOfEpochMs(type, now) ?? from);
  const all = periodsBetween(unit, from, until);
  if (all === undefined) {
    throw (await import("./refused.js")).notPeriods(attribute, from, until, PERIODS_MAX, unit);
  }
  const kept = all.filter((period) => isIn(question, type, period, [low, from], [high, until]));
  return isDescending(question) === (question.plan.reversed === true) ? kept : kept.reverse();
}

function given(args: Values, name: string): string {
  const value = args.get(name);
  if (value === undefined) throw invalid(`the pattern needs ${name}`, name);
  return display(value);
}

/** Whether a period has moments of a range whose ends may lie outside of it. */
function isIn(
  question: Question,
  type: Type,
  period: string,
  [low, from]: readonly [string, string],
  [high, until]: readonly [string | null | undefined, string],
): boolean {
  const isStrict = (name: string): boolean => {
    const limit = question.parameters.find((one) => one.name === name)?.limit;
    return limit === "above" || limit === "below";
  };
  // A date is its own period.
  if (isStrict(low) && period === from) return false;
  // The range ends before the first moment of this period.
  return typeof high !== "string" || !isStrict(high) || firstTime(type, period) !== until;
}

/** The page that was read of one shard. */
interface Shard {
  readonly items: Item[];
  /** The key after which the shard goes on; `undefined` at its end. */
  next: Item | undefined;
  /** The position before the page. */
  readonly start: ShardPosition;
}

/** Reads a page of each shard of the partition that the arguments give, and merges them by sort key. */
async function merged(
  question: Question,
  count: number,
  args: Values,
  after: Item | undefined,
  limit: number | undefined,
): Promise<Raw> {
  const raw = emptyRaw();
  const shards: Shard[] = [];
  const parts = Array.from({ length: count }, (_, number) => {
    return readShard(question, argsOfShard(args, number), shardPosition(after, number), limit);
  });
  for (const [shard, cost] of await together(parts)) {
    addRaw(raw, cost);
    shards.push(shard);
  }
  raw.asked = `${count} shards of ${question.plan.table}`;
  const taken = merge(question, shards, limit ?? Number.POSITIVE_INFINITY, raw);
  const isUnfinished = shards.some((shard, at) => (taken[at] ?? 0) < shard.items.length || shard.next !== undefined);
  if (isUnfinished) {
    raw.next = inShards(shards.map((shard, at) => positionAfter(question, shard, taken[at] ?? 0)));
  }
  return raw;
}

/** Reads a page of a shard; all of it, if the pattern has no limit. Returns it with its cost. */
async function readShard(
  question: Question,
  args: Values,
  start: ShardPosition,
  limit: number | undefined,
): Promise<[Shard, Raw]> {
  const raw = emptyRaw();
  const shard: Shard = { items: [], next: undefined, start };
  if (start === "done") return [shard, raw];
  const read = (after: Item | undefined): Promise<Raw> => onePage(question, args, after, limit);
  for await (const page of pagesOf(question, start === "start" ? undefined : start, read)) {
    shard.items.push(...page.items.splice(0));
    shard.next = page.next;
    addRaw(raw, page);
    if (limit !== undefined) break;
  }
  return [shard, raw];
}

/** Takes items in order from all shards, at most a page and no further than every shard has been read.
 * Returns the number of items taken from each shard. */
function merge(question: Question, shards: readonly Shard[], limit: number, raw: Raw): number[] {
  const compare = (one: Item, other: Item): number => compareItems(question, one, other);
  // Items behind the end of an unfinished page may come before those of other shards.
  const bound = first(
    shards.flatMap((shard) => (shard.next === undefined ? [] : [shard.next])),
    compare,
  );
  const taken = shards.map(() => 0);
  while (raw.items.length < limit) {
    const heads = shards.flatMap((shard, at) => {
      const item = shard.items[taken[at] ?? 0];
      return item === undefined ? [] : [{ at, item }];
    });
    const head = first(heads, (one, other) => compare(one.item, other.item));
    if (head === undefined || (bound !== undefined && compare(head.item, bound) > 0)) break;
    raw.items.push(head.item);
    taken[head.at] = (taken[head.at] ?? 0) + 1;
  }
  return taken;
}

/** The first of the least. */
function first<T>(all: readonly T[], compare: (one: T, other: T) => number): T | undefined {
  return all.reduce<T | undefined>((least, one) => (least === undefined || compare(one, least) < 0 ? one : least), undefined);
}

/** The position after the first `taken` items of the page. */
function positionAfter(question: Question, { start, items, next }: Shard, taken: number): ShardPosition {
  if (start === "done") return "done";
  if (taken === items.length) return next ?? "done";
  const last = items[taken - 1];
  return last === undefined ? start : positionOf(question, last);
}

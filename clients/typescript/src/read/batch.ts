/** Several items by their keys: BatchGetItem, in the order of the given ids. */

import { together } from "../attempts.js";
import { invalid } from "../error.js";
import { type Io, isNoTable, REPORTED, unitsOf } from "../io.js";
import { Placeholders } from "../placeholders.js";
import type { Item } from "../plan.js";
import { hasKey, jsonOfItem } from "../value/compare.js";
import { emptyRaw, type Question, type Raw } from "./question.js";
import { projection, tableOf, wholeKey } from "./request.js";

/** The most requests for keys that the service leaves unprocessed. */
const TRIES = 16;
/** The most keys of one request. */
const KEYS_MAX = 100;

/** A key and the table that it is read from. */
export type Keyed = readonly [string, Item];
/** What one request reads. */
export type Wanted = Readonly<Record<string, object>>;

/** Reads the items of the pattern's list of ids. Absent items are left out. */
export async function batchGet(question: Question): Promise<Raw> {
  const list = question.parameters.find((one) => one.limit === "among");
  const ids = list && question.args.get(list.name)?.L;
  if (list === undefined || ids === undefined) throw invalid(`the pattern needs ${list?.name ?? "a list of ids"}`);
  // An id that is given twice is read once.
  const keys = distinct(
    ids.map((id): Keyed => {
      const args = new Map(question.args).set(list.attribute ?? "", id);
      return [tableOf(question, args), wholeKey(question, args)];
    }),
  );
  const raw = emptyRaw(`${keys.length} keys`);
  const isApart = question.table.period !== undefined;
  const found = await askAll(question, requestsOf(keys, isApart, (all) => keysOf(question, all)), raw);
  raw.items = keys.flatMap(([table, key]): Item[] => {
    const item = atKey(found, table, key);
    return item === undefined ? [] : [item];
  });
  return raw;
}

/** Each key once. */
export function distinct(keyed: readonly Keyed[]): Keyed[] {
  return [...new Map(keyed.map((one) => [`${one[0]} ${jsonOfItem(one[1])}`, one])).values()];
}

/** The item with this key among those that were read. */
export function atKey(found: readonly Keyed[], table: string, key: Item): Item | undefined {
  return found.find(([place, item]) => place === table && hasKey(item, key))?.[1];
}

/** The part of a request that reads the items with these keys of one table. */
function keysOf(question: Question, keys: readonly Item[]): object {
  const made = new Placeholders();
  return {
    Keys: keys,
    ...(question.isStrong && { ConsistentRead: true }),
    ...projection(question, made),
    ...made.members(),
  };
}

/** What a request with these keys reads of each table. */
export function byTable(question: Question, keyed: readonly Keyed[]): Wanted {
  return grouped(keyed, (keys) => keysOf(question, keys));
}

function grouped(keyed: readonly Keyed[], of: (keys: readonly Item[]) => object): Wanted {
  const keys = new Map<string, Item[]>();
  for (const [table, key] of keyed) keys.set(table, [...(keys.get(table) ?? []), key]);
  return Object.fromEntries([...keys].map(([table, all]) => [table, of(all)]));
}

/** The requests that read these keys, 100 in each. One absent table of a period would fail the request for all
 * tables: those of periods are read apart. */
export function requestsOf(
  keyed: readonly Keyed[],
  isApart: boolean,
  of: (keys: readonly Item[]) => object,
): Wanted[] {
  const all: Wanted[] = [];
  for (let at = 0; at < keyed.length; at += KEYS_MAX) {
    const whole = grouped(keyed.slice(at, at + KEYS_MAX), of);
    all.push(...(isApart ? Object.entries(whole).map((one) => Object.fromEntries([one])) : [whole]));
  }
  return all;
}

/** Sends requests at the same time. Returns their items, each with its table. */
export async function askAll(question: Question, requests: readonly Wanted[], raw: Raw): Promise<Keyed[]> {
  const parts = await together(requests.map((one) => ask(question, one)));
  for (const [, cost] of parts) {
    raw.requests += cost.requests;
    raw.units += cost.units;
  }
  return parts.flatMap(([found]) => found);
}

/** Sends one request of a pattern. */
function ask(question: Question, wanted: Wanted): Promise<[Keyed[], Raw]> {
  return fetchAll(question.io, question.table.period !== undefined, wanted);
}

/** Sends one request, and sends the keys that the service leaves unprocessed again. A table of a period that does
 * not exist has no items. */
export async function fetchAll(io: Io, hasPeriods: boolean, wanted: Wanted): Promise<[Keyed[], Raw]> {
  const found: Keyed[] = [];
  const raw = emptyRaw();
  let left = wanted;
  for (let tried = 0; tried < TRIES; tried += 1) {
    if (Object.keys(left).length === 0) return [found, raw];
    raw.requests += 1;
    try {
      const answer = await io.ask("BatchGetItem", { RequestItems: left, ...REPORTED });
      raw.units += unitsOf(answer);
      for (const [table, items] of Object.entries((answer.Responses ?? {}) as Record<string, Item[]>)) {
        found.push(...items.map((item): Keyed => [table, item]));
      }
      left = answer.UnprocessedKeys ?? {};
    } catch (error) {
      if (hasPeriods && isNoTable(error)) return [found, raw];
      throw error;
    }
    if (Object.keys(left).length > 0 && tried > 0) await io.pause(1, 20 << Math.min(tried, 6));
  }
  throw (await import("./refused.js")).leftAgain();
}

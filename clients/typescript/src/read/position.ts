/** Positions in periods and shards, which few patterns have. */

import type { Item } from "../plan.js";
import { held } from "../value/value.js";
import { PERIOD, SHARD } from "./cursor.js";

const DONE = "#done";

/** The position in a period: after a key in it, or at its start. */
export function inPeriod(key: Item | undefined, period: string): Item {
  return { ...key, [PERIOD]: { S: period } };
}

/** The period of a position, and the key in it. */
export function splitPeriod(position: Item | undefined): [string | undefined, Item | undefined] {
  const { [PERIOD]: period, ...key } = position ?? {};
  return [period?.S, Object.keys(key).length === 0 ? undefined : key];
}

/** The position in one shard: the key after which it goes on. */
export type ShardPosition = "start" | "done" | Item;

/** The position of a shard. */
export function shardPosition(position: Item | undefined, shard: number): ShardPosition {
  const key = position && held(position, `${SHARD}${shard}`)?.M;
  if (key === undefined || Object.keys(key).length === 0) return "start";
  return Object.hasOwn(key, DONE) ? "done" : { ...key };
}

/** The position with those of all shards, by number. */
export function inShards(positions: readonly ShardPosition[]): Item {
  const keyOf = (one: ShardPosition): Item => (one === "start" ? {} : one === "done" ? { [DONE]: { BOOL: true } } : one);
  return Object.fromEntries(positions.map((one, shard) => [`${SHARD}${shard}`, { M: keyOf(one) }]));
}

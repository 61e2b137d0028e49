/** Stored values compared: whether they are equal, their order, and their one JSON. */

import type { AttributeValue, Item } from "../plan.js";
import { compareNumbers } from "./arithmetic.js";
import { canonicalNumber } from "./number.js";
import { compareTexts } from "./text.js";
import { held, type Values } from "./value.js";

function number(text: string): string {
  return canonicalNumber(text) ?? text;
}

/** The JSON of a value without blanks, its names in order, which equal values share. A set keeps the
 * order of its elements unless `ordered` says otherwise. */
export function jsonOf(value: AttributeValue, ordered = false): string {
  if (value.S !== undefined) return `{"S":${JSON.stringify(value.S)}}`;
  if (value.N !== undefined) return `{"N":"${number(value.N)}"}`;
  if (value.L !== undefined) return `{"L":[${value.L.map((one) => jsonOf(one, ordered)).join(",")}]}`;
  if (value.M !== undefined) return `{"M":${jsonOfItem(value.M, ordered)}}`;
  if (value.NS !== undefined) return JSON.stringify({ NS: set(value.NS.map(number), ordered) });
  if (value.SS !== undefined) return JSON.stringify({ SS: set(value.SS, ordered) });
  if (value.BS !== undefined) return JSON.stringify({ BS: set(value.BS, ordered) });
  return JSON.stringify(value);
}

function set(members: readonly string[], ordered: boolean): readonly string[] {
  return ordered ? [...members].sort() : members;
}

/** The JSON of the attributes of an item. */
export function jsonOfItem(item: Readonly<Record<string, AttributeValue>>, ordered = false): string {
  const names = Object.keys(item).sort(compareTexts);
  const member = (name: string): string => `${JSON.stringify(name)}:${jsonOf(item[name] ?? {}, ordered)}`;
  return `{${names.map(member).join(",")}}`;
}

/** Whether two values are equal: numbers by value, sets without order. */
export function isEqual(one: AttributeValue | undefined, other: AttributeValue | undefined): boolean {
  if (one === undefined || other === undefined) return one === other;
  if (one.S !== undefined || other.S !== undefined) return one.S === other.S;
  return jsonOf(one, true) === jsonOf(other, true);
}

/** Whether two items have equal attributes. */
export function isSameItem(one: Item, other: Item): boolean {
  return jsonOfItem(one, true) === jsonOfItem(other, true);
}

/** Whether two sets of values are equal. */
export function areEqual(one: Values, other: Values): boolean {
  if (one.size !== other.size) return false;
  for (const [name, value] of one) {
    if (!isEqual(value, other.get(name))) return false;
  }
  return true;
}

/** The order of two texts, numbers or binary values; `undefined` for others. */
export function order(one: AttributeValue, other: AttributeValue): number | undefined {
  if (one.S !== undefined && other.S !== undefined) return compareTexts(one.S, other.S);
  if (one.N !== undefined && other.N !== undefined) return compareNumbers(one.N, other.N);
  if (one.B !== undefined && other.B !== undefined) return compareTexts(atob(one.B), atob(other.B));
  return undefined;
}

/** Whether an item has the attributes of a key. */
export function hasKey(item: Item, key: Item): boolean {
  return Object.keys(key).every((name) => isEqual(held(item, name), key[name]));
}

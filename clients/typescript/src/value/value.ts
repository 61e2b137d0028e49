/** Stored values: whether they are equal, their order, and their one JSON. */

import type { AttributeValue, Item } from "../plan.js";
import { canonicalNumber, compareNumbers } from "./number.js";
import { compareTexts } from "./text.js";

/** Values by name. */
export type Values = Map<string, AttributeValue>;

/** The bytes of base64. */
export function bytesOf(base64: string): Uint8Array<ArrayBuffer> {
  return Uint8Array.from(atob(base64), (one) => one.charCodeAt(0));
}

/** The base64 of bytes. */
export function base64Of(bytes: Uint8Array): string {
  let text = "";
  for (let at = 0; at < bytes.length; at += 0x8000) {
    text += String.fromCharCode(...bytes.subarray(at, at + 0x8000));
  }
  return btoa(text);
}

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

/** The value of an item's own attribute. */
export function held(item: Readonly<Record<string, AttributeValue>>, name: string): AttributeValue | undefined {
  return Object.hasOwn(item, name) ? item[name] : undefined;
}

/** A value that is a whole number. */
export function whole(number: number): AttributeValue {
  return { N: String(number) };
}

/** Whether a value is an object that has nothing but members of its own: no array, and of no class. */
export function isPlain(value: unknown): value is Readonly<Record<string, unknown>> {
  if (typeof value !== "object" || value === null) return false;
  const prototype = Object.getPrototypeOf(value) as object | null;
  // A plain object of another realm has another prototype, which has none.
  return prototype === null || (Object.getPrototypeOf(prototype) === null && Object.hasOwn(prototype, "isPrototypeOf"));
}

/** Sets a member of an object. Assigned, one that is named `__proto__` would be none. */
export function setOwn(object: object, name: string, value: unknown): void {
  if (name === "__proto__") Object.defineProperty(object, name, { value, configurable: true, enumerable: true, writable: true });
  else (object as Record<string, unknown>)[name] = value;
}

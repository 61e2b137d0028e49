/** Values that a program gives in the form of DynamoDB's JSON, such as those of a stream record. */

import type { AttributeValue, Item } from "../plan.js";
import { base64Of } from "./base64.js";
import { canonicalNumber } from "./number.js";
import { held, setOwn } from "./value.js";

/** The deepest nesting that is read; the service's own limit is far below. */
const DEPTH_MAX = 64;
const BASE64 = /^(?:[a-z\d+/]{4})*(?:[a-z\d+/]{2}==|[a-z\d+/]{3}=)?$/i;
/** Half of a character. */
const HALF = /\p{Cs}/u;

/** Throws the error about the value at a path. */
type Refuse = (path: string) => never;
/** Reads the content of a value. */
type Read = (path: string, given: unknown, refuse: Refuse, depth: number) => unknown;

/** An item. Readers of streams give binary values as bytes. */
export function itemIn(given: unknown, refuse: Refuse): Item {
  return members("", given, refuse, 0);
}

function members(path: string, given: unknown, refuse: Refuse, depth: number): Item {
  const item = {};
  for (const [name, one] of Object.entries(object(path, given, refuse))) {
    setOwn(item, name, value(path === "" ? name : `${path}.${name}`, one, refuse, depth));
  }
  return item;
}

/** A value: an object with one type. What is null, or of no type that is known, is not there. */
function value(path: string, given: unknown, refuse: Refuse, depth: number): AttributeValue {
  const all: [string, unknown][] = Object.entries(object(path, given, refuse));
  const [[type, one] = ["", undefined], other] = all.filter(([name, one]) => Object.hasOwn(TYPES, name) && (one ?? undefined) !== undefined);
  const read = held(TYPES, type);
  if (read === undefined || other !== undefined || depth >= DEPTH_MAX) return refuse(path);
  return { [type]: read(path, one, refuse, depth) };
}

function object(path: string, given: unknown, refuse: Refuse): object {
  return typeof given === "object" && given !== null && !Array.isArray(given) ? given : refuse(path);
}

const list = (path: string, given: unknown, refuse: Refuse): readonly unknown[] =>
  Array.isArray(given) ? given : refuse(path);
const text = (path: string, given: unknown, refuse: Refuse): string =>
  typeof given === "string" && !HALF.test(given) ? given : refuse(path);
const number: Read = (path, given, refuse) => canonicalNumber(text(path, given, refuse)) ?? refuse(path);

const bytes: Read = (path, given, refuse) => {
  if (given instanceof Uint8Array) return base64Of(given);
  return BASE64.test(text(path, given, refuse)) ? given : refuse(path);
};

const setOf =
  (member: Read): Read =>
  (path, given, refuse, depth) => {
    const all = list(path, given, refuse).map((one) => member(path, one, refuse, depth));
    return all.length > 0 && new Set(all).size === all.length ? all : refuse(path);
  };

/** What reads the content of a value, by its type. */
const TYPES: Readonly<Record<string, Read>> = {
  S: text,
  N: number,
  B: bytes,
  BOOL: (path, given, refuse) => (typeof given === "boolean" ? given : refuse(path)),
  NULL: (path, given, refuse) => given === true || refuse(path),
  SS: setOf(text),
  NS: setOf(number),
  BS: setOf(bytes),
  L: (path, given, refuse, depth) =>
    list(path, given, refuse).map((one, at) => value(`${path}[${at}]`, one, refuse, depth + 1)),
  M: (path, given, refuse, depth) => members(path, given, refuse, depth + 1),
};

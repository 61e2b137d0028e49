/** Keys: the texts that parts make of values. */

import { invalid } from "../error.js";
import type { AttributeValue, FieldPart, Part, Type } from "../plan.js";
import { digest, sha256 } from "../value/sha256.js";
import { display, lower, shownText } from "../value/text.js";
import { periodOf } from "../value/time.js";
import type { Values } from "../value/value.js";

/** The name of the value that selects a shard, instead of the one that follows from the item. */
export const SHARD = "#shard";
/** The name of the value that selects a part of a split item; without it, the first part. */
export const CHUNK = "#part";
/** The border between two attributes. No text in a key contains it. */
const BREAK = "\0";
/** The last character, which stands above every key. */
export const LAST = "\u{10ffff}";

const TEXTS: readonly string[] = [
  "string", "time.s", "time.ms", "time.us", "time.ns", "date", "hour", "day", "month", "year", "ulid", "uuid",
];

/** Whether values of a type are texts. */
export function isText(type: Type): boolean {
  return typeof type === "string" ? TEXTS.includes(type) : type.words !== undefined;
}

/** Whether values of a type are numbers. */
export function isNumber(type: Type): boolean {
  return type === "int" || type === "number";
}

/** The type as the model writes it. */
export function typeText(type: Type): string {
  if (typeof type === "string") {
    return type === "time.ms" ? "time" : type.replace(/^time\.(.*)/, "time($1)");
  }
  if (type.words !== undefined) return type.words.join(" | ");
  if (type.list !== undefined) return `list of ${typeText(type.list)}`;
  if (type.map !== undefined) return `map of ${typeText(type.map)}`;
  if (type.set !== undefined) return `set of ${typeText(type.set)}`;
  return type.record ?? "value";
}

/** Whether a part is a value. */
export function isField(part: Part | undefined): part is FieldPart {
  return typeof part === "object" && "field" in part;
}

/** The names of the values that parts are made of. A shard adds none of its own. */
export function fieldsOf(parts: readonly Part[]): string[] {
  return parts.flatMap((part) => {
    if (isField(part)) return [part.field];
    return typeof part === "object" && "shards" in part ? fieldsOf(part.of) : [];
  });
}

/** Whether the value itself is the key attribute. */
export function isBare(parts: readonly Part[]): parts is readonly [FieldPart] {
  const [first] = parts;
  return parts.length === 1 && isField(first) && first.format === "bare";
}

function value(values: Values, name: string): AttributeValue {
  const held = values.get(name);
  if (held === undefined) {
    throw invalid(`${name} is missing, and a key is made of it`, name);
  }
  return held;
}

/** The value that parts make for one attribute of a key. */
export function column(parts: readonly Part[], values: Values): AttributeValue {
  if (!isBare(parts)) return { S: text(parts, values) };
  const held = value(values, parts[0].field);
  if (held.S === "") throw empty(parts[0].field);
  return held;
}

/** The text that parts make of values. */
export function text(parts: readonly Part[], values: Values): string {
  return parts.map((part) => partText(part, values)).join("");
}

function partText(part: Part, values: Values): string {
  if (typeof part === "string") return part;
  if (isField(part)) return written(part, value(values, part.field));
  if ("shards" in part) {
    const chosen = values.get(SHARD);
    const number = chosen === undefined ? String(shardOf(part.shards, text(part.of, values))) : display(chosen);
    return number.padStart(shardDigits(part.shards), "0");
  }
  if ("part" in part) {
    const chosen = values.get(CHUNK);
    return (chosen === undefined ? "0" : display(chosen)).padStart(part.part, "0");
  }
  return BREAK;
}

/** The digits of the number of a shard. */
export function shardDigits(count: number): number {
  return String(Math.max(count - 1, 0)).length;
}

/** The shard of a text: the first four bytes of its SHA-256 modulo the number of shards. */
function shardOf(count: number, key: string): number {
  const bytes = sha256(new TextEncoder().encode(key));
  return new DataView(bytes.buffer).getUint32(0) % Math.max(count, 1);
}

/** The text that a range of keys starts with. A last field with an empty text is left out. */
export function prefix(parts: readonly Part[], values: Values): string {
  const last = parts.at(-1);
  const isEmpty = isField(last) && values.get(last.field)?.S === "";
  return text(isEmpty ? parts.slice(0, -1) : parts, values);
}

function empty(name: string): Error {
  return invalid(`${name} is empty, and a key is made of it`, name);
}

/** The text of a value in a key; `undefined` when it is not of the type. */
function plainText(type: Type, held: AttributeValue): string | undefined {
  if (held.S !== undefined) return isText(type) ? held.S : undefined;
  if (held.N !== undefined) return isNumber(type) ? held.N : undefined;
  return held.BOOL !== undefined && type === "bool" ? String(held.BOOL) : undefined;
}

/** The text of a value in a field of a key. */
export function written(part: FieldPart, held: AttributeValue): string {
  const { field: name, type, format } = part;
  const plain = plainText(type, held);
  if (plain === undefined) {
    throw invalid(`${name} is no ${typeText(type)}: ${shownText(display(held))}`, name);
  }
  if (typeof format === "object") {
    if (format.cut !== undefined) return periodOf(format.cut, plain);
    return paddedText(name, plain, format.padded ?? { whole: 0 });
  }
  switch (format) {
    case "reversed":
      return nines(plain);
    case "hash":
      return digest(plain);
    case "escaped":
      return escaped(plain, part.not ?? "");
    case "lower":
      return checked(part, lower(plain));
    default:
      return checked(part, plain);
  }
}

/** How a number is padded. */
export interface Padding {
  readonly whole: number;
  readonly decimals?: number;
  readonly reversed?: true;
  readonly signed?: true;
}

function paddedText(name: string, plain: string, padding: Padding): string {
  const { whole, decimals = 0 } = padding;
  const isNegative = padding.signed === true && plain.startsWith("-");
  const size = isNegative ? plain.slice(1) : plain;
  const [before = "", behind = ""] = size.split(".");
  if (!/^[0-9]*$/.test(before + behind) || before.length > whole || behind.length > decimals) {
    const digits = decimals === 0 ? `${whole}` : `${whole}.${decimals}`;
    throw invalid(
      `${name}: ${plain} does not fit ${digits} digits; a padded number has no more digits, and is 0 or more unless it is \`signed\``,
      name,
    );
  }
  const fraction = decimals === 0 ? "" : `.${behind.padEnd(decimals, "0")}`;
  return directed(before.padStart(whole, "0") + fraction, isNegative, padding);
}

/** A padded number as a key has it: greater numbers have greater texts, or lesser ones where it is
 * reversed. */
export function directed(padded: string, isNegative: boolean, { reversed, signed }: Padding): string {
  if (signed !== true) return reversed === true ? nines(padded) : padded;
  const isZero = /^[0.]*$/.test(padded);
  return isNegative !== (reversed === true) && !isZero ? `-${nines(padded)}` : `0${padded}`;
}

/** Each digit subtracted from nine, which reverses the order of texts of one width. */
export function nines(plain: string): string {
  return plain.replace(/[0-9]/g, (digit) => String(9 - Number(digit)));
}

/** The text, unless it is empty or contains a character with a meaning in keys. */
function checked(part: FieldPart, plain: string): string {
  const { field: name, type, not = "" } = part;
  for (const one of plain) {
    if ((type === "string" && not.includes(one)) || one === BREAK || one === LAST) {
      const why =
        one === LAST ? "the last character of all, where ranges of keys end" : "which separates the parts of the key";
      throw invalid(
        `${name}: \`${shownText(plain)}\` contains \`${shownText(one)}\`, ${why}; write the field with \`:escape\` in the template, or choose another value`,
        name,
      );
    }
  }
  if (plain === "") throw empty(name);
  return plain;
}

/** The text with `%` and the delimiters replaced by `%` and the digits of each byte. */
function escaped(plain: string, not: string): string {
  const bytes = (one: string): string =>
    Array.from(new TextEncoder().encode(one), (byte) => `%${byte.toString(16).toUpperCase().padStart(2, "0")}`).join("");
  let out = "";
  for (const one of plain) {
    out += one === "%" || one === BREAK || one === LAST || not.includes(one) ? bytes(one) : one;
  }
  // An empty text must not make an empty key.
  return out === "" ? "%" : out;
}

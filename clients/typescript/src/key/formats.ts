/** Formats of keys that few models have: padded and reversed numbers, hashes, escaped texts, small letters, shards and
 * parts; and of all formats, their width, and whether values come back from them. They are loaded for a pattern that
 * has one of the former, for ranges and for writes (`features.ts`). */

import { invalid } from "../error.js";
import type { FieldPart, Part, Unit } from "../plan.js";
import { digest, sha256 } from "../value/sha256.js";
import { display } from "../value/text.js";
import { digitsOf, periodOf, widthOfTime, WIDTHS } from "../value/time.js";
import type { Values } from "../value/value.js";
import { BREAK, checked, isField, isNumber, isText, LAST, text } from "./make.js";

/** The name of the value that selects a shard, instead of the one that follows from the item. */
export const SHARD = "#shard";

/** The name of the value that selects a part of a split item; without it, the first part. */
export const CHUNK = "#part";

/** The text of a value in a field whose format is not the value's own. */
export function formatted(part: FieldPart, plain: string): string {
  const { field: name, format } = part;
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

/** The number of a shard, or of a part of a split item. */
export function numbered(
  part: Extract<Part, { readonly shards: number } | { readonly part: number }>,
  values: Values,
): string {
  if ("part" in part) {
    const chosen = values.get(CHUNK);
    return (chosen === undefined ? "0" : display(chosen)).padStart(part.part, "0");
  }
  const chosen = values.get(SHARD);
  const number = chosen === undefined ? String(shardOf(part.shards, text(part.of, values))) : display(chosen);
  return number.padStart(shardDigits(part.shards), "0");
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

/** The code points that have a small letter in Unicode 13, in ranges whose gaps Unicode 13 does not have. A key
 * has one form in all languages, whose runtimes have later versions: what those add stays as it is. */
const WITH_SMALL: string =
  "41-376 37f 386-38a 38c 38e-3a1 3a3-52e 531-556 10a0-10c5 10c7 10cd 13a0-13f5 1c90-1cba 1cbd-1cbf " +
  "1e00-1f0f 1f18-1f1d 1f28-1f3f 1f48-1f4d 1f59 1f5b 1f5d 1f5f-1f6f 1f88-1faf 1fb8-1fbc 1fc8-1fcc " +
  "1fd8-1fdb 1fe8-1fec 1ff8-1ffc 2126-2183 24b6-24cf 2c00-2c2e 2c60-2cf2 a640-a69a a722-a7be a7c2-a7c9 " +
  "a7f5 ff21-ff3a 10400-10427 104b0-104d3 10c80-10cb2 118a0-118bf 16e40-16e5f 1e900-1e921";

let withSmall: RegExp | undefined;

/** A text in small letters, each letter on its own: a prefix of the text gives a prefix of it. */
export function lower(text: string): string {
  // The blanks between the ranges are in the class, too, and stay blanks.
  withSmall ??= new RegExp(`[${WITH_SMALL.replace(/[0-9a-f]+/g, "\\u{$&}")}]`, "gu");
  return text.replace(withSmall, (letter) => letter.toLowerCase());
}

/** Whether the value of a field can be read back from a key. */
export function isInvertible({ type, format }: FieldPart): boolean {
  if (format === undefined || format === "escaped") {
    return isText(type) || isNumber(type) || type === "bool";
  }
  return typeof format === "object" ? format.padded !== undefined : format === "bare" || format === "reversed";
}

/** Whether keys made of these parts give the value of an attribute back. */
export function givesBack(parts: readonly Part[], name: string): boolean {
  return parts.some((part) => isField(part) && part.field === name && isInvertible(part));
}

const HASH_DIGITS = 32;

/** The characters of a field whose values all have texts of one length; `undefined` for others. */
export function widthOfField({ type, format }: FieldPart): number | undefined {
  if (typeof format === "object") {
    if (format.cut !== undefined) return WIDTHS[format.cut];
    const { whole, decimals = 0, signed } = format.padded ?? { whole: 0 };
    return whole + (signed === true ? 1 : 0) + (decimals > 0 ? decimals + 1 : 0);
  }
  if (typeof type === "string" && Object.hasOwn(WIDTHS, type)) return WIDTHS[type as Unit];
  if (format === "hash") return HASH_DIGITS;
  if (type === "date") return 10;
  if (type === "ulid") return 26;
  if (type === "uuid") return 36;
  const digits = digitsOf(type);
  return digits === undefined ? undefined : widthOfTime(digits);
}

// Bundlers then keep all that a program loads at once in one file.
export { Client } from "../client.js";

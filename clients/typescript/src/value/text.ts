/** Texts: their order, and values as people read them. */

import type { AttributeValue } from "../plan.js";

/** The most characters of a value in a message. */
const SHOWN_MAX = 120;
/** Characters that break the line, move the cursor or change the direction of writing. */
const HIDDEN = /[\p{Cc}\u200b-\u200f\u2028-\u202e\u2066-\u2069\ufeff]/u;
const NAMED: Readonly<Record<string, string>> = { "\t": "\\t", "\n": "\\n", "\r": "\\r" };

/** The order of two texts by their UTF-8 bytes, which is that of their code points. */
export function compareTexts(one: string, other: string): number {
  const length = Math.min(one.length, other.length);
  for (let at = 0; at < length; at += 1) {
    const [left, right] = [one.charCodeAt(at), other.charCodeAt(at)];
    if (left !== right) {
      // Surrogates stand for characters behind all others.
      const isOver = (unit: number): boolean => unit >= 0xd800 && unit <= 0xdfff;
      return isOver(left) === isOver(right) ? left - right : isOver(left) ? 1 : -1;
    }
  }
  return one.length - other.length;
}

/** Names in order, each once. */
export function sortedNames(names: Iterable<string>): string[] {
  return [...new Set(names)].sort(compareTexts);
}

/** A value as people read and type it. */
export function display(value: AttributeValue): string {
  if (value.S !== undefined) return value.S;
  if (value.N !== undefined) return value.N;
  if (value.BOOL !== undefined) return String(value.BOOL);
  if (value.B !== undefined) return `${atob(value.B).length} bytes`;
  if (value.L !== undefined) return `[${value.L.map(display).join(", ")}]`;
  if (value.M !== undefined) {
    const entries = Object.entries(value.M).sort(([one], [other]) => compareTexts(one, other));
    return `{${entries.map(([name, entry]) => `${name}: ${display(entry)}`).join(", ")}}`;
  }
  if (value.SS !== undefined) return `<${value.SS.join(", ")}>`;
  if (value.NS !== undefined) return `<${value.NS.join(", ")}>`;
  if (value.BS !== undefined) return `<${value.BS.length} binary values>`;
  return "null";
}

/** A text in a message: cut where it is long, without characters that change the line. */
export function shownText(text: string): string {
  let out = "";
  let count = 0;
  for (const one of text) {
    if (count === SHOWN_MAX) return `${out}…`;
    const code = (one.codePointAt(0) ?? 0).toString(16);
    out += HIDDEN.test(one) ? (NAMED[one] ?? `\\u{${code}}`) : one;
    count += 1;
  }
  return out;
}

/** A value in a message. */
export function shown(value: AttributeValue | undefined): string {
  return value === undefined ? "" : shownText(display(value));
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

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

/** A value of JavaScript in a message. */
export function spoken(given: unknown): string {
  if (typeof given !== "object" || given === null) return String(given);
  try {
    // What a caller gives may have any member named `constructor`: only a text can be trimmed.
    return Array.isArray(given) ? "an array" : given.constructor.name.trim();
  } catch {
    return "an object";
  }
}

/** A value in a message. */
export function shown(value: AttributeValue | undefined): string {
  return value === undefined ? "" : shownText(display(value));
}

/** The JSON of a text; `undefined` for another text. */
export function parsed(body: string): unknown {
  try {
    return JSON.parse(body);
  } catch {
    return undefined;
  }
}

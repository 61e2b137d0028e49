/** Ends of ranges that are longer than a key can be. DynamoDB refuses them, though no key is longer: such an
 * end becomes one of a key's length that no key distinguishes from it. */

import type { AttributeValue } from "../plan.js";
import { base64Of, bytesOf } from "../value/base64.js";
import type { End } from "./end.js";

/** The most bytes of a sort key. */
const MOST = 1024;

/** Whether a beginning of sort keys is longer than they can be, so that none has it. */
export function isLongerThanKeys(beginning: string): boolean {
  return byteLength(beginning) > MOST;
}

/** An end of a range of sort keys that is no longer than a key can be. */
export function fittedEnd(end: End, side: "low" | "high", most: number = MOST): End {
  if (typeof end === "string") return end;
  const held = "at" in end ? end.at : end.before;
  // No key is as long as the end, so none equals it.
  if (held.S !== undefined && byteLength(held.S) > most) {
    return ended(side === "high" ? { S: textBelow(held.S, most) } : textAbove(held.S, most));
  }
  const bytes = held.B === undefined ? [] : [...bytesOf(held.B)];
  if (bytes.length <= most) return end;
  const kept = bytes.slice(0, most);
  return ended(side === "high" ? { B: base64Of(Uint8Array.from(kept)) } : bytesAbove(kept));
}

function ended(at: AttributeValue | undefined): End {
  return at === undefined ? "nothing" : { at };
}

/** The bytes of a text in UTF-8. */
function byteLength(text: string): number {
  let bytes = 0;
  for (const sign of text) bytes += lengthOf(sign.codePointAt(0) ?? 0);
  return bytes;
}

function lengthOf(point: number): number {
  if (point < 0x80) return 1;
  if (point < 0x800) return 2;
  return point < 0x10000 ? 3 : 4;
}

/** The greatest text of at most so many bytes below a longer one. */
function textBelow(text: string, most: number): string {
  const kept = beginning(text, most);
  const left = most - byteLength(kept);
  // The character that is cut is longer than the bytes that are left, so all that fit are less.
  return `${kept}${["", "\u007f", "\u07ff", "\uffff"][left] ?? ""}`;
}

/** The least text of at most so many bytes above a longer one; `undefined` if there is none. */
function textAbove(text: string, most: number): AttributeValue | undefined {
  const points = Array.from(beginning(text, most), (sign) => sign.codePointAt(0) ?? 0);
  let bytes = points.reduce((sum, point) => sum + lengthOf(point), 0);
  for (let last = points.pop(); last !== undefined; last = points.pop()) {
    bytes -= lengthOf(last);
    // Surrogates are no characters.
    const next = last === 0xd7ff ? 0xe000 : last + 1;
    // A character after the last one that fits is longer.
    if (next <= 0x10ffff && bytes + lengthOf(next) <= most) {
      return { S: [...points, next].map((point) => String.fromCodePoint(point)).join("") };
    }
  }
  return undefined;
}

/** The longest beginning of whole characters with at most so many bytes. */
function beginning(text: string, most: number): string {
  let [bytes, kept] = [0, 0];
  for (const sign of text) {
    bytes += lengthOf(sign.codePointAt(0) ?? 0);
    if (bytes > most) break;
    kept += sign.length;
  }
  return text.slice(0, kept);
}

/** The least bytes above longer ones that begin with these; `undefined` if there are none. */
function bytesAbove(kept: number[]): AttributeValue | undefined {
  const at = kept.findLastIndex((byte) => byte < 255);
  if (at < 0) return undefined;
  return { B: base64Of(Uint8Array.from([...kept.slice(0, at), (kept[at] ?? 0) + 1])) };
}

/** Keys to values: parts read backwards. Hashes, small letters and cut periods do not come back. */

import { unlessInvalid } from "../error.js";
import type { AttributeValue, FieldPart, Part } from "../plan.js";
import { isEqual } from "../value/compare.js";
import { canonicalNumber } from "../value/number.js";
import type { Values } from "../value/value.js";
import { isInvertible, nines, shardDigits, widthOfField } from "./formats.js";
import { isBare, isField, isNumber, text as made } from "./make.js";

/** The values that a key attribute was made of; `undefined` when the parts cannot have made it. */
export function inverse(parts: readonly Part[], key: AttributeValue): Values | undefined {
  if (isBare(parts)) return new Map([[parts[0].field, key]]);
  if (key.S === undefined) return undefined;
  const values: Values = new Map();
  let rest = key.S;
  for (const [at, part] of parts.entries()) {
    const length = lengthOf(part, parts[at + 1], rest);
    if (length === undefined || length > rest.length) return undefined;
    const written = rest.slice(0, length);
    rest = rest.slice(length);
    if (!isField(part)) {
      if (!fits(part, written)) return undefined;
    } else if (isInvertible(part)) {
      const value = valueOf(part, written);
      const before = values.get(part.field);
      if (value === undefined || (before !== undefined && !isEqual(before, value))) return undefined;
      values.set(part.field, value);
    }
  }
  return rest === "" ? values : undefined;
}

/** Whether a text is that of a part that is no value. */
function fits(part: Exclude<Part, FieldPart>, written: string): boolean {
  if (typeof part === "string") return part === written;
  return "break" in part ? written === "\0" : /^[0-9]*$/.test(written);
}

/** The length of a part at the start of a text. */
function lengthOf(part: Part, next: Part | undefined, rest: string): number | undefined {
  if (typeof part === "string") return part.length;
  if (!isField(part)) {
    return "shards" in part ? shardDigits(part.shards) : "part" in part ? part.part : 1;
  }
  const width = widthOfField(part);
  if (width !== undefined) return width;
  if (next === undefined) return rest.length;
  // The field does not contain the first character of the text behind it.
  const behind = typeof next === "string" ? String.fromCodePoint(next.codePointAt(0) ?? 0) : "break" in next ? "\0" : undefined;
  const at = behind === undefined ? -1 : rest.indexOf(behind);
  return at < 0 ? undefined : at;
}

/** The value whose text in the key this is; `undefined` when no value has it. */
function valueOf(part: FieldPart, written: string): AttributeValue | undefined {
  const plain = plainOf(part, written);
  if (plain === undefined) return undefined;
  let value: AttributeValue;
  if (isNumber(part.type)) {
    const number = canonicalNumber(plain);
    if (number === undefined) return undefined;
    value = { N: number };
  } else if (part.type === "bool") {
    value = { BOOL: plain === "true" };
  } else {
    value = { S: plain };
  }
  // Only the text that the value makes is its text: `007` is not that of a plain 7.
  return unlessInvalid(() => made([part], new Map([[part.field, value]]))) === written ? value : undefined;
}

function plainOf({ format }: FieldPart, written: string): string | undefined {
  if (format === "reversed") return nines(written);
  if (format === "escaped") return unescaped(written);
  const padded = typeof format === "object" ? format.padded : undefined;
  if (padded?.signed === true) {
    // The text of zero has no sign in either direction.
    const isBelow = written.startsWith("-");
    const size = isBelow ? nines(written.slice(1)) : written.slice(1);
    return `${isBelow !== (padded.reversed === true) ? "-" : ""}${size}`;
  }
  return padded?.reversed === true ? nines(written) : written;
}

/** The text that was escaped; `undefined` when an escape is damaged. */
function unescaped(written: string): string | undefined {
  if (written === "%") return "";
  try {
    return decodeURIComponent(written);
  } catch {
    return undefined;
  }
}

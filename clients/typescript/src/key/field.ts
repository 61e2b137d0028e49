/** Fields of keys: their width, and whether their values come back. */

import type { FieldPart, Part, Unit } from "../plan.js";
import { digitsOf, widthOf, widthOfTime } from "../value/time.js";
import { isField, isNumber, isText } from "./make.js";

const HASH_DIGITS = 32;
const UNITS: readonly string[] = ["hour", "day", "month", "year"];

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

/** The characters of a field whose values all have texts of one length; `undefined` for others. */
export function widthOfField({ type, format }: FieldPart): number | undefined {
  if (typeof format === "object") {
    if (format.cut !== undefined) return widthOf(format.cut);
    const { whole, decimals = 0, signed } = format.padded ?? { whole: 0 };
    return whole + (signed === true ? 1 : 0) + (decimals > 0 ? decimals + 1 : 0);
  }
  if (typeof type === "string" && UNITS.includes(type)) return widthOf(type as Unit);
  if (format === "hash") return HASH_DIGITS;
  if (type === "date") return 10;
  if (type === "ulid") return 26;
  if (type === "uuid") return 36;
  const digits = digitsOf(type);
  return digits === undefined ? undefined : widthOfTime(digits);
}

/** Ends of key ranges: the least or the greatest key of the values that a parameter allows.
 *
 * A range of DynamoDB includes its ends. An end outside of the range (`a > low`) becomes the next key
 * inside of it, or a text beside which no key lies. */

import { invalid } from "../error.js";
import type { AttributeValue, FieldPart, Limit, Part, Type } from "../plan.js";
import { negatedNumber, nextNumber } from "../value/arithmetic.js";
import { base64Of, bytesOf } from "../value/base64.js";
import type { Values } from "../value/value.js";
import { directed, type Padding, widthOfField } from "./formats.js";
import { column, isField, LAST, text, written } from "./make.js";

/** An end of a range of keys: at a key that it includes, before a key, none, or of an empty range. */
export type End = { readonly at: AttributeValue } | { readonly before: AttributeValue } | "open" | "nothing";

function isLower(limit: Limit): boolean {
  return limit === "atLeast" || limit === "above";
}

function isStrict(limit: Limit): boolean {
  return limit === "above" || limit === "below";
}

/** The end of a range that parts make of values. `limitOf` returns the limit that a parameter puts on its
 * attribute as an end of a range. A value outside the attribute's range is no error here. */
export function end(
  parts: readonly Part[],
  values: Values,
  limitOf: (parameter: string) => Limit | undefined,
): End {
  const at = parts.findIndex((part) => isField(part) && limitOf(part.field) !== undefined);
  const part = parts[at];
  if (!isField(part)) return { at: column(parts, values) };
  const limit = limitOf(part.field) ?? "equal";
  const held = values.get(part.field);
  if (held === undefined) {
    throw invalid(`${part.field} is missing, and a key is made of it`, part.field);
  }
  if (part.format === "bare") return bareEnd(held, part.type, limit);
  const start = text(parts.slice(0, at), values);
  const rest = text(parts.slice(at + 1), values);
  const made = madeEnd(part, held, limit, start, rest);
  if (made === undefined) return "nothing";
  if (made !== "") return { at: { S: made } };
  // A key is never empty.
  return isLower(limit) ? "open" : "nothing";
}

function madeEnd(part: FieldPart, held: AttributeValue, limit: Limit, start: string, rest: string): string | undefined {
  const padding = typeof part.format === "object" ? part.format.padded : undefined;
  if (held.N !== undefined && padding !== undefined) {
    const found = padding.signed === true ? signedEnd(held.N, padding, limit) : unsignedEnd(held.N, padding, limit);
    return found && `${start}${directed(found.size, found.isNegative, padding)}${rest}`;
  }
  if (held.S !== undefined && part.format === undefined && part.type === "string") {
    return beside(start, held.S, rest, part, limit);
  }
  return beside(start, written(part, held), rest, part, limit);
}

/** The end of a range of an attribute that is the key itself. */
function bareEnd(held: AttributeValue, type: Type, limit: Limit): End {
  if (held.S === "") return isLower(limit) ? "open" : "nothing";
  if (!isStrict(limit)) return { at: held };
  if (held.N !== undefined) {
    const next = isLower(limit) ? nextNumber(held.N, type === "int") : nextNumber(negatedNumber(held.N), type === "int");
    if (next === undefined) return "nothing";
    return { at: { N: isLower(limit) ? next : negatedNumber(next) } };
  }
  if (!isLower(limit)) return { before: held };
  if (held.S !== undefined) return { at: { S: `${held.S}\0` } };
  if (held.B !== undefined) return { at: { B: base64Of(new Uint8Array([...bytesOf(held.B), 0])) } };
  return { before: held };
}

function isReversed({ format }: FieldPart): boolean {
  return format === "reversed" || (typeof format === "object" && format.padded?.reversed === true);
}

/** The text at which a range of keys ends: `start`, the text of the limited value, and the texts behind it,
 * which only an upper end has. `undefined` where no key lies in the range. */
function beside(start: string, value: string, rest: string, part: FieldPart, limit: Limit): string | undefined {
  if (!isStrict(limit)) return `${start}${value}${rest}`;
  if (isLower(limit) !== isReversed(part)) {
    // No value begins with another of its width.
    return `${start}${value}${widthOfField(part) === undefined ? "\0" : LAST}`;
  }
  // Every key of the value goes on behind it.
  if (rest !== "") return `${start}${value}`;
  const less = before(value);
  return less === undefined ? undefined : `${start}${less}`;
}

/** A text above all texts that are less, of those without the last character; `undefined` if there are
 * none. */
function before(value: string): string | undefined {
  const letters = Array.from(value);
  const last = letters.pop()?.codePointAt(0);
  if (last === undefined) return undefined;
  const kept = letters.join("");
  if (last === 0) return kept;
  // No character lies between U+D7FF and U+E000.
  return `${kept}${String.fromCodePoint(last === 0xe000 ? 0xd7ff : last - 1)}${LAST}`;
}

interface PaddedEnd {
  readonly size: string;
  readonly isNegative: boolean;
}

function unsignedEnd(number: string, padding: Padding, limit: Limit, isNegative = false): PaddedEnd | undefined {
  const size = paddedEnd(number, padding, limit);
  return size === undefined ? undefined : { size, isNegative };
}

/** The first padded number inside of a limit: the least that is not below a number, or the greatest that is
 * not above it, and not the number itself where the limit excludes it. */
function paddedEnd(number: string, { whole, decimals = 0 }: Padding, limit: Limit): string | undefined {
  const [isLow, isOpen] = [isLower(limit), isStrict(limit)];
  const join = (digits: string | undefined): string | undefined =>
    digits === undefined || decimals === 0 ? digits : `${digits.slice(0, whole)}.${digits.slice(whole)}`;
  const all = (digit: string): string => digit.repeat(whole + decimals);
  if (number.startsWith("-")) return isLow ? join(all("0")) : undefined;
  const [first = "", behind = ""] = number.split(".");
  const leading = first.replace(/^0+/, "");
  if (leading.length > whole) return isLow ? undefined : join(all("9"));
  const isCut = /[1-9]/.test(behind.slice(decimals));
  // The digits without the point: the greatest padded number that is not above.
  const digits = leading.padStart(whole, "0") + behind.slice(0, decimals).padEnd(decimals, "0");
  if (isLow && (isOpen || isCut)) return join(changed(digits, 1));
  if (!isLow && isOpen && !isCut) return join(changed(digits, -1));
  return join(digits);
}

const OPPOSITE: Readonly<Record<string, Limit>> = {
  atLeast: "atMost",
  above: "below",
  atMost: "atLeast",
  below: "above",
};

/** As `paddedEnd`, where negative numbers fit, too. */
function signedEnd(number: string, padding: Padding, limit: Limit): PaddedEnd | undefined {
  if (number.startsWith("-")) {
    const opposite = typeof limit === "string" ? (OPPOSITE[limit] ?? limit) : limit;
    return unsignedEnd(number.slice(1), padding, opposite, true);
  }
  const found = unsignedEnd(number, padding, limit);
  // Only zero has no lesser number without a sign.
  return found === undefined && limit === "below" ? unsignedEnd("0", padding, "above", true) : found;
}

/** The digits of the number that is one more or one less; `undefined` beyond the last and the first. */
function changed(digits: string, by: 1 | -1): string | undefined {
  const next = (BigInt(digits || "0") + BigInt(by)).toString();
  return next.startsWith("-") || next.length > digits.length ? undefined : next.padStart(digits.length, "0");
}

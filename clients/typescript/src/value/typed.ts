/** Values of JavaScript as stored ones, checked by their types. Those of rarer types are made by `types`. */

import { invalid } from "../error.js";
import { types } from "../features.js";
import { isNumber, typeText } from "../key/make.js";
import type { Model } from "../model.js";
import type { AttributeValue, Type } from "../plan.js";
import { canonicalNumber, parseDecimal } from "./number.js";
import { shownText, spoken } from "./text.js";
import { digitsOf, isStoredTime } from "./time.js";

/** The error of a value of another type. */
export function wrong(name: string, type: Type, given: unknown): Error {
  const shown = shownText(spoken(given));
  // Without quotes the text "5" would read as a number.
  return invalid(`${name} is no ${typeText(type)}: ${typeof given === "string" ? `"${shown}"` : shown}`, name);
}

/** The error of a text that is no value of its type. */
export function notText(name: string, text: string, wanted: string): Error {
  return invalid(`${name}: \`${shownText(text)}\` is not ${wanted}`, name);
}

/** The stored value of a given one. `name` is the way to it, for messages. */
export function typed(model: Model, name: string, type: Type, given: unknown): AttributeValue {
  if (isRare(type)) return types.made(model, name, type, given);
  if (typeof type !== "string") {
    if (typeof given !== "string") throw wrong(name, type, given);
    if (type.words?.includes(given) === true) return { S: given };
    throw notText(name, given, `one of ${type.words?.join(", ")}`);
  }
  if (isNumber(type)) return { N: number(name, type, given) };
  if (type !== "bool") return { S: textOf(name, type, given) };
  if (typeof given !== "boolean") throw wrong(name, type, given);
  return { BOOL: given };
}

/** Whether values of a type are made by `types`. */
export function isRare(type: Type): boolean {
  return typeof type === "string" ? type === "binary" : type.words === undefined;
}

function number(name: string, type: string, given: unknown): string {
  const isNumeric = typeof given === "number" || typeof given === "bigint" || typeof given === "string";
  if (!isNumeric) throw wrong(name, type, given);
  if (type === "int" && typeof given === "number" && Number.isInteger(given) && !Number.isSafeInteger(given)) {
    throw invalid(`${name}: ${given} has more digits than a JavaScript number keeps; give a bigint or a text`, name);
  }
  const text = canonicalNumber(String(given));
  if (text === undefined) throw notText(name, String(given), type === "int" ? "a whole number" : "a number");
  if (type === "int" && text.includes(".")) throw notText(name, String(given), "a whole number");
  return text;
}

/** The text of a given value. */
export function textOf(name: string, type: string, given: unknown): string {
  if (type !== "string") return types.rareText(name, type, given);
  if (typeof given !== "string") throw wrong(name, type, given);
  if (/\p{Cs}/u.test(given)) throw notText(name, given, "a text: it has half of a character");
  return given;
}

/** Whether a text is the stored one of a value of this type. */
export function isStored(type: string, text: string): boolean {
  if (type === "string") return true;
  const digits = digitsOf(type);
  if (digits !== undefined) return isStoredTime(text, digits);
  return types.isStoredText(type, text);
}

/** Whether a number is whole. */
export function isWholeNumber(text: string): boolean {
  const found = parseDecimal(text);
  return found !== undefined && found.exponent >= 0;
}

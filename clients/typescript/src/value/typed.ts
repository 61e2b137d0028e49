/** Values of JavaScript as stored ones, checked by their types. */

import { invalid } from "../error.js";
import { isText, typeText } from "../key/make.js";
import type { Model } from "../model.js";
import type { AttributeValue, Type, Unit } from "../plan.js";
import { parseDecimal, canonicalNumber } from "./number.js";
import { shownText } from "./text.js";
import { canonicalTime, digitsOf, isDay, isFiner, isPeriod, isStoredTime } from "./time.js";
import { base64Of, isPlain, jsonOf } from "./value.js";

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i;
const ULID = /^[0-7][0-9A-HJKMNP-TV-Z]{25}$/i;
const PERIODS: Readonly<Record<string, string>> = {
  hour: "an hour like 2024-01-15T10",
  day: "a day like 2024-01-15",
  month: "a month like 2024-01",
  year: "a year like 2024",
};

function wrong(name: string, type: Type, given: unknown): Error {
  const shown = shownText(spoken(given));
  // Without quotes the text "5" would read as a number.
  return invalid(`${name} is no ${typeText(type)}: ${typeof given === "string" ? `"${shown}"` : shown}`, name);
}

function notText(name: string, text: string, wanted: string): Error {
  return invalid(`${name}: \`${shownText(text)}\` is not ${wanted}`, name);
}

/** The error of a text that is no time or day. */
function notMoment(name: string, text: string, wanted: string): Error {
  if (!text.startsWith("0000-")) return notText(name, text, wanted);
  return invalid(`${name}: there is no \`${shownText(text)}\`: it is outside the years 0001 to 9999 of UTC`, name);
}

/** A value of JavaScript in a message. */
function spoken(given: unknown): string {
  if (typeof given === "object" && given !== null) {
    return Array.isArray(given) ? "an array" : (given.constructor?.name ?? "an object");
  }
  return String(given);
}

/** The stored value of a given one. `name` is the way to it, for messages. */
export function typed(model: Model, name: string, type: Type, given: unknown): AttributeValue {
  if (typeof type === "string") return scalar(name, type, given);
  if (type.words !== undefined) {
    if (typeof given !== "string") throw wrong(name, type, given);
    if (type.words.includes(given)) return { S: given };
    throw notText(name, given, `one of ${type.words.join(", ")}`);
  }
  if (type.list !== undefined) {
    if (!Array.isArray(given)) throw wrong(name, type, given);
    const of = type.list;
    // A hole is no element, but would become one.
    return { L: Array.from(given, (one, at) => typed(model, `${name}[${at}]`, of, one)) };
  }
  if (type.set !== undefined) return setOf(model, name, type.set, given, type);
  const entries = entriesOf(name, given);
  if (entries === undefined) throw wrong(name, type, given);
  if (type.map !== undefined) {
    const of = type.map;
    const said = entries.filter(([, one]) => one !== undefined);
    for (const [key] of said) textOf(`a name in ${name}`, "string", key);
    return { M: Object.fromEntries(said.map(([key, one]) => [key, typed(model, `${name}.${key}`, of, one)])) };
  }
  return record(model, name, type.record ?? "", new Map(entries));
}

/** The names and values of a plain object or a map; `undefined` for another value: what an object of a class
 * means is not known. */
function entriesOf(name: string, given: unknown): [string, unknown][] | undefined {
  if (!(given instanceof Map)) return isPlain(given) ? Object.entries(given) : undefined;
  const entries = [...given].map(([key, one]): [string, unknown] => [String(key), one]);
  const isText = [...given.keys()].every((key) => ["string", "number", "bigint"].includes(typeof key));
  if (isText && new Set(entries.map(([key]) => key)).size === entries.length) return entries;
  throw invalid(`${name}: the names of a map are texts, and none is there twice`, name);
}

function record(model: Model, name: string, of: string, entries: Map<string, unknown>): AttributeValue {
  const fields = model.records.get(of) ?? [];
  for (const key of entries.keys()) {
    if (!fields.some((field) => field.name === key)) {
      const known = fields.map((field) => field.name).join(", ");
      throw invalid(`${name}.${key} is no field of ${of}; it has ${known}`, `${name}.${key}`);
    }
  }
  const made: [string, AttributeValue][] = [];
  for (const field of fields) {
    const given = entries.get(field.name);
    if (given !== undefined && given !== null) {
      made.push([field.name, typed(model, `${name}.${field.name}`, field.type, given)]);
    } else if (field.optional !== true) {
      throw invalid(`${name}.${field.name} is missing: a field of its record`, `${name}.${field.name}`);
    }
  }
  return { M: Object.fromEntries(made) };
}

function setOf(model: Model, name: string, of: Type, given: unknown, type: Type): AttributeValue {
  if (!(given instanceof Set) && !Array.isArray(given)) throw wrong(name, type, given);
  const elements = [...given].map((one, at) => typed(model, `${name}[${at}]`, of, one));
  if (elements.length === 0 || new Set(elements.map((one) => jsonOf(one))).size < elements.length) {
    throw invalid(`${name}: a set has at least one value, and none twice`, name);
  }
  if (isText(of)) return { SS: elements.map((one) => one.S ?? "") };
  if (of === "binary") return { BS: elements.map((one) => one.B ?? "") };
  return { NS: elements.map((one) => one.N ?? "") };
}

function scalar(name: string, type: string, given: unknown): AttributeValue {
  switch (type) {
    case "bool":
      if (typeof given !== "boolean") throw wrong(name, type, given);
      return { BOOL: given };
    case "int":
    case "number":
      return { N: number(name, type, given) };
    case "binary":
      if (given instanceof Uint8Array) return { B: base64Of(given) };
      if (given instanceof ArrayBuffer) return { B: base64Of(new Uint8Array(given)) };
      throw wrong(name, type, given);
    default:
      return { S: textOf(name, type, given) };
  }
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

function textOf(name: string, type: string, given: unknown): string {
  const isDate = given instanceof Date && !Number.isNaN(given.getTime());
  if (isDate && (digitsOf(type) !== undefined || type === "date")) {
    const text = given.toISOString();
    return textOf(name, type, type === "date" && text.endsWith("T00:00:00.000Z") ? text.slice(0, 10) : text);
  }
  if (typeof given !== "string") throw wrong(name, type, given);
  const digits = digitsOf(type);
  if (digits !== undefined) return time(name, type, given, digits);
  switch (type) {
    case "date":
      if (isDay(given)) return given;
      throw notMoment(name, given, "a day like 2024-01-15");
    case "ulid":
      if (ULID.test(given)) return given.toUpperCase();
      throw notText(name, given, "a ULID of 26 characters");
    case "uuid":
      if (UUID.test(given)) return given.toLowerCase();
      throw notText(name, given, "a UUID like 123e4567-e89b-12d3-a456-426614174000");
    case "hour":
    case "day":
    case "month":
    case "year":
      if (isPeriod(type as Unit, given)) return given;
      throw notText(name, given, PERIODS[type] ?? type);
    default:
      if (/\p{Cs}/u.test(given)) throw notText(name, given, "a text: it has half of a character");
      return given;
  }
}

function time(name: string, type: string, given: string, digits: number): string {
  if (isFiner(given, digits)) {
    throw invalid(
      `${name}: \`${shownText(given)}\` is finer than a ${typeText(type)} keeps it; leave out the digits that would be cut, or declare a finer time`,
      name,
    );
  }
  const text = canonicalTime(given, digits);
  if (text === undefined) {
    throw notMoment(name, given, "a time with its zone, like 2024-01-15T10:30:00Z (or a day: midnight UTC)");
  }
  return text;
}

/** Whether a text is the stored one of a value of this type. */
export function isStored(type: string, text: string): boolean {
  if (type === "string") return true;
  const digits = digitsOf(type);
  if (digits !== undefined) return isStoredTime(text, digits);
  try {
    return textOf("", type, text) === text;
  } catch {
    return false;
  }
}

/** Whether a number is whole. */
export function isWholeNumber(text: string): boolean {
  const found = parseDecimal(text);
  return found !== undefined && found.exponent >= 0;
}

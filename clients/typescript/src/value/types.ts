/** Types that few models have: lists, sets, maps, records and binary values, days, periods and identifiers; and the
 * times of programs. They are loaded for a pattern whose values are of one, or that takes a time, and for writes
 * (`features.ts`). */

import { invalid, unlessInvalid } from "../error.js";
import { isText, typeText } from "../key/make.js";
import type { Model } from "../model.js";
import type { AttributeValue, Type, Unit } from "../plan.js";
import { base64Of, bytesOf } from "./base64.js";
import { jsonOf } from "./compare.js";
import { canonicalTime, isFiner } from "./moment.js";
import { isPeriod } from "./period.js";
import { type Numbers, plain } from "./plain.js";
import { shownText } from "./text.js";
import { digitsOf, isDay } from "./time.js";
import { notText, textOf, typed, wrong } from "./typed.js";
import { held, isPlain } from "./value.js";

// What has loaded the types finds these there, too.
export { canonicalTime, timeOfEpochMs } from "./moment.js";

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i;
const ULID = /^[0-7][0-9A-HJKMNP-TV-Z]{25}$/i;
const PERIODS: Readonly<Record<string, string>> = {
  hour: "an hour like 2024-01-15T10",
  day: "a day like 2024-01-15",
  month: "a month like 2024-01",
  year: "a year like 2024",
};

/** The stored value of a given one. `name` is the way to it, for messages. */
export function made(model: Model, name: string, type: Type, given: unknown): AttributeValue {
  if (typeof type === "string") {
    if (given instanceof Uint8Array) return { B: base64Of(given) };
    if (given instanceof ArrayBuffer) return { B: base64Of(new Uint8Array(given)) };
    throw wrong(name, type, given);
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
  if ([...given.keys()].every((key) => typeof key === "string")) return [...given] as [string, unknown][];
  throw invalid(`${name}: the names of a map are texts`, name);
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

/** The error of a text that is no time or day. */
function notMoment(name: string, text: string, wanted: string): Error {
  if (!text.startsWith("0000-")) return notText(name, text, wanted);
  return invalid(`${name}: there is no \`${shownText(text)}\`: it is outside the years 0001 to 9999 of UTC`, name);
}

/** A text of a type whose texts have a form. */
export function rareText(name: string, type: string, given: unknown): string {
  const digits = digitsOf(type);
  if (given instanceof Date && !Number.isNaN(given.getTime()) && (digits !== undefined || type === "date")) {
    const text = given.toISOString();
    return rareText(name, type, type === "date" && text.endsWith("T00:00:00.000Z") ? text.slice(0, 10) : text);
  }
  if (typeof given !== "string") throw wrong(name, type, given);
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
    default:
      if (isPeriod(type as Unit, given)) return given;
      throw notText(name, given, PERIODS[type] ?? type);
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

/** Whether a text is the stored one of a value of such a type. */
export function isStoredText(type: string, text: string): boolean {
  return unlessInvalid(() => rareText("", type, text)) === text;
}

/** The value of JavaScript of a stored one; `undefined` for a value of another type. */
export function stored(
  model: Model,
  numbers: Numbers,
  name: string,
  type: Type,
  value: AttributeValue,
): unknown {
  const inside = (at: string, of: Type, one: AttributeValue): unknown => plain(model, numbers, `${name}${at}`, of, one);
  if (typeof type === "string") return value.B === undefined ? undefined : bytesOf(value.B);
  const { list, set, map } = type;
  if (list !== undefined && value.L !== undefined) return value.L.map((one, at) => inside(`[${at}]`, list, one));
  if (set !== undefined) return elements(set, value, inside);
  if (value.M === undefined) return undefined;
  if (map !== undefined) {
    return Object.fromEntries(Object.entries(value.M).map(([key, one]) => [key, inside(`.${key}`, map, one)]));
  }
  const made: [string, unknown][] = [];
  for (const field of model.records.get(type.record ?? "") ?? []) {
    const one = held(value.M, field.name);
    if (one !== undefined) made.push([field.name, inside(`.${field.name}`, field.type, one)]);
    else if (field.optional !== true) return undefined;
  }
  return Object.fromEntries(made);
}

/** The elements of a set; `undefined` for another value. */
function elements(
  of: Type,
  value: AttributeValue,
  inside: (at: string, of: Type, one: AttributeValue) => unknown,
): unknown {
  if (isText(of) && value.SS !== undefined) return new Set(value.SS.map((S) => inside("[]", of, { S })));
  if (of === "binary" && value.BS !== undefined) return value.BS.map(bytesOf);
  if ((of === "int" || of === "number") && value.NS !== undefined) {
    return new Set(value.NS.map((N) => inside("[]", of, { N })));
  }
  return undefined;
}

// Bundlers then keep all that a program loads at once in one file.
export { Client } from "../client.js";

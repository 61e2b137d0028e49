/** Stored values as values of JavaScript, checked by their types. */

import { failure } from "../error.js";
import { isText, typeText } from "../key/make.js";
import type { Model } from "../model.js";
import type { AttributeValue, Type } from "../plan.js";
import { canonicalNumber } from "./number.js";
import { shown } from "./text.js";
import { isWholeNumber } from "./typed.js";
import { bytesOf } from "./value.js";

/** Whether numbers come as `number`, or exactly. */
export type Numbers = "number" | "exact";

/** The value of JavaScript of a stored one. */
export function plain(model: Model, numbers: Numbers, name: string, type: Type, value: AttributeValue): unknown {
  const wrong = (): Error =>
    failure("unknown_item", `${name} is stored, but is no ${typeText(type)}: ${shown(value)}; it was not written through the model`);
  const inside = (at: string, of: Type, one: AttributeValue): unknown => plain(model, numbers, `${name}${at}`, of, one);
  if (type === "bool" && value.BOOL !== undefined) return value.BOOL;
  if ((type === "int" || type === "number") && value.N !== undefined) return number(numbers, name, type, value.N, wrong);
  if (type === "binary" && value.B !== undefined) return bytesOf(value.B);
  if (isText(type) && value.S !== undefined) {
    if (typeof type === "object" && type.words?.includes(value.S) !== true) throw wrong();
    return value.S;
  }
  if (typeof type === "string") throw wrong();
  if (type.list !== undefined && value.L !== undefined) {
    const of = type.list;
    return value.L.map((one, at) => inside(`[${at}]`, of, one));
  }
  if (type.set !== undefined) return set(type.set, value, inside, wrong);
  if (value.M === undefined) throw wrong();
  if (type.map !== undefined) {
    const of = type.map;
    return Object.fromEntries(Object.entries(value.M).map(([key, one]) => [key, inside(`.${key}`, of, one)]));
  }
  const made: [string, unknown][] = [];
  for (const field of model.records.get(type.record ?? "") ?? []) {
    const held = value.M[field.name];
    if (held !== undefined) made.push([field.name, inside(`.${field.name}`, field.type, held)]);
    else if (field.optional !== true) throw wrong();
  }
  return Object.fromEntries(made);
}

function set(
  of: Type,
  value: AttributeValue,
  inside: (at: string, of: Type, one: AttributeValue) => unknown,
  wrong: () => Error,
): unknown {
  if (isText(of) && value.SS !== undefined) return new Set(value.SS.map((S) => inside("[]", of, { S })));
  if (of === "binary" && value.BS !== undefined) return value.BS.map(bytesOf);
  if ((of === "int" || of === "number") && value.NS !== undefined) {
    return new Set(value.NS.map((N) => inside("[]", of, { N })));
  }
  throw wrong();
}

function number(numbers: Numbers, name: string, type: string, text: string, wrong: () => Error): unknown {
  const exact = canonicalNumber(text);
  if (exact === undefined || (type === "int" && !isWholeNumber(exact))) throw wrong();
  if (numbers === "exact") return type === "int" ? BigInt(exact) : exact;
  const made = Number(exact);
  if (canonicalNumber(String(made)) !== exact) {
    throw failure(
      "refused",
      `${name} is ${exact}, which has more digits than a JavaScript number keeps; give the client \`numbers: "exact"\``,
    );
  }
  return made;
}

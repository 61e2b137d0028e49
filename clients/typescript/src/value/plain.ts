/** Stored values as values of JavaScript, checked by their types. */

import { failure, unknownAttribute } from "../error.js";
import { isText, typeText } from "../key/make.js";
import type { Model } from "../model.js";
import type { FoundItem } from "../options.js";
import type { AttributeValue, EntityPlan, Type } from "../plan.js";
import { canonicalNumber } from "./number.js";
import { shown } from "./text.js";
import { isStored, isWholeNumber } from "./typed.js";
import { bytesOf, held, setOwn, type Values } from "./value.js";

/** Whether numbers come as `number`, or exactly. */
export type Numbers = "number" | "exact";

/** The attributes of an item as a program sees them, with its kind. */
export function plainItem(model: Model, numbers: Numbers, kind: string, entity: EntityPlan, values: Values): FoundItem {
  const item: Record<string, unknown> = { [model.kindMember]: kind };
  for (const [name, value] of values) {
    setOwn(item, name, plain(model, numbers, name, model.attribute(entity, name)?.type ?? "string", value));
  }
  return item as FoundItem;
}

/** Digits as numbers of JavaScript are printed, too. */
const DIGITS = /^-?[0-9]+(?:\.[0-9]+)?$/;

/** The value of JavaScript of a stored one. */
export function plain(model: Model, numbers: Numbers, name: string, type: Type, value: AttributeValue): unknown {
  const made = isScalar(type) ? scalar(numbers, name, type, value) : composed(model, numbers, name, type, value);
  if (made === undefined) {
    const message = `${name} is stored, but is no ${typeText(type)}: ${shown(value)}; it was not written through the model`;
    throw unknownAttribute(message, name);
  }
  return made;
}

type Scalar = string | { readonly words?: readonly string[] };

function isScalar(type: Type): type is Scalar & Type {
  return typeof type === "string" || type.words !== undefined;
}

/** `undefined` for a value of another type. */
function scalar(numbers: Numbers, name: string, type: Scalar, value: AttributeValue): unknown {
  if (typeof type !== "string") return value.S !== undefined && type.words?.includes(value.S) === true ? value.S : undefined;
  if (type === "bool") return value.BOOL;
  if (type === "int" || type === "number") return value.N === undefined ? undefined : number(numbers, name, type, value.N);
  if (type === "binary") return value.B === undefined ? undefined : bytesOf(value.B);
  return value.S !== undefined && isStored(type, value.S) ? value.S : undefined;
}

/** The value of a type that is made of others; `undefined` for a value of another type. */
function composed(
  model: Model,
  numbers: Numbers,
  name: string,
  type: Exclude<Type, string>,
  value: AttributeValue,
): unknown {
  const inside = (at: string, of: Type, one: AttributeValue): unknown => plain(model, numbers, `${name}${at}`, of, one);
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

/** The number of a text; `undefined` where the type has no such number. */
function number(numbers: Numbers, name: string, type: string, text: string): unknown {
  const made = Number(text);
  // What is printed as it is stored is exact, and in its one form.
  if (numbers === "number" && String(made) === text && DIGITS.test(text) && (type !== "int" || Number.isInteger(made))) return made;
  const exact = canonicalNumber(text);
  if (exact === undefined || (type === "int" && !isWholeNumber(exact))) return undefined;
  if (numbers === "exact") return type === "int" ? BigInt(exact) : exact;
  if (canonicalNumber(String(made)) !== exact) {
    throw failure(
      "refused",
      `${name} is ${exact}, which has more digits than a JavaScript number keeps; give the client \`numbers: "exact"\``,
    );
  }
  return made;
}

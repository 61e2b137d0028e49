/** Stored values as values of JavaScript, checked by their types. */

import { failure, unknownAttribute } from "../error.js";
import { types } from "../features.js";
import { isNumber, typeText } from "../key/make.js";
import type { Model } from "../model.js";
import type { FoundItem } from "../options.js";
import type { AttributeValue, EntityPlan, Type } from "../plan.js";
import { canonicalNumber } from "./number.js";
import { shown } from "./text.js";
import { isRare, isStored, isWholeNumber } from "./typed.js";
import { setOwn, type Values } from "./value.js";

/** Whether numbers come as `number`, or exactly. */
export type Numbers = "number" | "exact";

/** The attributes of an item as a program sees them, with its kind. */
export function plainItem(model: Model, numbers: Numbers, kind: string, entity: EntityPlan, values: Values): FoundItem {
  const item: Record<string, unknown> = { [model.kindMember]: kind };
  for (const [name, value] of values) {
    const found = model.attribute(entity, name);
    // An average has been rounded already: the nearest number says as much of it.
    const isNear = found?.average && value.N && numbers === "number";
    setOwn(item, name, isNear ? Number(value.N) : plain(model, numbers, name, found?.type ?? "string", value));
  }
  return item as FoundItem;
}

/** Digits as numbers of JavaScript are printed, too. */
const DIGITS = /^-?[0-9]+(?:\.[0-9]+)?$/;

/** The value of JavaScript of a stored one. */
export function plain(model: Model, numbers: Numbers, name: string, type: Type, value: AttributeValue): unknown {
  const made = isRare(type) ? types.stored(model, numbers, name, type, value) : scalar(numbers, name, type, value);
  if (made === undefined) {
    const message = `${name} is stored, but is no ${typeText(type)}: ${shown(value)}; it was not written through the model, or by an earlier version of it`;
    throw unknownAttribute(message, name);
  }
  return made;
}

/** `undefined` for a value of another type. */
function scalar(numbers: Numbers, name: string, type: Type, { S, N, BOOL }: AttributeValue): unknown {
  if (type === "bool") return BOOL;
  if (isNumber(type)) return N === undefined ? undefined : number(numbers, name, type, N);
  if (S === undefined) return undefined;
  return (typeof type === "string" ? isStored(type, S) : type.words?.includes(S)) ? S : undefined;
}

/** The number of a text; `undefined` where the type has no such number. */
function number(numbers: Numbers, name: string, type: Type, text: string): unknown {
  const made = Number(text);
  // What is printed as it is stored is exact, and in its one form.
  if (numbers === "number" && String(made) === text && DIGITS.test(text) && (type !== "int" || Number.isInteger(made))) return made;
  const exact = canonicalNumber(text);
  if (exact === undefined || (type === "int" && !isWholeNumber(exact))) return undefined;
  if (numbers === "exact") return type === "int" ? BigInt(exact) : exact;
  if (canonicalNumber(String(made)) !== exact) {
    throw failure(
      "refused",
      `${name} is ${exact}, which has more digits than a JavaScript number keeps; give the client \`numbers: "exact"\` (\`keyfold generate --exact-numbers\`)`,
    );
  }
  return made;
}

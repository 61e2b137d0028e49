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

/** As `Numbers`; `nearest` is the `number` that is nearest. */
type Digits = Numbers | "nearest";

/** The attributes of an item as a program sees them, with its kind. */
export function plainItem(model: Model, numbers: Numbers, kind: string, entity: EntityPlan, values: Values): FoundItem {
  const item: Record<string, unknown> = { [model.kindMember]: kind };
  for (const [name, value] of values) {
    const { type = "string", average } = model.attribute(entity, name) ?? {};
    // An average has been rounded already: the nearest number says as much of it.
    setOwn(item, name, plain(model, average && numbers === "number" ? "nearest" : numbers, name, type, value));
  }
  return item as FoundItem;
}

/** Digits as numbers of JavaScript are printed, too. */
const DIGITS = /^-?[0-9]+(?:\.[0-9]+)?$/;

/** The value of JavaScript of a stored one. */
export function plain(model: Model, numbers: Digits, name: string, type: Type, value: AttributeValue): unknown {
  const made = isRare(type) ? types.stored(model, numbers === "exact" ? numbers : "number", name, type, value) : scalar(numbers, name, type, value);
  if (made === undefined) {
    const message = `${name} is stored, but is no ${typeText(type)}: ${shown(value)}; it was not written through the model, or by an earlier version of it`;
    throw unknownAttribute(message, name);
  }
  return made;
}

/** `undefined` for a value of another type. */
function scalar(numbers: Digits, name: string, type: Type, { S, N, BOOL }: AttributeValue): unknown {
  if (type === "bool") return BOOL;
  if (isNumber(type)) return N === undefined ? undefined : number(numbers, name, type, N);
  if (S === undefined) return undefined;
  return (typeof type === "string" ? isStored(type, S) : type.words?.includes(S)) ? S : undefined;
}

/** The number of a text; `undefined` where the type has no such number. */
function number(numbers: Digits, name: string, type: Type, text: string): unknown {
  const made = Number(text);
  // What is printed as it is stored is exact, and in its one form.
  if (numbers !== "exact" && String(made) === text && DIGITS.test(text) && (type !== "int" || Number.isInteger(made))) return made;
  const exact = canonicalNumber(text);
  if (exact === undefined || (type === "int" && !isWholeNumber(exact))) return undefined;
  if (numbers === "exact") return type === "int" ? BigInt(exact) : exact;
  if (numbers === "number" && canonicalNumber(String(made)) !== exact) {
    throw failure(
      "refused",
      `${name} is ${exact}, which has more digits than a JavaScript number keeps; give the client \`numbers: "exact"\` (\`keyfold generate --exact-numbers\`)`,
    );
  }
  return made;
}

/** Stored values: whether they are equal, their order, and their one JSON. */

import type { AttributeValue } from "../plan.js";

/** Values by name. */
export type Values = Map<string, AttributeValue>;

/** The value of an item's own attribute, or of another object's own member. */
export function held<T = AttributeValue>(item: Readonly<Record<string, T>>, name: string): T | undefined {
  return Object.hasOwn(item, name) ? item[name] : undefined;
}

/** Whether a value is an object that has nothing but members of its own: no array, and of no class. */
export function isPlain(value: unknown): value is Readonly<Record<string, unknown>> {
  if (typeof value !== "object" || value === null) return false;
  const prototype = Object.getPrototypeOf(value) as object | null;
  // A plain object of another realm has another prototype, which has none.
  return prototype === null || (Object.getPrototypeOf(prototype) === null && Object.hasOwn(prototype, "isPrototypeOf"));
}

/** Sets a member of an object. Assigned, one that is named `__proto__` would be none. */
export function setOwn(object: object, name: string, value: unknown): void {
  if (name === "__proto__") Object.defineProperty(object, name, { value, configurable: true, enumerable: true, writable: true });
  else (object as Record<string, unknown>)[name] = value;
}

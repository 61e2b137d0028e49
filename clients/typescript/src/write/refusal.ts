/** Refusals of a write: the meaning of a failed condition, and the sentence that the caller reads. */

import { identityOf } from "../arguments.js";
import { failure, KeyfoldError, type Place } from "../error.js";
import type { EntityPlan, Item } from "../plan.js";
import { shown } from "../value/text.js";
import { bytesOf, type Values } from "../value/value.js";

/** The meaning of a condition that does not hold: `none` where the step has no condition of its own,
 * `stale` when another writer was faster, the caller's error otherwise. */
export type Refusal =
  | "none"
  | "stale"
  | { readonly code: "exists" | "not_found"; readonly message: string }
  | { readonly code: "refused"; readonly message: string; readonly conditions?: string }
  | { readonly code: "taken"; readonly message: string; readonly attributes: readonly string[] };

/** The refusal to create an entity that exists. */
export function exists(entity: EntityPlan, values: Values): Refusal {
  return { code: "exists", message: `${entity.name} exists already (${keyText(entity, values)})` };
}

/** The refusal of unique values that belong to another item. */
export function taken(entity: EntityPlan, attributes: readonly string[], values: Values): Refusal {
  const all = attributes.map((name) => `${name} \`${shown(values.get(name))}\``).join(", ");
  return { code: "taken", message: `${all} is taken: another ${entity.name} has it`, attributes };
}

/** The caller's error; `undefined` where the request is not at fault. */
export function errorOf(refusal: Refusal, place: Place): KeyfoldError | undefined {
  if (refusal === "none" || refusal === "stale") return undefined;
  const { message, ...detail } = refusal;
  return new KeyfoldError(message, detail, place);
}

/** Where a write is refused, for the caller. */
export function placeOfItem(action: string, table: string, key: Item): Place {
  const plain = Object.entries(key).map(([name, { S, N, B = "" }]) => [name, S ?? N ?? bytesOf(B)]);
  return { action, table, key: Object.fromEntries(plain) };
}

/** An entity's identity for people: `user = ada, order = 7`. */
export function keyText(entity: EntityPlan, values: Values): string {
  const known = identityOf(entity).filter((name) => values.has(name));
  return known.map((name) => `${name} = ${shown(values.get(name))}`).join(", ");
}

/** The sentence about an entity that does not exist. */
export function notFoundText(entity: EntityPlan, values: Values): string {
  return `there is no ${entity.name} with ${keyText(entity, values)}`;
}

/** The error about an entity that does not exist. */
export function notFound(entity: EntityPlan, values: Values, place?: Place): KeyfoldError {
  return failure("not_found", notFoundText(entity, values), place);
}

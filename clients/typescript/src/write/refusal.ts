/** Refusals of a write: the meaning of a failed condition, and the sentence that the caller reads. */

import { identifyingPlace } from "../derive.js";
import { failure, invalid, KeyfoldError, type Place } from "../error.js";
import type { Model } from "../model.js";
import type { AttributeValue, EntityPlan, Item } from "../plan.js";
import { bytesOf } from "../value/base64.js";
import { shown } from "../value/text.js";
import type { Values } from "../value/value.js";
import { identityOf } from "./arguments.js";

/** The entity that a refusal is about. */
export type Subject = Pick<Place, "entity" | "id">;

/** The meaning of a condition that does not hold: `none` where the step has no condition of its own,
 * `stale` when another writer was faster, the caller's error otherwise. */
export type Refusal = "none" | "stale" | Reason | ByItem;

/** The caller's error. */
export type Reason = RefusalDetail & { readonly message: string; readonly of?: Subject };

/** The caller's error depends on whether the item is stored, which the answer shows. */
export interface ByItem {
  readonly absent: Reason;
  readonly stored: Reason;
}

type RefusalDetail =
  | { readonly code: "exists" | "not_found" }
  | { readonly code: "refused"; readonly conditions?: string }
  | { readonly code: "taken"; readonly attributes: readonly string[] };

/** The refusal to create an entity that exists. */
export function exists(entity: EntityPlan, values: Values): Reason {
  const message = `${entity.name} exists already (${keyText(entity, values)})`;
  return { code: "exists", message, of: subject(entity, values) };
}

/** The refusal of unique values that belong to another item. */
export function taken(entity: EntityPlan, attributes: readonly string[], values: Values): Reason {
  const all = attributes.map((name) => `${name} \`${shown(values.get(name))}\``).join(", ");
  const message = `${all} is taken: another ${entity.name} has it`;
  return { code: "taken", message, attributes, of: subject(entity, values) };
}

/** The refusal to put an item over one of another `id`. */
export function occupied(entity: EntityPlan, values: Values): Reason {
  const message = `${itemText(entity, values)} cannot be put: an item with another ${(entity.id ?? []).join(", ")}, or that was not written through the model, is at its key`;
  return { code: "refused", message, of: subject(entity, values) };
}

/** Whether a refusal depends on whether the item is stored. */
export function isByItem(refusal: Refusal): refusal is ByItem {
  return typeof refusal === "object" && "absent" in refusal;
}

/** The reasons that a refusal may have. */
export function reasonsOf(refusal: Refusal): Reason[] {
  if (refusal === "none" || refusal === "stale") return [];
  return isByItem(refusal) ? [refusal.absent, refusal.stored] : [refusal];
}

/** The refusal of a step that has the conditions of two. */
export function joined(one: Reason | ByItem, other: Reason | ByItem): Refusal {
  if (!isByItem(one) && !isByItem(other)) return either(one, other);
  const [absent, stored] = [false, true].map((isStored) => {
    const [first, second] = [reasonOf(one, isStored), reasonOf(other, isStored)];
    return first !== undefined && second !== undefined ? either(first, second) : (first ?? second);
  });
  return absent === undefined || stored === undefined ? (absent ?? stored ?? "none") : { absent, stored };
}

/** The reason where the item is stored, or is not; `undefined` where the condition holds then. */
function reasonOf(refusal: Reason | ByItem, isStored: boolean): Reason | undefined {
  if (isByItem(refusal)) return isStored ? refusal.stored : refusal.absent;
  if (refusal.code === "refused") return refusal;
  return (refusal.code === "not_found") === isStored ? undefined : refusal;
}

function either(one: Reason, other: Reason): Reason {
  if (one.message === other.message && one.code === other.code) return one;
  return { code: "refused", message: `${one.message}; or ${other.message}` };
}

/** The caller's error; `undefined` where the request is not at fault. `isStored` says whether the condition
 * failed on an item that is stored, where that decides. */
export function errorOf(refusal: Refusal, place: Place, isStored: boolean): KeyfoldError | undefined {
  if (refusal === "none" || refusal === "stale") return undefined;
  if (isByItem(refusal)) return errorOf(isStored ? refusal.stored : refusal.absent, place, isStored);
  const { message, of, ...detail } = refusal;
  return new KeyfoldError(message, detail, { ...place, ...of });
}

/** What is done to an item, as a step of a write says it. */
interface Labelled {
  readonly label: string;
  readonly table: string;
  readonly key: Item;
}

/** Where a write is refused, for the caller. */
export function placeOfItem({ label: action, table, key }: Labelled): Place {
  return { action, table, key: plain(Object.entries(key)) };
}

/** Where the write of an entity is refused, for the caller. */
export function placeOfEntity(model: Model, label: string, entity: EntityPlan, values: Values): Place {
  const [table, key] = identifyingPlace(model, entity, values);
  return { ...placeOfItem({ label, table, key }), ...subject(entity, values) };
}

/** An entity and its identity, for the caller. */
export function subject(entity: EntityPlan, values: Values): Subject {
  const identity = identityOf(entity);
  return { entity: entity.name, id: plain([...values].filter(([name]) => identity.includes(name))) };
}

/** The values of keys. */
function plain(values: readonly (readonly [string, AttributeValue])[]): Readonly<Record<string, unknown>> {
  return Object.fromEntries(values.map(([name, { S, N, B = "" }]) => [name, S ?? N ?? bytesOf(B)]));
}

/** An entity's identity for people: `user = ada, order = 7`. */
export function keyText(entity: EntityPlan, values: Values): string {
  const known = identityOf(entity).filter((name) => values.has(name));
  return known.map((name) => `${name} = ${shown(values.get(name))}`).join(", ");
}

/** The item, for people: `the Order with orderId = 7`. */
export function itemText(entity: EntityPlan, values: Values): string {
  const key = keyText(entity, values);
  return key === "" ? `the ${entity.name}` : `the ${entity.name} with ${key}`;
}

/** The sentence about an entity that does not exist. */
export function notFoundText(entity: EntityPlan, values: Values): string {
  return `there is no ${entity.name} with ${keyText(entity, values)}`;
}

/** The error about an entity that does not exist. */
export function notFound(entity: EntityPlan, values: Values, place?: Place): KeyfoldError {
  return failure("not_found", notFoundText(entity, values), place);
}

/** The entity, which a write names: no view, whose rows follow from others. */
export function written(entity: EntityPlan): EntityPlan {
  const { name, view } = entity;
  if (view === undefined) return entity;
  throw invalid(`${name} is a view, and its rows follow from ${view}: write ${view}`, undefined, name);
}

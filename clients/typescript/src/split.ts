/** Lists that are split over several items. */

import { unknownAttribute } from "./error.js";
import type { Io } from "./io.js";
import type { AttributeValue, EntityPlan, Item } from "./plan.js";
import { unpack, type Unreadable } from "./stored.js";
import { isEqual, jsonOf } from "./value/compare.js";
import { digest } from "./value/sha256.js";
import { held, type Values } from "./value/value.js";

/** The attribute that holds the number of items that a list is split over. */
export function partsAttribute(attribute: string): string {
  return `${attribute}:parts`;
}

/** The attribute that holds the digest of a split list, which detects a change of any part. */
export function digestAttribute(attribute: string): string {
  return `${attribute}:digest`;
}

/** The digest of a list. */
export function digestOf(list: AttributeValue): AttributeValue {
  return { S: digest(jsonOf(list)) };
}

/** Whether a list that was joined from its parts has the stored digest. */
export function isAsWritten(entity: EntityPlan, first: Item, values: Values): boolean {
  if (entity.split === undefined) return true;
  const list = values.get(entity.split.attribute);
  return isEqual(held(first, digestAttribute(entity.split.attribute)), list && digestOf(list));
}

/** The chunks of the split list, in order; a single `undefined` where the entity has no list. */
export function chunksOf(entity: EntityPlan, values: Values): (AttributeValue | undefined)[] {
  const value = entity.split && values.get(entity.split.attribute);
  const elements = value?.L ?? [];
  if (entity.split === undefined || elements.length === 0) return [value];
  const size = Math.max(entity.split.size, 1);
  const chunks: AttributeValue[] = [];
  for (let at = 0; at < elements.length; at += size) chunks.push({ L: elements.slice(at, at + size) });
  return chunks;
}

/** Takes the split list, whose parts are not those that the main item describes, out of the values. */
export function withoutList(entity: EntityPlan, values: Values, unreadable: Unreadable): void {
  if (entity.split === undefined) return;
  const name = entity.split.attribute;
  values.delete(name);
  if (unreadable.has(name)) return;
  unreadable.set(name, unknownAttribute(`${name} is stored, but its parts do not belong together`, name));
}

/** The list that is split over items. */
export async function joined(
  io: Io,
  entity: EntityPlan,
  name: string,
  items: readonly Item[],
): Promise<AttributeValue | undefined> {
  let list: AttributeValue[] | undefined;
  for (const item of items) {
    const stored = held(item, name);
    if (stored === undefined) continue;
    const { L } = await unpack(io, entity, name, stored);
    if (L === undefined) throw unknownAttribute(`${name} is stored, but is no list`, name);
    list = [...(list ?? []), ...L];
  }
  return list && { L: list };
}

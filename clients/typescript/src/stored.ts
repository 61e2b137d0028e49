/** Attributes as they are stored: compressed as GZIP, long lists split over several items. */

import { unknownAttribute } from "./error.js";
import type { Io } from "./io.js";
import { givesBack } from "./key/field.js";
import { indexColumns, indexOf } from "./model.js";
import type { AttributeValue, CopyPlan, EntityPlan, Item, Part, TablePlan } from "./plan.js";
import { digest } from "./value/sha256.js";
import { held, isEqual, jsonOf, type Values } from "./value/value.js";

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

/** A value as it is stored: compressed, if the model says so. */
export async function pack(io: Io, entity: EntityPlan, name: string, value: AttributeValue): Promise<AttributeValue> {
  return entity.compressed?.includes(name) === true ? (await import("./read/rare.js")).compress(io, value) : value;
}

/** The value that `pack` stored. */
async function unpack(io: Io, entity: EntityPlan, name: string, value: AttributeValue): Promise<AttributeValue> {
  return entity.compressed?.includes(name) === true ? (await import("./read/rare.js")).expand(io, name, value) : value;
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

/** The key attributes of an item, each with its parts. */
function keysOf(table: TablePlan, entity: EntityPlan, copy: CopyPlan | undefined): [string, readonly Part[]][] {
  const own = (copy ?? entity).key.map((one): [string, readonly Part[]] => [one.attribute, one.parts]);
  const indexes = copy === undefined ? (entity.indexes ?? []) : [];
  const inIndexes = indexes.flatMap((key) => {
    const columns = indexColumns(indexOf(table, key.index) ?? { name: "", partition: [], projection: "all" });
    return columns.map((column, at): [string, readonly Part[]] => [column.name, key.key[at]?.parts ?? []]);
  });
  return [...own, ...inIndexes];
}

/** The value of an attribute that an item holds only inside its keys. */
async function inKeys(
  table: TablePlan,
  entity: EntityPlan,
  copy: CopyPlan | undefined,
  item: Item,
  name: string,
): Promise<AttributeValue | undefined> {
  for (const [column, parts] of keysOf(table, entity, copy)) {
    const key = held(item, column);
    if (key === undefined || !givesBack(parts, name)) continue;
    const { inverse } = await import("./read/rare.js");
    const value = inverse(parts, key)?.get(name);
    if (value !== undefined) return value;
  }
  return undefined;
}

/** Where the attributes of an item belong. */
export interface Origin {
  readonly io: Io;
  readonly table: TablePlan;
  readonly entity: EntityPlan;
  readonly copy: CopyPlan | undefined;
}

/** The attributes of an entity or of a copy from its stored items: the main item, then the parts of its
 * list in order. An attribute that is not stored is read back from the keys. */
export async function valuesOf(origin: Origin, names: Iterable<string>, items: readonly Item[]): Promise<Values> {
  const { io, table, entity, copy } = origin;
  const values: Values = new Map();
  const [first] = items;
  if (first === undefined) return values;
  for (const name of names) {
    let value: AttributeValue | undefined;
    if (entity.split?.attribute === name) {
      value = await joined(io, entity, name, items);
    } else {
      const stored = held(first, name);
      if (stored === undefined) value = await inKeys(table, entity, copy, first, name);
      else value = entity.compressed === undefined ? stored : await unpack(io, entity, name, stored);
    }
    if (value !== undefined) values.set(name, value);
  }
  return values;
}

/** The list that is split over items. */
async function joined(
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

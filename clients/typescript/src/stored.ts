/** Attributes as they are stored: compressed as GZIP, long lists split over several items. */

import { KeyfoldError, unknownAttribute } from "./error.js";
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

/** What is wrong with attributes that are not stored as the model stores them, by their names. */
export type Unreadable = Map<string, KeyfoldError>;

/** The attributes of an entity or of a copy from its stored items: the main item, then the parts of its
 * list in order. An attribute that is not stored is read back from the keys. One that cannot be read is added
 * to `unreadable`, or is an error without it. */
export async function valuesOf(
  origin: Origin,
  names: Iterable<string>,
  items: readonly Item[],
  unreadable?: Unreadable,
): Promise<Values> {
  const values: Values = new Map();
  const [first] = items;
  if (first === undefined) return values;
  for (const name of names) {
    try {
      const value = await valueOf(origin, name, first, items);
      if (value !== undefined) values.set(name, value);
    } catch (error) {
      if (unreadable === undefined || !(error instanceof KeyfoldError) || error.code !== "unknown_item") throw error;
      unreadable.set(name, error);
    }
  }
  return values;
}

/** One of the attributes that `valuesOf` returns. */
async function valueOf(
  { io, table, entity, copy }: Origin,
  name: string,
  first: Item,
  items: readonly Item[],
): Promise<AttributeValue | undefined> {
  if (entity.split?.attribute === name) return joined(io, entity, name, items);
  const stored = held(first, name);
  if (stored === undefined) return inKeys(table, entity, copy, first, name);
  return entity.compressed === undefined ? stored : unpack(io, entity, name, stored);
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

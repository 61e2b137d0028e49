/** The attributes of stored items. What few entities have, compressed attributes, split lists and what only keys
 * hold, is loaded for them. */

import { detailOf, type KeyfoldError } from "./error.js";
import type { Io } from "./io.js";
import { fieldsOf } from "./key/make.js";
import type { AttributeValue, CopyPlan, EntityPlan, Item, TablePlan } from "./plan.js";
import { held, type Values } from "./value/value.js";

/** Where the attributes of an item belong. */
export interface Origin {
  readonly io: Io;
  readonly table: TablePlan;
  readonly entity: EntityPlan;
  readonly copy: CopyPlan | undefined;
}

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
      if (unreadable === undefined || detailOf(error)?.code !== "unknown_item") throw error;
      unreadable.set(name, error as KeyfoldError);
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
  if (entity.split?.attribute === name) return (await import("./packed.js")).joined(io, entity, name, items);
  const stored = held(first, name);
  if (stored !== undefined) return entity.compressed === undefined ? stored : unpack(io, entity, name, stored);
  const inIndexes = copy === undefined ? (entity.indexes ?? []).flatMap((one) => one.key) : [];
  const isInKey = [...(copy ?? entity).key, ...inIndexes].some(({ parts }) => fieldsOf(parts).includes(name));
  return isInKey ? (await import("./packed.js")).inKeys(table, entity, copy, first, name) : undefined;
}

/** The value that `pack` stored. */
export async function unpack(io: Io, entity: EntityPlan, name: string, value: AttributeValue): Promise<AttributeValue> {
  return entity.compressed?.includes(name) === true ? (await import("./packed.js")).expand(io, name, value) : value;
}

/** What is wrong with attributes that are not stored as the model stores them, by their names. */
export type Unreadable = Map<string, KeyfoldError>;

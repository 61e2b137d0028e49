/** The items that are stored for one entity: its main item, the parts of its list, its copies, and the
 * guards of its unique values. */

import { bind } from "./bound.js";
import { invalid, KeyfoldError } from "./error.js";
import { types } from "./features.js";
import { checkIndexes } from "./index-lengths.js";
import type { Io } from "./io.js";
import { holds } from "./judge.js";
import { CHUNK, lower } from "./key/formats.js";
import { column, fieldsOf, text as made } from "./key/make.js";
import { checkLength } from "./lengths.js";
import { columnsOf, kindName, type Model, physicalName } from "./model.js";
import type {
  AttributeValue,
  CopyPlan,
  EntityPlan,
  IndexKeyPlan,
  Item,
  KeyColumn,
  TablePlan,
  UniquePlan,
} from "./plan.js";
import { someOf } from "./read/items.js";
import { chunksOf, digestAttribute, digestOf, partsAttribute } from "./split.js";
import { whole } from "./value/arithmetic.js";
import { isSameItem } from "./value/compare.js";
import { display } from "./value/text.js";
import { periodOf } from "./value/time.js";
import { held, setOwn, type Values } from "./value/value.js";

/** The role of an item. */
export type Role =
  | "main"
  | { readonly part: number }
  | { readonly copy: string }
  | { readonly guard: readonly string[] }
  /** The guard of the `id`, which holds where the main item lies. */
  | "idGuard";

/** One item that follows from an entity's attributes. */
export interface Derived {
  readonly role: Role;
  readonly table: string;
  readonly key: Item;
  /** All of its attributes, key included. */
  readonly item: Item;
}

/** Whether two derived items are the same. */
export function isSameDerived(one: Derived, other: Derived): boolean {
  return (
    JSON.stringify(one.role) === JSON.stringify(other.role) &&
    one.table === other.table &&
    isSameItem(one.item, other.item)
  );
}

/** The name of the table that an item is stored in; with periods, of the table of its time. */
export function tableName(table: TablePlan, entity: EntityPlan, values: Values): string {
  if (table.period === undefined || entity.periodAttribute === undefined) return table.name;
  const time = values.get(entity.periodAttribute)?.S;
  if (time === undefined) throw invalid(`the table's name needs ${entity.periodAttribute}`, entity.periodAttribute);
  return physicalName(table, periodOf(table.period, time));
}

/** The key that columns make of values, for an item of this name. */
export function keyOf(of: string, columns: readonly KeyColumn[], values: Values): Item {
  const key: Item = {};
  for (const [at, one] of columns.entries()) {
    const made = column(one.parts, values);
    checkLength(of, at === 0 ? "partition" : "sort", one, made);
    setOwn(key, one.attribute, made);
  }
  return key;
}

/** The place of an entity's main item. */
export interface Place {
  readonly table: TablePlan;
  /** The name of the table; with periods, of the one that the item lies in. */
  readonly tableName: string;
  readonly key: Item;
}

/** The place of the entity with these key attributes. */
export function placeOf(model: Model, entity: EntityPlan, values: Values): Place {
  const table = model.table(entity.table);
  return { table, tableName: tableName(table, entity, values), key: keyOf(entity.name, entity.key, values) };
}

/** Adds the attributes of another item. */
function assign(item: Item, other: Item): Item {
  for (const [name, value] of Object.entries(other)) setOwn(item, name, value);
  return item;
}

/** All items that follow from an entity's attributes, the main item first. Index keys that cannot be made of
 * the attributes of a `stored` item are as it holds them: another program wrote it. */
export async function derive(
  io: Io,
  model: Model,
  entity: EntityPlan,
  values: Values,
  stored?: Item,
): Promise<[Derived, ...Derived[]]> {
  const table = model.table(entity.table);
  const name = tableName(table, entity, values);
  const chunks = chunksOf(entity, values);
  const derived = (role: Role, key: Item, item: Item): Derived => ({ role, table: name, key, item });
  const key = keyOf(entity.name, entity.key, values);
  const all: [Derived, ...Derived[]] = [derived("main", key, await mainItem(io, table, entity, [values, stored], chunks))];
  for (const [at, chunk] of chunks.entries()) {
    if (at > 0 && chunk !== undefined) {
      const ofPart = keyOf(entity.name, entity.key, new Map(values).set(CHUNK, whole(at)));
      all.push(derived({ part: at }, ofPart, await partItem(io, table, entity, values, ofPart, chunk)));
    }
  }
  for (const copy of entity.copies ?? []) {
    if ((copy.when ?? []).every((condition) => holds(bind(condition, new Map()), values))) {
      const own = keyOf(kindName(entity, copy), copy.key, values);
      all.push(derived({ copy: copy.name }, own, await copyItem(io, table, entity, copy, values, own)));
    }
  }
  for (const unique of entity.uniques ?? []) {
    if (unique.attributes.every((attribute) => values.has(attribute))) {
      all.push(guardItem(table, name, entity, unique, values));
    }
  }
  return all;
}

/** Whether an attribute is left out of an item with this key, which gives it back. */
function isLeftOut(of: { readonly leftOut?: readonly string[] }, name: string): boolean {
  return of.leftOut?.includes(name) === true;
}

async function mainItem(
  io: Io,
  table: TablePlan,
  entity: EntityPlan,
  [values, stored]: readonly [Values, Item | undefined],
  chunks: readonly (AttributeValue | undefined)[],
): Promise<Item> {
  const item: Item = keyOf(entity.name, entity.key, values);
  for (const { name } of entity.attributes) {
    const value = values.get(name);
    if (entity.split?.attribute === name) {
      const [first] = chunks;
      if (first !== undefined) {
        setOwn(item, name, await pack(io, entity, name, first));
        item[partsAttribute(name)] = whole(chunks.length);
        item[digestAttribute(name)] = digestOf(value ?? first);
      }
    } else if (value !== undefined && !isLeftOut(entity, name)) {
      setOwn(item, name, await pack(io, entity, name, value));
    }
  }
  for (const indexKey of entity.indexes ?? []) assign(item, indexAttributes(table, indexKey, values, stored));
  const columns = [...entity.key, ...(entity.indexes ?? []).flatMap((one) => one.key)];
  if (stored === undefined) checkIndexes(table, entity.name, columns, item);
  return assign(item, tableAttributes(table, entity, values, entity.name));
}

async function partItem(
  io: Io,
  table: TablePlan,
  entity: EntityPlan,
  values: Values,
  key: Item,
  chunk: AttributeValue,
): Promise<Item> {
  const name = entity.split?.attribute ?? "";
  const packed = await pack(io, entity, name, chunk);
  return { ...key, [name]: packed, ...tableAttributes(table, entity, values, `${entity.name}.part`) };
}

async function copyItem(
  io: Io,
  table: TablePlan,
  entity: EntityPlan,
  copy: CopyPlan,
  values: Values,
  key: Item,
): Promise<Item> {
  const item: Item = { ...key };
  for (const name of copy.attributes) {
    const value = values.get(name);
    if (value !== undefined && !isLeftOut(copy, name)) setOwn(item, name, await pack(io, entity, name, value));
  }
  checkIndexes(table, kindName(entity, copy), copy.key, item);
  return assign(item, tableAttributes(table, entity, values, kindName(entity, copy)));
}

/** The guard of unique attributes. That of an `id` holds where the main item lies. */
function guardItem(table: TablePlan, name: string, entity: EntityPlan, unique: UniquePlan, values: Values): Derived {
  const key = guardKey(table, entity, unique, values);
  const item: Item = { ...key };
  for (const { attribute, as } of unique.holds ?? []) {
    const value = values.get(attribute);
    if (value !== undefined) setOwn(item, as, value);
  }
  return {
    role: unique.holds === undefined ? { guard: unique.attributes } : "idGuard",
    table: name,
    key,
    item: assign(item, tableAttributes(table, entity, values, "unique")),
  };
}

/** The guard of the `id` of an entity whose main item moves. */
export function idGuard(entity: EntityPlan): UniquePlan | undefined {
  return entity.id === undefined ? undefined : entity.uniques?.[0];
}

/** The table and key by which an item is told from others: those of its main item, or of the guard of its
 * `id` where the main item moves. */
export function identifyingPlace(model: Model, entity: EntityPlan, values: Values): [string, Item] {
  const id = idGuard(entity);
  if (id === undefined) {
    const { tableName: name, key } = placeOf(model, entity, values);
    return [name, key];
  }
  const table = model.table(entity.table);
  return [tableName(table, entity, values), guardKey(table, entity, id, values)];
}

/** The `id` with the key attributes that its guard holds. */
export function heldPlace(entity: EntityPlan, id: Values, guard: Item): Values {
  const values = new Map(id);
  for (const { attribute, as } of idGuard(entity)?.holds ?? []) {
    const value = held(guard, as);
    if (value === undefined) {
      throw invalid(
        `the guard of this ${entity.name} lacks \`${attribute}\` of its key: it was not written through the model, or by an earlier version of it`,
      );
    }
    values.set(attribute, value);
  }
  return values;
}

/** The key of the guard of unique attributes. */
export function guardKey(table: TablePlan, entity: EntityPlan, unique: UniquePlan, values: Values): Item {
  const compared = new Map(values);
  for (const name of unique.lower ?? []) {
    const text = compared.get(name)?.S;
    if (text !== undefined) compared.set(name, { S: lower(text) });
  }
  const attribute = table.partition.name;
  const key: Item = { [attribute]: { S: made(unique.key, compared) } };
  const of = `the guard of ${unique.attributes.join(", ")} of ${entity.name}`;
  checkLength(of, "partition", { attribute, parts: unique.key }, held(key, attribute) ?? {});
  if (table.sort !== undefined) setOwn(key, table.sort.name, { S: unique.sort });
  return key;
}

/** The attributes that the table defines for all items: the kind, and the time of expiry. */
function tableAttributes(table: TablePlan, entity: EntityPlan, values: Values, kind: string): Item {
  const item: Item = {};
  if (table.typeAttribute !== undefined) setOwn(item, table.typeAttribute, { S: kind });
  const ends = entity.ttl === undefined ? undefined : values.get(entity.ttl)?.S;
  const at = ends === undefined ? undefined : epochSeconds(ends);
  if (table.ttlAttribute !== undefined && at !== undefined) setOwn(item, table.ttlAttribute, whole(at));
  return item;
}

/** The columns of an index key that make attributes of these values, without those of the table's own key; none
 * when the item is not in the index. */
export function columnsMade(table: TablePlan, indexKey: IndexKeyPlan, values: Values): readonly KeyColumn[] {
  const fields = indexKey.key.flatMap((one) => fieldsOf(one.parts));
  if (!isChosen(indexKey, values) || !fields.every((field) => values.has(field))) return [];
  const own = columnsOf(table).map((one) => one.name);
  return indexKey.key.filter((one) => !own.includes(one.attribute));
}

/** Whether the attribute of a sparse index key has the value that puts an item in the index. */
export function isChosen({ sparse }: IndexKeyPlan, values: Values): boolean {
  if (sparse === undefined) return true;
  const deciding = values.get(sparse.attribute);
  return deciding !== undefined && (sparse.value === undefined || display(deciding) === sparse.value);
}

/** The attributes that the key of an index makes; where they cannot be made, those that the stored item holds. */
function indexAttributes(table: TablePlan, indexKey: IndexKeyPlan, values: Values, stored: Item | undefined): Item {
  const columns = columnsMade(table, indexKey, values);
  try {
    return Object.fromEntries(columns.map((one) => [one.attribute, column(one.parts, values)]));
  } catch (error) {
    if (stored === undefined || !(error instanceof KeyfoldError) || error.code !== "invalid") throw error;
    return someOf(stored, columns.map((one) => one.attribute));
  }
}

/** The seconds from 1970 to a time or day; `undefined` for another text. */
function epochSeconds(text: string): number | undefined {
  const exact = types.canonicalTime(text, 0);
  return exact === undefined ? undefined : Math.floor(Date.parse(exact.padStart(20, "0")) / 1000);
}

/** A value as it is stored: compressed, if the model says so. */
async function pack(io: Io, entity: EntityPlan, name: string, value: AttributeValue): Promise<AttributeValue> {
  return entity.compressed?.includes(name) === true ? (await import("./packed.js")).compress(io, value) : value;
}

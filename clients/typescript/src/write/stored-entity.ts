/** An entity as it is stored: its main item, the parts of a split list, and its attributes. */

import { attempts, backOff, TRIES } from "../attempts.js";
import { derive, type Derived, guardKey, heldPlace, idGuard, keyOf, tableName } from "../derive.js";
import { failure, KeyfoldError } from "../error.js";
import { isNoTable, REPORTED } from "../io.js";
import { CHUNK } from "../key/formats.js";
import { column } from "../key/make.js";
import { columnsOf } from "../model.js";
import type { AttributeValue, EntityPlan, Item, UniquePlan } from "../plan.js";
import { someOf } from "../read/items.js";
import { requireKind, unknownOf } from "../read/unknown.js";
import { digestAttribute, isAsWritten, partsAttribute, withoutList } from "../split.js";
import { type Unreadable, valuesOf } from "../stored.js";
import { whole } from "../value/arithmetic.js";
import { isSameItem } from "../value/compare.js";
import { held, type Values } from "../value/value.js";
import { keyFields } from "./arguments.js";
import { type Context, get } from "./context.js";
import { decides } from "./decides.js";
import type { GivenNames } from "./main-item.js";
import { itemText } from "./refusal.js";

/** An entity as it was read. */
export interface StoredEntity {
  /** The main item. */
  readonly item: Item;
  /** The attributes, unpacked and joined. */
  readonly values: Values;
  /** The items behind the main one that a list is split over. */
  readonly parts: readonly Item[];
  /** Whether it has an `id` whose guard is absent: another program wrote it. */
  readonly lacksGuard: boolean;
  /** The attributes that cannot be read, and are absent from the values: another program wrote them. The item
   * can be deleted and replaced. */
  readonly unreadable: Unreadable;
}

/** Reads an entity with strong consistency, with all of its parts; one that moves by its `id`. */
export async function read(context: Context, entity: EntityPlan, key: Values): Promise<StoredEntity | undefined> {
  const id = idGuard(entity);
  if (id === undefined) return readAt(context, entity, key);
  const table = context.model.table(entity.table);
  for await (const _ of attempts(context.io)) {
    const guard = await get(context, table.name, guardKey(table, entity, id, key));
    if (guard === undefined) return unguarded(context, entity, id, key);
    const found = await readAt(context, entity, heldPlace(entity, key, guard));
    // It moved between the two reads where it is not there.
    if (found !== undefined) return found;
  }
  throw failure(
    "refused",
    `${itemText(entity, key)} is not where the guard of its id says: it was not written through the model, or moves without end`,
  );
}

/** The item of an `id` without a guard, at its own key where that is given. */
async function unguarded(
  context: Context,
  entity: EntityPlan,
  id: UniquePlan,
  key: Values,
): Promise<StoredEntity | undefined> {
  if (!keyFields(entity).every((name) => key.has(name))) return undefined;
  const found = await readAt(context, entity, key);
  if (found === undefined || !id.attributes.every((name) => found.values.has(name))) return undefined;
  const table = context.model.table(entity.table);
  const [own, asked] = [found.values, key].map((values) => guardKey(table, entity, id, values));
  return isSameItem(own ?? {}, asked ?? {}) ? { ...found, lacksGuard: true } : undefined;
}

/** The error of an item whose stored values make no keys, which another program wrote. `unknown` are the keys,
 * and `repair` corrects the attribute. */
function wrongValue(
  entity: EntityPlan,
  values: Values,
  error: unknown,
  [unknown, repair]: readonly [string, (name: string) => string],
): unknown {
  if (!(error instanceof KeyfoldError) || error.detail.code !== "invalid") return error;
  const { name = "it" } = error.detail;
  return failure(
    "refused",
    `${itemText(entity, values)} holds a value of which no key can be made (${error.message}), so that its ${unknown} are not known: ${repair(name)}; \`keyfold verify\` finds such items`,
  );
}

/** The error of new values of which no key can be made, where the value is one that another program wrote and
 * the caller does not give. */
export function explained(
  { model }: Context,
  entity: EntityPlan,
  old: StoredEntity,
  given: GivenNames,
  error: unknown,
): unknown {
  const name = error instanceof KeyfoldError && error.detail.code === "invalid" ? error.detail.name : undefined;
  const own = name === undefined ? undefined : model.attribute(entity, name);
  if (own === undefined || (given === "all" ? own.kept !== true : given.includes(own.name))) return error;
  return wrongValue(entity, old.values, error, ["index keys", (one) => `give \`${one}\`, too`]);
}

/** Reads an entity by its whole key. */
async function readAt(context: Context, entity: EntityPlan, key: Values): Promise<StoredEntity | undefined> {
  const table = context.model.table(entity.table);
  const name = tableName(table, entity, key);
  let before: readonly Item[] = [];
  for (let tried = 0; ; tried += 1) {
    const main = await mainItem(context, entity, name, key);
    if (main === undefined) return undefined;
    const parts = await partsOf(context, entity, name, key, main);
    const origin = { io: context.io, table, entity, copy: undefined };
    const items = [main, ...parts];
    const unreadable: Unreadable = new Map();
    const values = await valuesOf(origin, entity.attributes.map((one) => one.name), items, unreadable);
    const isWhole = isAsWritten(entity, main, values);
    const isStable = items.length === before.length && items.every((item, at) => isSameItem(item, before[at] ?? {}));
    if (isWhole || tried === TRIES || isStable) {
      if (!isWhole) withoutList(entity, values, unreadable);
      return { item: main, values, parts, lacksGuard: false, unreadable };
    }
    // A list whose parts changed while they were read is read again.
    before = items;
    await backOff(context.io, tried);
  }
}

/** Refuses what rests on the item, where it says that it is of another kind. A write that does not read it
 * replaces and deletes it. */
export function requireOwn({ model }: Context, entity: EntityPlan, { item }: StoredEntity): void {
  requireKind(model.table(entity.table), entity, item);
}

/** Refuses what needs an attribute that cannot be read. */
export function requireReadable(
  { model }: Context,
  entity: EntityPlan,
  { item, unreadable }: StoredEntity,
  isNeeded: (name: string) => boolean,
): void {
  for (const [name, wrong] of unreadable) {
    if (isNeeded(name)) throw unknownOf(wrong, { table: model.table(entity.table), entity }, item, entity.name);
  }
}

/** Refuses a change that gives these attributes, where others cannot be read, or where one that cannot decides
 * which other items follow. */
export function requireReplaceable(context: Context, entity: EntityPlan, old: StoredEntity, given: GivenNames): void {
  requireOwn(context, entity, old);
  requireReadable(context, entity, old, (name) => {
    const isGiven = given === "all" || given.includes(name);
    return !isGiven || decides(context.model, entity, name);
  });
}

/** Adds what is stored of attributes that cannot be read to the items that hold them: new values differ from
 * it. */
function withUnreadable(entity: EntityPlan, { item, unreadable }: StoredEntity, one: Derived): Derived {
  const { role } = one;
  const copy = typeof role === "object" && "copy" in role ? role.copy : undefined;
  const copied = entity.copies?.find(({ name }) => name === copy)?.attributes;
  const stored = [...unreadable.keys()]
    .filter((name) => role === "main" || copied?.includes(name) === true)
    .flatMap((name) => [name, partsAttribute(name), digestAttribute(name)]);
  return { ...one, item: { ...one.item, ...someOf(item, stored) } };
}

async function mainItem(context: Context, entity: EntityPlan, name: string, key: Values): Promise<Item | undefined> {
  try {
    return await get(context, name, keyOf(entity.name, entity.key, key));
  } catch (error) {
    // The table of a period does not exist before its first item is written.
    if (context.model.table(entity.table).period !== undefined && isNoTable(error)) return undefined;
    throw error;
  }
}

/** Reads the items behind the main one that a list is split over: as many as the main item counts. */
async function partsOf(
  context: Context,
  entity: EntityPlan,
  name: string,
  key: Values,
  main: Item,
): Promise<Item[]> {
  const [partition, sort] = entity.key;
  const { split } = entity;
  const count = Number((split && held(main, partsAttribute(split.attribute))?.N) ?? 0);
  if (partition === undefined || sort === undefined || !(count >= 2)) return [];
  const sortKey = (part: number): AttributeValue => column(sort.parts, new Map(key).set(CHUNK, whole(part)));
  const first = sortKey(1);
  const input = {
    TableName: name,
    KeyConditionExpression: "#p = :p AND #s BETWEEN :f AND :l",
    ExpressionAttributeNames: { "#p": partition.attribute, "#s": sort.attribute },
    ExpressionAttributeValues: { ":p": main[partition.attribute], ":f": first, ":l": sortKey(count - 1) },
    ConsistentRead: true,
    ...REPORTED,
  };
  // Items of other kinds may lie between the parts: their sort keys do not end with a part's number.
  const last = sort.parts.at(-1);
  const digits = typeof last === "object" && "part" in last ? last.part : 0;
  const start = first.S?.slice(0, -digits) ?? "";
  const isPart = (item: Item): boolean => {
    const text = held(item, sort.attribute)?.S;
    const isOfList = text?.startsWith(start) === true && text.length === start.length + digits;
    return isOfList && /^[0-9]*$/.test(text.slice(-digits));
  };
  const items: Item[] = [];
  const read = async (after: Item | undefined): Promise<{ readonly next: Item | undefined }> => {
    const answer = await context.io.ask("Query", { ...input, ...(after && { ExclusiveStartKey: after }) });
    items.push(...(answer.Items ?? []).filter(isPart));
    return { next: answer.LastEvaluatedKey };
  };
  const { pagesFrom } = await import("../paging.js");
  for await (const _ of pagesFrom(`the parts of ${entity.name}`, undefined, read));
  return items;
}

/** The items that are stored for the entity, the main one first. The parts of a list are those that were
 * read: another version of the model may have split it differently. */
export async function derivedOf(context: Context, entity: EntityPlan, old: StoredEntity): Promise<[Derived, ...Derived[]]> {
  const made = derive(context.io, context.model, entity, old.values, old.item);
  const derived = await made.catch((error: unknown) => {
    const inTable = (name: string): string => `correct \`${name}\` in the table`;
    throw wrongValue(entity, old.values, error, ["copies and guards", inTable]);
  });
  const guarded = old.lacksGuard ? derived.filter(({ role }) => role !== "idGuard") : derived;
  const all = guarded.map((one) => withUnreadable(entity, old, one)) as [Derived, ...Derived[]];
  if (entity.split === undefined) return all;
  const table = context.model.table(entity.table);
  const name = tableName(table, entity, old.values);
  const isPart = ({ role }: Derived): boolean => typeof role === "object" && "part" in role;
  const parts = old.parts.map((item, at): Derived => {
    return { role: { part: at + 1 }, table: name, key: someOf(item, columnsOf(table).map((one) => one.name)), item };
  });
  const [main, ...others] = all;
  return [main, ...others.filter((one) => !isPart(one)), ...parts];
}

/** The given values, with the attributes that the model keeps as they are stored. */
export function withKept(entity: EntityPlan, old: StoredEntity, given: Values): Values {
  const all = new Map(given);
  for (const { name, kept } of entity.attributes) {
    if (kept !== true) continue;
    const value = old.values.get(name);
    if (value === undefined) all.delete(name);
    else all.set(name, value);
  }
  return all;
}

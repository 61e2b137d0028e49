/** Stream records as the model's entities and copies. */

import { invalid, looked } from "./error.js";
import type { Io } from "./io.js";
import { columnsOf, kindName, type Model, saysKind } from "./model.js";
import type { EntityEvent, FoundItem, StreamImages, StreamRecord } from "./options.js";
import type { CopyPlan, EntityPlan, Item, KeyColumn, TablePlan, UniquePlan } from "./plan.js";
import { unknownItem, unknownOf } from "./read/unknown.js";
import { checkedItem } from "./read/item.js";
import { fitsColumn, type Shown } from "./read/kinds.js";
import { isAsWritten } from "./split.js";
import { valuesOf } from "./stored.js";
import { shownText } from "./value/text.js";
import { isOfPeriod } from "./value/period.js";
import type { Numbers } from "./value/plain.js";
import { held } from "./value/value.js";
import { itemIn } from "./value/wire.js";

/** What an item can be: the main item of an entity, one of its copies, or what follows from it and has no
 * event: a further part of its list, a guard. */
interface Kind {
  readonly table: TablePlan;
  readonly entity: EntityPlan;
  readonly copy: CopyPlan | undefined;
  /** The name that the table's attribute of types holds. */
  readonly name: string;
  readonly follows: boolean;
}

/** Which records become events. */
export interface Asked {
  readonly shown: Shown;
  /** Whether those of copies do. */
  readonly copies: boolean;
}

/** The change that a stream record reports; `undefined` for an item that follows from an entity, whose record
 * comes beside it. */
export async function eventOf(
  io: Io,
  model: Model,
  record: StreamRecord | null | undefined,
  { shown, copies }: Asked,
): Promise<EntityEvent | undefined> {
  const { source, key, old, next } = looked("record", () => imagesOf(record));
  const image = next ?? old;
  if (image === undefined) {
    throw invalid("the record has no image; the table's stream must have new and old images", "record");
  }
  const item = { ...key, ...image };
  const kind = kindOf(model, source, item);
  if (kind === undefined) {
    if (shown.onUnknown === "skip") return undefined;
    const [table] = tablesOf(model, source, item);
    throw unknownItem("the stream has", table, table === undefined && key !== undefined ? key : item);
  }
  if (kind.follows || (kind.copy !== undefined && !copies)) return undefined;
  const found = async (name: "old" | "new", one: Item | undefined): Promise<Omit<EntityEvent, "kind"> | undefined> =>
    one && { [name]: await foundOf(io, model, shown.numbers, kind, { ...key, ...one }) };
  try {
    return { kind: kind.name, ...(await found("old", old)), ...(await found("new", next)) };
  } catch (error) {
    const unknown = unknownOf(error, kind, item, `the record has an item of ${kind.name}`);
    if (shown.onUnknown === "skip") return undefined;
    throw unknown;
  }
}

/** The kind of an item: its table's type attribute and its key say it. */
function kindOf(model: Model, source: unknown, item: Item): Kind | undefined {
  const tables = tablesOf(model, source, item);
  for (const entity of model.plan.entities) {
    const own = model.table(entity.table);
    if (!tables.includes(own)) continue;
    const kind = kindsOf(own, entity, item).find(({ name }) => saysKind(own, name, item));
    if (kind !== undefined) return kind;
  }
  return undefined;
}

/** The tables that have an item's key attributes: of those that the record names, where it names one. */
function tablesOf(model: Model, source: unknown, item: Item): TablePlan[] {
  const name = typeof source === "string" ? /:table\/([^/]*)/.exec(source)?.[1] : undefined;
  return model.plan.tables.filter((table) => {
    const isIn = name === undefined || name === table.name || isOfPeriod(table, name);
    return isIn && columnsOf(table).every((column) => held(item, column.name));
  });
}

/** The kinds of an entity's items whose keys are as that of an item. */
function kindsOf(table: TablePlan, entity: EntityPlan, item: Item): Kind[] {
  const kinds: Kind[] = [];
  const add = (name: string, copy: CopyPlan | undefined, follows: boolean): void => {
    kinds.push({ table, entity, copy, name, follows });
  };
  const fits = (key: readonly KeyColumn[]): boolean => key.every((one) => fitsColumn(one, held(item, one.attribute)));
  if (fits(entity.key)) {
    const isMain = isMainItem(entity.key, item);
    add(isMain ? entity.name : `${entity.name}.part`, undefined, !isMain);
  }
  for (const copy of entity.copies ?? []) if (fits(copy.key)) add(kindName(entity, copy), copy, false);
  const [partition, sort] = columnsOf(table).map(({ name }) => held(item, name)?.S);
  const isGuard = ({ key: [start], sort: last }: UniquePlan): boolean =>
    typeof start === "string" && partition?.startsWith(start) === true && (table.sort === undefined || sort === last);
  if (entity.uniques?.some(isGuard) === true) add("unique", undefined, true);
  return kinds;
}

/** Whether an item is no further part of a split list: those hold nothing but elements. */
function isMainItem(key: EntityPlan["key"], item: Item): boolean {
  const last = key[1]?.parts.at(-1);
  if (typeof last !== "object" || !("part" in last)) return true;
  return /^0*$/.test(held(item, key[1]?.attribute ?? "")?.S?.slice(-last.part) ?? "");
}

/** An image as a program sees it. A list that is stored in several parts changes by several records, and none of
 * them has all of it. */
async function foundOf(
  io: Io,
  model: Model,
  numbers: Numbers | undefined,
  { table, entity, copy }: Kind,
  item: Item,
): Promise<FoundItem> {
  const names = copy?.attributes ?? entity.attributes.map((one) => one.name);
  const values = await valuesOf({ io, table, entity, copy }, names, [item]);
  const list = copy === undefined && !isAsWritten(entity, item, values) ? entity.split?.attribute : undefined;
  if (list !== undefined) values.delete(list);
  const attributes = names.filter((name) => name !== list);
  return checkedItem(model, numbers ?? "number", { entity, copy, attributes }, values);
}

/** What a record says: the table that it is of, the key, and the images. */
function imagesOf(record: StreamRecord | null | undefined): {
  readonly source: unknown;
  readonly key: Item | undefined;
  readonly old: Item | undefined;
  readonly next: Item | undefined;
} {
  const changed: unknown = record?.dynamodb;
  if (record === null || record === undefined || typeof changed !== "object" || changed === null || Array.isArray(changed)) {
    throw noRecord("it has no `dynamodb`; give each of `event.Records` of Lambda, or of the records of a reader");
  }
  const { Keys, OldImage, NewImage }: StreamImages = changed;
  return {
    source: record.eventSourceARN,
    key: imageOf("Keys", Keys),
    old: imageOf("OldImage", OldImage),
    next: imageOf("NewImage", NewImage),
  };
}

/** An image of a record; `undefined` where it has none. */
function imageOf(name: string, image: unknown): Item | undefined {
  if (image === undefined || image === null) return undefined;
  return itemIn(image, (path) => {
    const what = path === "" ? `its \`${name}\` is no item` : `\`${shownText(path)}\` of its \`${name}\` is no value`;
    throw noRecord(`${what} of DynamoDB's JSON`);
  });
}

/** The error of what is no record of a stream. */
function noRecord(why: string): Error {
  return invalid(`this is no record of a stream: ${why}`, "record");
}

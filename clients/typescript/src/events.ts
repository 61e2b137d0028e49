/** Stream records as the model's entities and copies. */

import { invalid } from "./error.js";
import type { Io } from "./io.js";
import { columnsOf, isOfPeriod, kindName, type Model } from "./model.js";
import type { FoundItem, StreamRecord } from "./options.js";
import type { AttributeValue, CopyPlan, EntityPlan, Item, TablePlan } from "./plan.js";
import { checkedItem, unknownOf } from "./read/item.js";
import { fitsColumn, type Shown } from "./read/kinds.js";
import { partsAttribute, valuesOf } from "./stored.js";
import type { Numbers } from "./value/plain.js";
import { base64Of, held } from "./value/value.js";

/** A change of an entity or copy. */
export interface FoundEvent {
  readonly kind: string;
  readonly old: FoundItem | undefined;
  readonly new: FoundItem | undefined;
}

/** What an item can be. */
interface Kind {
  readonly table: TablePlan;
  readonly entity: EntityPlan;
  readonly copy: CopyPlan | undefined;
}

/** The change that a stream record reports; `undefined` for an item that no caller sees: a guard, a part,
 * another program's. */
export async function eventOf(
  io: Io,
  model: Model,
  record: StreamRecord | null | undefined,
  shown: Shown,
): Promise<FoundEvent | undefined> {
  const { Keys, OldImage, NewImage } = record?.dynamodb ?? {};
  const [key, old, next] = [itemOf(Keys), itemOf(OldImage), itemOf(NewImage)];
  const image = next ?? old;
  if (record === null || record === undefined || image === undefined) {
    throw invalid("the record has no image; the table's stream must have new and old images", "record");
  }
  const kind = kindOf(model, record, { ...key, ...image });
  if (kind === undefined) return undefined;
  const found = async (one: Item | undefined): Promise<FoundItem | undefined> =>
    one && foundOf(io, model, shown.numbers, kind, { ...key, ...one });
  try {
    return { kind: kindName(kind.entity, kind.copy), old: await found(old), new: await found(next) };
  } catch (error) {
    const unknown = unknownOf(error, kind, { ...key, ...image }, `the record has an item of ${kindName(kind.entity, kind.copy)}`);
    if (shown.onUnknown === "skip") return undefined;
    throw unknown;
  }
}

/** The kind of an item: its table's type attribute and its key say it. */
function kindOf(model: Model, record: StreamRecord, item: Item): Kind | undefined {
  const source = (record as { readonly eventSourceARN?: unknown }).eventSourceARN;
  const table = typeof source === "string" ? /:table\/([^/]+)/.exec(source)?.[1] : undefined;
  const fits = ({ table: own, entity, copy }: Kind): boolean => {
    const isIn = table === undefined || table === own.name || isOfPeriod(own, table);
    const said = own.typeAttribute === undefined ? undefined : held(item, own.typeAttribute);
    const isSaid = said === undefined || said.S === kindName(entity, copy);
    const key = (copy ?? entity).key;
    return isIn && isSaid && key.every((one) => fitsColumn(one, held(item, one.attribute))) && isMain(key, item);
  };
  return allKinds(model).find((kind) => columnsOf(kind.table).every(({ name }) => held(item, name)) && fits(kind));
}

/** Whether an item is no further part of a split list: those hold nothing but elements. */
function isMain(key: EntityPlan["key"], item: Item): boolean {
  const last = key[1]?.parts.at(-1);
  if (typeof last !== "object" || !("part" in last)) return true;
  return /^0*$/.test(held(item, key[1]?.attribute ?? "")?.S?.slice(-last.part) ?? "");
}

function allKinds(model: Model): Kind[] {
  return model.plan.entities.flatMap((entity): Kind[] => {
    const table = model.table(entity.table);
    const copies = (entity.copies ?? []).map((copy): Kind => ({ table, entity, copy }));
    return [{ table, entity, copy: undefined }, ...copies];
  });
}

async function foundOf(
  io: Io,
  model: Model,
  numbers: Numbers | undefined,
  { table, entity, copy }: Kind,
  item: Item,
): Promise<FoundItem> {
  const names = copy?.attributes ?? entity.attributes.map((one) => one.name);
  const { split } = entity;
  // A list that is stored in several parts changes by several records, and none of them has all of it.
  const isWhole = split === undefined || Number(held(item, partsAttribute(split.attribute))?.N ?? "1") <= 1;
  const attributes = names.filter((name) => isWhole || name !== split?.attribute);
  const values = await valuesOf({ io, table, entity, copy }, attributes, [item]);
  return checkedItem(model, numbers ?? "number", { entity, copy, attributes }, values);
}

/** An image as the service's JSON: readers of streams give binary values as bytes. */
function itemOf(image: unknown): Item | undefined {
  if (typeof image !== "object" || image === null) return undefined;
  return Object.fromEntries(Object.entries(image).map(([name, value]) => [name, valueOf(value)]));
}

function valueOf(value: unknown): AttributeValue {
  if (typeof value !== "object" || value === null) return {};
  const { B, BS, L, M, ...other } = value as {
    readonly B?: unknown;
    readonly BS?: readonly unknown[];
    readonly L?: readonly unknown[];
    readonly M?: unknown;
  } & AttributeValue;
  const text = (bytes: unknown): string => (bytes instanceof Uint8Array ? base64Of(bytes) : String(bytes));
  if (B !== undefined) return { B: text(B) };
  if (BS !== undefined) return { BS: BS.map(text) };
  if (L !== undefined) return { L: L.map(valueOf) };
  return M === undefined ? other : { M: itemOf(M) ?? {} };
}

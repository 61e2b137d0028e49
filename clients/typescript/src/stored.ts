/** Attributes as they are stored: compressed as GZIP, long lists split over several items. */

import { failure } from "./error.js";
import type { Io } from "./io.js";
import { givesBack, inverse } from "./key/inverse.js";
import { indexColumns, indexOf } from "./model.js";
import type { AttributeValue, CopyPlan, EntityPlan, Item, Part, TablePlan } from "./plan.js";
import { digest } from "./value/sha256.js";
import { base64Of, bytesOf, held, isEqual, jsonOf, type Values } from "./value/value.js";

/** The most bytes that a compressed attribute may expand to: it protects memory from a crafted item. */
const INFLATED_BYTES_MAX = 64 * 1024 * 1024;

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

async function through(bytes: Uint8Array, stream: CompressionStream | DecompressionStream): Promise<Uint8Array> {
  const writer = stream.writable.getWriter();
  const sent = writer.write(bytes as Uint8Array<ArrayBuffer>).then(() => writer.close());
  // The reader reports what is wrong with the bytes.
  sent.catch(() => undefined);
  const chunks: Uint8Array[] = [];
  let size = 0;
  const reader = (stream.readable as ReadableStream<Uint8Array>).getReader();
  for (let next = await reader.read(); !next.done; next = await reader.read()) {
    chunks.push(next.value);
    size += next.value.length;
    if (size > INFLATED_BYTES_MAX) throw new RangeError("too long");
  }
  const all = new Uint8Array(size);
  let at = 0;
  for (const chunk of chunks) {
    all.set(chunk, at);
    at += chunk.length;
  }
  return all;
}

/** A value as it is stored: compressed, if the model says so. */
export async function pack(io: Io, entity: EntityPlan, name: string, value: AttributeValue): Promise<AttributeValue> {
  if (entity.compressed?.includes(name) !== true) return value;
  const json = `{"v":${jsonOf(value)}}`;
  const known = io.packed.get(json);
  if (known !== undefined) return known;
  const bytes = await through(new TextEncoder().encode(json), new CompressionStream("gzip"));
  const packed = { B: base64Of(bytes) };
  io.packed.set(json, packed);
  return packed;
}

/** The value that `pack` stored. */
async function unpack(io: Io, entity: EntityPlan, name: string, value: AttributeValue): Promise<AttributeValue> {
  if (entity.compressed?.includes(name) !== true) return value;
  try {
    const bytes = await through(bytesOf(value.B ?? ""), new DecompressionStream("gzip"));
    const inside = (JSON.parse(new TextDecoder().decode(bytes)) as { v: AttributeValue }).v;
    io.packed.set(`{"v":${jsonOf(inside)}}`, value);
    return inside;
  } catch {
    throw failure("refused", `${name} is stored, but not as the model compresses it`);
  }
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
function inKeys(
  table: TablePlan,
  entity: EntityPlan,
  copy: CopyPlan | undefined,
  item: Item,
  name: string,
): AttributeValue | undefined {
  for (const [column, parts] of keysOf(table, entity, copy)) {
    const key = held(item, column);
    const value = key && givesBack(parts, name) ? inverse(parts, key)?.get(name) : undefined;
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
      value = stored === undefined ? inKeys(table, entity, copy, first, name) : await unpack(io, entity, name, stored);
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
    if (L === undefined) throw failure("refused", `${name} is stored, but is no list`);
    list = [...(list ?? []), ...L];
  }
  return list && { L: list };
}

/** Whole entities in batches: BatchWriteItem, 25 of them in a request. Each item is written as a whole; the batch is
 * not atomic. Only entities from which nothing follows are written so: a batch has no condition, and no second item
 * that must change with the first. */

import { complete, type MadeValue } from "../complete.js";
import { derive, idGuard, placeOf } from "../derive.js";
import { failure, invalid, KeyfoldError } from "../error.js";
import { type Answer, type Io, isNoTable, REPORTED, together, unitsOf, type WriteRequest } from "../io.js";
import type { Model } from "../model.js";
import type { EntityPlan, Item } from "../plan.js";
import { eachOf, inItem } from "../positions.js";
import { outcomeUnknown } from "../request-errors.js";
import { ensurePeriods } from "../tables.js";
import { hasKey, jsonOfItem } from "../value/compare.js";
import type { Values } from "../value/value.js";
import { aggregatesOf } from "./decides.js";
import { explained, type Sent } from "./invalid.js";

/** The most requests for items that the service leaves unprocessed. */
const TRIES = 16;
const WRITES_MAX = 25;

/** The outcome of a batch that was written as a whole. */
export interface ManyOutcome {
  readonly requests: number;
  readonly capacity: number;
  readonly made: readonly (readonly MadeValue[])[];
}

/** An item of a batch. */
interface One extends Sent {
  readonly at: number;
}

/** What became of the items of a batch. */
interface Fates {
  readonly written: number[];
  readonly unwritten: number[];
  readonly unknown: number[];
  requests: number;
  capacity: number;
  /** Whether the request that was asked last was handed to the transport. */
  isSent: boolean;
  error?: unknown;
}

interface Batch {
  readonly io: Io;
  readonly model: Model;
  readonly entity: EntityPlan;
  readonly isPut: boolean;
}

/** Writes whole entities, whether they exist or not. Attributes that the model does not name go. */
export async function putMany(
  io: Io,
  model: Model,
  entity: EntityPlan,
  items: readonly Values[],
): Promise<ManyOutcome> {
  checkAlone(model, entity, "put");
  const all: One[] = [];
  const made: MadeValue[][] = [];
  const { name } = entity;
  for (const [at, values] of items.entries()) {
    const own: MadeValue[] = [];
    try {
      const [main] = await derive(io, model, entity, complete(io, entity, values, own));
      if (main === undefined) throw invalid(`${name} has no key`);
      const { table, key, item } = main;
      all.push({ at, label: `put ${name}`, table, key, action: { is: "put", item } });
    } catch (error) {
      throw inItem(error, at, name);
    }
    made.push(own);
  }
  return write({ io, model, entity, isPut: true }, all, made);
}

/** Deletes entities by the attributes that identify them, whether they exist or not. */
export async function deleteMany(
  io: Io,
  model: Model,
  entity: EntityPlan,
  keys: readonly Values[],
): Promise<ManyOutcome> {
  checkAlone(model, entity, "delete");
  const label = `delete ${entity.name}`;
  const places = eachOf(keys, entity.name, (values) => placeOf(model, entity, values));
  const all = places.map(({ tableName: table, key }, at): One => ({ at, label, table, key, action: { is: "delete" } }));
  return write({ io, model, entity, isPut: false }, all, keys.map(() => []));
}

/** Refuses an entity from which something follows. */
function checkAlone(model: Model, entity: EntityPlan, verb: string): void {
  const reason = reasonOf(model, entity);
  if (reason === undefined) return;
  throw invalid(
    `${entity.name} cannot be written in a batch, where nothing follows and nothing is compared: ${reason}; ${verb} each, or up to 100 items in a transaction`,
    undefined,
    entity.name,
  );
}

function reasonOf(model: Model, entity: EntityPlan): string | undefined {
  const [counted] = aggregatesOf(model, entity);
  const [unique] = entity.uniques ?? [];
  const [kept] = entity.aggregates ?? [];
  if ((entity.copies ?? []).length > 0) return "it has copies";
  if (idGuard(entity) !== undefined) return "its items move, and a guard says where they are";
  if (unique !== undefined) return `a guard keeps its ${unique.attributes.join(", ")} unique`;
  if (entity.split !== undefined) return "it is stored as several items";
  if (entity.version !== undefined) return `its ${entity.version} counts its writes`;
  if (counted !== undefined) return `${counted[0].name}.${counted[1].attribute} follows it`;
  return kept && `it keeps ${kept.attribute}`;
}

function placeText({ table, key }: One): string {
  return `${table} ${jsonOfItem(key)}`;
}

/** Sends all requests. A key that is given twice is deleted once, and has the fate of the first. Of two items with
 * one key that are put, it is not known which would stay: they are refused. */
async function write(batch: Batch, all: readonly One[], made: readonly (readonly MadeValue[])[]): Promise<ManyOutcome> {
  const firsts = new Map<string, One>();
  const { name } = batch.entity;
  for (const one of all) {
    const first = firsts.get(placeText(one));
    if (first === undefined) firsts.set(placeText(one), one);
    else if (batch.isPut) {
      const message = `items ${first.at} and ${one.at} of the batch are the same ${name}; put it once`;
      throw new KeyfoldError(message, { code: "invalid", of: name, item: one.at });
    }
  }
  // By table, since a table of a period may be absent.
  const tables = new Map<string, One[]>();
  for (const one of firsts.values()) tables.set(one.table, [...(tables.get(one.table) ?? []), one]);
  const parts: Promise<Fates>[] = [];
  for (const [table, own] of tables) {
    for (let at = 0; at < own.length; at += WRITES_MAX) parts.push(send(batch, table, own.slice(at, at + WRITES_MAX)));
  }
  const fates = await together(parts);
  const sum = (of: (one: Fates) => number): number => fates.reduce((total, one) => total + of(one), 0);
  // A transport of one's own may fail with nothing.
  const failed = fates.find(({ unwritten, unknown }) => unwritten.length + unknown.length > 0);
  if (failed === undefined) return { requests: sum((one) => one.requests), capacity: sum((one) => one.capacity), made };
  const positions = (of: (one: Fates) => readonly number[]): number[] => {
    const known = new Set(fates.flatMap(of));
    return all.filter((one) => known.has(firsts.get(placeText(one))?.at ?? -1)).map((one) => one.at);
  };
  const { error } = failed;
  const written = positions((one) => one.written);
  const unwritten = positions((one) => one.unwritten);
  const unknown = positions((one) => one.unknown);
  if (written.length === 0 && unknown.length === 0) throw error;
  const why = error instanceof Error ? error.message : String(error);
  throw new KeyfoldError(
    `of ${all.length} items of ${name}, ${written.length} were written, ${unwritten.length} were not, and of ${unknown.length} it is not known: ${why}`,
    { code: "incomplete", written, unwritten, unknown },
    undefined,
    error,
  );
}

/** Sends one request, and what the service leaves unprocessed again. */
async function send(batch: Batch, table: string, all: readonly One[]): Promise<Fates> {
  const fates: Fates = { written: [], unwritten: [], unknown: [], requests: 0, capacity: 0, isSent: false };
  const positions = (some: readonly One[]): number[] => some.map((one) => one.at);
  let left = all;
  try {
    for (let tried = 0; tried < TRIES; tried += 1) {
      const answer = await ask(batch, table, left, fates);
      fates.capacity += unitsOf(answer);
      const unprocessed = Object.values(answer.UnprocessedItems ?? {}).flat();
      const isOurs = (request: WriteRequest): boolean =>
        (request.PutRequest !== undefined) === batch.isPut && left.some((one) => isOf(request, one.key));
      if (!unprocessed.every(isOurs)) {
        throw outcomeUnknown("the answer leaves items that were not sent", "what the BatchWriteItem was to change");
      }
      const isLeft = (one: One): boolean => unprocessed.some((request) => isOf(request, one.key));
      fates.written.push(...positions(left.filter((one) => !isLeft(one))));
      left = left.filter(isLeft);
      if (left.length === 0) return fates;
      // It was answered: what ends the pause leaves nothing unknown.
      fates.isSent = false;
      await batch.io.pause(1, 20 << Math.min(tried, 6));
    }
    fates.error = failure("transport", "the service left items unprocessed again and again; try again later");
    fates.unwritten.push(...positions(left));
  } catch (error) {
    fates.error = explained(error, left);
    fates[fates.isSent && isUnknown(error) ? "unknown" : "unwritten"].push(...positions(left));
  }
  return fates;
}

/** Whether a request that was handed to the transport may have been carried out: also that of a call that the caller
 * ended. */
function isUnknown(error: unknown): boolean {
  return !(error instanceof KeyfoldError) || error.code === "outcome_unknown" || error.code === "aborted";
}

/** Asks one request. The table of a new period is created for the first item; a deletion finds nothing in a table
 * that does not exist. */
async function ask(
  { io, model, entity, isPut }: Batch,
  table: string,
  left: readonly One[],
  fates: Fates,
): Promise<Answer> {
  const requests = left.map(({ key, action }): WriteRequest =>
    action.is === "put" ? { PutRequest: { Item: action.item } } : { DeleteRequest: { Key: key } },
  );
  const input = { RequestItems: { [table]: requests }, ...REPORTED };
  const send = (): Promise<Answer> => {
    fates.isSent = !io.over();
    fates.requests += 1;
    return io.ask("BatchWriteItem", input);
  };
  try {
    return await send();
  } catch (error) {
    if (!isNoTable(error)) throw error;
    fates.isSent = false;
    if (!isPut && model.table(entity.table).period !== undefined) return {};
    if (!(await ensurePeriods(io, model, [table]))) throw error;
  }
  return send();
}

/** Whether a request writes the item with this key. */
function isOf({ PutRequest, DeleteRequest }: WriteRequest, key: Item): boolean {
  return hasKey(PutRequest?.Item ?? DeleteRequest?.Key ?? {}, key);
}

/** Whole entities in batches: BatchWriteItem, 25 of them in a request. Each item is written as a whole; the batch is
 * not atomic. Only entities from which nothing follows are written so: a batch has no condition, and no second item
 * that must change with the first. */

import { together } from "../attempts.js";
import { complete, type MadeValue } from "../complete.js";
import { derive, idGuard, placeOf } from "../derive.js";
import { failure, invalid, KeyfoldError } from "../error.js";
import { type Answer, type Io, isNoTable, REPORTED, type WriteRequest } from "../io.js";
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

/** What became of an item of a batch. */
type Fate = "written" | "unwritten" | "unknown";

/** Why items of a request were not written. */
interface Failed {
  readonly error: unknown;
}

/** A batch under way. */
interface Batch {
  readonly io: Io;
  readonly model: Model;
  readonly entity: EntityPlan;
  readonly isPut: boolean;
  /** What became of each item. */
  readonly fates: Map<One, Fate>;
  requests: number;
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
      const [{ table, key, item }] = await derive(io, model, entity, complete(io, entity, values, own));
      all.push({ at, label: `put ${name}`, table, key, action: { is: "put", item } });
    } catch (error) {
      throw inItem(error, at, name);
    }
    made.push(own);
  }
  return write({ io, model, entity, isPut: true, fates: new Map(), requests: 0 }, all, made);
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
  return write({ io, model, entity, isPut: false, fates: new Map(), requests: 0 }, all, keys.map(() => []));
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
  const parts: Promise<Failed | undefined>[] = [];
  for (const [table, own] of tables) {
    for (let at = 0; at < own.length; at += WRITES_MAX) parts.push(send(batch, table, own.slice(at, at + WRITES_MAX)));
  }
  const failed = (await together(parts)).find((one) => one !== undefined);
  if (failed === undefined) return { requests: batch.requests, capacity: batch.io.spent(), made };
  const { error } = failed;
  const positions = (fate: Fate): number[] => {
    const has = (one: One): boolean => batch.fates.get(firsts.get(placeText(one)) ?? one) === fate;
    return all.filter(has).map((one) => one.at);
  };
  const written = positions("written");
  const unwritten = positions("unwritten");
  const unknown = positions("unknown");
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
async function send(batch: Batch, table: string, all: readonly One[]): Promise<Failed | undefined> {
  const state = { isSent: false };
  const become = (some: readonly One[], fate: Fate): void => {
    for (const one of some) batch.fates.set(one, fate);
  };
  let left = all;
  try {
    for (let tried = 0; tried < TRIES; tried += 1) {
      const answer = await ask(batch, table, left, state);
      const unprocessed = Object.values(answer.UnprocessedItems ?? {}).flat();
      const isOurs = (request: WriteRequest): boolean =>
        (request.PutRequest !== undefined) === batch.isPut && left.some((one) => isOf(request, one.key));
      if (!unprocessed.every(isOurs)) {
        throw outcomeUnknown("the answer leaves items that were not sent", "what the BatchWriteItem was to change");
      }
      become(left, "written");
      left = left.filter((one) => unprocessed.some((request) => isOf(request, one.key)));
      if (left.length === 0) return undefined;
      // It was answered: what ends the pause leaves nothing unknown.
      state.isSent = false;
      await batch.io.pause(1, 20 << Math.min(tried, 6));
    }
    throw failure("transport", "the service left items unprocessed again and again; try again later");
  } catch (error) {
    become(left, state.isSent && isUnknown(error) ? "unknown" : "unwritten");
    return { error: explained(error, left) };
  }
}

/** Whether a request that was handed to the transport may have been carried out: also that of a call that the caller
 * ended. */
function isUnknown(error: unknown): boolean {
  return !(error instanceof KeyfoldError) || error.code === "outcome_unknown" || error.code === "aborted";
}

/** Asks one request; `isSent` says whether the one that was asked last was handed to the transport. The table of a new period is created for the first item; a deletion finds nothing in a table
 * that does not exist. */
async function ask(
  batch: Batch,
  table: string,
  left: readonly One[],
  state: { isSent: boolean },
): Promise<Answer> {
  const { io, model, entity, isPut } = batch;
  const requests = left.map(({ key, action }): WriteRequest =>
    action.is === "put" ? { PutRequest: { Item: action.item } } : { DeleteRequest: { Key: key } },
  );
  const input = { RequestItems: { [table]: requests }, ...REPORTED };
  const send = (): Promise<Answer> => {
    state.isSent = !io.over();
    batch.requests += 1;
    return io.ask("BatchWriteItem", input);
  };
  try {
    return await send();
  } catch (error) {
    if (!isNoTable(error)) throw error;
    state.isSent = false;
    if (!isPut && model.table(entity.table).period !== undefined) return {};
    if (!(await ensurePeriods(io, model, [table]))) throw error;
  }
  return send();
}

/** Whether a request writes the item with this key. */
function isOf({ PutRequest, DeleteRequest }: WriteRequest, key: Item): boolean {
  return hasKey(PutRequest?.Item ?? DeleteRequest?.Key ?? {}, key);
}

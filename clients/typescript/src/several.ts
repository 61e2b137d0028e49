/** The calls of several writes, keys or items, which are loaded when a program makes one. */

import { type Given, wholeEntity } from "./arguments.js";
import type { MadeValue } from "./complete.js";
import { invalid } from "./error.js";
import type { Io } from "./io.js";
import type { Model } from "./model.js";
import type { BatchWritten, FoundItem, Made, Transacted, TransactionWrite } from "./options.js";
import { type ManyShown, readMany } from "./read/many.js";
import { display } from "./value/text.js";
import { deleteMany, putMany } from "./write/many.js";
import { keyOfEntity, partOf } from "./write/part.js";
import { written } from "./write/refusal.js";
import { transact } from "./write/transact.js";

/** Several writes in one transaction. */
export function transacted(model: Model, writes: readonly TransactionWrite[]): (io: Io) => Promise<Transacted> {
  const parts = listed(writes, "the transaction").map((one) => partOf(model, one));
  return async (io) => {
    const done = await transact(io, model, parts);
    return { ...done, writes: done.writes.map(({ changes, made }) => ({ changes, made: shown(made) })) };
  };
}

/** Entities by their keys. */
export function found(
  model: Model,
  entity: string,
  keys: readonly Given[],
  shown: ManyShown,
): (io: Io) => Promise<(FoundItem | undefined)[]> {
  const plan = model.entity(entity);
  const all = listed(keys, entity).map((key) => keyOfEntity(model, plan, key));
  return (io) => readMany(io, model, plan, all, shown);
}

/** Entities that are put or deleted in batches. */
export function batch(
  model: Model,
  verb: "put" | "delete",
  entity: string,
  given: readonly Given[],
): (io: Io) => Promise<BatchWritten> {
  const plan = written(model.entity(entity));
  const isPut = verb === "put";
  const all = listed(given, entity).map((one) => (isPut ? wholeEntity(model, plan, one) : keyOfEntity(model, plan, one)));
  const write = isPut ? putMany : deleteMany;
  return async (io) => {
    const done = await write(io, model, plan, all);
    return { ...done, made: done.made.map(shown) };
  };
}

/** Values that were made. A moment or an identifier is a text. */
function shown(made: readonly MadeValue[]): Made[] {
  return made.map((one) => ({ ...one, value: display(one.value) }));
}

/** Refuses what is no list. */
function listed<T>(given: readonly T[], of: string): readonly T[] {
  if (!Array.isArray(given)) throw invalid(`${of}: several are given as an array`, undefined, of);
  return Array.from(given as readonly T[]);
}
// Bundlers then keep all that a program loads at once in one file.
export { Client } from "./client.js";

/** The calls of several writes, keys or items, which are loaded when a program makes one. */

import type { Given } from "./arguments.js";
import { carryOut, type Driver, optionsOf } from "./call.js";
import { invalid, owned } from "./error.js";
import type { Io } from "./io.js";
import type { BatchWritten, CallOptions, ManyOptions, Transacted, TransactionWrite } from "./options.js";
import { readMany } from "./read/many.js";
import { wholeEntity } from "./write/arguments.js";
import { shownMade } from "./write/made.js";
import { deleteMany, putMany } from "./write/many.js";
import { keyOfEntity, partOf } from "./write/part.js";
import { written } from "./write/refusal.js";
import { transact } from "./write/transact.js";

/** Several writes in one transaction. */
export async function transacted(
  driver: Driver,
  writes: readonly TransactionWrite[],
  options: CallOptions,
): Promise<Transacted> {
  const { model } = driver;
  const parts = listed(writes, "the transaction").map((one) => partOf(model, one));
  return carryOut(driver, "transact", await optionsOf("write", options), async (io) => {
    const done = await transact(io, model, parts);
    return { ...done, writes: done.writes.map(({ changes, made }) => ({ changes, made: shownMade(made) })) };
  });
}

/** Entities by their keys. */
export async function found<T>(
  driver: Driver,
  entity: string,
  keys: readonly Given[],
  options: ManyOptions,
): Promise<(T | undefined)[]> {
  const { model, options: { onUnknown, numbers } } = driver;
  const plan = model.entity(entity);
  const all = listed(keys, entity).map((key) => keyOfEntity(model, plan, key));
  const own = await owned(entity, optionsOf("many", options));
  const shown = { onUnknown, numbers, isStrong: own.strong === true };
  const call = carryOut(driver, `getMany ${entity}`, own, (io) => readMany(io, model, plan, all, shown));
  return (await owned(entity, call)) as (T | undefined)[];
}

/** Entities that are put or deleted in batches. */
export async function batch(
  driver: Driver,
  verb: "put" | "delete",
  entity: string,
  given: readonly Given[],
  options: CallOptions,
): Promise<BatchWritten> {
  const { model } = driver;
  const plan = written(model.entity(entity));
  const isPut = verb === "put";
  const all = listed(given, entity).map((one) => (isPut ? wholeEntity(model, plan, one) : keyOfEntity(model, plan, one)));
  const write = isPut ? putMany : deleteMany;
  const call = async (io: Io): Promise<BatchWritten> => {
    const done = await write(io, model, plan, all);
    return { ...done, made: done.made.map(shownMade) };
  };
  const own = await owned(entity, optionsOf("write", options));
  return owned(entity, carryOut(driver, `${verb}Many ${entity}`, own, call));
}

/** Refuses what is no list. */
function listed<T>(given: readonly T[], of: string): readonly T[] {
  if (!Array.isArray(given)) throw invalid(`${of}: several are given as an array`, undefined, of);
  return Array.from(given as readonly T[]);
}
// Bundlers then keep all that a program loads at once in one file.
export { Client } from "./client.js";

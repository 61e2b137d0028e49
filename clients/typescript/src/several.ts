/** The calls of several writes, keys or items, which are loaded when a program makes one. */

import type { Given } from "./arguments.js";
import { carryOut, type Driver, optionsOf } from "./call.js";
import type { Client } from "./client.js";
import { owned } from "./error.js";
import type { Io } from "./io.js";
import type { Done, Part } from "./made.js";
import type { BatchWritten, CallOptions, ManyOptions, Transacted, TransactionWrite } from "./options.js";
import { eachOf, listed } from "./positions.js";
import { readMany } from "./read/many.js";
import { wholeEntity } from "./write/arguments.js";
import { keyOfEntity } from "./write/keys.js";
import { shownMade } from "./write/made.js";
import { deleteMany, putMany } from "./write/many.js";
import { partsOf } from "./write/parts.js";
import { written } from "./write/refusal.js";
import { transact } from "./write/transact.js";

/** Several writes in one transaction. */
export async function transacted(
  driver: Driver,
  writes: readonly TransactionWrite[],
  options: CallOptions,
): Promise<Transacted> {
  const { model } = driver;
  const parts = partsOf(model, listed(writes, "the transaction"));
  return carryOut(driver, "transact", await optionsOf("write", options), async (io) => {
    const done = await transact(io, model, parts);
    return { ...done, writes: done.writes.map(({ changes, made }) => ({ changes, made: shownMade(made) })) };
  });
}

/** The same of parts, each of which knows what it makes. What is no part is refused as a write. */
export async function transactedParts<M extends readonly unknown[]>(
  client: Client,
  parts: readonly (Part | undefined)[],
  options?: CallOptions,
): Promise<Done<M>> {
  const all = listed(parts, "the transaction");
  const done = await client.transact(all.map((one) => one?.write ?? (one as unknown as TransactionWrite)), options);
  const writes = await Promise.all(done.writes.map(async (one, at) => ({ ...one, made: await all[at]?.made(one.made) })));
  return { ...done, writes } as unknown as Done<M>;
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
  const all = eachOf(listed(keys, entity), entity, (key) => keyOfEntity(model, plan, key));
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
  const checked = isPut ? wholeEntity : keyOfEntity;
  const all = eachOf(listed(given, entity), entity, (one) => checked(model, plan, one));
  const write = isPut ? putMany : deleteMany;
  const call = async (io: Io): Promise<BatchWritten> => {
    const done = await write(io, model, plan, all);
    return { ...done, made: done.made.map(shownMade) };
  };
  const own = await owned(entity, optionsOf("write", options));
  return owned(entity, carryOut(driver, `${verb}Many ${entity}`, own, call));
}
// Bundlers then keep all that a program loads at once in one file.
export { Client } from "./client.js";

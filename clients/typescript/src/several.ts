/** The calls of several writes, keys or items, which are loaded when a program makes one. */

import { type Given, wholeEntity } from "./arguments.js";
import { carryOut, type Driver } from "./call.js";
import type { MadeValue } from "./complete.js";
import { invalid, owned } from "./error.js";
import type { Model } from "./model.js";
import type { BatchWritten, CallOptions, FoundItem, Made, ManyOptions, Transacted, TransactionWrite } from "./options.js";
import { readMany } from "./read/many.js";
import { display } from "./value/text.js";
import { deleteMany, putMany } from "./write/many.js";
import { keyOfEntity, partOf } from "./write/part.js";
import { transact } from "./write/transact.js";

/** Carries several writes out in one transaction. */
export async function transacted(
  driver: Driver,
  model: Model,
  writes: readonly TransactionWrite[],
  options: CallOptions,
): Promise<Transacted> {
  const parts = listed(writes, "the transaction").map((one) => partOf(model, one));
  const done = await carryOut(driver, "transact", options, (io) => transact(io, model, parts));
  return { ...done, writes: done.writes.map(({ changes, made }) => ({ changes, made: shown(made) })) };
}

/** Reads entities by their keys. */
export async function found(
  driver: Driver,
  model: Model,
  entity: string,
  keys: readonly Given[],
  options: ManyOptions,
): Promise<(FoundItem | undefined)[]> {
  const plan = model.entity(entity);
  const all = listed(keys, entity).map((key) => keyOfEntity(model, plan, key));
  const { onUnknown, numbers } = driver.options;
  const shown = { onUnknown, numbers, isStrong: options.strong === true };
  return owned(entity, carryOut(driver, `getMany ${entity}`, options, (io) => readMany(io, model, plan, all, shown)));
}

/** Puts or deletes entities in batches. */
export async function batch(
  driver: Driver,
  model: Model,
  verb: "put" | "delete",
  entity: string,
  given: readonly Given[],
  options: CallOptions,
): Promise<BatchWritten> {
  const plan = model.entity(entity);
  const isPut = verb === "put";
  const all = listed(given, entity).map((one) => (isPut ? wholeEntity(model, plan, one) : keyOfEntity(model, plan, one)));
  const write = isPut ? putMany : deleteMany;
  const call = carryOut(driver, `${verb}Many ${entity}`, options, (io) => write(io, model, plan, all));
  const done = await owned(entity, call);
  return { ...done, made: done.made.map(shown) };
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

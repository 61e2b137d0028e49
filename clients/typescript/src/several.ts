/** The calls of several writes, keys or items, which are loaded when a program makes one. */

import { type Given, someOfEntity, wholeEntity } from "./arguments.js";
import { carryOut, type Driver } from "./call.js";
import type { MadeValue } from "./complete.js";
import type { Model } from "./model.js";
import type { BatchWritten, CallOptions, Made, ManyOptions, Transacted, TransactionWrite } from "./options.js";
import type { Found } from "./read/kinds.js";
import { readMany } from "./read/many.js";
import { display } from "./value/text.js";
import { deleteMany, putMany } from "./write/many.js";
import { partOf } from "./write/part.js";
import { transact } from "./write/transact.js";

/** Carries several writes out in one transaction. */
export async function transacted(
  driver: Driver,
  model: Model,
  writes: readonly TransactionWrite[],
  options: CallOptions,
): Promise<Transacted> {
  const parts = writes.map((one) => partOf(model, one));
  const done = await carryOut(driver, "transact", options, (io) => transact(io, model, parts));
  return { ...done, writes: done.writes.map(({ changes, made }) => ({ changes, made: shown(made) })) };
}

/** Reads entities by their keys. */
export function found(
  driver: Driver,
  model: Model,
  entity: string,
  keys: readonly Given[],
  options: ManyOptions,
): Promise<(Found | undefined)[]> {
  const plan = model.entity(entity);
  const all = keys.map((key) => someOfEntity(model, plan, key));
  const isStrong = options.strong === true;
  return carryOut(driver, `getMany ${entity}`, options, (io) => readMany(io, model, plan, all, isStrong));
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
  const all = given.map((one) => (isPut ? wholeEntity(model, plan, one) : someOfEntity(model, plan, one)));
  const write = isPut ? putMany : deleteMany;
  const done = await carryOut(driver, `${verb}Many ${entity}`, options, (io) => write(io, model, plan, all));
  return { ...done, made: done.made.map(shown) };
}

/** Values that were made. A moment or an identifier is a text. */
function shown(made: readonly MadeValue[]): Made[] {
  return made.map((one) => ({ ...one, value: display(one.value) }));
}

/** What a program loads at its first write, event or table: the calls of its client. What the caller gives is checked
 * before anything is sent. */

import type { Given } from "../arguments.js";
import { carryOut, type Driver, optionsOf } from "../call.js";
import { owned } from "../error.js";
import { eventOf } from "../events.js";
import type { Io } from "../io.js";
import type {
  CallOptions,
  EntityEvent,
  EventOptions,
  StreamRecord,
  TableOutcome,
  UpdateOptions,
  Written,
} from "../options.js";
import { ensureTables } from "../tables.js";
import { argumentsOfWrite, wholeEntity } from "./arguments.js";
import { createEntity, deleteEntity, putEntity, updateEntity } from "./change.js";
import type { Outcome } from "./execute.js";
import { changesOf, keyOfEntity, withKey } from "./keys.js";
import { shownMade } from "./made.js";
import { runWrite } from "./named.js";

export { valuesMade } from "./made.js";
// Bundlers then keep all that a program loads at once in one file.
export { Client } from "../client.js";

/** Runs a named write. */
export async function run(driver: Driver, name: string, args: Given, options: CallOptions): Promise<Written> {
  const { model } = driver;
  const write = model.write(name);
  const values = argumentsOfWrite(model, write, args);
  return written(driver, name, `the write ${name}`, options, (io) => runWrite(io, model, write, values));
}

/** Creates an entity that must not exist, or puts a whole one whether it exists or not. */
export async function writeWhole(
  driver: Driver,
  verb: "create" | "put",
  entity: string,
  given: Given,
  options: CallOptions,
): Promise<Written> {
  const { model } = driver;
  const plan = model.entity(entity);
  const whole = wholeEntity(model, plan, given);
  const write = verb === "create" ? createEntity : putEntity;
  return written(driver, `${verb} ${entity}`, entity, options, (io) => write(io, model, plan, whole));
}

/** Changes some attributes of an entity that exists. */
export async function update(driver: Driver, entity: string, given: Given, options: UpdateOptions): Promise<Written> {
  const { model } = driver;
  const plan = model.entity(entity);
  const { key, remove, ...own } = await owned(entity, optionsOf("update", options));
  const all = key === undefined ? given : withKey(model, plan, given, key);
  const [some, names] = changesOf(model, plan, all, remove);
  return written(driver, `update ${entity}`, entity, own, (io) => updateEntity(io, model, plan, some, names));
}

/** Deletes an entity that exists. */
export async function remove(driver: Driver, entity: string, key: Given, options: CallOptions): Promise<Written> {
  const { model } = driver;
  const plan = model.entity(entity);
  const values = keyOfEntity(model, plan, key);
  return written(driver, `delete ${entity}`, entity, options, (io) => deleteEntity(io, model, plan, values));
}

/** Carries a write out. `of` owns what is invalid in it. */
async function written(
  driver: Driver,
  name: string,
  of: string,
  options: CallOptions,
  call: (io: Io) => Promise<Outcome>,
): Promise<Written> {
  const run = async (): Promise<Outcome> => carryOut(driver, name, await optionsOf("write", options), call);
  const { operation, changes, capacity, made } = await owned(of, run());
  return { operation, changes: [...changes], capacity, made: shownMade(made) };
}

/** A stream record as an entity. */
export async function event<T>(
  driver: Driver,
  record: StreamRecord,
  options: EventOptions,
): Promise<EntityEvent<T> | undefined> {
  const { numbers, onUnknown } = driver.options;
  const own = await optionsOf("event", options);
  const asked = { shown: { numbers, onUnknown: own.onUnknown ?? onUnknown }, copies: own.copies === true };
  const found = await carryOut(driver, "event", {}, (io) => eventOf(io, driver.model, record, asked));
  if (found === undefined) return undefined;
  const { kind, old, new: next } = found;
  return {
    kind,
    ...(old !== undefined && { old: old as T }),
    ...(next !== undefined && { new: next as T }),
  };
}

/** Creates the tables that do not exist, and compares the others with the model. */
export async function tables(driver: Driver, options: CallOptions): Promise<TableOutcome[]> {
  return carryOut(driver, "ensureTables", await optionsOf("write", options), (io) => ensureTables(io, driver.model));
}

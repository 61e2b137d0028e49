/** What a program loads at its first write, event or table: the calls of its client. What the caller gives is checked
 * before anything is sent. */

import type { Given } from "../arguments.js";
import { carryOut, type Driver, optionsOf } from "../call.js";
import { owned } from "../error.js";
import { eventOf } from "../events.js";
import type {
  CallOptions,
  EntityEvent,
  EventOptions,
  StreamRecord,
  TableOutcome,
  TransactionWrite,
  UpdateOptions,
  Written,
} from "../options.js";
import { ensureTables } from "../tables.js";
import type { Outcome } from "./execute.js";
import { shownMade } from "./made.js";
import { nameOf, ownerOf, writeAlone } from "./part.js";
import { partOf } from "./parts.js";

export { valuesMade } from "./made.js";
// Bundlers then keep all that a program loads at once in one file.
export { Client } from "../client.js";

/** Carries one write out. */
export async function write(driver: Driver, given: TransactionWrite, options: CallOptions): Promise<Written> {
  const { model } = driver;
  const part = partOf(model, given);
  const run = async (): Promise<Outcome> =>
    carryOut(driver, nameOf(part), await optionsOf("write", options), (io) => writeAlone({ io, model }, part));
  const done = await owned(ownerOf(part), run());
  return { ...done, made: shownMade(done.made) };
}

/** Changes some attributes of an entity that exists. */
export async function update(driver: Driver, entity: string, values: Given, options: UpdateOptions): Promise<Written> {
  const { key, remove, ...own } = await owned(entity, optionsOf("update", options));
  return write(driver, { update: entity, values, key, remove }, own);
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
  return found as EntityEvent<T> | undefined;
}

/** Creates the tables that do not exist, and compares the others with the model. */
export async function tables(driver: Driver, options: CallOptions): Promise<TableOutcome[]> {
  return carryOut(driver, "ensureTables", await optionsOf("write", options), (io) => ensureTables(io, driver.model));
}

/** The client of a model: patterns, writes, events and tables. Writes, events and tables are imported when one
 * is asked for, so that a program that only reads does not load them. */

import { argumentsOfPattern, type Given } from "./arguments.js";
import { carryOut, type Driver, optionsOf } from "./call.js";
import type { Bound, Position } from "./cursor.js";
import { looked, owned } from "./error.js";
import { loadAll, loadFor } from "./features.js";
import type { Io } from "./io.js";
import { Model } from "./model.js";
import type {
  BatchWritten,
  CallOptions,
  ClientOptions,
  Connection,
  EntityEvent,
  EventOptions,
  FoundItem,
  ManyOptions,
  Page,
  ReadOptions,
  StreamRecord,
  TableOutcome,
  Transacted,
  TransactionWrite,
  UpdateOptions,
  Written,
} from "./options.js";
import type { PatternPlan, Plan } from "./plan.js";
import { type FoundPage, isSingle, type PageStart, readPage } from "./read/page.js";
import { OF_CLIENT, optionsIn } from "./takes.js";
import { transportOf } from "./transport/connect.js";

export type { Given } from "./arguments.js";

/** A reading of a pattern, from its start. */
interface Reading {
  readonly pattern: PatternPlan;
  readonly bound: Bound;
  readonly start: PageStart;
  readonly options: ReadOptions;
}

/** Carries out the plan of a model on a connection. */
export class Client {
  /** The plan. */
  readonly plan: Plan;
  readonly #driver: Driver;

  constructor(plan: Plan, connection: Connection, options: ClientOptions = {}) {
    this.plan = plan;
    const model = looked("plan", () => new Model(plan));
    const own = optionsIn(OF_CLIENT, options);
    this.#driver = { transport: transportOf(connection, own), options: own, model };
  }

  /** The member of items that holds their kind. */
  get kindMember(): string {
    return this.#driver.model.kindMember;
  }

  /** How numbers are given. */
  get numbers(): "number" | "exact" {
    return this.#driver.options.numbers ?? "number";
  }

  /** A page of a pattern's answer. */
  async page<T = FoundItem>(pattern: string, args: Given = {}, options: ReadOptions = {}): Promise<Page<T>> {
    const reading = await this.#reading(pattern, args, options);
    return this.#shown<T>(reading, await this.#found(reading));
  }

  /** The item of a pattern that returns one; `undefined` where there is none. */
  async one<T = FoundItem>(pattern: string, args: Given = {}, options: ReadOptions = {}): Promise<T | undefined> {
    const reading = await this.#reading(pattern, args, options);
    if (!isSingle(reading.pattern)) {
      throw (await import("./read/refused.js")).otherWay(pattern, "returns several items");
    }
    const [item] = (await this.#found(reading)).items;
    return item?.item as T | undefined;
  }

  /** The items of a pattern that reads several by keys of their own, by name; a missing optional one is
   * absent. */
  async together<T = Readonly<Record<string, FoundItem>>>(
    pattern: string,
    args: Given = {},
    options: ReadOptions = {},
  ): Promise<T> {
    const reading = await this.#reading(pattern, args, options);
    if (reading.pattern.together === undefined) {
      throw (await import("./read/refused.js")).notOfKeys(pattern);
    }
    const { items } = await this.#found(reading);
    return Object.fromEntries(items.map((item) => [item.name, item.item])) as T;
  }

  /** The pages of an answer, each read when it is asked for. */
  async *pages<T = FoundItem>(
    pattern: string,
    args: Given = {},
    options: ReadOptions = {},
  ): AsyncIterableIterator<Page<T>> {
    const reading = await this.#reading(pattern, args, options);
    for await (const page of this.#all(reading)) yield await this.#shown<T>(reading, page);
  }

  /** The items of all pages. */
  async *items<T = FoundItem>(
    pattern: string,
    args: Given = {},
    options: ReadOptions = {},
  ): AsyncIterableIterator<T> {
    const reading = await this.#reading(pattern, args, options);
    for await (const page of this.#all(reading)) {
      for (const item of page.items) yield item.item as T;
    }
  }

  /** The first item of an answer; `undefined` where it is empty. What follows it does not matter. */
  async first<T = FoundItem>(pattern: string, args: Given = {}, options: ReadOptions = {}): Promise<T | undefined> {
    const reading = await this.#reading(pattern, args, options);
    for await (const { items } of this.#all(reading, true)) {
      const [item] = items;
      if (item !== undefined) return item.item as T;
    }
    return undefined;
  }

  /** All items of an answer. More than `most` are the error `too_many`. */
  async all<T = FoundItem>(pattern: string, args: Given, most: number, options: ReadOptions = {}): Promise<T[]> {
    const { allItems } = await import("./paging.js");
    return allItems(this.#driver.model.pattern(pattern).name, most, this.items<T>(pattern, args, options));
  }

  /** Runs a named write. */
  async write(name: string, args: Given = {}, options: CallOptions = {}): Promise<Written> {
    return (await writes()).write(this.#driver, { write: name, args }, options);
  }

  /** Creates an entity that must not exist. */
  async create(entity: string, values: Given, options: CallOptions = {}): Promise<Written> {
    return (await writes()).write(this.#driver, { create: entity, values }, options);
  }

  /** Writes a whole entity, whether it exists or not. */
  async put(entity: string, values: Given, options: CallOptions = {}): Promise<Written> {
    return (await writes()).write(this.#driver, { put: entity, values }, options);
  }

  /** Changes some attributes of an entity that exists: its key, and the changes. */
  async update(entity: string, values: Given, options: UpdateOptions = {}): Promise<Written> {
    return (await writes()).update(this.#driver, entity, values, options);
  }

  /** Deletes an entity that exists: its key, and the version that it must have. */
  async delete(entity: string, key: Given, options: CallOptions = {}): Promise<Written> {
    return (await writes()).write(this.#driver, { delete: entity, key }, options);
  }

  /** Carries several writes out in one transaction, as if one happened after the other: all of them or none. At
   * most 100 items change, and 4 MB. */
  async transact(writes: readonly TransactionWrite[], options: CallOptions = {}): Promise<Transacted> {
    return (await several()).transacted(this.#driver, writes, options);
  }

  /** Reads entities by their keys, 100 in a request: one for each key in their order, `undefined` for an absent one.
   * The items are not of one moment. */
  async getMany<T = FoundItem>(
    entity: string,
    keys: readonly Given[],
    options: ManyOptions = {},
  ): Promise<(T | undefined)[]> {
    return (await several()).found<T>(this.#driver, entity, keys, options);
  }

  /** Writes whole entities, whether they exist or not, 25 in a request. Each is written as a whole; the batch is not
   * atomic. It takes entities from which nothing follows: no copy, guard, count, version or part. */
  async putMany(entity: string, items: readonly Given[], options: CallOptions = {}): Promise<BatchWritten> {
    return (await several()).batch(this.#driver, "put", entity, items, options);
  }

  /** Deletes entities, whether they exist or not, as `putMany` writes them. */
  async deleteMany(entity: string, keys: readonly Given[], options: CallOptions = {}): Promise<BatchWritten> {
    return (await several()).batch(this.#driver, "delete", entity, keys, options);
  }

  /** A stream record as a typed entity; `undefined` for an item that follows from one, whose record comes beside
   * it: a copy, unless `copies` asks for them, a guard, a further part of a list. */
  async event<T = FoundItem>(record: StreamRecord, options: EventOptions = {}): Promise<EntityEvent<T> | undefined> {
    return (await writes()).event<T>(this.#driver, record, options);
  }

  /** Creates the tables that do not exist, and compares the others with the model. */
  async ensureTables(options: CallOptions = {}): Promise<TableOutcome[]> {
    return (await writes()).tables(this.#driver, options);
  }

  /** Checks what a caller gives for a pattern. */
  async #reading(name: string, given: Given, options: ReadOptions): Promise<Reading> {
    const { model } = this.#driver;
    const pattern = model.pattern(name);
    const of = `the pattern ${name}`;
    await loadFor(model, pattern);
    const args = await argumentsOfPattern(model, pattern, given);
    const own = await owned(of, optionsOf("read", options));
    const { limit, after: cursor, backward, strong } = own;
    const { onUnknown, numbers, cursorSecret: secret } = this.#driver.options;
    const bound = { plan: this.plan, pattern, args, secret };
    const found = async (): Promise<Partial<Position>> => {
      if (cursor === undefined || cursor === null) return {};
      return (await import("./paging.js")).positionOfCursor(bound, cursor);
    };
    const { after, now } = await owned(of, found());
    return { pattern, bound, start: { limit, after, now, backward, strong, onUnknown, numbers }, options: own };
  }

  /** Reads one page. */
  #found({ pattern, bound, start, options }: Reading): Promise<FoundPage> {
    const read = (io: Io): Promise<FoundPage> => readPage(io, this.#driver.model, pattern, bound.args, start);
    return owned(`the pattern ${pattern.name}`, carryOut(this.#driver, pattern.name, options, read));
  }

  /** Reads one page after the other: all, or as far as the first item. */
  async *#all(reading: Reading, isFirst?: true): AsyncGenerator<FoundPage, void, undefined> {
    const { allPages, firstStart } = await import("./paging.js");
    const { pattern, start } = reading;
    const begin = isFirst ? firstStart(pattern, start) : start;
    yield* allPages(pattern, begin, (next) => this.#found({ ...reading, start: next }));
  }

  async #shown<T>({ bound }: Reading, { items, next, now, requests, units }: FoundPage): Promise<Page<T>> {
    return {
      items: items.map((item) => item.item as T),
      ...(next !== undefined && { next: await (await import("./paging.js")).cursorOf(bound, { after: next, now }) }),
      requests,
      capacity: units,
    };
  }
}

/** Writes, events and tables. */
async function writes(): Promise<typeof import("./write/all.js")> {
  const [all] = await Promise.all([import("./write/all.js"), loadAll()]);
  return all;
}

/** Calls of several writes, keys or items. */
async function several(): Promise<typeof import("./several.js")> {
  const [all] = await Promise.all([import("./several.js"), loadAll()]);
  return all;
}

/** The client of a model: patterns, writes, events and tables. Writes, events and tables are imported when one
 * is asked for, so that a program that only reads does not load them. */

import {
  argumentsOfPattern,
  argumentsOfWrite,
  checked,
  type Given,
  wholeEntity,
} from "./arguments.js";
import { carryOut, type Driver } from "./call.js";
import type { Bound, Position } from "./cursor.js";
import { invalid, KeyfoldError, owned } from "./error.js";
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
import { type FoundPage, type PageStart, readPage } from "./read/page.js";
import { transportOf } from "./transport/connect.js";
import { display } from "./value/text.js";
import type { Outcome } from "./write/execute.js";

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
  readonly #model: Model;
  readonly #driver: Driver;

  constructor(plan: Plan, connection: Connection, options: ClientOptions = {}) {
    this.plan = plan;
    this.#model = new Model(plan);
    const { cursorSecret: secret } = options;
    if (secret !== undefined && (typeof secret !== "string" || secret === "")) {
      throw invalid("a secret of cursors is a text of one character or more", "cursorSecret");
    }
    this.#driver = { transport: transportOf(connection, options), options };
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
    if (reading.pattern.returns.length !== 1 || reading.pattern.returns[0]?.many === true) {
      throw invalid(`the pattern ${pattern} returns several items; read a page of it`, pattern);
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
      throw invalid(`the pattern ${pattern} does not read several items by keys of their own; read a page of it`, pattern);
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

  /** The first item of an answer; `undefined` where it is empty. */
  async first<T = FoundItem>(pattern: string, args: Given = {}, options: ReadOptions = {}): Promise<T | undefined> {
    const reading = await this.#reading(pattern, args, options);
    // A filter may drop the one item of a page.
    const limit = reading.pattern.plan.filters === undefined ? 1 : options.limit;
    for await (const { items } of this.#all({ ...reading, start: { ...reading.start, limit } })) {
      const [item] = items;
      if (item !== undefined) return item.item as T;
    }
    return undefined;
  }

  /** All items of an answer. More than `most` are the error `too_many`. */
  async all<T = FoundItem>(pattern: string, args: Given, most: number, options: ReadOptions = {}): Promise<T[]> {
    const reading = await this.#reading(pattern, args, options);
    const all: T[] = [];
    for await (const page of this.#all(reading)) {
      all.push(...page.items.map((item) => item.item as T));
      if (all.length > most) {
        const message = `${pattern} has more than ${most} items; read its pages, or allow more`;
        throw new KeyfoldError(message, { code: "too_many", pattern, most });
      }
    }
    return all;
  }

  /** Runs a named write. */
  async write(name: string, args: Given = {}, options: CallOptions = {}): Promise<Written> {
    const write = this.#model.write(name);
    const values = argumentsOfWrite(this.#model, write, args);
    return this.#written(name, `the write ${name}`, options, async (io) => {
      const { runWrite } = await import("./write/all.js");
      return runWrite(io, this.#model, write, values);
    });
  }

  /** Creates an entity that must not exist. */
  async create(entity: string, values: Given, options: CallOptions = {}): Promise<Written> {
    const plan = this.#model.entity(entity);
    const whole = wholeEntity(this.#model, plan, values);
    return this.#changed("create", entity, options, (all, io) => all.createEntity(io, this.#model, plan, whole));
  }

  /** Writes a whole entity, whether it exists or not. */
  async put(entity: string, values: Given, options: CallOptions = {}): Promise<Written> {
    const plan = this.#model.entity(entity);
    const whole = wholeEntity(this.#model, plan, values);
    return this.#changed("put", entity, options, (all, io) => all.putEntity(io, this.#model, plan, whole));
  }

  /** Changes some attributes of an entity that exists: its key, and the changes. */
  async update(entity: string, values: Given, options: UpdateOptions = {}): Promise<Written> {
    const plan = this.#model.entity(entity);
    const { changesOf, withKey } = await import("./write/all.js");
    const { key, remove } = checked(options as Given, `the options of ${entity}`) as UpdateOptions;
    const all = key === undefined ? values : withKey(this.#model, plan, values, key);
    const [some, names] = changesOf(this.#model, plan, all, remove);
    return this.#changed("update", entity, options, (writes, io) =>
      writes.updateEntity(io, this.#model, plan, some, names),
    );
  }

  /** Deletes an entity that exists: its key, and the version that it must have. */
  async delete(entity: string, key: Given, options: CallOptions = {}): Promise<Written> {
    const plan = this.#model.entity(entity);
    const { keyOfEntity } = await import("./write/all.js");
    const values = keyOfEntity(this.#model, plan, key);
    return this.#changed("delete", entity, options, (all, io) => all.deleteEntity(io, this.#model, plan, values));
  }

  /** Carries several writes out in one transaction, as if one happened after the other: all of them or none. At
   * most 100 items change, and 4 MB. */
  async transact(writes: readonly TransactionWrite[], options: CallOptions = {}): Promise<Transacted> {
    const { transacted } = await import("./several.js");
    return carryOut(this.#driver, "transact", options, transacted(this.#model, writes));
  }

  /** Reads entities by their keys, 100 in a request: one for each key in their order, `undefined` for an absent one.
   * The items are not of one moment. */
  async getMany<T = FoundItem>(
    entity: string,
    keys: readonly Given[],
    options: ManyOptions = {},
  ): Promise<(T | undefined)[]> {
    const { found } = await import("./several.js");
    const { onUnknown, numbers } = this.#driver.options;
    const call = found(this.#model, entity, keys, { onUnknown, numbers, isStrong: options.strong === true });
    return (await owned(entity, carryOut(this.#driver, `getMany ${entity}`, options, call))) as (T | undefined)[];
  }

  /** Writes whole entities, whether they exist or not, 25 in a request. Each is written as a whole; the batch is not
   * atomic. It takes entities from which nothing follows: no copy, guard, count, version or part. */
  async putMany(entity: string, items: readonly Given[], options: CallOptions = {}): Promise<BatchWritten> {
    return this.#batch("put", entity, items, options);
  }

  /** Deletes entities, whether they exist or not, as `putMany` writes them. */
  async deleteMany(entity: string, keys: readonly Given[], options: CallOptions = {}): Promise<BatchWritten> {
    return this.#batch("delete", entity, keys, options);
  }

  /** A stream record as a typed entity; `undefined` for an item that follows from one, whose record comes beside
   * it: a copy, unless `copies` asks for them, a guard, a further part of a list. */
  async event<T = FoundItem>(record: StreamRecord, options: EventOptions = {}): Promise<EntityEvent<T> | undefined> {
    const { eventOf } = await import("./write/all.js");
    const { numbers, onUnknown } = this.#driver.options;
    const shown = { numbers, onUnknown: options.onUnknown ?? onUnknown };
    const asked = { shown, copies: options.copies === true };
    const event = await carryOut(this.#driver, "event", {}, (io) => eventOf(io, this.#model, record, asked));
    if (event === undefined) return undefined;
    const { kind, old, new: next } = event;
    return {
      kind,
      ...(old !== undefined && { old: old as T }),
      ...(next !== undefined && { new: next as T }),
    };
  }

  /** Creates the tables that do not exist, and compares the others with the model. */
  async ensureTables(options: CallOptions = {}): Promise<TableOutcome[]> {
    const { ensureTables } = await import("./write/all.js");
    return carryOut(this.#driver, "ensureTables", options, (io) => ensureTables(io, this.#model));
  }

  /** Checks what a caller gives for a pattern. */
  async #reading(name: string, given: Given, options: ReadOptions): Promise<Reading> {
    const { limit, after: cursor, backward, strong } = checked(options as Given, `the options of ${name}`) as ReadOptions;
    const pattern = this.#model.pattern(name);
    const of = `the pattern ${name}`;
    const args = argumentsOfPattern(this.#model, pattern, given);
    if (limit !== undefined && !(Number.isSafeInteger(limit) && limit > 0)) {
      throw invalid(`the limit of ${name} is no whole number above 0: ${limit}`, "limit", of);
    }
    const { onUnknown, numbers, cursorSecret: secret } = this.#driver.options;
    const bound = { plan: this.plan, pattern, args, secret };
    const found = async (): Promise<Partial<Position>> => {
      if (cursor === undefined || cursor === null) return {};
      return (await import("./paging.js")).positionOfCursor(bound, cursor);
    };
    const { after, now } = await owned(of, found());
    return { pattern, bound, start: { limit, after, now, backward, strong, onUnknown, numbers }, options };
  }

  /** Reads one page. */
  #found({ pattern, bound, start, options }: Reading): Promise<FoundPage> {
    const read = (io: Io): Promise<FoundPage> => readPage(io, this.#model, pattern, bound.args, start);
    return owned(`the pattern ${pattern.name}`, carryOut(this.#driver, pattern.name, options, read));
  }

  /** Reads one page after the other. The answer from its beginning to its end has all required items. */
  async *#all(reading: Reading): AsyncGenerator<FoundPage, void, undefined> {
    const { pattern } = reading;
    const required = pattern.returns.length > 1 ? await import("./read/rare.js") : undefined;
    const left = new Set(required?.missing(pattern, []));
    let { start } = reading;
    do {
      const page = await this.#found({ ...reading, start });
      for (const one of left) if (page.items.some((item) => item.name === one.name)) left.delete(one);
      yield page;
      const [lost] = left;
      const isWhole = page.next === undefined && reading.start.after === undefined;
      if (isWhole && lost !== undefined && pattern.together === undefined) {
        throw required?.notFound(pattern, lost, page.asked);
      }
      start = { ...start, after: page.next, now: page.now };
    } while (start.after !== undefined);
  }

  async #shown<T>({ bound }: Reading, { items, next, now, requests, units }: FoundPage): Promise<Page<T>> {
    return {
      items: items.map((item) => item.item as T),
      ...(next !== undefined && { next: await (await import("./paging.js")).cursorOf(bound, { after: next, now }) }),
      requests,
      capacity: units,
    };
  }

  async #batch(
    verb: "put" | "delete",
    entity: string,
    given: readonly Given[],
    options: CallOptions,
  ): Promise<BatchWritten> {
    const { batch } = await import("./several.js");
    const call = batch(this.#model, verb, entity, given);
    return owned(entity, carryOut(this.#driver, `${verb}Many ${entity}`, options, call));
  }

  #changed(
    verb: string,
    entity: string,
    options: CallOptions,
    change: (all: typeof import("./write/all.js"), io: Io) => Promise<Outcome>,
  ): Promise<Written> {
    const call = async (io: Io): Promise<Outcome> => change(await import("./write/all.js"), io);
    return this.#written(`${verb} ${entity}`, entity, options, call);
  }

  /** Carries a write out. `of` owns what is invalid in it. */
  async #written(
    name: string,
    of: string,
    options: CallOptions,
    call: (io: Io) => Promise<Outcome>,
  ): Promise<Written> {
    const { operation, changes, capacity, made } = await owned(of, carryOut(this.#driver, name, options, call));
    // A moment or an identifier is a text.
    const shown = made.map((one) => ({ ...one, value: display(one.value) }));
    return { operation, changes: [...changes], capacity, made: shown };
  }
}

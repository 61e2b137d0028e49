/** Writers of generated clients: an entity's writes, its batches, and its parts of transactions. */

import { optionsOf } from "./call.js";
import type { Client, Given } from "./client.js";
import { owned } from "./error.js";
import { madeOf, type MadeTable, type NothingMade, type Part } from "./made.js";
import type { BatchWritten, CallOptions, FoundItem, ManyOptions, TransactionWrite, Written } from "./options.js";

/** Writes an entity with all that follows from it. */
export class Writer<
  New extends object,
  Key extends object,
  Patch extends object,
  Put extends object = New,
  Item = FoundItem,
  Made = NothingMade,
  Touched = NothingMade,
> {
  /** Its writes as parts of a transaction. */
  readonly part: Parts<New, Key, Patch, Put, Made, Touched>;
  /** The name of the entity. */
  readonly entity: string;
  protected readonly client: Client;

  constructor(client: Client, entity: string, table: MadeTable = {}) {
    this.part = new Parts(entity, table);
    this.client = client;
    this.entity = entity;
  }

  /** Creates one that must not exist. Defaults are filled in. */
  async create(values: New, options?: CallOptions): Promise<Written<Made>> {
    const done = await this.client.create(this.entity, given(values), options);
    return { ...done, made: await this.part.create(values).made(done.made) };
  }

  /** Writes a whole one, whether it exists or not. */
  async put(values: Put, options?: CallOptions): Promise<Written<Made>> {
    const done = await this.client.put(this.entity, given(values), options);
    return { ...done, made: await this.part.put(values).made(done.made) };
  }

  /** Changes one that exists. What is not named stays as it is; `null` removes. */
  async update(key: Key, changes: Patch, options: CallOptions = {}): Promise<Written<Touched>> {
    const own = await owned(this.entity, optionsOf("write", options));
    const done = await this.client.update(this.entity, given(changes), { ...own, key: given(key) });
    return { ...done, made: await this.part.update(key, changes).made(done.made) };
  }

  /** Deletes one that exists. */
  async delete(key: Key, options?: CallOptions): Promise<Written<NothingMade>> {
    return { ...(await this.client.delete(this.entity, given(key), options)), made: {} };
  }

  /** Reads those with these keys, 100 in a request: one for each key, `undefined` for an absent one. */
  getMany(keys: readonly Key[], options?: ManyOptions): Promise<(Item | undefined)[]> {
    return this.client.getMany<Item>(this.entity, given(keys), options);
  }
}

/** Writes an entity from which nothing follows, also in batches. */
export class BatchWriter<
  New extends object,
  Key extends object,
  Patch extends object,
  Put extends object = New,
  Item = FoundItem,
  Made = NothingMade,
  Touched = NothingMade,
> extends Writer<New, Key, Patch, Put, Item, Made, Touched> {
  /** Writes whole ones, whether they exist or not, 25 in a request. The batch is not atomic. */
  async putMany(all: readonly Put[], options?: CallOptions): Promise<BatchWritten<Made>> {
    const done = await this.client.putMany(this.entity, given(all), options);
    const made = all.map((one, at) => this.part.put(one).made(done.made[at] ?? []));
    return { ...done, made: await Promise.all(made) };
  }

  /** Deletes those with these keys, whether they exist or not, as `putMany` writes them. */
  async deleteMany(keys: readonly Key[], options?: CallOptions): Promise<BatchWritten<NothingMade>> {
    return { ...(await this.client.deleteMany(this.entity, given(keys), options)), made: keys.map(() => ({})) };
  }
}

/** The writes of an entity as parts of a transaction: nothing is sent before `transact` takes them. */
export class Parts<
  New extends object,
  Key extends object,
  Patch extends object,
  Put extends object = New,
  Made = NothingMade,
  Touched = NothingMade,
> {
  readonly #entity: string;
  readonly #table: MadeTable;

  constructor(entity: string, table: MadeTable) {
    this.#entity = entity;
    this.#table = table;
  }

  /** Creates one that must not exist. */
  create(values: New): Part<Made> {
    return this.#part({ create: this.#entity, values: given(values) }, "create", values);
  }

  /** Writes a whole one, whether it exists or not. */
  put(values: Put): Part<Made> {
    return this.#part({ put: this.#entity, values: given(values) }, "create", values);
  }

  /** Changes one that exists; `null` removes. */
  update(key: Key, changes: Patch): Part<Touched> {
    return this.#part({ update: this.#entity, values: given(changes), key: given(key) }, "update", changes);
  }

  /** Deletes one that exists. */
  delete(key: Key): Part<NothingMade> {
    return this.#part({ delete: this.#entity, key: given(key) }, "delete", key);
  }

  #part<M>(write: TransactionWrite, verb: string, values: object): Part<M> {
    return { write, made: (made) => madeOf(this.#table, `${verb} ${this.#entity}`, given(values), made) };
  }
}

/** Objects as values by name: an interface does not say that it has no other members. */
function given(values: readonly object[]): readonly Given[];
function given(values: object): Given;
function given(values: object): unknown {
  return values;
}

/** What generated clients are made of: a thin layer of types on the client. */

import type { Client, Given } from "./client.js";
import { failure } from "./error.js";
import type {
  BatchWritten,
  CallOptions,
  ClientOptions,
  EntityEvent,
  FoundItem,
  ManyOptions,
  Page,
  StreamRecord,
  TransactionWrite,
  Written,
} from "./options.js";

/** Options of a generated client, whose types say how numbers are given. */
export type TypedOptions = Omit<ClientOptions, "numbers">;

/** Which page is read. */
export interface PageOptions extends CallOptions {
  /** The most items of a page, instead of the pattern's. */
  readonly limit?: number | undefined;
  /** The `next` of the page before. */
  readonly after?: string | null | undefined;
}

/** Options of answers that have an order. */
export interface Ordered {
  /** Whether the items come against the pattern's order. */
  readonly backward?: boolean | undefined;
}

/** Options of reads that no global index serves. */
export interface Strong {
  /** Whether to read with strong consistency. */
  readonly strong?: boolean | undefined;
}

/** A change of an entity or copy, told apart from others by `kind`. */
export interface Change<Kind extends string, Item> extends EntityEvent<Item> {
  readonly kind: Kind;
}

/** The item of a pattern that promises one: where there is none, the call fails with `not_found`. */
export async function required<Item>(
  client: Client,
  pattern: string,
  args: Given,
  options?: CallOptions & Strong,
): Promise<Item> {
  const item = await client.one<Item>(pattern, args, options);
  if (item === undefined) throw failure("not_found", `${pattern}: no item`);
  return item;
}

/** A stream record as one of a model's changes. */
export async function change<Event extends Change<string, unknown>>(
  client: Client,
  record: StreamRecord,
): Promise<Event | undefined> {
  return (await client.event(record)) as Event | undefined;
}

/** An answer of any number of items, of which nothing is read before it is asked for. `Options` are
 * those that the pattern offers beside the page's. */
export class Query<Item, Options = unknown> implements AsyncIterable<Item> {
  readonly #client: Client;
  readonly #pattern: string;
  readonly #args: Given;

  constructor(client: Client, pattern: string, args: Given) {
    this.#client = client;
    this.#pattern = pattern;
    this.#args = args;
  }

  /** Reads one page. Its `next` is the cursor of the page behind it. */
  page(options?: PageOptions & Options): Promise<Page<Item>> {
    return this.#client.page<Item>(this.#pattern, this.#args, options);
  }

  /** The pages, each read when it is asked for. */
  pages(options?: PageOptions & Options): AsyncIterableIterator<Page<Item>> {
    return this.#client.pages<Item>(this.#pattern, this.#args, options);
  }

  /** The items of all pages. */
  items(options?: PageOptions & Options): AsyncIterableIterator<Item> {
    return this.#client.items<Item>(this.#pattern, this.#args, options);
  }

  /** The first item; `undefined` where there is none. */
  first(options?: CallOptions & Options): Promise<Item | undefined> {
    return this.#client.first<Item>(this.#pattern, this.#args, options);
  }

  /** All items. More than `most` are an error. */
  all(most: number, options?: PageOptions & Options): Promise<Item[]> {
    return this.#client.all<Item>(this.#pattern, this.#args, most, options);
  }

  /** The items of all pages, for `for await`. */
  [Symbol.asyncIterator](): AsyncIterableIterator<Item> {
    return this.items();
  }
}

/** Writes an entity with all that follows from it. */
export class Writer<
  New extends object,
  Key extends object,
  Patch extends object,
  Put extends object = New,
  Item = FoundItem,
> {
  /** Its writes as parts of a transaction. */
  readonly part: Parts<New, Key, Patch, Put>;
  /** The name of the entity. */
  readonly entity: string;
  protected readonly client: Client;

  constructor(client: Client, entity: string) {
    this.part = new Parts(entity);
    this.client = client;
    this.entity = entity;
  }

  /** Creates one that must not exist. Defaults are filled in. */
  create(values: New, options?: CallOptions): Promise<Written> {
    return this.client.create(this.entity, given(values), options);
  }

  /** Writes a whole one, whether it exists or not. */
  put(values: Put, options?: CallOptions): Promise<Written> {
    return this.client.put(this.entity, given(values), options);
  }

  /** Changes one that exists. What is not named stays as it is; `null` removes. */
  update(key: Key, changes: Patch, options?: CallOptions): Promise<Written> {
    return this.client.update(this.entity, given(changes), { ...options, key: given(key) });
  }

  /** Deletes one that exists. */
  delete(key: Key, options?: CallOptions): Promise<Written> {
    return this.client.delete(this.entity, given(key), options);
  }

  /** Reads those with these keys, 100 in a request: one for each key, `undefined` for an absent one. */
  getMany(keys: readonly Key[], options?: ManyOptions): Promise<(Item | undefined)[]> {
    return this.client.getMany<Item>(this.entity, keys.map(given), options);
  }
}

/** Writes an entity from which nothing follows, also in batches. */
export class BatchWriter<
  New extends object,
  Key extends object,
  Patch extends object,
  Put extends object = New,
  Item = FoundItem,
> extends Writer<New, Key, Patch, Put, Item> {
  /** Writes whole ones, whether they exist or not, 25 in a request. The batch is not atomic. */
  putMany(all: readonly Put[], options?: CallOptions): Promise<BatchWritten> {
    return this.client.putMany(this.entity, all.map(given), options);
  }

  /** Deletes those with these keys, whether they exist or not, as `putMany` writes them. */
  deleteMany(keys: readonly Key[], options?: CallOptions): Promise<BatchWritten> {
    return this.client.deleteMany(this.entity, keys.map(given), options);
  }
}

/** The writes of an entity as parts of a transaction: nothing is sent before `transact` takes them. */
export class Parts<
  New extends object,
  Key extends object,
  Patch extends object,
  Put extends object = New,
> {
  readonly #entity: string;

  constructor(entity: string) {
    this.#entity = entity;
  }

  /** Creates one that must not exist. */
  create(values: New): TransactionWrite {
    return { create: this.#entity, values: given(values) };
  }

  /** Writes a whole one, whether it exists or not. */
  put(values: Put): TransactionWrite {
    return { put: this.#entity, values: given(values) };
  }

  /** Changes one that exists; `null` removes. */
  update(key: Key, changes: Patch): TransactionWrite {
    return { update: this.#entity, values: given(changes), key: given(key) };
  }

  /** Deletes one that exists. */
  delete(key: Key): TransactionWrite {
    return { delete: this.#entity, key: given(key) };
  }
}

/** A named write as a part of a transaction. */
export function part(write: string, args: Given): TransactionWrite {
  return { write, args };
}

/** An object as values by name: an interface does not say that it has no other members. */
function given(values: object): Given {
  return values as Given;
}

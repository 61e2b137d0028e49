/** What generated clients are made of: a thin layer of types on the client. */

import type { Client, Given } from "./client.js";
import { failure } from "./error.js";
import type { CallOptions, ClientOptions, EntityEvent, EventOptions, Page, StreamRecord } from "./options.js";

/** Options of a generated client, whose types say how numbers are given. */
export type TypedOptions = Omit<ClientOptions, "numbers">;

/** The arguments of a pattern or write without parameters. */
export type NoArguments = Readonly<Record<string, never>>;

/** What every object inherits. An object that lacks an optional attribute of such a name, like `valueOf`, has the
 * inherited member under it: `typeof` tells them apart. The runtime takes only an object's own members for given. */
export type Inherited = Object;

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
  options?: EventOptions,
): Promise<Event | undefined> {
  return (await client.event(record, options)) as Event | undefined;
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

  /** All items. More than `most` are the error `too_many`. */
  all(most: number, options?: PageOptions & Options): Promise<Item[]> {
    return this.#client.all<Item>(this.#pattern, this.#args, most, options);
  }

  /** The items of all pages, for `for await`. */
  [Symbol.asyncIterator](): AsyncIterableIterator<Item> {
    return this.items();
  }
}

/** The items of a whole answer, in which single ones stand beside lists. */
type ItemOf<Whole> = {
  [Name in keyof Whole]-?: NonNullable<Whole[Name]> extends readonly (infer Item)[] ? Item : NonNullable<Whole[Name]>;
}[keyof Whole];

/** The kind of each member of a whole answer: in brackets that of a list, with `?` one that may be absent. */
type Kinds = Readonly<Record<string, string | readonly [string]>>;

/** An answer of several kinds, of which one has single items. */
export class Collection<Whole, Options = unknown> extends Query<ItemOf<Whole>, Options> {
  readonly #kinds: Kinds;
  readonly #member: string;

  constructor(client: Client, pattern: string, args: Given, kinds: Kinds) {
    super(client, pattern, args);
    this.#kinds = kinds;
    this.#member = client.kindMember;
  }

  /** All items by their kinds. Without an item that must be there, it fails with `not_found`; more than `most` items
   * are the error `too_many`. */
  async whole(most: number, options?: CallOptions & Options): Promise<Whole> {
    const items = (await this.all(most, options)) as readonly Readonly<Record<string, unknown>>[];
    const members = Object.entries(this.#kinds).flatMap(([name, of]): [string, unknown][] => {
      const found = items.filter(({ [this.#member]: kind }) => kind === `${of}`.replace("?", ""));
      if (typeof of !== "string") return [[name, found]];
      if (!found[0] && !of.endsWith("?")) throw failure("not_found", `there is no ${of}`);
      return found.map((item) => [name, item]);
    });
    return Object.fromEntries(members) as Whole;
  }
}

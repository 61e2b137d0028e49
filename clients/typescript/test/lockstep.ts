/** A client of the proof: carries the calls of `keyfold prove --through` out by the public interface, line by
 * line as `docs/transcripts.md` says. With `--generated` they go through the methods of the generated file, which it
 * asks for. With another argument, the requests go to that endpoint. */

import { createInterface } from "node:readline";
import process, { stdin, stdout } from "node:process";
import { argumentsOfPattern } from "../src/arguments.js";
import { Client, type Given } from "../src/client.js";
import { cursorOf, positionOfCursor } from "../src/cursor.js";
import { KeyfoldError } from "../src/error.js";
import { loadAll, unload } from "../src/features.js";
import { Model } from "../src/model.js";
import type { BatchWritten, FoundItem, Made, TransactionWrite, Transport, Written } from "../src/options.js";
import { transportOf } from "../src/transport/connect.js";
import type { AttributeValue, EntityPlan, Item, PatternPlan, Plan, Type } from "../src/plan.js";
import { plain } from "../src/value/plain.js";
import { typed } from "../src/value/typed.js";
import { Generated, NotOffered, type On, type Part, batched, read, reported, transacted } from "./generated.js";

type Kind =
  | "page"
  | "all"
  | "create"
  | "put"
  | "update"
  | "delete"
  | "write"
  | "transact"
  | "get_many"
  | "put_many"
  | "delete_many";

/** A call of the proof. */
interface Call {
  readonly kind: Kind;
  readonly pattern: string;
  readonly entity: string;
  readonly write: string;
  readonly arguments: Item;
  readonly values: Item;
  readonly remove: readonly string[];
  readonly limit: number | null;
  readonly after: Item | null;
  readonly backward: boolean;
  readonly now: number | null;
  readonly writes: readonly (Call & { readonly random: readonly string[] })[];
  readonly keys: readonly Item[];
  readonly items: readonly Item[];
  readonly strong?: boolean;
}

interface Line {
  readonly plan?: Plan;
  readonly generated?: string;
  readonly call?: Call;
  readonly now?: number;
  readonly random?: readonly string[];
  readonly answers?: readonly {
    readonly output?: object;
    readonly error?: {
      readonly exception?: string;
      readonly message?: string;
      readonly reasons?: readonly { readonly Code: string; readonly Message?: string }[];
      readonly found?: readonly number[];
      readonly transport?: string;
    };
  }[];
}

/** The endpoint that requests go to, instead of lines. */
const [ENDPOINT] = process.argv.slice(2).filter((one) => !one.startsWith("--"));
const connection = ENDPOINT === undefined ? undefined : transportOf(ENDPOINT);

const SECRET = "the proof's secret";

const lines = createInterface({ input: stdin })[Symbol.asyncIterator]();

function say(line: object): void {
  stdout.write(`${JSON.stringify(line)}\n`);
}

async function heard(): Promise<Line | undefined> {
  const next = await lines.next();
  return next.done === true ? undefined : (JSON.parse(next.value) as Line);
}

/** A request that waits for its answer. */
interface Waiting {
  readonly operation: string;
  readonly input: object;
  resolve(output: object): void;
  reject(error: unknown): void;
}

/** Asks by lines. Requests that are made at the same time are asked together. */
class Lines implements Transport {
  requests = 0;
  #waiting: Waiting[] = [];
  #isAsking = false;

  call(operation: string, input: object): Promise<object> {
    this.requests += 1;
    return new Promise((resolve, reject) => {
      this.#waiting.push({ operation, input, resolve, reject });
      if (!this.#isAsking) {
        this.#isAsking = true;
        setImmediate(() => void this.#ask());
      }
    });
  }

  async #ask(): Promise<void> {
    while (this.#waiting.length > 0) {
      const asked = this.#waiting;
      this.#waiting = [];
      say({ ask: asked.map(({ operation, input }) => ({ operation, input })) });
      const { answers = [] } = (await heard()) ?? {};
      for (const [at, one] of asked.entries()) {
        const { output, error } = answers[at] ?? {};
        if (error === undefined) one.resolve(output ?? {});
        else one.reject(errorOf(error));
      }
      await new Promise((done) => setImmediate(done));
    }
    this.#isAsking = false;
  }
}

/** Counts the requests that a transport carries. */
class Counted implements Transport {
  requests = 0;
  readonly #transport: Transport;

  constructor(transport: Transport) {
    this.#transport = transport;
  }

  call(operation: string, input: object, signal?: AbortSignal): Promise<object> {
    this.requests += 1;
    return this.#transport.call(operation, input, signal);
  }
}

function errorOf({ exception, message = "", reasons = [], found = [], transport }: NonNullable<NonNullable<Line["answers"]>[number]["error"]>): Error {
  if (exception === undefined) return new KeyfoldError(transport ?? "", { code: "transport" });
  const all = reasons.map(({ Code, Message }) => ({ code: Code, ...(Message !== undefined && { message: Message }) }));
  return new KeyfoldError(message, { code: "service", exception, reasons: all, found });
}

/** The client of a program that has loaded nothing else: each call loads what it needs. */
function fresh(client: Client): Client {
  return new Proxy(client, {
    get: (of, name) => (...given: unknown[]): unknown => {
      unload();
      return (Reflect.get(of, name) as (...all: unknown[]) => unknown).apply(of, given);
    },
  });
}

/** A model under proof. */
class Subject {
  readonly #plan: Plan;
  readonly #model: Model;
  readonly #generated: Generated | undefined;

  constructor(plan: Plan, file: string | undefined) {
    this.#plan = plan;
    this.#model = new Model(plan);
    this.#generated = file === undefined ? undefined : new Generated(plan, file);
  }

  async result({ call, now = 0, random = [] }: Line): Promise<object> {
    if (call === undefined) throw new Error("no call");
    const transport = connection === undefined ? new Lines() : new Counted(connection);
    const identifiers = random.values();
    const ofWrites = call.writes?.map((one) => one.random.values());
    const options = {
      cursorSecret: SECRET,
      timeout: 600_000,
      now: () => (call.kind === "page" || call.kind === "all" ? (call.now ?? now) : now),
      random: (write?: number) => {
        const own = write === undefined ? identifiers : ofWrites[write];
        return Buffer.from(own?.next().value ?? "", "hex");
      },
    };
    // The values of the proof are of any type, before a call and after it.
    await loadAll();
    try {
      if (this.#generated !== undefined) {
        try {
          const on = this.#generated.on(transport, options);
          return { done: await this.#doneByMethods(on, this.#generated, call, transport) };
        } catch (error) {
          if (!(error instanceof NotOffered)) throw error;
        }
      }
      const all = new Client(this.#plan, transport, { ...options, numbers: "exact" });
      return { done: await this.#done(fresh(all), call, transport) };
    } catch (error) {
      if (error instanceof KeyfoldError) return { failed: { code: codeOf(error), message: error.message } };
      return { failed: { code: "fault", message: error instanceof Error ? error.stack : String(error) } };
    }
  }

  /** A call by the methods of the generated file. */
  async #doneByMethods(
    on: On,
    generated: Generated,
    call: Call,
    transport: { readonly requests: number },
  ): Promise<object> {
    const { kind, entity } = call;
    const items = (all: readonly Item[]): Given[] => all.map((one) => this.#plain(one, this.#model.entity(entity).attributes));
    switch (kind) {
      case "page":
      case "all":
        return this.#readByMethod(on, generated, call, transport);
      case "create":
      case "put":
      case "update":
      case "delete": {
        const given = generated.given(kind, entity, items([call.values])[0] ?? {}, call.remove);
        return written(await reported(generated, on.writer(entity, kind, ...given)));
      }
      case "write": {
        const { parameters = [] } = this.#model.write(call.write);
        return written(await reported(generated, on.write(call.write, this.#plain(call.arguments, parameters))));
      }
      case "transact": {
        const parts = call.writes.map((one) => this.#partByMethod(on, generated, one));
        const { operation, writes } = await transacted(generated, on.transact(parts));
        return { operation, writes: writes.map(({ changes, made }) => ({ changes, made: valuesOf(made) })) };
      }
      case "get_many": {
        const found = await on.writer(entity, "getMany", items(call.keys), { strong: call.strong });
        const shown = (found as (FoundItem | undefined)[]).map((one) => (one === undefined ? null : this.#itemOf(one, entity)));
        return { items: shown, requests: transport.requests };
      }
      case "put_many":
        return batch(await batched(generated, on.writer(entity, "putMany", items(call.items))));
      case "delete_many":
        return batch(await batched(generated, on.writer(entity, "deleteMany", items(call.keys))));
    }
  }

  /** One write of a transaction, by a method of the generated file. */
  #partByMethod(on: On, generated: Generated, call: Call): Part {
    if (call.kind === "write") {
      const { parameters = [] } = this.#model.write(call.write);
      return on.part(call.write, this.#plain(call.arguments, parameters));
    }
    const values = this.#plain(call.values, this.#model.entity(call.entity).attributes);
    return on.partOf(call.entity, call.kind, ...generated.given(call.kind, call.entity, values, call.remove));
  }

  /** The items of a pattern, by its method in the generated file. */
  async #readByMethod(
    on: On,
    generated: Generated,
    call: Call,
    transport: { readonly requests: number },
  ): Promise<object> {
    const pattern = this.#model.pattern(call.pattern);
    const args = this.#plain(call.arguments, pattern.parameters ?? []);
    const bound = await this.#bound(pattern, args);
    const after =
      call.after === null ? undefined : await cursorOf(bound, { after: call.after, now: call.now ?? undefined });
    const { backward, strong } = call;
    const options = { ...(call.limit !== null && { limit: call.limit }), ...(after !== undefined && { after }), backward, strong };
    const found = await read(generated, on, pattern, args, { ...options, isAll: call.kind === "all" });
    await loadAll();
    const position = found.next === undefined ? null : (await positionOfCursor(bound, found.next)).after;
    const items =
      found.byName === undefined ? found.items.map((item) => this.#item(pattern, item)) : this.#named(pattern, found.byName);
    return { items, next: position, requests: transport.requests };
  }

  async #done(client: Client, call: Call, transport: { readonly requests: number }): Promise<object> {
    const entity = (): EntityPlan => this.#model.entity(call.entity);
    const values = (): Given => this.#plain(call.values, entity().attributes);
    switch (call.kind) {
      case "page":
      case "all":
        return this.#read(client, call, transport);
      case "create":
        return written(await client.create(call.entity, values()));
      case "put":
        return written(await client.put(call.entity, values()));
      case "update":
        return written(await client.update(call.entity, values(), { remove: call.remove }));
      case "delete":
        return written(await client.delete(call.entity, values()));
      case "write": {
        const write = this.#model.write(call.write);
        return written(await client.write(call.write, this.#plain(call.arguments, write.parameters ?? [])));
      }
      case "transact": {
        const { operation, writes } = await client.transact(call.writes.map((one) => this.#write(one)));
        return { operation, writes: writes.map(({ changes, made }) => ({ changes, made: valuesOf(made) })) };
      }
      case "get_many": {
        const { attributes, name } = entity();
        const keys = call.keys.map((one) => this.#plain(one, attributes));
        const items = await client.getMany(name, keys, { strong: call.strong });
        const shown = items.map((one) => (one === undefined ? null : this.#itemOf(one, name)));
        return { items: shown, requests: transport.requests };
      }
      case "put_many":
        return batch(await client.putMany(call.entity, call.items.map((one) => this.#plain(one, entity().attributes))));
      case "delete_many":
        return batch(await client.deleteMany(call.entity, call.keys.map((one) => this.#plain(one, entity().attributes))));
    }
  }

  /** One write of a transaction. */
  #write(call: Call): TransactionWrite {
    if (call.kind === "write") {
      const write = this.#model.write(call.write);
      return { write: call.write, args: this.#plain(call.arguments, write.parameters ?? []) };
    }
    const values = this.#plain(call.values, this.#model.entity(call.entity).attributes);
    if (call.kind === "create") return { create: call.entity, values };
    if (call.kind === "put") return { put: call.entity, values };
    if (call.kind === "update") return { update: call.entity, values, remove: call.remove };
    return { delete: call.entity, key: values };
  }

  /** Values as a program gives them. */
  #plain(item: Item, known: readonly { readonly name: string; readonly type: Type }[]): Given {
    return Object.fromEntries(
      Object.entries(item).map(([name, value]) => {
        const type = known.find((one) => one.name === name)?.type ?? "string";
        return [name, plain(this.#model, "exact", name, type, value)];
      }),
    );
  }

  async #read(client: Client, call: Call, transport: { readonly requests: number }): Promise<object> {
    const pattern = this.#model.pattern(call.pattern);
    const args = this.#plain(call.arguments, pattern.parameters ?? []);
    const bound = await this.#bound(pattern, args);
    const after =
      call.after === null ? undefined : await cursorOf(bound, { after: call.after, now: call.now ?? undefined });
    const { backward, strong } = call;
    const options = { limit: call.limit ?? undefined, backward, strong, after };
    if (pattern.together !== undefined) {
      const byName = await client.together(pattern.name, args, options);
      await loadAll();
      return { items: this.#named(pattern, byName), next: null, requests: transport.requests };
    }
    if (call.kind === "page") {
      const { items, next, requests } = await client.page(pattern.name, args, options);
      await loadAll();
      const position = next === undefined ? null : (await positionOfCursor(bound, next)).after;
      return { items: items.map((item) => this.#item(pattern, item)), next: position, requests };
    }
    const items: object[] = [];
    let requests = 0;
    for await (const page of client.pages(pattern.name, args, options)) {
      await loadAll();
      items.push(...page.items.map((item) => this.#item(pattern, item)));
      requests += page.requests;
    }
    return { items, next: null, requests };
  }

  /** What a cursor of a call holds for. */
  async #bound(pattern: PatternPlan, args: Given): Promise<Parameters<typeof cursorOf>[0]> {
    return { plan: this.#plan, pattern, args: await argumentsOfPattern(this.#model, pattern, args), secret: SECRET };
  }

  /** Items by their names, in the order of the pattern. */
  #named(pattern: PatternPlan, byName: Readonly<Record<string, FoundItem>>): object[] {
    return pattern.returns.flatMap(({ name }) => {
      const item = byName[name];
      return item === undefined ? [] : [this.#item(pattern, item, name)];
    });
  }

  /** An item of an answer with its stored values. */
  #item(pattern: PatternPlan, item: FoundItem, name?: string): object {
    const { [this.#model.kindMember]: kind, ...members } = item as Record<string, unknown>;
    const [entity = ""] = String(kind).split(".");
    const found = this.#model.entity(entity);
    const attributes = Object.entries(members).map(([attribute, value]): [string, AttributeValue] => {
      const type = this.#model.attribute(found, attribute)?.type ?? "string";
      return [attribute, typed(this.#model, attribute, type, value)];
    });
    return { kind: name ?? this.#nameOf(pattern, String(kind)), attributes: Object.fromEntries(attributes) };
  }

  /** An entity that was read by its key, with its stored values. */
  #itemOf(item: FoundItem, name: string): object {
    return this.#item({ returns: [] as PatternPlan["returns"] } as PatternPlan, item, name);
  }

  /** The name that a pattern gives a kind. */
  #nameOf({ returns }: PatternPlan, kind: string): string {
    const found = returns.find(({ entity, copy }) => kind === (copy === undefined ? entity : `${entity}.${copy}`));
    return found?.name ?? kind;
  }
}

function written({ operation, changes, made }: Written): object {
  return { operation, changes, made: valuesOf(made) };
}

function valuesOf(made: readonly Made[]): object[] {
  return made.map((one) => ({ ...one, value: { S: one.value } }));
}

function batch({ requests, made }: BatchWritten): object {
  return { requests, made: made.map(valuesOf) };
}

/** The code of the proof for an error. */
function codeOf({ code }: KeyfoldError): string {
  switch (code) {
    case "throttled":
      return "service";
    case "too_many":
    case "unknown_item":
    case "overtaken":
    case "refused":
    case "exists":
    case "taken":
    case "not_found":
    case "stale_version":
    case "invalid":
    case "outcome_unknown":
    case "service":
    case "transport":
    case "aborted":
    case "table_differs":
    case "incomplete":
      return code;
  }
}

const first = await heard();
if (first?.plan === undefined) throw new Error("the first line has no plan");
let file: string | undefined;
if (process.argv.includes("--generated")) {
  say({ generate: "typescript" });
  file = (await heard())?.generated;
}
const subject = new Subject(first.plan, file);
say({ ready: true, several: true });
for (let line = await heard(); line !== undefined; line = await heard()) say(await subject.result(line));

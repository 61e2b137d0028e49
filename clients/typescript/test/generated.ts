/** The calls of a proof by the methods of a generated file, for `lockstep.mjs --generated`. The plan document alone
 * says which calls there are; the methods that stand for them are found in the file by their order and spelling. */

import assert from "node:assert/strict";
import { transformSync } from "esbuild";
import { Client, type Given } from "../src/client.js";
import { KeyfoldError } from "../src/error.js";
import { unload } from "../src/features.js";
import * as runtime from "../src/index.js";
import type { BatchWritten, ClientOptions, FoundItem, Made, Transacted, Transport, Written } from "../src/options.js";
import type { PatternPlan, Plan } from "../src/plan.js";

type Method = (this: object, ...given: unknown[]) => unknown;
/** The report of a write by a generated method. */
interface ByMethod extends Omit<Written, "made"> {
  readonly made: object;
}

/** A part of a transaction that a generated file makes. */
export interface Part {
  readonly write: object;
}

interface Query extends AsyncIterable<FoundItem> {
  page(options: object): Promise<{ readonly items: FoundItem[]; readonly next?: string }>;
  pages(options: object): AsyncIterable<{ readonly items: FoundItem[] }>;
  items(options: object): AsyncIterable<FoundItem>;
  all(most: number, options: object): Promise<FoundItem[]>;
  whole?(most: number, options: object): Promise<Readonly<Record<string, FoundItem | FoundItem[]>>>;
}

/** More items than an answer of a proof has. */
const MOST = 1_000_000;
/** The methods that are no pattern and no write. */
const COMMON = ["constructor", "transact", "event", "ensureTables"];

/** A call that a generated client does not have: programs make it by name. */
export class NotOffered extends Error {}

/** A mistake that a test makes in the generated file, such as `"user"=>"product"`. */
const [right = "", wrong] = process.env["KEYFOLD_MISTAKE"]?.split("=>") ?? [];

/** The letters and digits of a name: equal for `orders_of_user` and `ordersOfUser`. */
function spelled(name: string): string {
  return name.replace(/[^\p{L}0-9]/gu, "").toLowerCase();
}

/** The names of a file by those of the model, which are in the same order. */
function paired(own: readonly string[], names: readonly string[]): ReadonlyMap<string, string> {
  assert.deepEqual(own.map(spelled), names.map(spelled));
  return new Map(names.map((name, at) => [name, own[at] ?? ""]));
}

function methodsOf(of: object): string[] {
  return Object.getOwnPropertyNames(of).filter((name) => !COMMON.includes(name));
}

function call(of: object, name: string | undefined, given: readonly unknown[]): unknown {
  const method: unknown = name === undefined ? undefined : Reflect.get(of, name);
  assert.ok(typeof method === "function", `there is no ${name}`);
  return (method as Method).apply(of, given as unknown[]);
}

/** The members of a type of the file. */
function membersOf(text: string, type: string): string[] {
  const [, body = ""] = text.split(`\nexport interface ${type} {\n`);
  const lines = body.slice(0, body.indexOf("\n}")).matchAll(/^  readonly ("(?:[^"\\]|\\.)*"|[^\s?:]+)\??:/gmu);
  return [...lines].map(([, name = ""]) => (name.startsWith('"') ? (JSON.parse(name) as string) : name));
}

/** The generated file of a model. */
export class Generated {
  readonly #plan: Plan;
  readonly #class: new (transport: Transport, options: object) => Record<string, unknown>;
  readonly #patterns: ReadonlyMap<string, string>;
  readonly #writes: ReadonlyMap<string, string>;
  readonly #writers: ReadonlyMap<string, string>;
  readonly #keys: ReadonlyMap<string, readonly string[]>;
  #report: unknown;
  #turn = 0;

  constructor(plan: Plan, file: string) {
    if (wrong !== undefined) assert.ok(file.includes(right), `there is no ${right}`);
    const text = wrong === undefined ? file : file.replaceAll(right, () => wrong);
    const exported: Record<string, unknown> = {};
    const { code } = transformSync(text, { loader: "ts", format: "cjs" });
    const module = { exports: exported };
    new Function("require", "module", "exports", code)(() => this.#runtime(), module, exported);
    const of: unknown = Object.values(module.exports).find(
      (one) => typeof one === "function" && Object.hasOwn((one.prototype as object | undefined) ?? {}, "ensureTables"),
    );
    assert.ok(typeof of === "function", "a generated file exports its client");
    this.#plan = plan;
    this.#class = of as new (transport: Transport, options: object) => Record<string, unknown>;
    const patterns = (plan.patterns ?? []).map(({ name }) => name);
    const methods = methodsOf(of.prototype as object);
    // A pattern and a write may have one name.
    this.#patterns = paired(methods.slice(0, patterns.length), patterns);
    this.#writes = paired(methods.slice(patterns.length), (plan.writes ?? []).map(({ name }) => name));
    const declared = [...text.matchAll(/^  readonly (\S+): keyfold\.(?:Batch)?Writer<\s*([^;]*)>;/gmu)];
    const written = plan.entities.filter(({ view }) => view === undefined).map(({ name }) => name);
    this.#writers = paired(declared.map(([, name = ""]) => name), written);
    const keys = declared.map(([, , types = ""]) => membersOf(text, types.split(",")[1]?.trim() ?? ""));
    this.#keys = new Map(written.map((name, at) => [name, keys[at] ?? []]));
  }

  /** The runtime, whose clients load what each call needs, and say here what they return. */
  #runtime(): object {
    const watched = (client: Client): Client => this.#watched(client);
    class Watched extends Client {
      constructor(plan: Plan, transport: Transport, options: ClientOptions) {
        super(plan, transport, options);
        return watched(this);
      }
    }
    return { ...runtime, __esModule: true, Client: Watched };
  }

  /** The client of a program that has loaded nothing else. */
  #watched(client: Client): Client {
    return new Proxy(client, {
      get: (of, name) => {
        const held = Reflect.get(of, name) as unknown;
        if (typeof held !== "function") return held;
        return (...given: unknown[]): unknown => {
          unload();
          const done = (held as Method).apply(of, given);
          if (!(done instanceof Promise)) return done;
          return done.then((report: unknown) => (this.#report = report));
        };
      },
    });
  }

  /** A client for one call. */
  on(transport: Transport, options: object): On {
    const client = new this.#class(transport, options);
    const parts = client["part"] as object | undefined;
    const ofParts = parts === undefined ? [] : methodsOf(Object.getPrototypeOf(parts) as object);
    const parted = paired(ofParts, (this.#plan.writes ?? []).map(({ name }) => name));
    const writer = (entity: string): Record<string, unknown> => {
      const name = this.#writers.get(entity);
      if (name === undefined) throw new NotOffered();
      return client[name] as Record<string, unknown>;
    };
    this.#report = undefined;
    return {
      read: (name, ...given) => call(client, this.#patterns.get(name), given),
      write: (name, args) => call(client, this.#writes.get(name), [args]),
      part: (name, args) => call(parts ?? {}, parted.get(name), [args]) as Part,
      partOf: (entity, kind, ...given) => call(writer(entity)["part"] as object, kind, given) as Part,
      writer: (entity, kind, ...given) => {
        const of = writer(entity);
        if (kind.endsWith("Many") && !(kind in of)) throw new NotOffered();
        return call(of, kind, given);
      },
      transact: (all) => call(client, "transact", [all]),
    };
  }

  /** What the client under the generated one returned. */
  get report(): unknown {
    return this.#report;
  }

  /** How an answer of many items is read this time. */
  turn(): number {
    this.#turn = (this.#turn + 1) % 3;
    return this.#turn;
  }

  /** The arguments of a write of an entity: the key and the changes of an update. */
  given(kind: string, entity: string, values: Given, remove: readonly string[]): Given[] {
    if (kind !== "update") return [values];
    const inKey = (name: string): boolean => this.#keys.get(entity)?.includes(name) ?? false;
    const all = Object.entries(values);
    const changes = all.filter(([name]) => !inKey(name));
    const removed = remove.map((name) => [name, null]);
    return [Object.fromEntries(all.filter(([name]) => inKey(name))), Object.fromEntries([...changes, ...removed])];
  }
}

/** The client of a call. */
export interface On {
  read(pattern: string, ...given: unknown[]): unknown;
  write(name: string, args: Given): unknown;
  part(name: string, args: Given): Part;
  partOf(entity: string, kind: string, ...given: unknown[]): Part;
  writer(entity: string, kind: string, ...given: unknown[]): unknown;
  transact(all: readonly Part[]): unknown;
}

/** What a write made has all that its report has. */
function checkMade(made: object, report: readonly Made[]): void {
  const held = Object.values(made).flat();
  for (const { value } of report) assert.ok(held.includes(value), `${JSON.stringify(made)} has no ${value}`);
}

/** The report of a write, which that of the generated method agrees with. */
export async function reported(generated: Generated, running: unknown): Promise<Written> {
  const done = (await running) as ByMethod;
  const report = generated.report as Written;
  assert.deepEqual([done.operation, done.changes], [report.operation, report.changes]);
  checkMade(done.made, report.made);
  return report;
}

/** The same of a transaction. */
export async function transacted(generated: Generated, running: unknown): Promise<Transacted> {
  const done = (await running) as { readonly writes: readonly ByMethod[] };
  const report = generated.report as Transacted;
  assert.equal(done.writes.length, report.writes.length);
  report.writes.forEach(({ made }, at) => checkMade(done.writes[at]?.made ?? {}, made));
  return report;
}

/** The same of a batch. */
export async function batched(generated: Generated, running: unknown): Promise<BatchWritten> {
  const done = (await running) as { readonly made: readonly object[] };
  const report = generated.report as BatchWritten;
  assert.equal(done.made.length, report.made.length);
  report.made.forEach((made, at) => checkMade(done.made[at] ?? {}, made));
  return report;
}

/** The items of a call of a pattern, and the cursor behind them. */
export async function read(
  generated: Generated,
  on: On,
  { name, returns, together }: PatternPlan,
  args: Given,
  options: { readonly limit?: number; readonly after?: string; readonly isAll: boolean },
): Promise<{ readonly items: readonly FoundItem[]; readonly next?: string; readonly byName?: Readonly<Record<string, FoundItem>> }> {
  const { isAll, ...chosen } = options;
  const isSingle = returns.length === 1 && returns[0]?.many !== true;
  if (together !== undefined) {
    return { items: [], byName: (await on.read(name, args, chosen)) as Record<string, FoundItem> };
  }
  if (isSingle) {
    if (chosen.limit !== undefined || chosen.after !== undefined) throw new NotOffered();
    try {
      const item = (await on.read(name, args, chosen)) as FoundItem | undefined;
      return { items: item === undefined ? [] : [item] };
    } catch (error) {
      // A page of an item that is promised is empty.
      if (error instanceof KeyfoldError && error.message === `${name}: no item`) return { items: [] };
      throw error;
    }
  }
  const query = on.read(name, args) as Query;
  if (!isAll) return query.page(chosen);
  if (query.whole !== undefined && chosen.limit === undefined) {
    return { items: await whole(generated, returns, query.whole(MOST, chosen)) };
  }
  const items: FoundItem[] = [];
  switch (generated.turn()) {
    case 0:
      for await (const page of query.pages(chosen)) items.push(...page.items);
      return { items };
    case 1:
      for await (const item of query.items(chosen)) items.push(item);
      return { items };
    default:
      return { items: await query.all(MOST, chosen) };
  }
}

/** The items of a whole answer, in the order in which they were found. */
async function whole(generated: Generated, returns: PatternPlan["returns"], running: Promise<object>): Promise<FoundItem[]> {
  const kindOf = ({ entity, copy }: (typeof returns)[number]): string => (copy === undefined ? entity : `${entity}.${copy}`);
  let found: object;
  try {
    found = await running;
  } catch (error) {
    const all = generated.report as FoundItem[] | undefined;
    if (!(error instanceof KeyfoldError) || error.code !== "not_found" || all === undefined) throw error;
    const single = returns.filter(({ many, optional }) => many !== true && optional !== true);
    assert.ok(single.some((one) => !all.some((item) => Object.values(item).includes(kindOf(one)))), "all single items are there");
    return all;
  }
  const all = generated.report as FoundItem[];
  const entries = Object.entries(found) as [string, FoundItem | FoundItem[]][];
  const items = new Set(entries.flatMap(([, held]) => held));
  assert.equal(items.size, all.length);
  for (const item of all) assert.ok(items.has(item), "a whole answer has all items");
  assert.equal(entries.filter(([, held]) => Array.isArray(held)).length, returns.filter(({ many }) => many === true).length);
  for (const one of returns) {
    const own = all.filter((item) => Object.values(item).includes(kindOf(one)));
    const start = spelled(one.copy === undefined ? one.entity : kindOf(one)).slice(0, -1);
    const [name, held] = entries.find(([, of]) => [of].flat().some((item) => own.includes(item))) ?? [];
    if (name === undefined) continue;
    assert.ok(spelled(name).startsWith(start), `${name} holds ${start}`);
    assert.deepEqual(held, one.many === true ? own : own[0]);
  }
  return all;
}

/** What a write makes where the caller does not give it, identifiers and moments, by the names that generated clients
 * have for it; and the parts of a transaction, which know what they make. */

import type { Client, Given } from "./client.js";
import type { CallOptions, Made, OneOfSeveral, Transacted, TransactionWrite, Written } from "./options.js";

/** Of a write that makes nothing. */
export type NothingMade = Readonly<Record<never, never>>;

/** A value: its entity and attribute as a report names them, where the caller may give it, the argument for each
 * element of which it is made, and the argument that gives it where that has another name. */
export type MadeMember = readonly [
  entity: string,
  attribute: string,
  given: "argument" | "element" | "never",
  each?: string | undefined,
  argument?: string,
];

/** What writes make, by the names that generated types have for it. */
export type MadeTable = Readonly<Record<string, Readonly<Record<string, MadeMember>>>>;

/** A write as a part of a transaction. */
export interface Part<M = unknown> {
  readonly write: TransactionWrite;
  /** What it made, of its report. */
  made(this: void, made: readonly Made[]): Promise<M>;
}

/** A named write as a part of a transaction. */
export interface NamedPart<M> extends Part<M> {
  readonly write: { readonly write: string; readonly args: Given };
}

/** Parts that make these. */
export type Parted<M extends readonly unknown[]> = readonly [...{ readonly [At in keyof M]: Part<M[At]> }];

/** The report of a transaction whose parts make these. */
export type Done<M extends readonly unknown[]> = Transacted<{ readonly [At in keyof M]: OneOfSeveral<M[At]> }>;

/** What a write made, of its report. The code is loaded for a write that makes something. */
export async function madeOf<M>(table: MadeTable, of: string, args: Given, made: readonly Made[]): Promise<M> {
  if (!Object.hasOwn(table, of)) return {} as M;
  const { valuesMade } = await import("./write/all.js");
  return valuesMade(table[of] ?? {}, args, made) as M;
}

/** A named write as a part of a transaction. */
export function part<M = NothingMade>(write: string, args: Given, table: MadeTable = {}): NamedPart<M> {
  return { write: { write, args }, made: (made) => madeOf(table, write, args, made) };
}

/** Runs a named write. */
export async function run<M>(
  client: Client,
  { write: { write, args }, made }: NamedPart<M>,
  options?: CallOptions,
): Promise<Written<M>> {
  const done = await client.write(write, args, options);
  return { ...done, made: await made(done.made) };
}

/** Carries several writes out in one transaction. */
export async function transact<M extends readonly unknown[]>(
  client: Client,
  parts: Parted<M>,
  options?: CallOptions,
): Promise<Done<M>> {
  return (await import("./several.js")).transactedParts<M>(client, parts, options);
}

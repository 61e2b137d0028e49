/** The handle by which a call asks. Reads and writes do no I/O of their own: a driver sends what they ask,
 * and a test plays the database. */

import { detailOf } from "./error.js";
import type { AttributeValue, Item } from "./plan.js";

/** A row of consumed capacity. */
export interface Consumed {
  readonly CapacityUnits?: number;
}

/** One write of a batch. */
export interface WriteRequest {
  readonly PutRequest?: { readonly Item: Item };
  readonly DeleteRequest?: { readonly Key: Item };
}

/** The body of an answer, as far as reads and writes look at it. */
export interface Answer {
  readonly Item?: Item;
  readonly Items?: readonly Item[];
  readonly LastEvaluatedKey?: Item;
  readonly Responses?: unknown;
  readonly UnprocessedKeys?: Readonly<Record<string, object>>;
  readonly UnprocessedItems?: Readonly<Record<string, readonly WriteRequest[]>>;
  readonly ConsumedCapacity?: Consumed | readonly Consumed[];
}

/** The handle of a call. */
export interface Io {
  /** The moment of the call, milliseconds since 1970. */
  readonly now: number;
  /** What the random bits of the next identifier are: 16 bytes, which are looked at where they are used. */
  random(): Uint8Array;
  /** The handle of one write of a transaction, from 0, whose random bits are its own. */
  ofPart(number: number): Io;
  /** Asks a request. Requests that are asked at the same time may be sent at the same time. */
  ask(operation: string, input: object): Promise<Answer>;
  /** Whether the call has ended: what is asked then is not sent. */
  over(): boolean;
  /** The units of capacity that all answers of the call report. */
  spent(): number;
  /** Waits any number of milliseconds between the two, so that writers of one item take turns. */
  pause(least: number, most: number): Promise<void>;
  /** The compressed values of this call by their JSON: an unchanged one keeps its bytes. */
  readonly packed: Map<string, AttributeValue>;
}

/** Whether an answer reports the capacity of its request. */
export const REPORTED = { ReturnConsumedCapacity: "TOTAL" } as const;

/** The units that an answer reports. */
export function unitsOf(answer: Answer): number {
  const rows: readonly Consumed[] = answer.ConsumedCapacity === undefined ? [] : [answer.ConsumedCapacity].flat();
  return rows.reduce((sum, row) => sum + (row.CapacityUnits ?? 0), 0);
}

/** The exception of a service's refusal; `undefined` for another error. */
export function exceptionOf(error: unknown): string | undefined {
  const detail = detailOf(error);
  return detail?.code === "service" || detail?.code === "throttled" ? detail.exception : undefined;
}

/** Whether the table of a request does not exist. */
export function isNoTable(error: unknown): boolean {
  return exceptionOf(error) === "ResourceNotFoundException";
}

/** The codes of the reasons of a cancelled transaction. */
export function reasonCodes(error: unknown): readonly string[] {
  const detail = detailOf(error);
  return detail?.code === "service" ? detail.reasons.map((reason) => reason.code) : [];
}

/** Whether another transaction was using an item: a write may be tried again once it has read the item
 * again. */
export function isConflict(error: unknown): boolean {
  const exception = exceptionOf(error);
  return (
    exception === "TransactionConflictException" ||
    (exception === "TransactionCanceledException" && reasonCodes(error).includes("TransactionConflict"))
  );
}

/** How the names of operations that change nothing begin: `DescribeTimeToLive` and `DescribeContinuousBackups`, too. */
const READS = /^(?:(?:Batch|Transact)?Get|Describe|List|Query|Scan)/;

/** Whether an operation changes nothing. */
export function isRead(operation: string): boolean {
  return READS.test(operation);
}

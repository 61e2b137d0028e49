/** What callers give and get: connections, options, pages and reports. */

import type { Given } from "./arguments.js";
import type { AttributeValue, Item } from "./plan.js";

/** Credentials of AWS. */
export interface Credentials {
  readonly accessKeyId: string;
  readonly secretAccessKey: string;
  readonly sessionToken?: string | undefined;
  readonly expiration?: Date | undefined;
}

/** A function that returns credentials, such as those of `@aws-sdk/credential-providers`. */
export type CredentialProvider = () => Promise<Credentials>;

/** Sends one request of DynamoDB's API and returns the body of its answer. */
export interface Transport {
  /** Rejects with a `KeyfoldError` of the code `service`, `throttled`, `transport`,
   * `outcome_unknown` or `aborted`. Another error, and what is no answer of DynamoDB's to the request, is `transport` of a
   * read and `outcome_unknown` of a write. Nothing is sent again. */
  call(operation: string, input: object, signal?: AbortSignal): Promise<object>;
}

/** An endpoint and how it is used. */
export interface Endpoint {
  /** `http://127.0.0.1:8000`; by default that of Amazon DynamoDB in the region. */
  readonly endpoint?: string;
  /** The region of signatures; by default that of the environment, or `us-east-1`. */
  readonly region?: string;
  /** By default those of the environment; `local` at an endpoint that is not Amazon's. */
  readonly credentials?: Credentials | CredentialProvider;
  /** Replaces the global `fetch`. */
  readonly fetch?: typeof fetch;
}

/** The part of a client of `@aws-sdk/client-dynamodb` whose settings are used. */
export interface AwsClient {
  readonly config: {
    readonly region: string | (() => Promise<string>);
    readonly credentials: Credentials | CredentialProvider;
    readonly endpoint?: unknown;
  };
}

/** Where requests go: a text, an endpoint, a client of the AWS SDK, or a transport.
 *
 * `http://127.0.0.1:8000`, `https://..`, `dynamodb://eu-west-1`. `connect` of
 * `@keyfold/client/node` also takes `dynamodb://eu-west-1?profile=prod` and `keyfold:./data`. */
export type Connection = string | Endpoint | AwsClient | Transport;

/** A request that was sent, for logs and traces. */
export interface RequestEvent {
  /** The pattern, write or entity of the call. */
  readonly call: string;
  readonly operation: string;
  readonly input: object;
  readonly milliseconds: number;
  /** The units of capacity that the answer reports, where it does. */
  readonly capacity?: number;
  /** The error, where there was one. */
  readonly error?: unknown;
}

/** The value of a span's attribute. */
export type SpanValue = string | number | boolean | string[];

/** The part of OpenTelemetry's `Span` that is used. */
export interface Span {
  setAttribute(name: string, value: SpanValue): unknown;
  setStatus(status: { code: number; message?: string }): unknown;
  end(): void;
}

/** The part of OpenTelemetry's `Tracer` that is used: `trace.getTracer("shop")` is one. */
export interface Tracer {
  startActiveSpan<T>(
    name: string,
    options: { kind?: number; attributes?: Record<string, SpanValue | undefined> },
    call: (span: Span) => T,
  ): T;
}

/** Options of a client. */
export interface ClientOptions {
  /** How numbers are given: `number` refuses a stored number with more digits than it keeps,
   * `exact` gives `bigint` for `int` and a decimal text for `number`. */
  readonly numbers?: "number" | "exact";
  /** What becomes of an item that the model does not know: of another kind, without an attribute that it must
   * have, or with one of another type. */
  readonly onUnknown?: "error" | "skip";
  /** Signs cursors, so that a changed one is refused. */
  readonly cursorSecret?: string;
  /** The most milliseconds of a call, retries included; 30,000 by default. */
  readonly timeout?: number | null;
  /** How often a request is sent again where that is safe; 3 by default. */
  readonly retries?: number;
  /** Called after each request. An error that it throws is dropped: the call goes on. */
  readonly onRequest?: (event: RequestEvent) => void;
  /** Makes a span of each call and of each request in it. Its errors are dropped, too. */
  readonly tracing?: Tracer;
  /** The clock, milliseconds since 1970. */
  readonly now?: () => number;
  /** 16 random bytes, of which an identifier is made; `write` is the number of the write of a transaction. */
  readonly random?: (write?: number) => Uint8Array;
}

/** The kinds of calls: each has options of its own. */
export type CallKind = "read" | "many" | "write" | "update" | "event";

/** Options of each call. */
export interface CallOptions {
  /** Ends the call. */
  readonly signal?: AbortSignal | undefined;
  /** The most milliseconds of the call, instead of the client's. */
  readonly timeout?: number | undefined;
}

/** Options of a read. */
export interface ReadOptions extends CallOptions {
  /** The most items of a page, instead of the pattern's. */
  readonly limit?: number | undefined;
  /** The `next` of the page before. */
  readonly after?: string | null | undefined;
  /** Whether the items come against the pattern's order. */
  readonly backward?: boolean | undefined;
  /** Whether to read with strong consistency; not offered by global indexes. */
  readonly strong?: boolean | undefined;
}

/** Options of a read by many keys. */
export interface ManyOptions extends CallOptions {
  /** Whether to read with strong consistency. */
  readonly strong?: boolean | undefined;
}

/** One write of a transaction: an entity's, or a named one with its arguments. */
export type TransactionWrite =
  | { readonly create: string; readonly values: Given }
  | { readonly put: string; readonly values: Given }
  | {
      readonly update: string;
      readonly values: Given;
      readonly remove?: readonly string[] | undefined;
      /** The key, where it is given apart from the values. */
      readonly key?: Given | undefined;
    }
  | { readonly delete: string; readonly key: Given }
  | { readonly write: string; readonly args?: Given | undefined };

/** The effect of a transaction. */
export interface Transacted<W = readonly OneOfSeveral[]> {
  /** `TransactWriteItems`; the operation of the one item where only one changes; `GetItem` when nothing had to be
   * written. */
  readonly operation: string;
  readonly capacity: number;
  /** The effect of each write, in their order. */
  readonly writes: W;
}

/** The effect of one write of a transaction. */
export interface OneOfSeveral<M = readonly Made[]> {
  /** The change of each item. An item that several writes change is the first one's. */
  readonly changes: readonly string[];
  readonly made: M;
}

/** The effect of a batch that was written as a whole. */
export interface BatchWritten<M = readonly Made[]> {
  readonly requests: number;
  readonly capacity: number;
  /** For each item, the attributes that were not given and were made. */
  readonly made: readonly M[];
}

/** Options of an update. */
export interface UpdateOptions extends CallOptions {
  /** Attributes to remove. An attribute with the value `null` is removed, too. */
  readonly remove?: readonly string[] | undefined;
  /** The key, where it is given apart from the changes: it has no other attribute than those that identify an
   * item, and the version that the item must have; the changes have none of them. */
  readonly key?: Readonly<Record<string, unknown>> | undefined;
}

/** An item of an answer, told apart from others by `kind`. */
export type FoundItem = { readonly kind: string } & Readonly<Record<string, unknown>>;

/** A page of an answer. */
export interface Page<T = FoundItem> {
  readonly items: T[];
  /** The cursor of the next page, which may be given to a browser; absent at the end. */
  readonly next?: string;
  /** The number of requests. */
  readonly requests: number;
  /** The units of capacity that the answer reports. */
  readonly capacity: number;
}

/** An attribute that was not given and was made: the present moment or a new identifier. */
export interface Made {
  readonly entity: string;
  /** Behind the alias of an action that has one: `first.accountId`. */
  readonly attribute: string;
  readonly value: unknown;
}

/** The report of a write. */
export interface Written<M = Made[]> {
  /** `PutItem`, `UpdateItem`, `DeleteItem` or `TransactWriteItems`; `GetItem` when nothing had to be
   * written. */
  readonly operation: string;
  /** The change of each item: `put Order`, `delete the guard of email`. */
  readonly changes: string[];
  readonly capacity: number;
  readonly made: M;
}

/** A stream record as an entity: `old` is absent when it was created, `new` when it was deleted. */
export interface EntityEvent<T = FoundItem> {
  /** The entity, or `Entity.copy`. */
  readonly kind: string;
  readonly old?: T;
  readonly new?: T;
}

/** Options of the reading of a stream record. */
export interface EventOptions {
  /** What becomes of an item that the model does not know, instead of the client's. */
  readonly onUnknown?: "error" | "skip" | undefined;
  /** Whether the records of copies are events, too. */
  readonly copies?: boolean | undefined;
}

/** The same where those of copies are none. */
export interface EntityEventOptions extends EventOptions {
  readonly copies?: false | undefined;
}

/** A record of a stream: as a reader of streams, an event of Lambda or JSON has it. Its images, and the table
 * that `eventSourceARN` names, say what changed; the other members are those of the service. */
export interface StreamRecord {
  readonly dynamodb?: StreamImages | undefined;
  readonly eventSourceARN?: string | undefined;
  readonly eventName?: string | undefined;
  readonly eventID?: string | undefined;
  readonly eventVersion?: string | undefined;
  readonly eventSource?: string | undefined;
  readonly awsRegion?: string | undefined;
  readonly userIdentity?: unknown;
}

/** The change that a record of a stream reports. */
export interface StreamImages {
  readonly Keys?: unknown;
  readonly OldImage?: unknown;
  readonly NewImage?: unknown;
  /** A `Date` of a reader, seconds of Lambda. */
  readonly ApproximateCreationDateTime?: unknown;
  readonly SequenceNumber?: string | undefined;
  readonly SizeBytes?: number | undefined;
  readonly StreamViewType?: string | undefined;
}

/** The outcome for a table. */
export interface TableOutcome {
  readonly table: string;
  readonly outcome: "created" | "existing";
}

export type { AttributeValue, Item };

/** A number as decimal text of up to 38 digits, as `exact` gives it: `12345678901234567890.5`. */
export type Decimal = string & { readonly [decimal]: true };

declare const decimal: unique symbol;

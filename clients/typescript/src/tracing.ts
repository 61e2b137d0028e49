/** Spans of OpenTelemetry: one for each call, and in it one for each of its requests, with the attributes of the
 * semantic conventions for DynamoDB. */

import { detailOf } from "./error.js";
import { type Answer, unitsOf } from "./io.js";
import { tablesOf } from "./request-errors.js";
import type { Span, SpanValue, Tracer } from "./options.js";

/** The numbers of OpenTelemetry: kinds of spans, and the status of an error. */
const INTERNAL = 0;
const CLIENT = 2;
const ERROR = 2;

/** Runs a call in a span. */
export function inCall<T>(tracer: Tracer, name: string, call: () => Promise<T>): Promise<T> {
  const options = { kind: INTERNAL, attributes: { "db.system.name": "aws.dynamodb", "keyfold.call": name } };
  return inSpan(tracer, `keyfold ${name}`, options, call);
}

type SpanOptions = Parameters<Tracer["startActiveSpan"]>[1];

/** Runs what a span is about. An error of the tracer is no error of the call, and is dropped. */
function inSpan<T>(tracer: Tracer, title: string, options: SpanOptions, call: (span?: Span) => Promise<T>): Promise<T> {
  let result: Promise<T> | undefined;
  dropped(() => tracer.startActiveSpan(title, options, (span) => (result ??= ended(span, () => call(span)))));
  return result ?? call();
}

/** Does what may fail without a consequence. */
function dropped(task: () => unknown): void {
  try {
    task();
  } catch {
    // Dropped.
  }
}

/** Sends a request in a span, which lasts until its answer, with all attempts. */
export function inRequest(
  tracer: Tracer,
  call: string,
  operation: string,
  input: object,
  send: () => Promise<Answer>,
): Promise<Answer> {
  const names = tablesOf(operation, input);
  const attributes = {
    "db.system.name": "aws.dynamodb",
    "db.operation.name": operation,
    "rpc.system": "aws-api",
    "rpc.service": "DynamoDB",
    "rpc.method": operation,
    "keyfold.call": call,
    ...(names.length > 0 && { "aws.dynamodb.table_names": names }),
    ...(names.length === 1 && { "db.collection.name": names[0] }),
    ...memberAttributes(input),
  };
  const title = names.length === 1 ? `${operation} ${names[0]}` : operation;
  return inSpan(tracer, title, { kind: CLIENT, attributes }, async (span) => {
    const answer = await send();
    dropped(() => span?.setAttribute("keyfold.capacity_units", unitsOf(answer)));
    return answer;
  });
}

/** Ends a span with what it is about, which fails as that does. */
async function ended<T>(span: Span, call: () => Promise<T>): Promise<T> {
  try {
    return await call();
  } catch (error) {
    const detail = detailOf(error);
    const exception = detail?.code === "service" ? detail.exception : detail?.code;
    dropped(() => span.setAttribute("error.type", exception ?? (error instanceof Error ? error.name : "_OTHER")));
    dropped(() => span.setStatus({ code: ERROR, message: error instanceof Error ? error.message : String(error) }));
    throw error;
  } finally {
    dropped(() => span.end());
  }
}

/** The members of a request that the conventions name. */
function memberAttributes(input: object): Record<string, SpanValue> {
  const names = { IndexName: "index_name", ConsistentRead: "consistent_read", Limit: "limit", ScanIndexForward: "scan_forward" };
  const made: Record<string, SpanValue> = {};
  for (const [member, name] of Object.entries(names)) {
    const value = (input as Readonly<Record<string, SpanValue | undefined>>)[member];
    if (value !== undefined) made[`aws.dynamodb.${name}`] = value;
  }
  return made;
}

// Bundlers then keep all that a program loads at once in one file.
export { Client } from "./client.js";

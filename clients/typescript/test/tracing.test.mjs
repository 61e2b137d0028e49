/** Spans, with OpenTelemetry's own SDK in memory. */

import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { context, trace } from "@opentelemetry/api";
import { AsyncLocalStorageContextManager } from "@opentelemetry/context-async-hooks";
import { BasicTracerProvider, InMemorySpanExporter, SimpleSpanProcessor } from "@opentelemetry/sdk-trace-base";
import { planOf } from "./model.mjs";
import { source } from "./source.mjs";

const { Client, connect } = await source("client.js", "transport/node.js");
const exporter = new InMemorySpanExporter();
const provider = new BasicTracerProvider({ spanProcessors: [new SimpleSpanProcessor(exporter)] });
context.setGlobalContextManager(new AsyncLocalStorageContextManager().enable());
trace.setGlobalTracerProvider(provider);

const PLAN = planOf(`
model notes 1
table Notes (PK, SK)
entity Note
  id: string, author: string, name: string
  key "NOTE#{author}" "{id}"
  unique name
pattern notes(author) -> Note[] page 5
`);

let server;
let client;
before(async () => {
  server = await connect("memory:");
  client = new Client(PLAN, server, { tracing: trace.getTracer("test") });
  await client.ensureTables();
});
after(() => server.close());

/** The spans of what is called, the outer ones first. */
async function spansOf(call) {
  exporter.reset();
  const outcome = await trace.getTracer("program").startActiveSpan("program", async (span) => {
    try {
      return await call();
    } catch (error) {
      return error;
    } finally {
      span.end();
    }
  });
  return [outcome, exporter.getFinishedSpans().toReversed()];
}

test("a call has a span, and each of its requests has one in it", async () => {
  const note = { id: "1", author: "ada", name: "first" };
  const [, [program, call, request]] = await spansOf(() => client.create("Note", note));
  assert.deepEqual([call.name, request.name], ["keyfold create Note", "TransactWriteItems Notes"]);
  assert.deepEqual([call.kind, request.kind], [0, 2]);
  assert.equal(request.parentSpanContext.spanId, call.spanContext().spanId);
  assert.equal(call.parentSpanContext.spanId, program.spanContext().spanId);
  const { "keyfold.capacity_units": units, ...attributes } = request.attributes;
  assert.ok(units > 0);
  assert.deepEqual(attributes, {
    "db.system.name": "aws.dynamodb",
    "db.operation.name": "TransactWriteItems",
    "db.collection.name": "Notes",
    "rpc.system": "aws-api",
    "rpc.service": "DynamoDB",
    "rpc.method": "TransactWriteItems",
    "keyfold.call": "create Note",
    "aws.dynamodb.table_names": ["Notes"],
  });
  const [, [, , query]] = await spansOf(() => client.page("notes", { author: "ada" }, { strong: true, backward: true }));
  assert.equal(query.name, "Query Notes");
  const { attributes: of } = query;
  assert.deepEqual([of["aws.dynamodb.limit"], of["aws.dynamodb.consistent_read"], of["aws.dynamodb.scan_forward"]], [5, true, false]);
});

test("a refusal is an error of its span", async () => {
  const [error, [, call, request]] = await spansOf(() => client.create("Note", { id: "1", author: "ada", name: "other" }));
  assert.equal(error.code, "exists");
  assert.deepEqual([call.status.code, call.attributes["error.type"]], [2, "exists"]);
  assert.deepEqual([request.status.code, request.attributes["error.type"]], [2, "TransactionCanceledException"]);
});

test("without a tracer there is no span", async () => {
  const [, spans] = await spansOf(() => new Client(PLAN, server).page("notes", { author: "ada" }));
  assert.equal(spans.length, 1);
});

test("a tracer that fails fails no call", async () => {
  const fails = () => assert.fail("tracer");
  const span = { setAttribute: fails, setStatus: fails, end: fails };
  for (const tracing of [
    { startActiveSpan: fails },
    { startActiveSpan: (name, options, call) => call(span) },
    { startActiveSpan: (name, options, call) => void call(span) },
  ]) {
    const traced = new Client(PLAN, server, { tracing });
    await traced.put("Note", { id: "2", author: "bob", name: "second" });
    assert.equal((await traced.page("notes", { author: "bob" })).items.length, 1);
    await assert.rejects(traced.create("Note", { id: "2", author: "bob", name: "second" }), { code: "exists" });
  }
});

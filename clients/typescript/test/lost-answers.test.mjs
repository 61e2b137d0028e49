/** Answers that are not DynamoDB's: something between the client and the service has answered in its place, perhaps
 * after the service has carried the request out. A read and a transaction are sent again; a write without a token
 * ends with `outcome_unknown`, and is sent once. */

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { createServer as createHttp } from "node:http";
import { createServer as createTcp } from "node:net";
import { after, before, test } from "node:test";
import { crc32 } from "node:zlib";
import { counted, planOf } from "./model.mjs";
import { source } from "./source.mjs";

const { Client, KeyfoldError, awsTransport, startServer, transportOf } = await source(
  "client.js",
  "error.js",
  "transport/aws.js",
  "transport/connect.js",
  "transport/node.js",
);

const PLAN = planOf(`
model lost 1
table Main (PK, SK)
entity Note
  id: string, text: string
  key "NOTE#{id}" "NOTE"
entity Person
  id: string, email: string
  key "PERSON#{id}" "PERSON"
  unique email
pattern note(id) -> Note?
pattern person(id) -> Person?
pattern notes() -> Note[] scan
`);

const HTML = "<html><body>no</body></html>";
/** Statuses of something else than DynamoDB, with the body `{}` of a write that is done, too. */
const OTHER_STATUSES = [201, 202, 203, 204, 205, 206, 300, 301, 302, 303, 304, 305, 307, 308].flatMap((status) =>
  status === 204 || status === 205 || status === 304 ? [[status, ""]] : [[status, "{}"], [status, HTML]],
);
/** An error's status without an error of DynamoDB's. */
const OTHER_ERRORS = [400, 401, 403, 404, 407, 408, 413, 425, 429, 499, 500, 502, 503, 504, 599].flatMap((status) => [
  ...[[status, HTML], [status, ""], [status, "{}"], [status, '{"message":"no"}'], [status, '{"__type":5}']],
  [status, '{"__type":"x#TransactionCanceledException","CancellationReasons":[null]}'],
]);
/** No object of JSON. */
const NO_OBJECTS = ["", HTML, "null", "5", '"text"', "[]", "[{}]", '{"Item":{"a":{"S":"x"}}', '{"Attributes":{', "{}{}"].map(
  (body) => [200, body],
);
/** Values that are no attribute values. */
const NO_VALUES = [
  ...[5, "x", null, [], [{ S: "x" }], {}, { S: 5 }, { S: null }, { N: 5 }, { N: "five" }, { N: "" }, { B: 5 }, { B: "%" }],
  ...[{ B: "A" }, { BOOL: "true" }, { BOOL: 1 }, { NULL: "x" }, { NULL: null }, { L: {} }, { L: "x" }, { L: [5] }],
  ...[{ L: [{ S: 5 }] }, { M: [] }, { M: "x" }, { M: { b: 5 } }, { M: { b: { L: [{ N: 5 }] } } }, { SS: "x" }, { SS: {} }],
  ...[{ SS: [5] }, { NS: [5] }, { NS: ["x"] }, { BS: [5] }, { BS: ["%"] }, { S: "x", N: "1" }, { X: "x" }, { toString: "x" }],
];
const NO_ITEMS = [5, "x", true, [], [{}], ...NO_VALUES.map((one) => ({ a: one }))];
const NO_LISTS = [5, "x", null, {}, [null], ...NO_ITEMS.map((one) => [one])];
const NO_CAPACITY = [7, "x", true, [7], [null], { CapacityUnits: "1" }, [{ CapacityUnits: {} }]];
/** A member of an answer with values that it never has, and the members that the answer has beside it. */
const WRONG = (name, values, beside = {}) => values.map((value) => ({ [name]: value, ...beside }));
const capacity = (beside) => WRONG("ConsumedCapacity", NO_CAPACITY, beside);
const pages = [
  ...[...WRONG("Items", NO_LISTS), ...WRONG("Items", NO_LISTS, { Count: 1 }), ...capacity({ Items: [], Count: 0 })],
  ...WRONG("LastEvaluatedKey", NO_ITEMS, { Items: [], Count: 0 }),
  ...[...WRONG("Count", ["1", {}], { Items: [] }), { Items: null, Count: 0 }],
];
const written = [...WRONG("Attributes", NO_ITEMS), ...capacity()];
const tables = (name) => WRONG(name, [5, "x", null, []]);
const WRONG_MEMBERS = {
  GetItem: [...WRONG("Item", NO_ITEMS), ...capacity()],
  Query: pages,
  Scan: pages,
  BatchGetItem: [
    ...WRONG("Responses", [5, "x", null, [], [{}], ...NO_LISTS.map((one) => ({ Main: one }))]),
    ...WRONG("UnprocessedKeys", [5, "x", [], { Main: 5 }, { Main: [] }], { Responses: {} }),
    ...capacity({ Responses: {} }),
  ],
  TransactGetItems: [
    ...WRONG("Responses", [5, "x", null, {}, [5], [null], [[]], ...NO_ITEMS.map((one) => [{}, { Item: one }])]),
    ...capacity({ Responses: [{}, {}] }),
  ],
  BatchWriteItem: [
    ...WRONG("UnprocessedItems", [5, "x", null, [], { Main: 5 }, { Main: {} }, { Main: [5] }, { Main: [null] }]),
    ...capacity({ UnprocessedItems: {} }),
  ],
  PutItem: written,
  UpdateItem: written,
  DeleteItem: written,
  TransactWriteItems: capacity(),
  DescribeTable: tables("Table"),
  CreateTable: tables("TableDescription"),
  DescribeTimeToLive: tables("TimeToLiveDescription"),
  UpdateTimeToLive: tables("TimeToLiveSpecification"),
  DescribeContinuousBackups: tables("ContinuousBackupsDescription"),
  ListTagsOfResource: WRONG("Tags", [5, "x", null, {}, [5]]),
  ListTables: WRONG("TableNames", [5, "x", null, {}]),
};
/** An answer of DynamoDB's to each operation. */
const FINE = {
  GetItem: { Item: { a: { M: { b: { L: [{ NULL: true }, { BS: ["AAE=", ""] }, { NS: ["-1.5E+3"] }, { BOOL: false }] } } } } },
  Query: { Items: [{}], Count: 1, LastEvaluatedKey: { a: { B: "" } }, ConsumedCapacity: { TableName: "Main", CapacityUnits: 0.5 } },
  Scan: { Items: [], Count: 0, ScannedCount: 0 },
  BatchGetItem: { Responses: { Main: [{ a: { S: "" } }] }, UnprocessedKeys: { Main: { Keys: [] } }, ConsumedCapacity: [{}] },
  TransactGetItems: { Responses: [{}, { Item: { a: { SS: ["x"] } } }] },
  BatchWriteItem: { UnprocessedItems: { Main: [{ DeleteRequest: { Key: {} } }] } },
  PutItem: {},
  UpdateItem: { Attributes: { a: { N: "0" }, __proto: { L: [] } } },
  DeleteItem: { ConsumedCapacity: { CapacityUnits: 1, Table: { CapacityUnits: 1 } } },
  TransactWriteItems: { ConsumedCapacity: [{ CapacityUnits: 2 }] },
  DescribeTable: { Table: {} },
  CreateTable: { TableDescription: {} },
  DescribeTimeToLive: { TimeToLiveDescription: {} },
  UpdateTimeToLive: { TimeToLiveSpecification: {} },
  DescribeContinuousBackups: { ContinuousBackupsDescription: {} },
  ListTagsOfResource: { Tags: [{ Key: "a", Value: "b" }] },
  ListTables: { TableNames: ["Main"] },
};
const { requests: REQUESTS } = JSON.parse(readFileSync(new URL("../../cases/answers.json", import.meta.url), "utf8"));
const WRITES = /^(?:Put|Update|Delete|Create|BatchWrite)/;

/** The service, and a program before it that answers in its place. */
let service;
let proxy;
/** What the proxy does with the requests of a case, by the name that stands in their bodies: it answers the `next` one
 * itself once the service has carried it out, and keeps in `came` the operations and tokens of all. */
const played = new Map();

/** Begins a case, in which the next answer is lost. */
function losing(name, next) {
  const one = { next, came: [] };
  played.set(name, one);
  return one;
}

before(async () => {
  service = await startServer();
  const server = createHttp(async (request, response) => {
    let body = "";
    for await (const chunk of request.setEncoding("utf8")) body += chunk;
    const one = played.get(/case-\d+/.exec(body)?.[0] ?? "");
    const { authorization, "x-amz-date": date, "x-amz-target": target } = request.headers;
    one.came.push([target.split(".")[1], JSON.parse(body).ClientRequestToken]);
    const [status, other, more = {}] = one.next ?? [];
    one.next = undefined;
    const headers = { authorization, "x-amz-date": date, "x-amz-target": target, "content-type": "application/x-amz-json-1.0" };
    const answer = await fetch(service.endpoint, { method: "POST", headers, body });
    const text = await answer.text();
    response.writeHead(status ?? answer.status, { location: `${proxy.url}elsewhere`, ...more });
    response.end(other ?? text);
  });
  await new Promise((resolve) => server.listen(0, "127.0.0.1", resolve));
  proxy = { server, url: `http://127.0.0.1:${server.address().port}/` };
  await new Client(PLAN, service.endpoint).ensureTables();
});
after(async () => {
  proxy.server.closeAllConnections();
  await new Promise((resolve) => proxy.server.close(resolve));
  await service.stop();
});

/** The ways of requests: Node's own, and a program's `fetch`. */
const WAYS = [
  ["Node's own way", () => proxy.url],
  ["a program's fetch", () => ({ endpoint: proxy.url, fetch: (...all) => fetch(...all) })],
];

for (const [way, connection] of WAYS) {
  test(`a request whose answer is not DynamoDB's was perhaps carried out, by ${way}`, async () => {
    const plain = transportOf(connection(), { retries: 1 });
    const client = new Client(PLAN, plain);
    const whole = new Client(PLAN, service.endpoint);
    const check = async (lost, at) => {
      const text = JSON.stringify(lost);
      const id = `case-${at}`;
      await whole.put("Note", { id, text: "old" });
      let { came } = losing(id, lost);
      assert.equal((await client.one("note", { id }))?.text, "old", text);
      assert.deepEqual(came.map(([operation]) => operation), ["GetItem", "GetItem"], text);

      ({ came } = losing(id, lost));
      await client.create("Person", { id, email: `${id}@${way}` });
      assert.deepEqual(came.map(([operation]) => operation), ["TransactWriteItems", "TransactWriteItems"], text);
      assert.equal(came[0][1], came[1][1]);
      assert.equal(typeof came[0][1], "string");
      await whole.delete("Person", { id });

      ({ came } = losing(id, lost));
      const Item = { PK: { S: `NOTE#${id}` }, SK: { S: "NOTE" }, id: { S: id }, text: { S: text } };
      const error = await plain.call("PutItem", { TableName: "Main", Item }).then(() => assert.fail(text), (one) => one);
      assert.ok(error instanceof KeyfoldError, String(error.stack));
      assert.deepEqual([error.code, came.map(([operation]) => operation)], ["outcome_unknown", ["PutItem"]], text);
      assert.equal((await whole.one("note", { id })).text, text);
    };
    await Promise.all([...OTHER_STATUSES, ...OTHER_ERRORS, ...NO_OBJECTS].map(check));
  });
}

/** The attempts of a call, and what came of it, where each answer has this body. */
async function tried(operation, body, isSdk) {
  let count = 0;
  const commands = { [`${operation}Command`]: class {} };
  const send = async () => ((count += 1), { $metadata: {}, ...body });
  const own = async () => ((count += 1), new Response(JSON.stringify(body)));
  const transport = isSdk
    ? awsTransport({ config: {}, send }, commands, { retries: 1 })
    : transportOf({ endpoint: "http://localhost:1", fetch: own }, { retries: 1 });
  const outcome = await transport.call(operation, REQUESTS[operation] ?? {}).then(
    (answer) => answer,
    (error) => (error instanceof KeyfoldError ? error.code : error.stack),
  );
  return [outcome, count];
}

for (const [operation, bodies] of Object.entries(WRONG_MEMBERS)) {
  test(`an answer to ${operation} with a member of another form is lost`, async () => {
    const code = WRITES.test(operation) ? ["outcome_unknown", 1] : [operation === "TransactWriteItems" ? "outcome_unknown" : "transport", 2];
    const checks = bodies.flatMap((body) =>
      [false, true].map(async (isSdk) => {
        assert.deepEqual(await tried(operation, body, isSdk), code, `${isSdk ? "SDK: " : ""}${JSON.stringify(body)}`);
      }),
    );
    await Promise.all(checks);
    for (const isSdk of [false, true]) assert.deepEqual(await tried(operation, FINE[operation], isSdk), [FINE[operation], 1]);
  });
}

test("a redirection is not followed", async () => {
  for (const status of [301, 302, 303, 307, 308]) {
    for (const [, connection] of WAYS) {
      const { came } = losing("", [status, ""]);
      const transport = transportOf(connection(), { retries: 0 });
      const error = await transport.call("PutItem", { TableName: "Main", Item: {} }).catch((one) => one);
      assert.equal(error.code, "outcome_unknown");
      assert.equal(came.length, 1);
    }
  }
});

test("an answer that another one precedes is taken, and one that nothing follows is lost", async () => {
  const whole = 'HTTP/1.1 200 OK\r\ncontent-length: 2\r\nconnection: close\r\n\r\n{}';
  for (const [before, code] of [
    ["HTTP/1.1 100 Continue\r\n\r\n", undefined],
    ["HTTP/1.1 102 Processing\r\n\r\n", undefined],
    ["HTTP/1.1 103 Early Hints\r\nlink: </x>\r\n\r\n", undefined],
    ["HTTP/1.1 101 Switching Protocols\r\nconnection: upgrade\r\nupgrade: x\r\n\r\n", "outcome_unknown"],
  ]) {
    const server = createTcp((socket) => socket.on("error", () => {}).once("data", () => socket.end(before + whole)));
    await new Promise((resolve) => server.listen(0, "127.0.0.1", resolve));
    const transport = transportOf(`http://127.0.0.1:${server.address().port}`, { retries: 0 });
    const outcome = await transport.call("PutItem", {}).then(() => undefined, (error) => error.code);
    assert.equal(outcome, code, before);
    server.close();
  }
});

test("an answer of the AWS SDK with another status than DynamoDB's is lost", async () => {
  for (const statusCode of [200, 201, 202, 204, 206]) {
    const response = { statusCode, headers: {} };
    class PutItemCommand {
      middlewareStack = { add: (middleware) => (this.pass = middleware(async () => ({ response }))) };
    }
    const send = async (command) => (await command.pass({}), { $metadata: { httpStatusCode: statusCode } });
    const transport = awsTransport({ config: {}, send }, { PutItemCommand });
    const outcome = await transport.call("PutItem", {}).then(() => "answered", (error) => error.code);
    assert.equal(outcome, statusCode === 200 ? "answered" : "outcome_unknown", String(statusCode));
  }
});

test("an answer with the checksum of another one is lost, where its bytes are as they were sent", async () => {
  const client = new Client(PLAN, proxy.url, { retries: 1 });
  losing("", undefined);
  await client.put("Note", { id: "ä", text: "ö𝄞" });
  for (const sum of [0, 1, "x", ""]) {
    const { came } = losing("", [undefined, undefined, { "x-amz-crc32": String(sum) }]);
    assert.equal((await client.one("note", { id: "ä" })).text, "ö𝄞");
    assert.equal(came.length, 2, `a read is sent again: ${sum}`);
  }
  const refused = '{"__type":"x#ConditionalCheckFailedException","message":"no"}';
  for (const [sum, code] of [[crc32(refused), "service"], [1, "outcome_unknown"]]) {
    losing("", [400, refused, { "x-amz-crc32": String(sum) }]);
    const call = transportOf(proxy.url, { retries: 0 }).call("PutItem", {});
    assert.equal((await call.catch((one) => one)).code, code);
  }
});

test("pages that come again are no endless loop", async () => {
  const plan = planOf(`
model again 1
table Main (PK, SK)
entity Note
  author: string, number: int
  key "N#{author}" "{number:03}"
pattern notes(author) -> Note[] page 2
`);
  for (const length of [1, 2, 5]) {
    const transport = counted({
      Query({ ExclusiveStartKey: before = { SK: { S: "0" } } }) {
        const at = (Number(before.SK.S) + 1) % (length + 3) || 3;
        return { Items: [], Count: 0, LastEvaluatedKey: { PK: { S: "N#a" }, SK: { S: String(at).padStart(3, "0") } } };
      },
    });
    await assert.rejects(new Client(plan, transport).all("notes", { author: "a" }, 9), { code: "transport" });
    assert.ok(transport.sent.length < 4 * length + 20, `${transport.sent.length}`);
  }
});

/** What a transport of a program gives that is no answer. */
const NO_ANSWERS = [undefined, null, "x", 5, [], [{}], Symbol("s"), new Map(), { status: "ok" }, { Item: 5 }, { ConsumedCapacity: 5 }, { toString: null }];
/** How one fails: by errors of its own, by none, and before its promise. */
const FAULTS = [
  ...[new Error("torn"), new TypeError("torn"), undefined, null, "torn", Object.create(null)].map((error) => async () => Promise.reject(error)),
  () => {
    throw new Error("torn");
  },
];

test("an answer of a transport of one's own is looked at as any other, and nothing is sent twice", async () => {
  for (const answer of [...NO_ANSWERS.map((one) => async () => one), () => undefined, ...FAULTS]) {
    for (const [call, code] of [
      [(client) => client.one("note", { id: "a" }), "transport"],
      [(client) => client.create("Note", { id: "a", text: "b" }), "outcome_unknown"],
      [(client) => client.create("Person", { id: "a", email: "b" }), "outcome_unknown"],
    ]) {
      let sent = 0;
      const client = new Client(PLAN, { call: (...all) => ((sent += 1), answer(...all)) });
      const error = await call(client).then(() => assert.fail(String(answer)), (one) => one);
      assert.ok(error instanceof KeyfoldError, `${String(error?.stack)}\n${answer}`);
      assert.deepEqual([error.code, sent], [code, 1], error.message);
    }
  }
  for (const Items of [undefined, null, {}, [5], "x"]) {
    const client = new Client(PLAN, { call: async () => ({ Items }) });
    await assert.rejects(client.page("notes"), { code: "transport" });
  }
  const client = new Client(PLAN, { call: async () => ({ Item: undefined, ConsumedCapacity: null }) });
  assert.equal(await client.one("note", { id: "a" }), undefined);
});

test("an error of this package is that of a transport of one's own, and its own signal is that of the call", async () => {
  const full = new KeyfoldError("slow", { code: "throttled", exception: "ThrottlingException" });
  const client = new Client(PLAN, { call: async () => Promise.reject(full) });
  assert.equal(await client.create("Note", { id: "a", text: "b" }).catch((one) => one), full);
  const heard = { call: (_, __, signal) => new Promise((_, reject) => signal.addEventListener("abort", () => reject(signal.reason))) };
  await assert.rejects(new Client(PLAN, heard).one("note", { id: "a" }, { timeout: 10 }), { code: "aborted" });
  await assert.rejects(new Client(PLAN, heard).create("Note", { id: "a", text: "b" }, { timeout: 10 }), { code: "outcome_unknown" });
});

test("a `fetch` whose answer is none loses it", async () => {
  for (const response of [undefined, null, 5, {}, { status: 200 }, ...[null, undefined, 5, {}].map((text) => ({ status: 200, headers: new Headers(), text: async () => text }))]) {
    let sent = 0;
    const fetch = async () => ((sent += 1), response);
    const client = new Client(PLAN, { endpoint: "http://localhost:1", fetch }, { retries: 1 });
    const found = await client.create("Note", { id: "a", text: "b" }).then(assert.fail, (one) => one);
    assert.deepEqual([found.code, sent], ["outcome_unknown", 1], found.stack);
    await assert.rejects(client.one("note", { id: "a" }), { code: "transport" });
  }
});

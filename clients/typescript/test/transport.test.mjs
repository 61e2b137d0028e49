/** Transports: signatures, retries, connection texts, and servers of their own. */

import assert from "node:assert/strict";
import { spawn, spawnSync } from "node:child_process";
import { mkdirSync, mkdtempSync, readFileSync, rmSync, rmdirSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, test } from "node:test";
import { source, BINARY } from "./source.mjs";

const made = await source(
  "error.js",
  "call.js",
  "transport/connect.js",
  "transport/node.js",
  "transport/local.js",
  "transport/aws.js",
  "transport/http.js",
  "transport/endpoint.js",
  "transport/own.js",
  "transport/profile.js",
  "transport/sign.js",
  "value/hmac.js",
  "value/sha256.js",
);
const { KeyfoldError, HttpTransport, connect, read, addressOf, targetOf, transportOf } = made;

const ENVIRONMENT = Object.keys(process.env).filter((name) => name.startsWith("AWS_"));
for (const name of ENVIRONMENT) delete process.env[name];

/** A transport whose requests are answered by `answers`, one after the other; the last one for all others. */
function played(answers, count = 3, onWait = () => undefined) {
  const sent = [];
  const waits = [];
  const send = async (url, init) => {
    sent.push({ url, body: JSON.parse(new TextDecoder().decode(init.body)), headers: init.headers });
    const answer = answers[Math.min(sent.length, answers.length) - 1];
    if (answer instanceof Error) throw answer;
    const [status, body, headers = {}] = answer;
    return new Response(typeof body === "string" ? body : JSON.stringify(body), { status, headers });
  };
  const wait = async (milliseconds) => {
    waits.push(milliseconds);
    onWait();
  };
  const target = targetOf({ endpoint: "http://localhost:1", region: "eu-west-1" });
  return { transport: new HttpTransport(async () => target, { count, wait }, send), sent, waits };
}

/** What a system does when it gives these codes. */
const SYSCALLS = { ECONNREFUSED: "connect", ENETUNREACH: "connect", ENOTFOUND: "getaddrinfo", ECONNRESET: "read" };

function fault(code, syscall = SYSCALLS[code]) {
  const cause = Object.assign(new Error(`it is ${code}`), { code, ...(syscall && { syscall }) });
  return Object.assign(new TypeError("fetch failed"), { cause });
}

const THROTTLED = [400, { __type: "com.amazonaws.dynamodb.v20120810#ThrottlingException", message: "slower" }];
const LOST = fault("ECONNRESET");
const FINE = [200, {}];
/** Transactions of one action, and of two. */
const ONE = { TransactItems: [{ Delete: { TableName: "Tables", Key: {} } }] };
const TWO = { TransactItems: [...ONE.TransactItems, ...ONE.TransactItems] };
const FAILED = [
  400,
  { __type: "x#TransactionCanceledException", message: "no", CancellationReasons: [{ Code: "ConditionalCheckFailed" }] },
];
/** Refusals that do not say what became of an earlier attempt with the same token. */
const UNTELLING = [
  ...["AccessDeniedException", "UnrecognizedClientException", "IncompleteSignatureException", "ValidationException"],
  ...["IdempotentParameterMismatchException", "ResourceNotFoundException", "NobodyKnowsException"],
];
const CONFLICT = [
  400,
  { __type: "x#TransactionCanceledException", message: "no", CancellationReasons: [{ Code: "TransactionConflict" }] },
];

async function codeOf(promise) {
  const error = await promise.then(
    (answer) => assert.fail(`no error, but ${JSON.stringify(answer)}`),
    (one) => one,
  );
  assert.ok(error instanceof KeyfoldError, String(error.stack));
  return error.code;
}

/** A signal that aborts after these milliseconds. Node does not wait for that of `AbortSignal.timeout`. */
function ending(milliseconds) {
  const controller = new AbortController();
  setTimeout(() => controller.abort(), milliseconds);
  return controller.signal;
}

test("what was not done is sent again, after growing pauses", async () => {
  for (const operation of ["GetItem", "PutItem", "TransactWriteItems"]) {
    const { transport, sent, waits } = played([THROTTLED, fault("ECONNREFUSED"), FINE]);
    assert.deepEqual(await transport.call(operation, { TableName: "Tables" }), FINE[1]);
    assert.equal(sent.length, 3);
    assert.ok(waits[0] >= 50 && waits[0] <= 100 && waits[1] >= 100 && waits[1] <= 200, String(waits));
  }
});

test("a lost answer of a write without a token is not repeated", async () => {
  const { transport, sent } = played([LOST, FINE]);
  const error = await transport.call("PutItem", {}).catch((one) => one);
  assert.equal(error.code, "outcome_unknown");
  assert.match(error.message, /^whether it was done is not known: cannot reach http:\/\/localhost:1: it is ECONNRESET; look at/);
  assert.equal(sent.length, 1);
});

test("a lost answer of a read or a transaction is asked for again", async () => {
  for (const [operation, answer] of [["Query", { Items: [] }], ["TransactWriteItems", {}]]) {
    const { transport, sent } = played([LOST, [500, { __type: "x#InternalServerError", message: "" }], [200, answer]]);
    assert.deepEqual(await transport.call(operation, {}), answer);
    const tokens = sent.map((one) => one.body.ClientRequestToken);
    assert.equal(new Set(tokens).size, 1);
    assert.equal(typeof tokens[0], operation === "Query" ? "undefined" : "string");
  }
  const { transport, sent } = played([FINE]);
  await transport.call("TransactWriteItems", { ClientRequestToken: "own" });
  assert.equal(sent[0].body.ClientRequestToken, "own");
});

test("a lost transaction is not sent again when its token may be forgotten", async (t) => {
  for (const [minutes, count] of [[8, 2], [10, 1]]) {
    t.mock.timers.enable({ apis: ["Date"], now: Date.now() });
    const { transport, sent } = played([LOST, FINE], 3, () => t.mock.timers.tick(minutes * 60_000));
    const ended = transport.call("TransactWriteItems", {});
    if (minutes === 8) await ended;
    else await assert.rejects(ended, { code: "outcome_unknown", message: /it is ECONNRESET; it was not sent again 600 s after its start/ });
    assert.equal(sent.length, count);
    t.mock.timers.reset();
  }
  t.mock.timers.enable({ apis: ["Date"], now: Date.now() });
  const { transport, sent } = played([LOST, [200, { Items: [] }]], 3, () => t.mock.timers.tick(3_600_000));
  await transport.call("Query", {});
  assert.equal(sent.length, 2);
});

test("each fault has its code", async () => {
  const service = (name) => [400, { __type: `a.b#${name}`, message: "no" }];
  const cases = [
    ["GetItem", [THROTTLED], "throttled", 4],
    ["GetItem", [LOST], "transport", 4],
    ["PutItem", [fault("ENOTFOUND")], "transport", 4],
    ["TransactWriteItems", [LOST], "outcome_unknown", 4],
    ...UNTELLING.map((name) => ["TransactWriteItems", [LOST, service(name)], "outcome_unknown", 2]),
    ["TransactWriteItems", [LOST, service("ExpiredTokenException")], "outcome_unknown", 4],
    ["TransactWriteItems", [LOST, fault("ENOTFOUND")], "outcome_unknown", 4],
    ["TransactWriteItems", [LOST, [307, ""]], "outcome_unknown", 4],
    ["TransactWriteItems", [LOST, FAILED], "service", 2],
    ["TransactWriteItems", [service("AccessDeniedException")], "service", 1],
    ["GetItem", [LOST, service("AccessDeniedException")], "service", 2],
    ["TransactWriteItems", [LOST, THROTTLED], "outcome_unknown", 4],
    ["PutItem", [service("ConditionalCheckFailedException")], "service", 1],
    ["UpdateItem", [[503, "busy"]], "outcome_unknown", 1],
    ["GetItem", [[200, "<html>"]], "transport", 4],
    ["GetItem", [[200, ""], [200, "[]"], FINE], undefined, 3],
    ["PutItem", [[200, "<html>"]], "outcome_unknown", 1],
    ["TransactWriteItems", [[200, '{"Item'], FINE], undefined, 2],
    ["PutItem", [[408, "<html>"]], "outcome_unknown", 1],
    ["GetItem", [[408, "<html>"], FINE], undefined, 2],
    ["TransactWriteItems", [[408, "<html>"], FINE], undefined, 2],
    ["TransactWriteItems", [[408, "<html>"]], "outcome_unknown", 4],
    ["TransactWriteItems", [CONFLICT], "service", 1],
    ["TransactWriteItems", [LOST, CONFLICT, CONFLICT, FINE], undefined, 4],
    ["TransactWriteItems", [LOST, CONFLICT], "outcome_unknown", 4],
    ["TransactWriteItems", [LOST, service("TransactionConflictException"), FINE], undefined, 3],
    ["TransactWriteItems", [LOST, service("TransactionInProgressException"), FINE], undefined, 3],
    ["PutItem", [[307, "", { location: "http://elsewhere" }]], "outcome_unknown", 1],
  ];
  for (const [operation, answers, code, times] of cases) {
    const { transport, sent } = played(answers);
    const call = transport.call(operation, operation === "TransactWriteItems" ? ONE : {});
    if (code === undefined) assert.deepEqual(await call, FINE[1]);
    else assert.equal(await codeOf(call), code, `${operation} ${answers}`);
    assert.equal(new Set(sent.map((one) => one.body.ClientRequestToken)).size, 1);
    assert.equal(sent.length, times, `${operation} ${answers}`);
  }
});

test("a fault is one before anything was sent where the connection was being made", async () => {
  const several = (...all) => Object.assign(new AggregateError(all, ""), { code: all[0].code });
  const { cause: refused } = fault("ECONNREFUSED");
  const cases = [
    [fault("ECONNREFUSED"), true],
    [refused, true],
    [fault("ENOTFOUND"), true],
    [fault("ENETUNREACH"), true],
    [fault("ETIMEDOUT", "connect"), true],
    [fault("UND_ERR_CONNECT_TIMEOUT"), true],
    [fault("ConnectionRefused"), true],
    [fault("CERT_HAS_EXPIRED"), true],
    [several(refused, refused), true],
    [new TypeError("fetch failed", { cause: several(refused, refused) }), true],
    [fault("ECONNREFUSED", "read"), false],
    [fault("EHOSTUNREACH", "read"), false],
    [fault("ENETUNREACH", "write"), false],
    [fault("EADDRNOTAVAIL", ""), false],
    [several(refused, fault("ECONNREFUSED", "read").cause), false],
    [Object.assign(new AggregateError([]), { code: "ECONNREFUSED" }), false],
  ];
  for (const [error, isUnsent] of cases) {
    const { transport, sent } = played([error]);
    const code = await codeOf(transport.call("PutItem", {}));
    assert.deepEqual([code, sent.length], isUnsent ? ["transport", 4] : ["outcome_unknown", 1], error.stack);
  }
});

test("an unknown outcome says how an answer was lost, and what came then", async () => {
  const { transport } = played([LOST, [400, { __type: "x#AccessDeniedException", message: "no" }]]);
  const error = await transport.call("TransactWriteItems", {}).catch((one) => one);
  assert.match(error.detail.why, /it is ECONNRESET; sent again, it was refused: AccessDeniedException: no$/);
  assert.deepEqual(error.cause.detail, { code: "service", exception: "AccessDeniedException", reasons: [] });
});

test("JSON that is no answer of the operation is a lost answer", async () => {
  const other = { status: "ok" };
  const capital = { Message: "ok" };
  const table = { TableDescription: {} };
  const consumed = { ConsumedCapacity: {} };
  const rows = { ConsumedCapacity: [{}] };
  const writes = ["PutItem", "UpdateItem", "DeleteItem"];
  const cases = [
    ...writes.flatMap((name) => [[name, other, false], [name, capital, false], [name, {}, true], [name, consumed, true]]),
    ...writes.map((name) => [name, { Attributes: {}, status: "ok" }, true]),
    ...[["TransactWriteItems", other, false], ["TransactWriteItems", {}, true], ["TransactWriteItems", rows, true]],
    ...[["BatchWriteItem", other, false], ["BatchWriteItem", {}, false], ["BatchWriteItem", rows, false]],
    ["BatchWriteItem", { UnprocessedItems: {} }, true],
    ...[["GetItem", other, false], ["GetItem", {}, true], ["GetItem", { Item: {} }, true]],
    ...[["BatchGetItem", {}], ["TransactGetItems", []]].flatMap(([name, Responses]) => [
      ...[[name, capital, false], [name, {}, false], [name, rows, false], [name, { Responses }, true]],
    ]),
    ["BatchGetItem", { UnprocessedKeys: {} }, false],
    ...["Query", "Scan"].flatMap((name) => [
      ...[[name, other, false], [name, {}, false], [name, consumed, false], [name, { LastEvaluatedKey: {} }, false]],
      ...[[name, { Count: 0 }, false], [name, { Items: [] }, true]],
    ]),
    ...["CreateTable", "DescribeTable", "DescribeTimeToLive", "UpdateTimeToLive"].map((name) => [name, {}, false]),
    ...["ListTagsOfResource", "DescribeContinuousBackups"].map((name) => [name, {}, false]),
    ...[["CreateTable", capital, false], ["CreateTable", table, true], ["DescribeTable", { Table: {} }, true]],
    ["DescribeContinuousBackups", { ContinuousBackupsDescription: {} }, true],
    ...[["ListTables", other, false], ["ListTables", { TableNames: [] }, true]],
    ...[["DescribeTimeToLive", capital, false], ["DescribeTimeToLive", { TimeToLiveDescription: {} }, true]],
    ...[["UpdateTimeToLive", { TimeToLiveSpecification: {} }, true], ["ListTagsOfResource", { Tags: [] }, true]],
  ];
  const commands = new Proxy({}, { get: () => class {} });
  for (const [operation, body, isAnswer] of cases) {
    const sdk = made.awsTransport({ config: {}, send: async () => ({ $metadata: {}, ...body }) }, commands, { retries: 0 });
    for (const transport of [played([[200, body]], 0).transport, sdk]) {
      const call = transport.call(operation, {});
      const text = `${operation} ${JSON.stringify(body)}`;
      const lost = /^(?:Put|Update|Delete|TransactWrite|BatchWrite|Create)/.test(operation) ? "outcome_unknown" : "transport";
      if (isAnswer) assert.deepEqual(await call, body, text);
      else assert.equal(await codeOf(call), lost, text);
    }
  }
});

test("a number of retries is a number", () => {
  const { awsTransport } = made;
  for (const retries of [Number.NaN, "3", {}, -1]) {
    for (const make of [() => transportOf("http://localhost:1", { retries }), () => awsTransport({ config: {} }, {}, { retries })]) {
      assert.throws(make, ({ detail }) => detail?.code === "invalid" && detail.name === "retries");
    }
  }
});

test("options of a connection are an object with retries", async () => {
  const { awsTransport } = made;
  const makes = [async (options) => connect("http://localhost:1", options), async (options) => awsTransport({ config: {} }, {}, options)];
  for (const make of makes) {
    for (const [options, message] of [[null, "`options` is an object"], ["x", "`options` is an object"], [{ retires: 1 }, "there is no option `retires`"]]) {
      await assert.rejects(make(options), { code: "invalid", message });
    }
    assert.ok(await make({ retries: undefined, timeout: undefined }));
  }
});

test("the reasons of a cancelled transaction are kept, and throttling alone is passing", async () => {
  const cancelled = (...codes) => [
    400,
    {
      __type: "x#TransactionCanceledException",
      Message: "cancelled",
      CancellationReasons: codes.map((Code) => ({ Code, Message: Code === "None" ? undefined : "why" })),
    },
  ];
  const failed = played([cancelled("None", "ConditionalCheckFailed")]);
  const error = await failed.transport.call("TransactWriteItems", TWO).catch((one) => one);
  assert.deepEqual(error.detail.reasons, [{ code: "None" }, { code: "ConditionalCheckFailed", message: "why" }]);
  assert.equal(error.message, "TransactionCanceledException: cancelled");
  const passing = played([cancelled("ThrottlingError", "None"), FINE]);
  assert.deepEqual(await passing.transport.call("TransactWriteItems", TWO), FINE[1]);
});

test("a signal ends a call: what a sent write did is not known", async () => {
  const controller = new AbortController();
  const { transport, sent } = played([FINE]);
  controller.abort();
  assert.equal(await codeOf(transport.call("PutItem", {}, controller.signal)), "aborted");
  assert.equal(sent.length, 0);
  for (const [operation, code] of [["GetItem", "aborted"], ["PutItem", "outcome_unknown"]]) {
    const target = targetOf({ endpoint: "http://localhost:1" });
    const hang = (_, { signal }) =>
      new Promise((_, reject) => signal.addEventListener("abort", () => reject(signal.reason)));
    const hanging = new HttpTransport(async () => target, { count: 3 }, hang);
    assert.equal(await codeOf(hanging.call(operation, {}, ending(20))), code);
  }
});

test("a call ends with its signal, whatever it waits for", async () => {
  const { carryOut } = made;
  const never = () => new Promise(() => {});
  const endpoint = "http://localhost:1";
  const sdk = { config: { region: never, credentials: never } };
  const hanging = [
    [{ endpoint, credentials: never }, "aborted"],
    [sdk, "aborted"],
    [{ endpoint, fetch: never }, "outcome_unknown"],
    [{ call: never }, "outcome_unknown"],
  ];
  for (const [connection, code] of hanging) {
    const driver = { transport: transportOf(connection), options: {} };
    for (const [operation, expected] of [["GetItem", "aborted"], ["PutItem", code]]) {
      for (const optionsOf of [() => ({ timeout: 60 }), () => ({ signal: ending(60) })]) {
        const start = performance.now();
        const call = carryOut(driver, "call", optionsOf(), (io) => io.ask(operation, {}));
        assert.equal(await codeOf(call), expected, `${operation} ${Object.keys(connection)}`);
        assert.ok(performance.now() - start < 1_000);
      }
    }
  }
});

test("a hook that fails fails no call", async () => {
  const { carryOut } = made;
  const transport = { call: async () => ({ Item: {} }) };
  for (const onRequest of [() => assert.fail("hook"), async () => assert.fail("hook")]) {
    const answer = await carryOut({ transport, options: { onRequest } }, "call", {}, (io) => io.ask("GetItem", {}));
    assert.deepEqual(answer, { Item: {} });
  }
});

test("a connection that is not understood is invalid, and nothing secret is shown", async () => {
  const secret = "SECRETpw";
  const wrong = [
    ...["dynamodb://AKIA:SECRETpw@eu-west-1", "dynamodb://eu-west-1?region=us-east-1", "dynamodb://eu-west-1?secret=SECRETpw", "ftp://user:SECRETpw@h"],
    ...["postgres://u:SECRETpw@h/db?x=SECRETpw", "AKIAXXXX:SECRETpw", "dynamodb://eu-west-1?region=SECRETpw!"],
    ...["http://h?region=SECRETpw!", "dynamodb://?region=SECRETpw!", "postgres://h/db?password=SECRETpw"],
    ...[[], new URL("http://h"), { url: "http://h" }, { endpoint: new URL("http://h") }, {}, { region: "eu west" }],
    ...[undefined, null, 5, () => 1, new Map(), { endpoint: "" }, { call: 5 }],
  ];
  for (const connection of wrong) {
    const error = (() => {
      try {
        transportOf(connection);
      } catch (one) {
        return one;
      }
    })();
    assert.equal(error?.code, "invalid", `${String(connection)} ${error?.stack}`);
    assert.ok(!error.message.includes(secret), error.message);
  }
  process.env.AWS_CONFIG_FILE = process.env.AWS_SHARED_CREDENTIALS_FILE = "/nothing";
  Object.assign(process.env, { AWS_ACCESS_KEY_ID: "E", AWS_SECRET_ACCESS_KEY: "e" });
  try {
    assert.equal(await codeOf(transportOf("dynamodb://").call("ListTables", {})), "invalid");
    const error = await transportOf("dynamodb://eu-west-1?profile=SECRETpw").call("ListTables", {}).catch((one) => one);
    assert.ok(!error.message.includes(secret), error.message);
    process.env.AWS_REGION = "eu-west-1";
    assert.ok(transportOf("dynamodb://"));
    assert.ok(transportOf({}));
  } finally {
    for (const name of Object.keys(process.env)) if (name.startsWith("AWS_")) delete process.env[name];
  }
});

test("of a connection without a region and credentials, the region is asked for", async () => {
  process.env.AWS_CONFIG_FILE = process.env.AWS_SHARED_CREDENTIALS_FILE = "/nothing";
  try {
    const error = await transportOf("dynamodb://").call("ListTables", {}).catch((one) => one);
    assert.deepEqual([error.code, error.detail.name], ["invalid", "connection"], error.message);
    assert.match(error.message, /^the connection has no region; write dynamodb:\/\/eu-west-1, or set AWS_REGION$/);
  } finally {
    for (const name of Object.keys(process.env)) if (name.startsWith("AWS_")) delete process.env[name];
  }
});

test("a refused connection to this machine says how a server is started", async () => {
  const refused = fault("ECONNREFUSED");
  for (const [endpoint, isLocal] of [
    ...["http://localhost:1", "http://127.0.0.1:1", "http://127.9.9.9:1/", "http://[::1]:1", "http://0.0.0.0:1", "http://LOCALHOST"].map((one) => [one, true]),
    ...["http://localhost.example:1", "https://127.0.0.1.example", "http://10.0.0.1:1"].map((one) => [one, false]),
  ]) {
    for (const [cause, isRefused] of [[refused, true], [fault("ENOTFOUND"), false], [LOST, false]]) {
      const fetch = () => Promise.reject(cause);
      const error = await transportOf({ endpoint, region: "eu-west-1", fetch }, { retries: 0 }).call("GetItem", {}).catch((one) => one);
      const said = /: it is E\w+(; `keyfold serve` starts a server)?$/.exec(error.message);
      assert.deepEqual([error.code, said?.[1] !== undefined], ["transport", isLocal && isRefused], error.message);
    }
  }
  // By the modules of Node, whose error is another one.
  const error = await transportOf("http://127.0.0.1:1", { retries: 0 }).call("PutItem", {}).catch((one) => one);
  assert.match(error.message, /^cannot reach http:\/\/127\.0\.0\.1:1: .*; `keyfold serve` starts a server$/);
});

test("a signal ends the pause between two attempts", async () => {
  const target = targetOf({ endpoint: "http://localhost:1" });
  const refuse = async () => new Response(JSON.stringify(THROTTLED[1]), { status: 400 });
  const transport = new HttpTransport(async () => target, { count: 30 }, refuse);
  const start = performance.now();
  assert.equal(await codeOf(transport.call("PutItem", {}, ending(200))), "aborted");
  assert.ok(performance.now() - start < 2_000);
});

test("expired credentials are asked for again, and a wrong clock is set", async () => {
  const expired = [400, { __type: "x#ExpiredTokenException", message: "expired" }];
  let asked = 0;
  const credentials = async () => ({ accessKeyId: `key${(asked += 1)}`, secretAccessKey: "s", sessionToken: "t" });
  const target = targetOf({ endpoint: "http://localhost:1", credentials });
  const keys = [];
  const send = async (_, { headers }) => {
    assert.equal(headers["x-amz-security-token"], "t");
    keys.push(/Credential=(\w+)/.exec(headers.authorization)[1]);
    const [status, body] = keys.length === 1 ? expired : FINE;
    return new Response(JSON.stringify(body), { status });
  };
  const transport = new HttpTransport(async () => target, { count: 3, wait: async () => {} }, send);
  await transport.call("GetItem", {});
  await transport.call("GetItem", {});
  assert.deepEqual(keys, ["key1", "key2", "key2"]);

  const skewed = [
    400,
    { __type: "x#InvalidSignatureException", message: "Signature expired: 20240101T000000Z is now earlier than .." },
    { date: "Mon, 01 Jan 2035 00:00:00 GMT" },
  ];
  const clock = played([skewed, FINE]);
  await clock.transport.call("PutItem", {});
  assert.match(clock.sent[1].headers["x-amz-date"], /^20350101T00000/);
});

test("signatures are those of Amazon's documents", async () => {
  const { Signer } = made;
  const credentials = { accessKeyId: "AKIDEXAMPLE", secretAccessKey: "wJalrXUtnFEMI/K7MDENG+bPxRfiCYEXAMPLEKEY" };
  const request = {
    host: "dynamodb.us-east-1.amazonaws.com",
    target: "DynamoDB_20120810.GetItem",
    now: Date.UTC(2015, 7, 30, 12, 36, 0),
  };
  const signer = new Signer();
  const of = async (body) => (await signer.headers(credentials, "us-east-1", { ...request, body })).authorization;
  const node = await import("node:crypto");
  for (let length = 0; length < 200; length += 1) {
    const bytes = node.randomBytes(length);
    assert.equal(made.hex(made.sha256(bytes)), node.createHash("sha256").update(bytes).digest("hex"));
    const key = node.randomBytes(length);
    assert.equal(made.hex(made.hmac(key, "text")), node.createHmac("sha256", key).update("text").digest("hex"));
  }
  const hmac = (key, text) => node.createHmac("sha256", key).update(text).digest();
  for (const body of [Buffer.from("{}"), Buffer.alloc(100_000, "é")]) {
    const names = "content-type;host;x-amz-date;x-amz-target";
    const hash = (one) => node.createHash("sha256").update(one).digest("hex");
    const canonical = `POST\n/\n\ncontent-type:application/x-amz-json-1.0\nhost:${request.host}\nx-amz-date:20150830T123600Z\nx-amz-target:${request.target}\n\n${names}\n${hash(body)}`;
    const scope = "20150830/us-east-1/dynamodb/aws4_request";
    const key = scope.split("/").reduce(hmac, `AWS4${credentials.secretAccessKey}`);
    const text = `AWS4-HMAC-SHA256\n20150830T123600Z\n${scope}\n${hash(canonical)}`;
    const wanted = `AWS4-HMAC-SHA256 Credential=AKIDEXAMPLE/${scope}, SignedHeaders=${names}, Signature=${hmac(key, text).toString("hex")}`;
    assert.equal(await of(body), wanted);
  }
});

test("a connection text says it all", () => {
  assert.deepEqual(read("keyfold:./data"), { is: "server", folder: "./data" });
  assert.deepEqual(read("memory:"), { is: "server", folder: undefined });
  assert.deepEqual(read("dynamodb://eu-west-1?profile=prod"), {
    is: "endpoint",
    endpoint: { region: "eu-west-1" },
    profile: "prod",
    isAmazon: true,
  });
  assert.deepEqual(read("HTTP://[::1]:8000/?region=x-1").endpoint, { endpoint: "http://[::1]:8000/", region: "x-1" });
  assert.equal(targetOf(read("dynamodb://eu-west-1").endpoint).url, "https://dynamodb.eu-west-1.amazonaws.com/");
  // Amazon refuses what is signed for another region than that of its host.
  const ofHost = (url) => targetOf(read(url).endpoint).region;
  assert.equal(ofHost("https://dynamodb.eu-west-1.amazonaws.com"), "eu-west-1");
  assert.equal(ofHost("https://vpce-1.dynamodb.us-east-2.vpce.amazonaws.com"), "us-east-2");
  assert.equal(ofHost("https://dynamodb.us-east-2.api.aws?region=eu-west-1"), "eu-west-1");
  assert.equal(ofHost("https://dynamodb.us-east-2.amazonaws.com.example"), "us-east-1");
  assert.equal(targetOf(read("dynamodb://cn-north-1").endpoint).url, "https://dynamodb.cn-north-1.amazonaws.com.cn/");
  for (const [text, why] of [
    ["", /is no connection/],
    ["keyfold:", /is no connection/],
    ["127.0.0.1:8000", /is no connection/],
    ["http://host?profil=x", /no `profil`/],
    ["dynamodb://eu west", /is no region/],
    ["http://user:hunter2@host", /a user or a password/],
  ]) {
    const error = (() => {
      try {
        transportOf(text);
      } catch (one) {
        return one;
      }
    })();
    assert.equal(error?.code, "invalid", text);
    assert.match(error.message, why);
    assert.ok(!error.message.includes("hunter2"));
  }
});

test("an address is a scheme and a host", () => {
  for (const [url, host] of [
    ["http://127.0.0.1:8000", "127.0.0.1:8000"],
    ["https://dynamodb.eu-west-1.amazonaws.com/", "dynamodb.eu-west-1.amazonaws.com"],
    ["HTTP://[::1]:8000//", "[::1]:8000"],
  ]) {
    assert.equal(addressOf(url)[1], host, url);
  }
  for (const [url, why] of [
    ["127.0.0.1:8000", "begin with"],
    ["ftp://host", "begin with"],
    ["http://", "no host"],
    ["http:///path", "behind the host"],
    ["http://:8000", "no host"],
    ["http://host:", "port"],
    ["http://host:0", "port"],
    ["http://host:99999", "no host, or characters"],
    ["http://host:x", "no host, or characters"],
    ["http://host/path", "behind the host"],
    ["http://host/?a=b", "behind the host"],
    ["http://host#x", "behind the host"],
    ["http://a b", "behind the host"],
    ["http://host\\path", "behind the host"],
  ]) {
    assert.throws(() => addressOf(url), (error) => error.code === "invalid" && error.message.includes(why), url);
  }
});

const folder = mkdtempSync(join(tmpdir(), "keyfold-"));
after(() => rmSync(folder, { recursive: true, force: true }));
const TABLE = {
  TableName: "Tables",
  AttributeDefinitions: [{ AttributeName: "k", AttributeType: "S" }],
  KeySchema: [{ AttributeName: "k", KeyType: "HASH" }],
  BillingMode: "PAY_PER_REQUEST",
};

test("a text starts a server on a data folder, and stops it", async () => {
  const data = join(folder, "data");
  const first = await connect(`keyfold:${data}`);
  await first.call("CreateTable", TABLE);
  await first.call("PutItem", { TableName: "Tables", Item: { k: { S: "é" }, b: { B: "AAE=" } } });
  await first.close();
  assert.equal(await codeOf(first.call("PutItem", { TableName: "Tables", Item: { k: { S: "a" } } })), "transport");
  const second = await connect(`keyfold:${data}`);
  const { Item } = await second.call("GetItem", { TableName: "Tables", Key: { k: { S: "é" } } });
  assert.deepEqual(Item, { k: { S: "é" }, b: { B: "AAE=" } });
  await second.close();
});

test("connections of one process share the server of a folder", async () => {
  const data = join(folder, "shared-data");
  const [one, other] = await Promise.all([connect(`keyfold:${data}`), connect(`keyfold:${folder}/./shared-data`)]);
  await one.call("CreateTable", TABLE);
  await one.close();
  await one.close();
  assert.deepEqual(await other.call("ListTables", {}), { TableNames: ["Tables"] });
  await other.close();
});

/** Has servers stop late, as on a busy machine, while `work` runs. */
async function stoppingLate(work) {
  const late = join(folder, "late");
  writeFileSync(
    late,
    `#!/bin/sh
exec 3<&0
"${BINARY}" "$@" <&3 &
server=$!
trap 'sleep 0.2; kill $server; wait $server; exit' TERM
wait $server
`,
    { mode: 0o700 },
  );
  process.env.KEYFOLD_BIN = late;
  try {
    await work();
  } finally {
    process.env.KEYFOLD_BIN = BINARY;
  }
}

test("a folder is opened while its close is under way", { skip: process.platform === "win32" }, async () => {
  await stoppingLate(async () => {
    // Between any two steps of a close another connection may be opened.
    for (let steps = 0; steps < 12; steps += 1) {
      const data = join(folder, `closing-${steps}`);
      const one = await connect(`keyfold:${data}`);
      const closing = one.close();
      for (let step = 0; step < steps; step += 1) await undefined;
      const other = await connect(`keyfold:${data}`);
      assert.deepEqual(await other.call("ListTables", {}), { TableNames: [] });
      await Promise.all([closing, other.close()]);
    }
  });
});

/** The processes that this one has started and that run. */
const children = () => readFileSync(`/proc/self/task/${process.pid}/children`, "utf8").split(" ").filter(Boolean);

/** Kills the server that `open` starts, and returns what it has opened. */
async function killed(open) {
  const before = new Set(children());
  const transport = await open();
  await transport.call("ListTables", {});
  const [pid, ...others] = children().filter((one) => !before.has(one));
  assert.deepEqual(others, []);
  return [transport, async () => {
    process.kill(Number(pid), "SIGKILL");
    while (children().includes(pid)) await new Promise((resolve) => setTimeout(resolve, 5));
  }];
}

for (const [name, open] of [
  ["connect", (text) => connect(text)],
  ["transportOf", (text) => transportOf(text)],
]) {
  test(`${name}: a server on a data folder that was killed is started anew`, { skip: process.platform !== "linux" }, async () => {
    const data = join(folder, `killed-${name}`);
    const [one, kill] = await killed(() => open(`keyfold:${data}`));
    await one.call("CreateTable", TABLE);
    await kill();
    const both = [one.call("ListTables", {}), one.call("ListTables", {})];
    assert.deepEqual(await Promise.all(both), [{ TableNames: ["Tables"] }, { TableNames: ["Tables"] }]);
    const other = await connect(`keyfold:${data}`);
    assert.deepEqual(await other.call("ListTables", {}), { TableNames: ["Tables"] });
    await other.close();
    await one.close?.();
  });

  test(`${name}: of a server in memory that was killed a sentence says what is lost`, { skip: process.platform !== "linux" }, async () => {
    const [one, kill] = await killed(() => open("memory:"));
    await kill();
    for (const operation of ["ListTables", "PutItem"]) {
      const error = await one.call(operation, { TableName: "Tables", Item: { k: { S: "a" } } }).catch((error) => error);
      assert.equal(error.code, "transport");
      assert.match(error.message, /the server in memory has ended, with what it held: open another connection/);
    }
    await one.close?.();
  });
}

test("a connection that is closed says so, also where others use its server", async () => {
  const data = join(folder, "closed");
  const [one, other] = await Promise.all([connect(`keyfold:${data}`), connect(`keyfold:${data}`)]);
  await one.close();
  const error = await one.call("ListTables", {}).catch((error) => error);
  assert.deepEqual([error.code, error.message], ["transport", "the connection is closed: open another connection"]);
  assert.deepEqual(await other.call("ListTables", {}), { TableNames: [] });
  await other.close();
});

for (const [signal, start] of [
  ["SIGTERM", "await startServer()"],
  // Nothing of the program runs any more.
  ["SIGKILL", "await startServer()"],
  ["SIGKILL", `await sharedServer(${JSON.stringify(join(folder, "killed"))})`],
]) {
  test(`${signal} ends a program and the server of ${start}`, async () => {
    const { spawn } = await import("node:child_process");
    const program = `
      import { source } from ${JSON.stringify(new URL("./source.mjs", import.meta.url).href)};
      const { startServer, sharedServer } = await source("transport/node.js", "transport/shared.js");
      const { endpoint } = ${start};
      setInterval(() => {}, 1000);
      console.log(endpoint);
    `;
    const child = spawn(process.execPath, ["--input-type=module", "-e", program], {
      stdio: ["ignore", "pipe", "inherit"],
      env: { ...process.env, KEYFOLD_BIN: BINARY },
    });
    const endpoint = String(await new Promise((resolve) => child.stdout.once("data", resolve))).trim();
    const ended = new Promise((resolve) => child.once("close", (_, signal) => resolve(signal)));
    assert.deepEqual(await transportOf(endpoint).call("ListTables", {}), { TableNames: [] });
    child.kill(signal);
    assert.equal(await ended, signal);
    for (let tried = 0; ; tried += 1) {
      const outcome = await transportOf(endpoint, { retries: 0 }).call("ListTables", {}).catch((error) => error.code);
      if (outcome === "transport") break;
      assert.ok(tried < 100, "the server still answers");
      await new Promise((resolve) => setTimeout(resolve, 50));
    }
  });
}

test("a program that closes in order at a signal still has its server, and ends it", { skip: process.platform === "win32" }, async () => {
  const { spawn } = await import("node:child_process");
  for (const listen of ["once", "on", "prependOnceListener"]) {
    const program = `
      import { source } from ${JSON.stringify(new URL("./source.mjs", import.meta.url).href)};
      const { connect } = await source("transport/node.js");
      const closed = async () => {
        await new Promise((resolve) => setTimeout(resolve, 200));
        console.log(JSON.stringify(await database.call("ListTables", {})));
        process.exit(0);
      };
      if ("${listen}" === "once") process.once("SIGTERM", closed);
      const database = await connect("memory:");
      const other = await connect("memory:");
      if ("${listen}" !== "once") process.${listen}("SIGTERM", closed);
      await other.call("ListTables", {});
      setInterval(() => {}, 1000);
      console.log("ready");
    `;
    const child = spawn(process.execPath, ["--input-type=module", "-e", program], {
      stdio: ["ignore", "pipe", "inherit"],
      env: { ...process.env, KEYFOLD_BIN: BINARY },
    });
    let said = "";
    const ready = new Promise((resolve) => {
      child.stdout.on("data", (chunk) => {
        said += chunk;
        if (said.includes("ready")) resolve();
      });
    });
    const ended = new Promise((resolve) => child.once("close", (code, signal) => resolve([code, signal])));
    await ready;
    child.kill("SIGTERM");
    assert.deepEqual(await ended, [0, null], listen);
    assert.equal(said, 'ready\n{"TableNames":[]}\n', listen);
  }
});

test("a server that does not start says why", async () => {
  const file = join(folder, "file");
  writeFileSync(file, "");
  const error = await connect(`keyfold:${file}`).catch((one) => one);
  assert.equal(error.code, "transport");
  assert.match(error.message, /did not start: cannot open the data folder .*file/);
});

test("a folder of another program is refused with the way for a program, and no option of the command", async () => {
  const held = join(folder, "held");
  const options = ["--data", held, "--port", "0", "--json", "--no-project", "--until-stdin-closes"];
  const other = spawn(BINARY, ["serve", ...options], { stdio: ["pipe", "pipe", "inherit"] });
  await new Promise((resolve) => other.stdout.once("data", resolve));
  try {
    const error = await connect(`keyfold:${held}`).catch((one) => one);
    assert.equal(error.code, "transport");
    assert.match(error.message, /the data folder is in use.*start `keyfold serve --data FOLDER`, and open its URL/);
    assert.doesNotMatch(error.message, /--endpoint|--connection|keyfold\.toml/);
  } finally {
    other.stdin.end();
  }
});

test("the error of a server that does not start has its place and the help", { skip: process.platform === "win32" }, async () => {
  const known = process.env.KEYFOLD_BIN;
  const report = join(folder, "report");
  const finding = { message: "`entty` starts no declaration", help: ["did you mean `entity`?"] };
  const where = { file: "m.keyfold", line: 3, column: 1 };
  for (const [error, said] of [
    [{ message: finding.message, where, diagnostics: [finding] }, "m.keyfold:3:1: `entty` starts no declaration; did you mean `entity`?"],
    [{ message: "keyfold.toml:2: no such output", where: { file: "keyfold.toml", line: 2 } }, "keyfold.toml:2: no such output"],
    [{ message: "no such output", where: { file: "keyfold.toml" } }, "keyfold.toml: no such output"],
    [{ message: "cannot open", where: { folder: "x" }, diagnostics: [] }, "cannot open"],
    [{ message: "cannot open", where: null, diagnostics: [{ help: "x" }] }, "cannot open"],
    ["x", '{"ok":false,"error":"x"}'],
    [{ message: 5 }, '{"ok":false,"error":{"message":5}}'],
  ]) {
    writeFileSync(report, `#!/bin/sh\ncat <<'END'\n${JSON.stringify({ ok: false, error })}\nEND\n`, { mode: 0o700 });
    process.env.KEYFOLD_BIN = report;
    try {
      const found = await connect("memory:").catch((one) => one);
      assert.deepEqual([found.code, found.message], ["transport", `${report} did not start: ${said}`]);
    } finally {
      process.env.KEYFOLD_BIN = known;
    }
  }
});

test("a server that ends and says nothing is told so", { skip: process.platform === "win32" }, async () => {
  const known = process.env.KEYFOLD_BIN;
  process.env.KEYFOLD_BIN = "/bin/true";
  try {
    const error = await connect("memory:").catch((one) => one);
    assert.equal(error.message, "/bin/true ended before it was ready, and said nothing");
  } finally {
    process.env.KEYFOLD_BIN = known;
  }
});

test("a folder is one by whatever name", { skip: process.platform === "win32" }, async () => {
  const real = join(folder, "real");
  mkdirSync(real);
  symlinkSync(real, join(folder, "link"));
  for (const name of ["new", "new"]) {
    const servers = [];
    for (const above of ["link", "real"]) servers.push(await connect(`keyfold:${join(folder, above, name)}`));
    for (const one of servers) await one.close();
  }
});

test("a folder beside a program whose own is gone", { skip: process.platform === "win32" }, async () => {
  const [before, gone] = [process.cwd(), join(folder, "gone")];
  mkdirSync(gone);
  process.chdir(gone);
  rmdirSync(gone);
  try {
    const error = await connect("keyfold:data").catch((one) => one);
    assert.equal(error.code, "transport");
    assert.match(error.message, /the data folder data is nowhere: /);
  } finally {
    process.chdir(before);
  }
});

test("a connection whose server did not start is closed quietly", async () => {
  const file = join(folder, "no-folder");
  writeFileSync(file, "");
  const own = new made.OwnServer(file);
  const target = own.target().catch((one) => one);
  await own.close();
  assert.equal((await target).code, "transport");
  await own.close();
});

test("a server without `close` ends with its program", async () => {
  const program = `
    import { source } from ${JSON.stringify(new URL("./source.mjs", import.meta.url).href)};
    const { transportOf } = await source("transport/connect.js");
    const transport = transportOf("memory:");
    console.log(JSON.stringify(await transport.call("ListTables", {})));
    console.log(process._getActiveHandles().length);
  `;
  const { stdout, stderr, status } = spawnSync(process.execPath, ["--input-type=module", "-e", program], {
    encoding: "utf8",
    timeout: 60_000,
    env: { ...process.env, KEYFOLD_BIN: BINARY },
  });
  assert.equal(status, 0, stderr);
  assert.match(stdout, /^\{"TableNames":\[\]\}/);
});

test("a binary that is not there is reported", async () => {
  const known = process.env.KEYFOLD_BIN;
  process.env.KEYFOLD_BIN = join(folder, "nothing");
  try {
    const error = await connect("memory:").catch((one) => one);
    assert.equal(error.code, "transport");
    assert.match(error.message, /does not start: .*ENOENT; install keyfold, or set KEYFOLD_BIN/);
  } finally {
    process.env.KEYFOLD_BIN = known;
  }
});

test("`dynamodb://` is Amazon's service, and keys of files are not sent without TLS", async () => {
  const files = mkdtempSync(join(tmpdir(), "keyfold-files-"));
  process.env.AWS_CONFIG_FILE = join(files, "config");
  process.env.AWS_SHARED_CREDENTIALS_FILE = join(files, "none");
  process.env.AWS_ENDPOINT_URL = process.env.AWS_ENDPOINT_URL_DYNAMODB = "http://elsewhere.example";
  const own = (key) => `region = eu-central-1\naws_access_key_id = ${key}\naws_secret_access_key = s\n`;
  writeFileSync(process.env.AWS_CONFIG_FILE, `[default]\n${own("D")}[profile prod]\n${own("P")}`);
  const sent = [];
  const { fetch } = globalThis;
  globalThis.fetch = async (url, { headers }) => {
    sent.push(`${url} ${/Credential=([^/]*)/.exec(headers.authorization ?? headers.Authorization)?.[1]}`);
    return new Response('{"TableNames":[]}');
  };
  const amazon = "https://dynamodb.eu-west-1.amazonaws.com/";
  const open = "http://dynamodb.eu-west-1.amazonaws.com/";
  const keys = { AWS_ACCESS_KEY_ID: "E", AWS_SECRET_ACCESS_KEY: "e" };
  try {
    for (const [text, variables, expected] of [
      ["dynamodb://eu-west-1", {}, `${amazon} D`],
      ["dynamodb://eu-west-1", keys, `${amazon} E`],
      ["dynamodb://eu-west-1?profile=prod", keys, `${amazon} P`],
      ["http://db.example", {}, "http://db.example/ local"],
      ["http://db.example", keys, "http://db.example/ E"],
      ["http://db.example?profile=prod", keys, "http://db.example/ P"],
      [open, {}, undefined],
      [open, keys, `${open} E`],
    ]) {
      Object.assign(process.env, variables);
      for (const make of [transportOf, connect]) {
        sent.length = 0;
        const call = Promise.resolve(make(text)).then((transport) => transport.call("ListTables", {}));
        if (expected === undefined) assert.equal(await codeOf(call), "transport");
        else await call;
        assert.deepEqual(sent, expected === undefined ? [] : [expected], text);
      }
      for (const name of Object.keys(variables)) delete process.env[name];
    }
  } finally {
    globalThis.fetch = fetch;
    for (const name of Object.keys(process.env)) if (name.startsWith("AWS_")) delete process.env[name];
    rmSync(files, { recursive: true });
  }
});

test("a server with credentials takes only their signatures", async () => {
  const { spawn } = await import("node:child_process");
  const file = join(folder, "credentials.json");
  writeFileSync(file, JSON.stringify([{ accessKey: "key", secret: "s/e+c", sessionToken: "token" }]));
  const server = spawn(BINARY, ["serve", "--memory", "--json", "--port", "0", "--credentials", file], {
    stdio: ["ignore", "pipe", "ignore"],
  });
  try {
    const line = await new Promise((resolve) => server.stdout.once("data", resolve));
    const { endpoint } = JSON.parse(String(line)).result;
    const of = (credentials) => transportOf({ endpoint, region: "eu-west-1", credentials }).call("ListTables", {});
    const good = { accessKeyId: "key", secretAccessKey: "s/e+c", sessionToken: "token" };
    assert.deepEqual(await of(good), { TableNames: [] });
    assert.deepEqual(await of(async () => good), { TableNames: [] });
    assert.equal(await codeOf(of({ ...good, secretAccessKey: "other" })), "service");
    const config = { region: async () => "eu-west-1", credentials: async () => good };
    const { hostname, port } = new URL(endpoint);
    const sdk = { config: { ...config, endpoint: async () => ({ protocol: "http:", hostname, port: Number(port), path: "/" }) } };
    assert.deepEqual(await transportOf(sdk).call("ListTables", {}), { TableNames: [] });
    process.env.AWS_SHARED_CREDENTIALS_FILE = join(folder, "shared");
    process.env.AWS_CONFIG_FILE = join(folder, "config");
    writeFileSync(process.env.AWS_CONFIG_FILE, "[profile prod]\nregion = eu-west-3\ns3 =\n  region = no\n");
    writeFileSync(
      process.env.AWS_SHARED_CREDENTIALS_FILE,
      "# keys\n[other]\naws_access_key_id=no\n[ prod ]\naws_access_key_id = key\naws_secret_access_key=s/e+c\naws_session_token = token\n",
    );
    assert.deepEqual(await transportOf(`${endpoint}?profile=prod`).call("ListTables", {}), { TableNames: [] });
    assert.equal(await codeOf(transportOf(`${endpoint}?profile=none`).call("ListTables", {})), "transport");
    assert.equal((await made.targetOfText(read("dynamodb://?profile=prod"))).region, "eu-west-3");
  } finally {
    server.kill();
  }
});

test("a bundle for browsers and edges imports no module of Node", async () => {
  const { build } = await import("esbuild");
  const entry = new URL("../src/index.ts", import.meta.url).pathname;
  const options = { entryPoints: [entry], bundle: true, format: "esm", platform: "browser", write: false };
  const { outputFiles, warnings } = await build({ ...options, logLevel: "silent" });
  assert.deepEqual(warnings, []);
  assert.ok(!/(?:from|import|require\()\s*"node:/.test(outputFiles[0].text));
});

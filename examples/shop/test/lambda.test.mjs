/** The functions for Lambda, with the events that Lambda calls them with. */

import assert from "node:assert/strict";
import { randomUUID } from "node:crypto";
import { after, before, test } from "node:test";
import { start, tampered } from "./start.mjs";

let lambda, server;

before(async () => {
  ({ server } = await start());
  lambda = await import("../dist/lambda.js");
});
after(() => server?.stop());

/** The status and the body of an answer. */
async function call(routeKey, event = {}) {
  const body = event.body === undefined ? {} : { body: JSON.stringify(event.body) };
  const answer = await lambda.handler({ version: "2.0", routeKey, ...event, ...body });
  const kind = answer.statusCode < 400 ? "application/json" : "application/problem+json";
  assert.equal(answer.headers["content-type"], kind);
  return [answer.statusCode, JSON.parse(answer.body)];
}

/** A refusal because of what there is already. */
const refused = (code, detail, more = {}) => [409, { status: 409, code, detail, ...more }];

const order = (orderId, body) => call("PUT /orders/{orderId}", { pathParameters: { orderId }, body });

async function user(email) {
  const [status, { userId }] = await call("POST /users", { body: { email, name: email } });
  assert.equal(status, 201);
  return userId;
}

test("E1 E3: users and orders are made, and what is refused has a status of its own", async () => {
  const userId = await user("ada@example.com");
  const taken = await call("POST /users", { body: { email: "ada@example.com", name: "Ada" } });
  assert.deepEqual(taken, refused("email_taken", "There is a user with this e-mail already. Send another one.", { field: "email" }));
  const orderId = randomUUID();
  const basket = { userId, lines: [{ productId: "ink", quantity: 2 }] };
  assert.deepEqual(await order(orderId, basket), [201, { outcome: "placed", total: 1400 }]);
  assert.deepEqual(await order(orderId, basket), [200, { outcome: "placed_before" }]);
  const other = { userId, lines: [{ productId: "pen", quantity: 2 }] };
  const another = "There is an order of this id with another user or other lines. Send another id.";
  assert.deepEqual(await order(orderId, other), refused("other_basket", another));
  const text = { userId, lines: [{ productId: "pen", quantity: "1" }] };
  assert.deepEqual((await order(randomUUID(), text))[0], 400);
  const sold = refused("out_of_stock", "There are too few pieces of ink. Order fewer.", { productId: "ink" });
  assert.deepEqual(await order(randomUUID(), basket), sold);
  const [status, whole] = await call("GET /orders/{orderId}", { pathParameters: { orderId } });
  assert.deepEqual([status, whole.order.total, whole.items.length], [200, 1400, 1]);
  assert.equal((await call("GET /orders/{orderId}", { pathParameters: { orderId: randomUUID() } }))[0], 404);
  const put = (id, status) =>
    call("PUT /orders/{orderId}/status", { pathParameters: { orderId: id }, body: { status } });
  assert.deepEqual(await put(orderId, "paid"), [200, { status: "paid" }]);
  assert.equal((await put(randomUUID(), "paid"))[0], 404);
  assert.equal((await call("GET /nothing"))[0], 404);
});

test("E1 E3 E6: what a caller sends wrongly is refused by 400, before anything is sent", async () => {
  const userId = await user("bob@example.com");
  const lines = [{ productId: "pen", quantity: 1 }];
  for (const [id, body] of [
    ["no-uuid", { userId, lines }],
    [randomUUID(), { userId: "no-ulid", lines }],
    [randomUUID(), { userId, lines: "pen" }],
    [randomUUID(), { userId, lines: [{ productId: "pen", quantity: "many" }] }],
    [randomUUID(), { userId, lines: [{ productId: 5, quantity: 1 }] }],
    [randomUUID(), [lines]],
  ]) {
    assert.equal((await order(id, body))[0], 400, JSON.stringify(body));
  }
  const { statusCode } = await lambda.handler({ routeKey: "POST /users", body: "{" });
  assert.equal(statusCode, 400);
  const event = { pathParameters: { orderId: randomUUID() }, body: { status: "lost" } };
  const [status, { code, detail }] = await call("PUT /orders/{orderId}/status", event);
  assert.deepEqual([status, code], [400, "invalid"]);
  assert.match(detail, /status/);
});

test("E2: a user's orders come by pages, whose cursors nobody else can use", async () => {
  const [userId, other] = [await user("eve@example.com"), await user("mallory@example.com")];
  const ids = [1, 2, 3].map(() => randomUUID());
  for (const id of ids) await order(id, { userId, lines: [{ productId: "pad", quantity: 1 }] });
  const list = (of, query) =>
    call("GET /users/{userId}/orders", { pathParameters: { userId: of }, queryStringParameters: query });
  const [, first] = await list(userId, { limit: "2" });
  const [, second] = await list(userId, { limit: "2", after: first.next });
  assert.deepEqual([...first.orders, ...second.orders].map(({ orderId }) => orderId).sort(), ids.sort());
  assert.equal(second.next, undefined);
  assert.equal((await list(other, { after: first.next }))[0], 400);
  assert.equal((await list(userId, { after: tampered(first.next) }))[0], 400);
  assert.equal((await list(userId, { limit: "all" }))[0], 400);
});

/** Asks the server for its streams, as the service that calls Lambda does. */
async function streams(operation, input) {
  const now = new Date().toISOString().replace(/[-:]|\.\d+/g, "");
  const scope = `local/${now.slice(0, 8)}/us-east-1/dynamodb/aws4_request`;
  const response = await fetch(server.endpoint, {
    method: "POST",
    headers: {
      "content-type": "application/x-amz-json-1.0",
      "x-amz-target": `DynamoDBStreams_20120810.${operation}`,
      "x-amz-date": now,
      // The server in memory takes any signature.
      authorization: `AWS4-HMAC-SHA256 Credential=${scope}, SignedHeaders=host, Signature=00`,
    },
    body: JSON.stringify(input),
  });
  const answer = await response.json();
  assert.equal(response.status, 200, JSON.stringify(answer));
  return answer;
}

/** All records of the table's stream, as Lambda gives them to a function. */
async function records() {
  const [{ StreamArn }] = (await streams("ListStreams", { TableName: "Shop" })).Streams;
  const { StreamDescription } = await streams("DescribeStream", { StreamArn });
  const found = [];
  for (const { ShardId } of StreamDescription.Shards) {
    const start = { StreamArn, ShardId, ShardIteratorType: "TRIM_HORIZON" };
    let { ShardIterator: at } = await streams("GetShardIterator", start);
    for (;;) {
      const { Records, NextShardIterator } = await streams("GetRecords", { ShardIterator: at });
      found.push(...Records.map((record) => ({ ...record, eventSourceARN: StreamArn })));
      if (Records.length === 0) break;
      at = NextShardIterator;
    }
  }
  const number = ({ dynamodb }) => BigInt(dynamodb.SequenceNumber);
  return found.sort((one, other) => Number(number(one) - number(other)));
}

test("the stream becomes news, and what fails comes again", async (context) => {
  const before = (await records()).length;
  const userId = await user("joe@example.com");
  const orderId = randomUUID();
  await order(orderId, { userId, lines: [{ productId: "pen", quantity: 10 }] });
  await call("PUT /orders/{orderId}/status", { pathParameters: { orderId }, body: { status: "shipped" } });

  const Records = (await records()).slice(before);
  const heard = [];
  const follow = lambda.follower(async (news) => void heard.push(news));
  assert.deepEqual(await follow({ Records }), { batchItemFailures: [] });
  const all = [
    { news: "ordered", orderId, total: 1500 },
    { news: "sold_out", productId: "pen" },
    { news: "status", orderId, from: "pending", to: "shipped" },
    { news: "welcome", email: "joe@example.com", name: "joe@example.com" },
  ];
  assert.deepEqual(heard.sort((one, other) => (one.news < other.news ? -1 : 1)), all);

  context.mock.method(console, "error", () => {});
  const failing = lambda.follower(() => Promise.reject(new Error("down")));
  const [failed] = (await failing({ Records })).batchItemFailures;
  const first = Records.find(({ dynamodb }) => dynamodb.NewImage.entity.S === "User");
  assert.equal(failed.itemIdentifier, first.dynamodb.SequenceNumber);
});

test("errors of the service are no errors of the caller", async (context) => {
  const logged = context.mock.method(console, "error", () => {});
  const { KeyfoldError } = await import("@keyfold/client");
  const { answerTo } = await import("../dist/errors.js");
  const throttled = new KeyfoldError("Shop is asked too much", { code: "throttled", exception: "X" });
  assert.deepEqual(answerTo(throttled), { status: 503, body: {
    status: 503,
    code: "throttled",
    detail: "The table is busy, and nothing was changed. Try again.",
  } });
  assert.deepEqual(logged.mock.calls[0].arguments, [throttled]);
  const invalid = new KeyfoldError("there is no such status", { code: "invalid" });
  assert.deepEqual(answerTo(invalid), {
    status: 400,
    body: { status: 400, code: "invalid", detail: "It cannot be asked or stored so. /api/openapi.json says what it has to be." },
  });
  assert.throws(() => answerTo(new TypeError("a bug")), TypeError);
});

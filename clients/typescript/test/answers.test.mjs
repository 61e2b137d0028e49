/** What answers mean: the cases that the clients of all languages share. */

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { source } from "./source.mjs";

const { KeyfoldError, isAnswer, transportOf } = await source("error.js", "transport/answer.js", "transport/connect.js");

const { requests, cases } = JSON.parse(readFileSync(new URL("../../cases/answers.json", import.meta.url), "utf8"));
const READS = ["GetItem", "Query", "Scan", "BatchGetItem", "TransactGetItems"];

/** Each operation with a status, the text of a body, and its meaning. */
const ALL = cases.flatMap(({ of, status, is, bodies }) =>
  of.flatMap((operation) =>
    bodies.map((body) => ({ operation, status, text: typeof body === "string" ? body : JSON.stringify(body), is })),
  ),
);

/** The meaning of an answer, in the words of the cases. */
async function meaning({ operation, status, text }) {
  const fetch = async () => new Response(text, { status });
  const transport = transportOf({ endpoint: "http://localhost:1", fetch }, { retries: 0 });
  try {
    await transport.call(operation, requests[operation]);
    return "done";
  } catch (error) {
    assert.ok(error instanceof KeyfoldError, error.stack);
    const isLost = error.code === (READS.includes(operation) ? "transport" : "outcome_unknown");
    return isLost ? "lost" : error.code === "service" ? "refused" : error.code;
  }
}

test("an answer means the same to clients of all languages", async () => {
  const wrong = [];
  for (const one of ALL) {
    const found = await meaning(one);
    if (found !== one.is) wrong.push(`${one.operation} ${one.status} ${one.text}: ${found}, not ${one.is}`);
  }
  assert.equal(wrong.length, 0, `${wrong.length}\n${wrong.join("\n")}`);
});

test("an answer that is cut is lost", async () => {
  for (const { text, is, ...one } of ALL) {
    const whole = text.trimEnd();
    if (is === "lost" || !whole.endsWith("}")) continue;
    const cut = Array.from(whole, (_, at) => whole.slice(0, at));
    const found = await Promise.all(cut.map((text) => meaning({ ...one, text })));
    for (const [at, what] of found.entries()) assert.equal(what, "lost", cut[at]);
  }
});

/** A key, or an item, of values. */
const key = (...values) => Object.fromEntries(values.map((value, at) => [`k${at}`, value]));
/** What a batch of keys finds and leaves, or one key finds: the operation, its request and the answer. */
const batch = (keys, found, left = []) => [
  "BatchGetItem",
  { RequestItems: { Main: { Keys: keys } } },
  { Responses: { Main: found }, UnprocessedKeys: { Main: { Keys: left } } },
];
const several = (asked, found) => [
  "TransactGetItems",
  { TransactItems: asked.map((Key) => ({ Get: { TableName: "Main", Key } })) },
  { Responses: found },
];
const get = (asked, Item) => ["GetItem", { TableName: "Main", Key: asked }, { Item }];

test("a key is that of an item by the types and values of its attributes", () => {
  const [text, other, one] = [{ S: "1" }, { S: "2" }, { N: "1" }];
  const same = [[one, { N: "1.0" }], [{ N: "0" }, { N: "-0" }], [{ N: "100" }, { N: "1E2" }], [{ B: "YWJj" }, { B: "YWJj" }]];
  const differ = [[one, text], [one, { N: "2" }], [{ S: "YWJj" }, { B: "YWJj" }], [text, { BOOL: true }], [text, { L: [text] }]];
  for (const [asked, found] of same) {
    assert.ok(isAnswer(...get(key(asked), key(found))), JSON.stringify(found));
    assert.ok(isAnswer(...batch([key(asked)], [key(found)], [key(found)])), JSON.stringify(found));
  }
  for (const [asked, found] of differ) {
    assert.ok(!isAnswer(...get(key(asked), key(found))), JSON.stringify(found));
    assert.ok(!isAnswer(...batch([key(asked)], [key(found)])), JSON.stringify(found));
    assert.ok(!isAnswer(...batch([key(asked)], [], [key(found)])), JSON.stringify(found));
  }
  const keys = [key(text, one), key(other, one)];
  for (const item of [keys[1], {}, { k0: other }, { k1: one, a: text }]) assert.ok(isAnswer(...batch(keys, [item])), JSON.stringify(item));
  for (const item of [key(one, one), { k0: one }, { k1: text }]) assert.ok(!isAnswer(...batch(keys, [item])), JSON.stringify(item));
  for (const left of [{}, { k0: text }, { ...keys[0], a: text }]) assert.ok(!isAnswer(...batch(keys, [], [left])), JSON.stringify(left));
});

test("each item of a transaction is that of the key in its place", () => {
  const [one, other] = [key({ S: "1" }, { N: "1" }), key({ S: "2" }, { N: "1" })];
  const asked = [one, other, one];
  const fit = [[{}, {}, {}], [{ Item: one }, { Item: other }, { Item: one }], [{ Item: { k1: { N: "1.0" } } }, { Item: {} }, { Item: null }]];
  for (const found of fit) assert.ok(isAnswer(...several(asked, found)), JSON.stringify(found));
  const wrong = [
    [{ Item: other }, { Item: one }, {}],
    [{ Item: other }, {}, {}],
    [{}, {}, { Item: other }],
    [{}, {}, { Item: { k0: { N: "1" } } }],
    [{ Item: one }, { Item: other }],
    [{ Item: one }, { Item: other }, {}, {}],
  ];
  for (const found of wrong) assert.ok(!isAnswer(...several(asked, found)), JSON.stringify(found));
});

test("the keys of a batch are compared in a time that grows as they do", () => {
  // Each key is looked at a few times, however many there are.
  let looks = 0;
  const watched = (at) => Object.defineProperty({}, "k0", { enumerable: true, get: () => ((looks += 1), { S: `${at}` }) });
  const keys = Array.from({ length: 100 }, (_, at) => watched(at));
  const found = Array.from({ length: 100 }, (_, at) => key({ S: `${99 - at}` }));
  assert.ok(isAnswer(...batch(keys, found, found)));
  assert.ok(looks <= 10 * keys.length, `${looks}`);
});

test("an answer with an item of another key says so", async () => {
  const other = '{"PK":{"S":"x"}}';
  for (const [operation, text] of [
    ["GetItem", `{"Item":${other}}`],
    ["BatchGetItem", `{"Responses":{"Main":[${other}]}}`],
    ["TransactGetItems", `{"Responses":[{"Item":${other}},{}]}`],
    ["Query", `{"Items":[${other}]}`],
  ]) {
    const fetch = async () => new Response(text, { status: 200 });
    const transport = transportOf({ endpoint: "http://localhost:1", fetch }, { retries: 0 });
    const error = await transport.call(operation, requests[operation]).then(assert.fail, (one) => one);
    assert.match(error.message, /answered with 200: \{.*, which has an item of a key that was not asked for$/);
  }
});

/** A query of one partition, as this package asks it, and an answer. */
const query = (answer, more = {}) => [
  "Query",
  {
    TableName: "Main",
    KeyConditionExpression: "#n0 = :v0 AND #n1 = :v1 AND #n2 BETWEEN :v2 AND :v3",
    ExpressionAttributeNames: { "#n0": "k0", "#n1": "k1", "#n2": "k2" },
    ExpressionAttributeValues: { ":v0": { S: "1" }, ":v1": { N: "1" }, ":v2": { S: "a" }, ":v3": { S: "b" } },
    ...more,
  },
  answer,
];

test("an answer to a query has items of its partition", () => {
  const [own, other] = [key({ S: "1" }, { N: "1.0" }, { S: "a" }), key({ S: "2" }, { N: "1" }, { S: "a" })];
  for (const fit of [own, {}, { k0: { S: "1" } }, { k2: { S: "a" } }, { ...own, k2: { S: "z" } }]) {
    assert.ok(isAnswer(...query({ Items: [own, fit] })), JSON.stringify(fit));
    assert.ok(isAnswer(...query({ Items: [], LastEvaluatedKey: { a: { S: "b" }, ...fit } })), JSON.stringify(fit));
  }
  for (const wrong of [other, { k0: { N: "1" } }, { k1: { N: "2" } }, { ...own, k0: { BOOL: true } }]) {
    assert.ok(!isAnswer(...query({ Items: [own, wrong] })), JSON.stringify(wrong));
    assert.ok(!isAnswer(...query({ Items: [own], LastEvaluatedKey: wrong })), JSON.stringify(wrong));
  }
});

test("a page has the items that it counts, and no more than its limit", () => {
  const [, asked] = query();
  for (const [operation, input] of [["Query", asked], ["Scan", { TableName: "Main" }]]) {
    const is = (answer, more) => isAnswer(operation, { ...input, ...more }, answer);
    for (const Count of [undefined, null, 2]) assert.ok(is({ Items: [{}, {}], Count }, { Limit: 2 }), `${Count}`);
    for (const Count of [0, 1, 3, 7]) assert.ok(!is({ Items: [{}, {}], Count }), `${Count}`);
    assert.ok(!is({ Items: [{}, {}], Count: 2 }, { Limit: 1 }));
    assert.ok(is({ Items: [{}], Count: 1, ScannedCount: 9 }, { Limit: 9 }));
  }
});

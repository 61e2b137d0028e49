/** Items that say another kind than their keys: the cases that all clients share. */

import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { after, before, test } from "node:test";
import { fileURLToPath } from "node:url";
import { BINARY, source } from "./source.mjs";

const { Client, connect } = await source("client.js", "transport/node.js");

const CASES = JSON.parse(readFileSync(new URL("../../cases/unknown.json", import.meta.url), "utf8")).cases;
const MODEL = fileURLToPath(new URL("../../cases/unknown.keyfold", import.meta.url));
const PLAN = JSON.parse(execFileSync(BINARY, ["plan", MODEL], { encoding: "utf8" }));

let server;
let client;
let lenient;
before(async () => {
  server = await connect("memory:");
  client = new Client(PLAN, server);
  lenient = new Client(PLAN, server, { onUnknown: "skip" });
  await client.ensureTables();
});
after(() => server.close());

/** A text as S, a number as N, a list as L. */
function valueOf(plain) {
  if (Array.isArray(plain)) return { L: plain.map(valueOf) };
  return typeof plain === "number" ? { N: String(plain) } : { S: plain };
}

const itemOf = (plain) => Object.fromEntries(Object.entries(plain).map(([name, value]) => [name, valueOf(value)]));
const shown = (item) => item && (item.id ?? item.place);

/** Leaves nothing but these items in the tables. */
async function store(table, items) {
  for (const { name } of PLAN.tables) {
    const { Items } = await server.call("Scan", { TableName: name });
    for (const { PK, SK } of Items) await server.call("DeleteItem", { TableName: name, Key: { PK, SK } });
  }
  for (const item of items) await server.call("PutItem", { TableName: table, Item: itemOf(item) });
}

/** The ids of the answer. */
async function read(by, { pattern, arguments: given, get, keys }) {
  if (get !== undefined) return (await by.getMany(get, keys)).map((item) => shown(item) ?? null);
  return (await by.all(pattern, given, 10)).map(shown);
}

/** The outcome as the cases say it. */
function outcome(call) {
  return call.catch((error) => {
    if (error.code === "unknown_item") return "unknown";
    if (error.code === "not_found") return "not_found";
    throw error;
  });
}

/** What a case does, and what comes of it. */
async function check(one) {
  const verb = ["update", "put", "delete", "write"].find((name) => one[name] !== undefined);
  if (verb !== undefined) {
    const done = client[verb](one[verb], one.values).then(() => true);
    assert.equal(await outcome(done), one.done);
    return;
  }
  assert.deepEqual(await outcome(read(client, one)), one.found);
  assert.deepEqual(await outcome(read(lenient, one)), one.skipped ?? one.found);
}

for (const one of CASES) {
  test(one.name, async () => {
    await store(one.table ?? "Main", one.items);
    const { PK, SK, ...others } = itemOf(one.items.at(-1));
    const record = { dynamodb: { Keys: { PK, SK }, NewImage: { PK, SK, ...others } } };
    assert.equal(await outcome(client.event(record).then((event) => event?.kind ?? null)), one.event);
    await check(one);
  });
}

const SUM = "1000000000000000000000000000000.0000000001";

for (const [pattern, sum, kind] of [["totals", "total", "Totals"], ["ranked", "sum", "Ranked"]]) {
  test(`the error of ${pattern} about a row whose sum is no number says the sum`, async () => {
    const { items } = CASES.find((one) => one.pattern === pattern && one.items.some((item) => `${sum}:exact` in item));
    await store("Main", items);
    const error = await client.all(pattern, { place: "p" }, 10).catch((one) => one);
    const key = { PK: items[0].PK, SK: "PLACE#p" };
    assert.deepEqual(error.detail, { code: "unknown_item", attribute: sum, entity: kind, key });
    const said = `${kind} (PK = "${key.PK}", SK = "PLACE#p"): ${sum}, the sum of its items, is ${SUM}, which is no number of DynamoDB`;
    assert.ok(error.message.endsWith(said), error.message);
  });
}

/** Items that another program left in an index where they should not be, as in `stale_keys.txt` of keyfold-lower. */

import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { planOf } from "./model.mjs";
import { source } from "./source.mjs";

const { Client, connect } = await source("client.js", "transport/node.js");

const PLAN = planOf(`
model stale 1
table Tab (PK, SK) type kind
  gsi Idx (A, B)
  gsi Europe (E, F)
  gsi Town (G, I)
  gsi Tags (H, I)
entity Booking
  region: string, id: string, at: time, status: pending | paid, note: string?
  key     "REGION#{region}" "{id}"
  Idx     "open" "{at}" sparse when status = pending
  Europe  "EU#{id}" "{at:day}" sparse when region = eu
entity Tagged
  id: string, at: time, city: string?, tag: string?, note: string?
  key   "TAGGED#{id}"  "T"
  Town  "CITY#{city}"  "{at}"
  Tags  "TAG#{tag}"    "{at}"
pattern booking(region, id) -> Booking?
write annotate(note)
  update Booking set note = note
`);

const KEY = { PK: { S: "REGION#us" }, SK: { S: "a" } };
const OWN = { kind: { S: "Booking" }, region: { S: "us" }, id: { S: "a" }, at: { S: "2026-07-01T00:00:00.000Z" } };
const STALE = { A: { S: "open" }, B: { S: "x" }, E: { S: "EU#a" } };

let server;
let client;
before(async () => {
  server = await connect("memory:");
  client = new Client(PLAN, server);
  await client.ensureTables();
});
after(() => server.close());

const write = (others) => server.call("PutItem", { TableName: "Tab", Item: { ...KEY, ...OWN, ...STALE, ...others } });
const stored = async () => (await server.call("GetItem", { TableName: "Tab", Key: KEY })).Item;
const names = async () => Object.keys(await stored()).filter((name) => ["A", "B", "E", "F"].includes(name));

test("an update takes the item out, whatever it changes", async () => {
  for (const change of [{ status: "paid" }, { note: "hello" }]) {
    await write({ status: { S: "paid" } });
    const { changes } = await client.update("Booking", { region: "us", id: "a", ...change });
    assert.deepEqual(changes, ["update Booking"]);
    assert.deepEqual(await names(), []);
    const again = await client.update("Booking", { region: "us", id: "a", ...change });
    assert.deepEqual(again.changes, []);
  }
});

test("an item of which it is not known whether it is in the index stays there", async () => {
  await write({});
  await client.update("Booking", { region: "us", id: "a", note: "hello" });
  assert.deepEqual(await names(), ["A", "B"]);
});

test("an update that reads nothing knows what the key says", async () => {
  await write({ status: { S: "paid" } });
  await client.write("annotate", { region: "us", id: "a", note: "hello" });
  assert.deepEqual(await names(), ["A", "B"]);
});

test("a key that cannot be read stays, with the column that it shares", async () => {
  const Key = { PK: { S: "TAGGED#a" }, SK: { S: "T" } };
  const held = { kind: { S: "Tagged" }, id: { S: "a" }, at: OWN.at, H: { S: "LABEL#x" }, I: OWN.at };
  await server.call("PutItem", { TableName: "Tab", Item: { ...Key, ...held } });
  await client.update("Tagged", { id: "a", note: "hello" });
  const { Item } = await server.call("GetItem", { TableName: "Tab", Key });
  assert.deepEqual(Item, { ...Key, ...held, note: { S: "hello" } });
});

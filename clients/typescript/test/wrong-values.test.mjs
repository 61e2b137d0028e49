/** Items of other programs with a value of which no index key can be made. */

import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { planOf } from "./model.mjs";
import { source } from "./source.mjs";

const { Client, connect } = await source("client.js", "transport/node.js");

const PLAN = planOf(`
model wrong 1
table Tab (PK, SK) type kind
  gsi GSI1 (GSI1PK, GSI1SK)
entity Player
  id: string, team: string, score: int?, note: string?
  key  "P#{id}" "P"
  GSI1 "T#{team}" "{score:06}"
  unique note
pattern player(id) -> Player?
`);

const KEY = { PK: { S: "P#1" }, SK: { S: "P" } };
const WRONG = { score: { S: "many" }, GSI1PK: { S: "old" }, GSI1SK: { S: "old" } };

let server;
let client;
before(async () => {
  server = await connect("memory:");
  client = new Client(PLAN, server);
  await client.ensureTables();
});
after(() => server.close());

const write = (others = {}) => {
  const Item = { ...KEY, id: { S: "1" }, team: { S: "a" }, kind: { S: "Player" }, ...WRONG, ...others };
  return server.call("PutItem", { TableName: "Tab", Item });
};

const stored = async () => (await server.call("GetItem", { TableName: "Tab", Key: KEY })).Item;

test("it is deleted", async () => {
  await write();
  await client.delete("Player", { id: "1" });
  assert.equal(await stored(), undefined);
});

test("it is replaced, and what others wrote beside it is kept", async () => {
  for (const extra of [{}, { extra: { S: "kept" } }]) {
    await write(extra);
    await client.put("Player", { id: "1", team: "b", score: 7 });
    const item = await stored();
    assert.deepEqual([item.GSI1PK, item.GSI1SK, item.extra], [{ S: "T#b" }, { S: "000007" }, extra.extra]);
    await write(extra);
    await client.put("Player", { id: "1", team: "b" });
    assert.deepEqual(await stored(), { ...KEY, id: { S: "1" }, team: { S: "b" }, kind: { S: "Player" }, ...extra });
  }
});

test("it is corrected, and otherwise refused with what to give", async () => {
  await write();
  const error = await client.update("Player", { id: "1", note: "n" }).then(assert.fail, (one) => one);
  assert.equal(error.code, "refused", error.stack);
  assert.match(error.message, /the Player with id = 1 .* its index keys are not known: give `score`, too/);
  await client.update("Player", { id: "1", score: 8 });
  const item = await stored();
  assert.deepEqual([item.GSI1PK, item.GSI1SK], [{ S: "T#a" }, { S: "000008" }]);
});

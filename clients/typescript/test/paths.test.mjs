/** Writes by paths on a server: fields inside attributes, and items that lack what a path leads through. */

import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { planOf } from "./model.mjs";
import { source } from "./source.mjs";

const { Client, KeyfoldError, connect } = await source("client.js", "error.js", "transport/node.js");

const PLAN = planOf(`
model pages 1
table Tab (PK, SK)
record Stats
  views: int, likes: int?, tags: set of string?
entity Page
  id: string, n: int, stats: Stats, prices: map of int
  key "PAGE#{id}" "PAGE"
pattern page(id) -> Page?
write view()
  update Page set stats.views = stats.views + 1
write take()
  update Page set n = stats.views, stats.views = n
write tag(tag: string)
  update Page set stats.tags = stats.tags + tag
write short()
  update Page set prices.eu = 4 remove stats.likes, prices.us
`);

let server;
let client;
before(async () => {
  server = await connect("memory:");
  client = new Client(PLAN, server);
  await client.ensureTables();
});
after(() => server.close());

test("fields are counted, exchanged, added to and removed", async () => {
  await client.put("Page", { id: "1", n: 3, stats: { views: 7, likes: 1 }, prices: { us: 1 } });
  await client.write("view", { id: "1" });
  await client.write("take", { id: "1" });
  await client.write("tag", { id: "1", tag: "a" });
  await client.write("short", { id: "1" });
  const { n, stats, prices } = await client.one("page", { id: "1" });
  assert.deepEqual([n, stats, prices], [8, { views: 3, tags: new Set(["a"]) }, { eu: 4 }]);
});

test("an item that lacks what a path leads through is refused with its name", async () => {
  const Item = { PK: { S: "PAGE#2" }, SK: { S: "PAGE" }, id: { S: "2" }, n: { N: "1" } };
  await server.call("PutItem", { TableName: "Tab", Item });
  for (const name of ["view", "take", "tag", "short"]) {
    const error = await client.write(name, { id: "2", ...(name === "tag" && { tag: "a" }) }).then(assert.fail, (one) => one);
    assert.ok(error instanceof KeyfoldError, String(error.stack));
    assert.equal(error.code, "refused", error.message);
    assert.match(error.message, /the Page with id = 2 has no `(stats|prices)`, in which `[a-z.]+` lies/);
    const key = { PK: "PAGE#2", SK: "PAGE" };
    assert.deepEqual(error.place, { action: "update Page", table: "Tab", key, entity: "Page", id: { id: "2" } });
  }
});

test("a pattern over many shards warns of no leak", async () => {
  const plan = planOf(`
model spread 1
table Spread (PK, SK)
  gsi All (ALLPK, ALLSK)
entity Note
  id: string
  key "NOTE#{id}" "NOTE"
  All "NOTES" "{id}" shard 64
pattern notes() -> Note[] page 20
`);
  const warnings = [];
  const warned = (warning) => warnings.push(warning);
  process.on("warning", warned);
  const spread = new Client(plan, server);
  await spread.ensureTables();
  assert.deepEqual((await spread.page("notes", {})).items, []);
  // Node says warnings in the next turn.
  await new Promise((resolve) => setTimeout(resolve, 10));
  process.off("warning", warned);
  assert.deepEqual(warnings.map(String), []);
});

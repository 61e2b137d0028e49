/** Items of other programs with a compressed value or a split list that cannot be read, as in
 * `crates/keyfold-client/tests/unreadable_values.rs`: the error names entity and item, and the item can be
 * deleted, replaced and corrected. */

import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { planOf } from "./model.mjs";
import { source } from "./source.mjs";

const { Client, connect } = await source("client.js", "transport/node.js");

const PLAN = planOf(`
model m 1
table Tab (PK, SK) type kind
entity Doc
  id: string, state: string, note: string?, size: int?
  lines: list of string?
  key  "D#{id}" "D"
  copy card "C#{id}" "C" only id, note
  compress note, size
  split lines by 2
entity Sum
  id: string, code: string?
  key  "S#{id}" "S"
  compress code
  unique code
pattern doc(id) -> Doc?
pattern sum(id) -> Sum?
write renew(id, note: string)
  update Doc set note = note
write drop_closed(id)
  delete Doc when state = "closed" or exists note
write drop_open(id)
  delete Doc when state = "open"
`);

const KEY = { PK: { S: "D#1" }, SK: { S: "D#0000" } };
const WHOLE = { id: "1", state: "open", note: "long", lines: ["a", "b", "c", "d", "e"] };
const SHORT = { id: "1", state: "new" };

/** What another program wrote, with the name of the attribute. */
const BROKEN = [
  ["note", { note: { S: "long" } }],
  ["note", { note: { B: "AAAA" } }],
  ["lines", { lines: { S: "a" } }],
  ["lines", { lines: { L: [{ S: "x" }] } }],
  ["lines", { "lines:digest": { S: "x" } }],
];

let server;
let client;
before(async () => {
  server = await connect("memory:");
  client = new Client(PLAN, server);
  await client.ensureTables();
});
after(() => server.close());

const stored = async () => (await server.call("Scan", { TableName: "Tab" })).Items;
const item = async () => (await stored()).find((one) => one.SK.S === "D#0000");
const clear = async () => {
  for (const { PK, SK } of await stored()) await server.call("DeleteItem", { TableName: "Tab", Key: { PK, SK } });
};
const breakIt = async (change) => {
  await clear();
  await client.put("Doc", WHOLE);
  const Item = { ...(await item()), ...change, extra: { S: "kept" } };
  await server.call("PutItem", { TableName: "Tab", Item });
};
const withoutExtra = (items) => items.map(({ extra: _, ...others }) => others);

for (const [attribute, change] of BROKEN) {
  const what = JSON.stringify(change);
  test(`what needs it is refused: ${what}`, async () => {
    await breakIt(change);
    const calls = [() => client.update("Doc", { id: "1", state: "closed" })];
    if (attribute === "note") calls.push(() => client.write("drop_closed", { id: "1" }));
    for (const call of calls) {
      const error = await call().then(assert.fail, (one) => one);
      assert.equal(error.code, "unknown_item", error.stack);
      const { entity, key } = error.detail;
      assert.deepEqual([error.detail.attribute, entity, key], [attribute, "Doc", { PK: "D#1", SK: "D#0000" }]);
      assert.ok(error.message.startsWith(`Doc (PK = "D#1", SK = "D#0000"): ${attribute} is stored, but `), error.message);
    }
    const error = await client.one("doc", { id: "1" }).then(assert.fail, (one) => one);
    assert.match(error.message, /Doc \(PK = "D#1", SK = "D#0000"\)|belong together/);
  });

  test(`it is deleted: ${what}`, async () => {
    for (const call of [() => client.delete("Doc", { id: "1" }), () => client.write("drop_open", { id: "1" })]) {
      await breakIt(change);
      await call();
      assert.deepEqual(await stored(), []);
    }
  });

  test(`it is replaced: ${what}`, async () => {
    for (const whole of [WHOLE, SHORT]) {
      await clear();
      await client.put("Doc", whole);
      const fresh = await stored();
      await breakIt(change);
      await client.put("Doc", whole);
      assert.deepEqual((await item()).extra, { S: "kept" });
      assert.deepEqual(withoutExtra(await stored()), fresh);
    }
  });

  test(`it is corrected: ${what}`, async () => {
    await breakIt(change);
    const given = attribute === "note" ? { note: "new" } : { lines: ["x", "y", "z"] };
    await client.update("Doc", { id: "1", ...given });
    const found = await client.one("doc", { id: "1" });
    assert.deepEqual({ ...found }, { ...found, ...WHOLE, ...given });
    if (attribute !== "note") return;
    await breakIt(change);
    await client.write("renew", { id: "1", note: "new" });
    assert.equal((await client.one("doc", { id: "1" })).note, "new");
  });
}

test("an item whose guard is not known stays", async () => {
  await clear();
  await client.put("Sum", { id: "1", code: "c" });
  const [held] = (await stored()).filter((one) => one.PK.S === "S#1");
  await server.call("PutItem", { TableName: "Tab", Item: { ...held, code: { S: "c" } } });
  const error = await client.delete("Sum", { id: "1" }).then(assert.fail, (one) => one);
  assert.match(error.message, /^Sum \(PK = "S#1", SK = "S"\): code is stored/);
  assert.equal((await stored()).length, 2);
});

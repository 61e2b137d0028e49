/** Stored items that the model does not know: never values of a wrong type. */

import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { planOf } from "./model.mjs";
import { source } from "./source.mjs";

const { Client, connect } = await source("client.js", "transport/node.js");

const PLAN = planOf(`
model unknown 1
table Things (PK, SK)
record Part
  label: string, at: date?, "toString": string?
entity Thing
  id: string, part: string, name: string
  count: int?, state: open | closed?, flag: bool?
  at: time?, seconds: time(s)?, born: date?, when: ulid?, who: uuid?
  one: Part?, parts: list of Part?, days: set of date?, packed: list of string?
  compress packed
  key "THING#{id}" "PART#{part}"
entity Whole
  id: string
  key "THING#{id}" "WHOLE"
pattern thing(id, part) -> Thing?
pattern things(id) -> Thing[]
pattern all(id) -> Whole + Thing[]
`);

const KEY = { PK: { S: "THING#t" }, SK: { S: "PART#p" } };
const FINE = { ...KEY, name: { S: "n" }, at: { S: "2024-01-15T10:30:00.000Z" } };
const S = (text) => ({ S: text });

/** What is stored instead, with the path that is wrong. */
const WRONG = [
  [{ name: undefined }, "name"],
  [{ name: { N: "5" } }, "name"],
  [{ count: S("5") }, "count"],
  [{ count: { N: "1.5" } }, "count"],
  [{ state: S("ajar") }, "state"],
  [{ flag: { N: "1" } }, "flag"],
  [{ at: S("yesterday") }, "at"],
  [{ at: S("2024-01-15T10:30:00Z") }, "at"],
  [{ at: S("2024-02-30T10:30:00.000Z") }, "at"],
  [{ seconds: S("2024-01-15T10:30:60Z") }, "seconds"],
  [{ born: S("2024-02-30") }, "born"],
  [{ when: S("01HM5Z2V4XA7B8C9D0E1F2G3H\u017f") }, "when"],
  [{ who: S("123") }, "who"],
  [{ one: { M: {} } }, "one"],
  [{ one: { M: { label: { N: "1" } } } }, "one.label"],
  [{ one: { M: { label: S("x"), at: S("soon") } } }, "one.at"],
  [{ one: { M: { label: S("x"), toString: { N: "1" } } } }, "one.toString"],
  [{ parts: { L: [{ M: { label: S("x") } }, S("y")] } }, "parts[1]"],
  [{ days: { SS: ["2024-01-15", "never"] } }, "days[]"],
  [{ packed: { B: "AAAA" } }, "packed"],
];

let server;
let strict;
let lenient;
before(async () => {
  server = await connect("memory:");
  strict = new Client(PLAN, server);
  lenient = new Client(PLAN, server, { onUnknown: "skip" });
  await strict.ensureTables();
  await strict.put("Thing", { id: "t", part: "q", name: "other" });
  await strict.put("Whole", { id: "t" });
});
after(() => server.close());

for (const [change, attribute] of WRONG) {
  test(`${attribute} is stored as ${JSON.stringify(change)}`, async () => {
    const item = Object.fromEntries(Object.entries({ ...FINE, ...change }).filter(([, value]) => value !== undefined));
    await server.call("PutItem", { TableName: "Things", Item: item });
    const key = { id: "t", part: "p" };
    const detail = { code: "unknown_item", attribute, entity: "Thing", key: { PK: "THING#t", SK: "PART#p" } };
    const record = { dynamodb: { Keys: KEY, NewImage: item } };
    for (const call of [
      () => strict.one("thing", key),
      () => strict.page("things", { id: "t" }),
      () => strict.page("all", { id: "t" }),
      () => strict.event(record),
    ]) {
      const error = await call().then(assert.fail, (one) => one);
      assert.deepEqual(error.detail, detail, error.stack);
      assert.match(error.message, /Thing \(PK = "THING#t", SK = "PART#p"\): /);
    }
    assert.equal(await lenient.one("thing", key), undefined);
    const { items } = await lenient.page("things", { id: "t" });
    assert.deepEqual(items.map((one) => one.part), ["q"]);
    const all = await lenient.all("all", { id: "t" }, 10);
    assert.deepEqual(all.map((one) => one.kind), ["Thing", "Whole"]);
    assert.equal(await lenient.event(record), undefined);
  });
}

test("an item of the model is found, and has its optional members where they are stored", async () => {
  await server.call("PutItem", { TableName: "Things", Item: { ...FINE, one: { M: { label: S("x") } } } });
  const found = await strict.one("thing", { id: "t", part: "p" });
  assert.deepEqual({ ...found }, { kind: "Thing", id: "t", part: "p", name: "n", at: FINE.at.S, one: { label: "x" } });
  assert.ok(!Object.hasOwn(found.one, "toString"));
});

test("an item of no kind is an error with its key, whatever else it has, or is left out", async () => {
  const plan = planOf(`
model keys 1
table Docs (zp, zs)
entity Doc
  id: string, n: int, body: string
  key "D#{id}" "N#{n:04}"
pattern docs(id) -> Doc[]
`);
  const key = { zp: S("D#1"), zs: S("other") };
  const stored = { a: S("first"), b: S("next"), ...key };
  const client = new Client(plan, { call: async () => ({ Items: [stored] }) });
  const record = { dynamodb: { NewImage: stored } };
  for (const call of [() => client.page("docs", { id: "1" }), () => client.event(record)]) {
    const error = await call().then(assert.fail, (one) => one);
    assert.deepEqual(error.detail, { code: "unknown_item", key: { zp: "D#1", zs: "other" } });
    assert.match(error.message, /\(zp = "D#1", zs = "other"\)/);
  }
  const lenient = new Client(plan, { call: async () => ({ Items: [stored] }) }, { onUnknown: "skip" });
  assert.deepEqual((await lenient.page("docs", { id: "1" })).items, []);
});

test("parts of a list that never belong together are none of the model's", async () => {
  const plan = planOf(`
model parts 1
table Docs (PK, SK)
entity Doc
  id: string, lines: list of string
  key "D#{id}" "D"
  split lines by 2
pattern doc(id) -> Doc?
`);
  const stored = { PK: S("D#1"), SK: S("D#0000"), id: S("1"), lines: { L: [] }, "lines:digest": S("x") };
  const client = new Client(plan, { call: async () => ({ Items: [stored] }) });
  await assert.rejects(client.one("doc", { id: "1" }), { code: "unknown_item", message: /belong together/ });
});

test("an item without an attribute that its index demands is none of the model's", async () => {
  const plan = planOf(`
model certain 1
table Notes (PK, SK)
  gsi Due (DPK, DSK)
entity Note
  owner: string, id: string, due: date?, text: string?
  key "OWNER#{owner}" "NOTE#{id}"
  Due "OWNER#{owner}" "DUE#{due}#{id}"
pattern due(owner, due >= since) -> Note[]
pattern notes(owner) -> Note[]
`);
  assert.deepEqual(plan.patterns.map(({ returns: [one] }) => one.present), [["due"], undefined]);
  const item = { PK: S("OWNER#ada"), SK: S("NOTE#1"), owner: S("ada"), id: S("1"), DPK: S("OWNER#ada") };
  const client = (stored) => new Client(plan, { call: async () => ({ Items: [stored] }) });
  const args = { owner: "ada", since: "2024-01-01" };
  const error = await client(item).page("due", args).then(assert.fail, (one) => one);
  assert.deepEqual([error.code, error.detail.attribute], ["unknown_item", "due"]);
  assert.equal((await client({ ...item, due: S("2024-01-15") }).page("due", args)).items[0].due, "2024-01-15");
  assert.equal((await client(item).page("notes", { owner: "ada" })).items.length, 1);
});

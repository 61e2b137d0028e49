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

test("the error about a copy names the copy, and of its key what it has", async () => {
  const plan = planOf(`
model copies 1
table Docs (PK, SK)
entity Doc
  id: string, n: int
  key "D#{id}" "D"
  copy card "CARDS" "{id}" only id, n
pattern cards() -> Doc.card[]
`);
  const client = (stored) => new Client(plan, { call: async () => ({ Items: [stored] }) });
  const key = { PK: S("CARDS"), SK: S("1") };
  const wrong = await client({ id: S("1"), n: S("x"), SK: key.SK, PK: key.PK }).page("cards").then(assert.fail, (one) => one);
  assert.deepEqual(wrong.detail, { code: "unknown_item", attribute: "n", entity: "Doc.card", key: { PK: "CARDS", SK: "1" } });
  assert.match(wrong.message, /^cards found an item of Doc\.card \(PK = "CARDS", SK = "1"\): /);
  const other = await client({ PK: S("CARDS") }).page("cards").then(assert.fail, (one) => one);
  assert.deepEqual(other.detail, { code: "unknown_item", key: { PK: "CARDS" } });
  assert.match(other.message, /\(PK = "CARDS"\)/);
});

/** The rule of `first`: the item that is first decides. What follows it on the page that is read does not matter, as
 * it does not where a page of one item is read. */
test("an unknown item matters to `first` only where it comes before the first", async () => {
  const plan = planOf(`
model firsts 1
table Main (PK, SK)
entity Head
  id: string, name: string, word: string?
  key "D#{id}" "HEAD"
entity Doc
  id: string, n: int, word: string?
  key "D#{id}" "N#{n:04}"
pattern docs(id) -> Doc[]
pattern marked(id, word: string) -> Doc[] filter word = word
pattern some(id, n[]) -> Doc[]
pattern whole(id) -> Head + Doc[]
pattern since(id, n >= from) -> Head? + Doc[]
pattern picked(id, word: string) -> Head? + Doc[] filter word = word
pattern pair(id, one, two) -> (Doc as left where n = one, Doc? as right where n = two)
pattern every() -> Doc[] scan
`);
  const doc = (n) => ({ PK: S("D#1"), SK: S(`N#000${n}`), id: S("1"), n: { N: String(n) }, word: S("x") });
  const head = { PK: S("D#1"), SK: S("HEAD"), id: S("1"), name: S("h") };
  const strange = { PK: S("D#1"), SK: S("N#0002"), id: S("1"), n: S("two"), word: S("x") };
  const other = { PK: S("D#1"), SK: S("ZZZ") };
  const calls = [
    ["docs", { id: "1" }],
    ["marked", { id: "1", word: "x" }],
    ["some", { id: "1", n: [1, 2] }],
    ["whole", { id: "1" }],
    ["since", { id: "1", from: 1 }],
    ["picked", { id: "1", word: "x" }],
    ["pair", { id: "1", one: 1, two: 2 }],
    ["every", {}],
  ];
  const own = await connect("memory:");
  const client = new Client(plan, own);
  const lenient = new Client(plan, own, { onUnknown: "skip" });
  await client.ensureTables();
  const store = async (...items) => {
    const { Items } = await own.call("Scan", { TableName: "Main" });
    for (const { PK, SK } of Items) await own.call("DeleteItem", { TableName: "Main", Key: { PK, SK } });
    for (const Item of items) await own.call("PutItem", { TableName: "Main", Item });
  };
  const codeOf = (call) => call.then((item) => item.kind, (error) => error.code);
  try {
    for (const [pattern, args] of calls) {
      const isOfHead = ["whole", "since", "picked"].includes(pattern);
      const first = isOfHead ? "Head" : "Doc";
      await store(head, doc(1), strange, other);
      const { kind, n = 1 } = await client.first(pattern, args);
      assert.deepEqual([kind, n], [pattern === "picked" ? "Doc" : first, 1], pattern);
      await assert.rejects(client.all(pattern, args, 9), { code: "unknown_item" }, pattern);
      // Before the first.
      await store({ ...doc(1), n: S("one") }, { ...doc(2) }, { ...head, name: { N: "1" } });
      assert.equal(await codeOf(client.first(pattern, args)), "unknown_item", pattern);
      if (pattern === "pair" || pattern === "whole") continue;
      assert.equal((await lenient.first(pattern, args)).n, 2, pattern);
    }
    await store(doc(1));
    assert.equal(await codeOf(client.first("whole", { id: "1" })), "not_found");
  } finally {
    await own.close();
  }
});

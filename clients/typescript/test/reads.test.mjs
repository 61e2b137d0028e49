/** Reads on a server: pages and their cursors, iterators, answers of one item, and the options of calls. The
 * requests are compared with those of Keyfold's own client by `lockstep`. */

import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { counted, planOf } from "./model.mjs";
import { source } from "./source.mjs";

const { Client, KeyfoldError, connect } = await source("client.js", "error.js", "transport/node.js");

const PLAN = planOf(`
model reads 1
table Main (PK, SK) type entity
  gsi GSI1 (GSI1PK, GSI1SK)
entity Owner
  owner: string, name: string
  key "OWNER#{owner}" "OWNER"
entity Note
  owner: string, number: int, text: string?
  key "OWNER#{owner}" "NOTE#{number:04}"
  GSI1 "NOTES" "{number:04}#{owner}"
  copy brief "BRIEF#{number:04}" "{owner}" only number
entity Reading
  sensor: string, at: time, value: int
  key "SENSOR#{sensor}" "{at}#{value:04}" shard 3
pattern owner(owner) -> Owner?
pattern notes(owner) -> Note[] page 3
pattern all_notes() -> Note[]
pattern marked(owner, word: string) -> Note[] filter text = word
pattern whole(owner) -> Owner + Note[]
pattern readings(sensor) -> Reading[] page 4
pattern pair(owner, number) -> (Owner, Note?)
`);

let server;
let client;
before(async () => {
  server = await connect("memory:");
  client = new Client(PLAN, server);
  await client.ensureTables();
  await client.put("Owner", { owner: "ada", name: "Ada" });
  for (let number = 1; number <= 8; number += 1) {
    await client.put("Note", { owner: "ada", number, ...(number === 5 && { text: "x" }) });
    await client.put("Reading", { sensor: "s", at: new Date(number * 1000), value: number });
  }
  await client.put("Note", { owner: "lost", number: 1 });
});
after(() => server.close());

async function refused(promise, code, what = "") {
  const error = await promise.then(
    (answer) => assert.fail(`no error, but ${JSON.stringify(answer)} ${what}`),
    (one) => one,
  );
  assert.ok(error instanceof KeyfoldError, String(error.stack));
  assert.equal(error.code, code, error.message);
  return error;
}

/** The characters of cursors. */
const ALPHABET = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";
const numbers = (items) => items.map((item) => item.number ?? item.value);

test("pages go on after their cursors, in both directions", async () => {
  const first = await client.page("notes", { owner: "ada" });
  assert.deepEqual([numbers(first.items), first.requests], [[1, 2, 3], 1]);
  assert.ok(first.capacity > 0);
  const second = await client.page("notes", { owner: "ada" }, { after: first.next, limit: 4 });
  assert.deepEqual(numbers(second.items), [4, 5, 6, 7]);
  const back = await client.page("notes", { owner: "ada" }, { after: second.next, backward: true });
  assert.deepEqual(numbers(back.items), [6, 5, 4]);
  const last = await client.page("notes", { owner: "ada" }, { limit: 100 });
  assert.equal("next" in last, false);
});

test("cursors of shards go on where each shard ended", async () => {
  const found = [];
  let after;
  do {
    const page = await client.page("readings", { sensor: "s" }, { after });
    found.push(...numbers(page.items));
    after = page.next;
  } while (after !== undefined);
  assert.deepEqual(found, [1, 2, 3, 4, 5, 6, 7, 8]);
});

test("a cursor is a text for URLs, and belongs to its pattern and arguments", async () => {
  const { next } = await client.page("notes", { owner: "ada" });
  assert.match(next, /^[A-Za-z0-9_-]+$/);
  const transport = counted();
  const own = new Client(PLAN, transport);
  for (const [pattern, args, after] of [
    ["notes", { owner: "bob" }, next],
    ["marked", { owner: "ada", word: "x" }, next],
    ["notes", { owner: "ada" }, `${next.slice(0, -4)}AAAA`],
    ["notes", { owner: "ada" }, `${next}.AAAA`],
    ["notes", { owner: "ada" }, ""],
    ["notes", { owner: "ada" }, "%%%"],
    ["notes", { owner: "ada" }, 7],
    ["notes", { owner: "ada" }, btoa("null")],
    ["pair", { owner: "ada", number: 1 }, next],
  ]) {
    const error = await refused(own.page(pattern, args, { after }), "invalid");
    assert.equal(error.detail.name, "after");
  }
  assert.deepEqual(transport.sent, []);
});

test("a signed cursor is refused when it was changed, or signed by another secret", async () => {
  const signed = new Client(PLAN, server, { cursorSecret: "s1" });
  const { next } = await signed.page("notes", { owner: "ada" });
  assert.deepEqual(numbers((await signed.page("notes", { owner: "ada" }, { after: next })).items), [4, 5, 6]);
  const [text, signature] = next.split(".");
  const changed = Buffer.from(Buffer.from(text, "base64url").toString().replace("NOTE#0003", "NOTE#0001"));
  for (const after of [text, `${changed.toString("base64url")}.${signature}`, `${next}A`, `${text}.`, `${next}.`]) {
    await refused(signed.page("notes", { owner: "ada" }, { after }), "invalid");
  }
  await refused(new Client(PLAN, server, { cursorSecret: "s2" }).page("notes", { owner: "ada" }, { after: next }), "invalid");
  await refused(client.page("notes", { owner: "ada" }, { after: next }), "invalid");
});

test("an answer of another partition is none, and its end is no cursor of the caller's", async () => {
  const other = { PK: { S: "OWNER#bob" }, SK: { S: "NOTE#0001" } };
  const own = { PK: { S: "OWNER#ada" }, SK: { S: "NOTE#0001" } };
  const item = { ...other, entity: { S: "Note" }, owner: { S: "bob" }, number: { N: "1" } };
  const answers = [
    { Items: [item] },
    { Items: [{ ...item, ...own }, { ...item, ...own }], Count: 1 },
    { Items: Array(4).fill({ ...item, ...own }) },
    ...[other, { SK: own.SK }, { PK: own.PK }, { PK: own.PK, SK: { N: "1" } }, { ...own, GSI1PK: { S: "x" } }].map((LastEvaluatedKey) => ({ Items: [], LastEvaluatedKey })),
  ];
  for (const answer of answers) {
    for (const call of [
      (one) => one.all("notes", { owner: "ada" }, 9),
      (one) => one.page("notes", { owner: "ada" }),
    ]) {
      await refused(call(new Client(PLAN, counted({ Query: () => answer }))), "transport");
    }
  }
});

/** A cursor with another position. */
function forged(next, change) {
  const found = JSON.parse(Buffer.from(next, "base64url"));
  return Buffer.from(JSON.stringify([found[0], change(found[1]), ...found.slice(2)])).toString("base64url");
}

test("a forged cursor has no value in a key that no key has", async () => {
  const client = new Client(PLAN, server);
  const { next } = await client.page("notes", { owner: "ada" }, { limit: 1 });
  for (const SK of [{ N: "1" }, { S: "" }, { S: {} }, { S: 1 }, {}, null, { S: "x", N: "1" }, { S: "\ud800" }]) {
    const after = forged(next, (position) => ({ ...position, SK }));
    const { detail } = await refused(client.page("notes", { owner: "ada" }, { after }), "invalid", JSON.stringify(SK));
    assert.equal(detail.name, "after");
  }
});

test("a forged cursor of shards or periods is refused before anything is sent", async () => {
  const plan = planOf(`
model forged 1
table Main (PK, SK)
entity Reading
  sensor: string, at: time, value: int
  key "SENSOR#{sensor}" "{at}#{value:04}" bucket month
entity Beat
  sensor: string, at: time, value: int
  key "BEAT#{sensor}" "{at}#{value:04}" shard 2 bucket month
pattern readings(sensor, at in from..to) -> Reading[] page 2
pattern beats(sensor, at in from..to) -> Beat[] page 2
`);
  const key = (PK, SK) => ({ PK: { S: PK }, SK: { S: SK } });
  const item = ({ ExpressionAttributeValues }) => ExpressionAttributeValues[":v0"];
  const at = "2024-01-15T00:00:00.000Z#0001";
  const Query = (input) => ({ Items: [{ PK: item(input), SK: { S: at } }], LastEvaluatedKey: { PK: item(input), SK: { S: at } } });
  const range = { sensor: "s", from: "2024-01-01", to: "2024-02-20" };
  const shards = (next) => Object.entries(next).filter(([name]) => name.startsWith("#shard"));
  const cases = [
    [PLAN, "readings", { sensor: "s" }, [
      (next) => ({ ...next, "#shard1": { M: key("SENSOR#other", at) } }),
      (next) => ({ ...next, "#shard1": next["#shard0"] }),
      (next) => ({ ...next, "#shard1": { M: { PK: { S: "x" } } } }),
      (next) => ({ ...next, "#shard1": { S: "x" } }),
      (next) => ({ ...next, "#shard9": next["#shard0"] }),
      (next) => ({ ...next, "#shardx": next["#shard0"] }),
      (next) => ({ ...next, "#shard1": { M: { "#done": { BOOL: true }, PK: { S: "x" } } } }),
      (next) => ({ ...next, PK: { S: "x" } }),
      (next) => ({ ...next, "#shard1": { M: null } }),
      (next) => ({ ...next, "#shard1": { M: { PK: null, SK: { S: at } } } }),
      (next) => ({ ...next, "#shard1": null }),
    ]],
    [plan, "readings", range, [
      (next) => ({ ...next, "#period": { S: "2024-07" } }),
      (next) => ({ ...next, "#period": { S: "x" } }),
      (next) => ({ ...next, "#period": { N: "1" } }),
      (next) => ({ ...next, PK: { S: "SENSOR#other" } }),
      (next) => ({ ...next, extra: { S: "x" } }),
      ({ "#period": period, SK }) => ({ "#period": period, SK }),
      ({ PK, SK }) => ({ PK, SK }),
      () => ({}),
    ]],
    [plan, "beats", range, [
      (next) => ({ ...next, "#shard0": { M: key("SENSOR#other", at) } }),
      (next) => ({ ...next, PK: { S: "x" } }),
      (next) => Object.fromEntries(shards(next)),
    ]],
  ];
  for (const [model, pattern, args, changes] of cases) {
    const transport = counted({ Query });
    const client = new Client(model, transport);
    const { next } = await client.page(pattern, args, { limit: 1 });
    await client.page(pattern, args, { after: next, limit: 1 });
    transport.sent.length = 0;
    for (const change of changes) {
      const after = forged(next, change);
      const error = await refused(client.page(pattern, args, { after, limit: 1 }), "invalid", `${pattern} ${change}`);
      assert.deepEqual([error.detail.name, transport.sent], ["after", []], `${pattern} ${change}`);
    }
  }
});

test("items, pages, first and all read as far as they are asked", async () => {
  const sent = [];
  const own = new Client(PLAN, server, { onRequest: ({ operation, call }) => sent.push(`${call} ${operation}`) });
  for await (const item of own.items("notes", { owner: "ada" })) {
    if (item.number === 2) break;
  }
  assert.deepEqual(sent, ["notes Query"]);
  const pages = [];
  for await (const page of own.pages("notes", { owner: "ada" })) pages.push(page.items.length);
  assert.deepEqual(pages, [3, 3, 2]);
  assert.equal((await own.first("notes", { owner: "ada" }, { backward: true })).number, 8);
  assert.equal((await own.first("marked", { owner: "ada", word: "x" })).number, 5);
  assert.equal(await own.first("notes", { owner: "nobody" }), undefined);
  assert.equal((await own.all("notes", { owner: "ada" }, 8)).length, 8);
  const error = await refused(own.all("notes", { owner: "ada" }, 7), "too_many");
  assert.deepEqual(error.detail, { code: "too_many", pattern: "notes", most: 7 });
  assert.match(error.message, /more than 7 items/);
});

test("one and together read by keys, and kinds are told apart", async () => {
  assert.deepEqual(await client.one("owner", { owner: "ada" }), { kind: "Owner", owner: "ada", name: "Ada" });
  assert.equal(await client.one("owner", { owner: "nobody" }), undefined);
  const pair = await client.together("pair", { owner: "ada", number: 5 });
  assert.deepEqual([pair.Owner.kind, pair.Note.text], ["Owner", "x"]);
  assert.deepEqual(Object.keys(await client.together("pair", { owner: "ada", number: 99 })), ["Owner"]);
  await refused(client.together("pair", { owner: "nobody", number: 1 }), "not_found");
  await refused(client.one("notes", { owner: "ada" }), "invalid");
  await refused(client.together("notes", { owner: "ada" }), "invalid");
});

test("a collection without its required item is no answer", async () => {
  const whole = await client.all("whole", { owner: "ada" }, 100);
  assert.deepEqual(whole.map((item) => item.kind).slice(-2), ["Note", "Owner"]);
  await refused(client.page("whole", { owner: "lost" }), "not_found");
  await refused(client.all("whole", { owner: "lost" }, 9, { limit: 1 }), "not_found");
});

test("an item that the model does not know is an error, or is skipped", async () => {
  const Item = { PK: { S: "OWNER#odd" }, SK: { S: "NOTE#strange" } };
  await server.call("PutItem", { TableName: "Main", Item });
  await refused(client.page("notes", { owner: "odd" }), "unknown_item");
  const own = new Client(PLAN, server, { onUnknown: "skip" });
  assert.deepEqual((await own.page("notes", { owner: "odd" })).items, []);
});

test("strong reads are asked for, and refused of a global index", async () => {
  const transport = counted({ Query: () => ({ Items: [] }) });
  const own = new Client(PLAN, transport);
  await own.page("notes", { owner: "ada" }, { strong: true });
  assert.equal(transport.sent[0].input.ConsistentRead, true);
  await refused(own.page("all_notes", {}, { strong: true }), "invalid");
  await refused(own.page("notes", { owner: "ada" }, { limit: 0 }), "invalid");
  assert.equal(transport.sent.length, 1);
});

test("a signal or a timeout ends a call", async () => {
  const never = {
    call: (_, __, signal) =>
      new Promise((resolve, reject) => signal.addEventListener("abort", () => reject(signal.reason))),
  };
  const own = new Client(PLAN, never, { timeout: 20 });
  assert.match((await refused(own.page("notes", { owner: "ada" }), "aborted")).message, /longer than 20 ms/);
  const controller = new AbortController();
  const call = own.page("notes", { owner: "ada" }, { signal: controller.signal, timeout: 60_000 });
  const gone = new Error("gone");
  controller.abort(gone);
  const ended = await refused(call, "aborted");
  assert.match(ended.message, /signal/);
  // So a program tells it from a timeout.
  assert.equal(ended.cause, gone);
  await refused(own.page("notes", { owner: "ada" }, { signal: AbortSignal.abort() }), "aborted");
});

test("each request is reported", async () => {
  const events = [];
  const own = new Client(PLAN, server, { onRequest: (event) => events.push(event) });
  await own.page("notes", { owner: "ada" });
  const [{ call, operation, input, milliseconds, capacity, error }] = events;
  assert.ok(capacity > 0);
  assert.deepEqual([call, operation, input.TableName, error], ["notes", "Query", "Main", undefined]);
  assert.ok(milliseconds >= 0);
  const failing = new Client(PLAN, { call: () => Promise.reject(new Error("no")) }, { onRequest: (event) => events.push(event) });
  await assert.rejects(failing.page("notes", { owner: "ada" }));
  assert.match(String(events[1].error), /no/);
});

test("tables are created once, and differences are reported", async () => {
  assert.deepEqual(await client.ensureTables(), [{ table: "Main", outcome: "existing" }]);
  const own = planOf("model other 1\ntable Main (PK, SK)\n  gsi GSI2 (A, B)\n  point in time recovery\nentity E\n  a: string\n  key \"E#{a}\" \"E\"\n  GSI2 \"E\" \"{a}\"\npattern e(a) -> E?\n");
  const error = await refused(new Client(own, server).ensureTables(), "table_differs");
  assert.deepEqual(error.detail.differences, [
    "gsi GSI2: the model has it, the table has not",
    "point in time recovery: the model says on, the table has it off",
  ]);
  const other = await connect("memory:");
  try {
    const made = new Client(own, other);
    assert.deepEqual(await made.ensureTables(), [{ table: "Main", outcome: "created" }]);
    assert.deepEqual(await made.ensureTables(), [{ table: "Main", outcome: "existing" }]);
  } finally {
    await other.close();
  }
});

test("a plan of another version is refused", () => {
  assert.throws(() => new Client({ ...PLAN, keyfoldPlan: 2 }, server), { code: "invalid" });
});

test("a cursor has one text", async () => {
  const signed = new Client(PLAN, server, { cursorSecret: "s1" });
  for (const own of [client, signed]) {
    // Owners of all lengths: the last character of a part has no, two or four unused bits.
    for (const owner of ["x", "xx", "xxx"]) {
      for (const number of [1, 2]) await client.put("Note", { owner, number });
      const { next } = await own.page("notes", { owner }, { limit: 1 });
      const parts = next.split(".");
      const others = parts.flatMap((part, at) => {
        const bytes = Buffer.from(part, "base64url");
        const same = [...ALPHABET].map((last) => part.slice(0, -1) + last);
        const changed = [...same, `${part}=`, `${part}==`, ` ${part}`, `${part}\n`, `${part.slice(0, 2)} ${part.slice(2)}`];
        const known = changed.filter((one) => one !== part && Buffer.from(one.trim(), "base64url").equals(bytes));
        return known.map((one) => parts.map((old, place) => (place === at ? one : old)).join("."));
      });
      assert.ok(others.length >= 4 * parts.length, others.join());
      for (const after of others) {
        const error = await refused(own.page("notes", { owner }, { limit: 1, after }), "invalid");
        assert.equal(error.detail.name, "after", JSON.stringify(after));
      }
      assert.deepEqual(numbers((await own.page("notes", { owner }, { after: next })).items), [2]);
    }
  }
});

test("an average is the nearest number, and any other number with more digits than a number keeps is refused", async () => {
  const fees = planOf(`
model fees 1
table Main (PK, SK) type entity
  stream new and old images
entity Visit
  visit: string, day: string, fee: number
  key "VISIT#{visit}" "VISIT"
view Day of Visit
  key "DAY#{day}" "DAY"
  mean: average fee, total: sum fee
pattern day(day) -> Day?
`);
  const average = "25.863333333333333333333333333333333333";
  const row = (mean, total) => ({
    Item: { PK: { S: "DAY#1" }, SK: { S: "DAY" }, entity: { S: "Day" }, day: { S: "1" }, mean: { N: mean }, total: { N: total } },
  });
  const read = (answer, options) => new Client(fees, counted({ GetItem: () => answer }), options).one("day", { day: "1" });
  assert.deepEqual(await read(row(average, "77.59")), { kind: "Day", day: "1", mean: 25.863333333333333, total: 77.59 });
  assert.equal((await read(row("0.1", "1"))).mean, 0.1);
  assert.equal((await read(row(average, "77.59"), { numbers: "exact" })).mean, average);
  const message = 'total is 12345678901234567.5, which has more digits than a JavaScript number keeps; give the client `numbers: "exact"`';
  assert.match((await refused(read(row("1", "12345678901234567.5")), "refused")).message, new RegExp(`^${message} `));
});

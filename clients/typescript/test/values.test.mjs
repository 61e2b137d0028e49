/** Values: each type written and read back from a server, and wrong ones refused before anything is sent. */

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { after, before, test } from "node:test";
import { counted, planOf } from "./model.mjs";
import { source } from "./source.mjs";

const files = [
  "client.js",
  "error.js",
  "transport/node.js",
  "key/fitted.js",
  "key/formats.js",
  "value/period.js",
  "value/typed.js",
];
const { Client, KeyfoldError, connect, fittedEnd, isPeriodInName, lower, typed } = await source(...files);

const PLAN = planOf(`
model values 1
table Things (PK, SK)
record Part
  label: string
  weight: number?
entity Thing
  id: string
  note: string?
  count: int?
  exact: number?
  flag: bool?
  seconds: time(s)?
  millis: time?
  micros: time(us)?
  nanos: time(ns)?
  born: date?
  state: open | closed?
  bytes: binary?
  tags: set of string?
  numbers: set of int?
  blobs: set of binary?
  parts: list of Part?
  weights: map of number?
  grid: list of list of int?
  when: ulid?
  who: uuid?
  key "THING#{id}" "THING"
pattern thing(id) -> Thing?
`);

let server;
before(async () => {
  server = await connect("memory:");
});
after(() => server.close());

/** Writes a thing and reads it back. */
async function kept(values, options = {}) {
  const client = new Client(PLAN, server, options);
  await client.ensureTables();
  await client.put("Thing", { id: "one", ...values });
  const { kind, id, ...found } = await client.one("thing", { id: "one" });
  assert.deepEqual([kind, id], ["Thing", "one"]);
  return found;
}

test("every type comes back as it was given", async () => {
  const values = {
    note: "",
    count: -12,
    exact: 0.1,
    flag: false,
    seconds: "2024-01-15T10:30:00Z",
    millis: "2024-01-15T10:30:00.120Z",
    micros: "2024-01-15T10:30:00.123456Z",
    nanos: "2024-01-15T10:30:00.123456789Z",
    born: "2024-02-29",
    state: "open",
    bytes: new Uint8Array([0, 255, 128]),
    tags: new Set(["𝄞", "a"]),
    numbers: new Set([1, 2]),
    parts: [{ label: "x", weight: 1.5 }, { label: "y" }],
    weights: { "": 1, "𝄞": 2, __proto__x: 3 },
  };
  assert.deepEqual(await kept(values), values);
});

test("plain objects of any making are maps and records", async () => {
  const bare = Object.assign(Object.create(null), { a: 1 });
  const elsewhere = (await import("node:vm")).runInNewContext("({ a: 1 })");
  for (const weights of [{ a: 1 }, bare, elsewhere, new Map([["a", 1]])]) {
    assert.deepEqual(await kept({ weights }), { weights: { a: 1 } });
  }
  assert.deepEqual(await kept({ parts: [new Map([["label", "x"]])] }), { parts: [{ label: "x" }] });
  const ulid = "01HM5Z2V4XA7B8C9D0E1F2G3HS";
  const uuid = "123E4567-E89B-12D3-A456-426614174000";
  const found = await kept({ when: ulid.toLowerCase(), who: uuid, count: 2n ** 53n, grid: [[], [1]] }, { numbers: "exact" });
  assert.deepEqual(found, { when: ulid, who: uuid.toLowerCase(), count: 2n ** 53n, grid: [[], [1n]] });
});

test("numbers of 38 digits are exact, or refused where a number would lose digits", async () => {
  const count = 12345678901234567890123456789012345678n;
  const exact = "1234567890123456789.0123456789012345678";
  assert.deepEqual(await kept({ count, exact }, { numbers: "exact" }), { count, exact });
  const client = new Client(PLAN, server);
  await assert.rejects(client.one("thing", { id: "one" }), { code: "refused", message: /numbers: "exact"/ });
  assert.deepEqual(await kept({ exact: "1e-130" }, { numbers: "exact" }), { exact: `0.${"0".repeat(129)}1` });
  assert.deepEqual(await kept({ exact: 1e21, count: -0 }), { exact: 1e21, count: 0 });
});

test("texts keep every character", async () => {
  for (const note of ["😀", "\u0000", "\u2028\u2029", "é", "\u{10ffff}", "ﬃ".normalize("NFD")]) {
    assert.equal((await kept({ note })).note, note);
  }
  const client = new Client(PLAN, server);
  await client.put("Thing", { id: "𝄞/é", note: "x" });
  assert.equal((await client.one("thing", { id: "𝄞/é" })).note, "x");
});

test("times take zones and dates, and keep their precision", async () => {
  const at = new Date(Date.UTC(2024, 0, 15, 10, 30, 0, 120));
  const found = await kept({ millis: at, nanos: "2024-01-15T12:30:00.5+02:00", seconds: "2024-01-15", born: "2024-01-15" });
  assert.deepEqual(found, {
    millis: "2024-01-15T10:30:00.120Z",
    nanos: "2024-01-15T10:30:00.500000000Z",
    seconds: "2024-01-15T00:00:00Z",
    born: "2024-01-15",
  });
});

test("sets of bytes and empty values", async () => {
  const found = await kept({ blobs: [new Uint8Array([1]), new Uint8Array([])], bytes: new Uint8Array(0), parts: [] });
  assert.equal(found.blobs.length, 2);
  assert.equal(found.bytes.length, 0);
  assert.deepEqual(found.parts, []);
});

/** Values that are refused, with the name and the reason. */
const WRONG = [
  [{ count: 1.5 }, "count", /not a whole number/],
  [{ count: Number.NaN }, "count", /not a whole number/],
  [{ count: true }, "count", /is no int: true/],
  [{ exact: Number.POSITIVE_INFINITY }, "exact", /not a number/],
  [{ exact: "123456789012345678901234567890123456789" }, "exact", /not a number/],
  [{ exact: "1e126" }, "exact", /not a number/],
  [{ exact: {} }, "exact", /is no number: Object/],
  [{ note: 5 }, "note", /is no string: 5/],
  [{ note: "\ud800" }, "note", /half of a character/],
  [{ flag: "true" }, "flag", /is no bool/],
  [{ seconds: "2024-01-15T10:30:00.5Z" }, "seconds", /finer than a time\(s\)/],
  [{ millis: "2024-01-15T10:30:00" }, "millis", /a time with its zone/],
  [{ millis: new Date(Number.NaN) }, "millis", /is no time/],
  [{ born: "2024-02-30" }, "born", /a day like/],
  [{ state: "OPEN" }, "state", /one of open, closed/],
  [{ bytes: "AAA=" }, "bytes", /is no binary/],
  [{ tags: new Set() }, "tags", /at least one value/],
  [{ tags: ["a", "a"] }, "tags", /none twice/],
  [{ numbers: [1, "1"] }, "numbers", /none twice/],
  [{ tags: "abc" }, "tags", /is no set of string/],
  [{ parts: [{ label: "x", size: 1 }] }, "parts[0].size", /no field of Part/],
  [{ parts: [{}] }, "parts[0].label", /is missing/],
  [{ parts: { 0: 1 } }, "parts", /is no list of Part/],
  [{ weights: { a: "heavy" } }, "weights.a", /not a number/],
  [{ weights: new Map([[1, 1]]) }, "weights", /names of a map are texts/],
  [{ weights: new Map([[{}, 1]]) }, "weights", /are texts/],
  [{ weights: { "\ud800": 1 } }, "a name in weights", /half of a character/],
  [{ weights: Promise.resolve({ a: 1 }) }, "weights", /is no map of number: Promise/],
  [{ weights: new Date() }, "weights", /: Date/],
  [{ weights: /x/ }, "weights", /: RegExp/],
  [{ weights: new Error("x") }, "weights", /: Error/],
  [{ weights: new URLSearchParams("a=1") }, "weights", /: URLSearchParams/],
  [{ weights: new Uint8Array(2) }, "weights", /: Uint8Array/],
  [{ weights: Object.create({ a: 1 }) }, "weights", /is no map/],
  [{ parts: [new (class Part { label = "x"; })()] }, "parts[0]", /: Part/],
  [{ parts: [{ label: "x" }, , { label: "y" }] }, "parts[1]", /is no Part: undefined/],
  [{ tags: ["a", , "b"] }, "tags[1]", /is no string: undefined/],
  [{ seconds: "2024-01-15T10:30:60Z" }, "seconds", /a time with its zone/],
  [{ seconds: "2024-01-15T10:30:00+99:99" }, "seconds", /a time with its zone/],
  [{ seconds: "2024-01-15T10:30:00+01:60" }, "seconds", /a time with its zone/],
  [{ when: "01HM5Z2V4XA7B8C9D0E1F2G3H\u017f" }, "when", /ULID/],
  [{ when: "81HM5Z2V4XA7B8C9D0E1F2G3HS" }, "when", /ULID/],
  [{ count: 2 ** 53 }, "count", /give a bigint or a text/],
  [{ count: JSON.parse("12345678901234567890") }, "count", /give a bigint or a text/],
  [{ grid: [[1], , [2]] }, "grid[1]", /is no list of int/],
  [{ colour: "red" }, "colour", /has no `colour`/],
  [{ id: "" }, "id", /is empty, and a key is made of it/],
  [{ id: "x".repeat(2100) }, "id", /a partition key has at most 2048 bytes/],
  [{ id: undefined }, "id", /needs id/],
];

for (const [values, name, reason] of WRONG) {
  test(`refused before it is sent: ${name}, ${reason.source}`, async () => {
    const transport = counted();
    const client = new Client(PLAN, transport);
    const error = await client.put("Thing", { id: "one", ...values }).then(assert.fail, (one) => one);
    assert.ok(error instanceof KeyfoldError, String(error.stack));
    assert.equal(error.code, "invalid", error.message);
    assert.match(error.message, reason);
    assert.equal(error.detail.name, name);
    assert.deepEqual(transport.sent, []);
  });
}

/** The lines of a file of cases, which the tests of the other languages read, too. */
function cases(name) {
  const text = readFileSync(new URL(`../../cases/${name}`, import.meta.url), "utf8");
  return text.split("\n").filter((line) => line !== "" && !line.startsWith("#"));
}

test("every code point has the small letter of Unicode 13", () => {
  const points = (text) => Array.from(text, (one) => one.codePointAt(0).toString(16).toUpperCase().padStart(4, "0")).join(" ");
  const found = [];
  for (let code = 0; code < 0x110000; code += 1) {
    if (code >= 0xd800 && code < 0xe000) continue;
    const letter = String.fromCodePoint(code);
    if (lower(letter) !== letter) found.push(`${points(letter)} ${points(lower(letter))}`);
  }
  assert.deepEqual(found, cases("lower.txt"));
});

test("a name of no period of the calendar is refused", () => {
  for (const line of cases("periods.txt")) {
    const [unit, name, period] = line.split(" ");
    assert.equal(isPeriodInName(unit, name), period !== "-", line);
  }
});

test("an end that is longer than a key becomes one that no key distinguishes from it", () => {
  const textOf = (points) => points.split(",").map((point) => String.fromCodePoint(parseInt(point, 16))).join("");
  for (const line of cases("ends.txt")) {
    const [side, long, short] = line.split(" ");
    const wanted = short === "-" ? "nothing" : { at: { S: textOf(short) } };
    assert.deepEqual(fittedEnd({ at: { S: textOf(long) } }, side, 4), wanted, line);
  }
  const bytes = (...all) => ({ at: { B: Buffer.from(all).toString("base64") } });
  assert.deepEqual(fittedEnd(bytes(1, 2, 3), "high", 2), bytes(1, 2));
  assert.deepEqual(fittedEnd(bytes(1, 255, 0), "low", 2), bytes(2));
  assert.equal(fittedEnd(bytes(255, 255, 0), "low", 2), "nothing");
});

test("texts that name moments are those of all languages", () => {
  for (const line of cases("times.txt")) {
    const [text, stored] = line.split("\t");
    let found = "-";
    try {
      found = typed(undefined, "at", "time.ms", text).S;
    } catch (error) {
      assert.equal(error.code, "invalid", text);
    }
    assert.equal(found, stored, `\`${text}\``);
  }
});

/** Values of wrong types: whatever a program gives for an attribute, a key or an argument of another type is refused
 * with its entity and its name, before anything is sent. */

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { fileURLToPath } from "node:url";
import { planOf } from "./model.mjs";
import { generated, source } from "./source.mjs";

const { Client } = await source("client.js");
const MODEL = new URL("../../cases/kinds.keyfold", import.meta.url);
const PLAN = planOf(readFileSync(MODEL, "utf8"));
const { KindsClient } = await generated(fileURLToPath(MODEL));

/** A transport that is asked: the value was taken. */
let sent = 0;
const transport = {
  async call() {
    sent += 1;
    throw new Error("sent");
  },
};

class Money {
  amount = 1;
}

const UUID = "123e4567-e89b-12d3-a456-426614174000";
const ULID = "01HM5Z0000ABCDEFGHJKMNPQRS";
const POOL = {
  "text": "x",
  "empty text": "",
  "time as text": "2024-01-15T10:30:00Z",
  "day as text": "2024-01-15",
  "number as text": "7",
  "fraction as text": "1.5",
  "word": "open",
  "uuid": UUID,
  "ulid": ULID,
  "int": 7,
  "fraction": 1.5,
  "nan": Number.NaN,
  "infinity": Number.POSITIVE_INFINITY,
  "beyond safe": 2 ** 60,
  "bigint": 7n,
  "bool": true,
  "null": null,
  "bytes": new Uint8Array([1]),
  "words of bytes": new Uint16Array([1]),
  "time": new Date("2024-01-15T10:30:00Z"),
  "midnight": new Date("2024-01-15"),
  "no time": new Date(Number.NaN),
  "array": [1],
  "holes": [, 1],
  "object": { a: 1 },
  "set": new Set([1]),
  "map": new Map([["a", 1]]),
  "class": new Money(),
  "function": () => 1,
  "symbol": Symbol("x"),
  "boxed": new String("open"),
  "regex": /x/,
};
const TEXTS = ["text", "empty text", "time as text", "day as text", "number as text", "fraction as text", "word", "uuid", "ulid"];
const TIMES = ["time as text", "day as text", "time", "midnight"];
const INTS = ["number as text", "int", "bigint"];
/** What is taken for each attribute of the model. */
const TAKEN = {
  text: TEXTS,
  whole: INTS,
  number: [...INTS, "fraction as text", "fraction", "beyond safe"],
  flag: ["bool"],
  blob: ["bytes"],
  time: TIMES,
  seconds: TIMES,
  micros: TIMES,
  nanos: TIMES,
  date: ["day as text", "midnight"],
  ulid: ["ulid"],
  uuid: ["uuid"],
  word: ["word"],
};
const VALID = {
  text: "s",
  whole: 1,
  number: 1,
  flag: true,
  blob: new Uint8Array([1]),
  time: "2024-01-15T10:30:00Z",
  seconds: "2024-01-15T10:30:00Z",
  micros: "2024-01-15T10:30:00Z",
  nanos: "2024-01-15T10:30:00Z",
  date: "2024-01-15",
  ulid: ULID,
  uuid: UUID,
};
const NO_KEY = ["number", "flag", "blob"];
const INSIDE = {
  times: ["time", (held) => [held]],
  dates: ["date", (held) => ({ a: held })],
  ints: ["whole", (held) => new Set([held])],
  words: ["text", (held) => [held]],
  ...Object.fromEntries(
    Object.keys(VALID).flatMap((name) => [
      [`${name} in a record`, [name, (held) => ({ [`${name}In`]: held }), "inner"]],
      [`${name} in a list of records`, [name, (held) => [{ [`${name}In`]: held }], "inners"]],
    ]),
  ),
};

const capital = (name) => name[0].toUpperCase() + name.slice(1);

/** The calls of a client by name that take an attribute of `All`, and those that take the key of an entity. */
function byName(name) {
  const client = new Client(PLAN, transport, { retries: 0 });
  const all = (held) => ({ id: "a", [name]: held });
  const entity = `By${capital(name)}`;
  const key = (held) => ({ [name]: held });
  const args = (held) => ({ id: "a", ...VALID, [name]: held });
  return {
    create: (held) => client.create("All", all(held)),
    put: (held) => client.put("All", all(held)),
    update: (held) => client.update("All", all(held)),
    putMany: (held) => client.putMany("All", [all(held)]),
    "transact create": (held) => client.transact([{ create: "All", values: all(held) }]),
    "transact put": (held) => client.transact([{ put: "All", values: all(held) }]),
    "transact update": (held) => client.transact([{ update: "All", values: all(held) }]),
    ...(name in VALID && {
      write: (held) => client.write("change", args(held)),
      "transact write": (held) => client.transact([{ write: "change", args: args(held) }]),
    }),
    ...(name in TAKEN && !NO_KEY.includes(name) && {
      "key create": (held) => client.create(entity, key(held)),
      "key update": (held) => client.update(entity, { note: "n" }, { key: key(held) }),
      "key delete": (held) => client.delete(entity, key(held)),
      "key getMany": (held) => client.getMany(entity, [key(held)]),
      "key deleteMany": (held) => client.deleteMany(entity, [key(held)]),
      "key transact": (held) => client.transact([{ delete: entity, key: key(held) }]),
      "key pattern": (held) => client.one(`by_${name}`, key(held)),
    }),
  };
}

/** The same calls of a generated client. */
function ofGenerated(name) {
  const client = new KindsClient(transport, { retries: 0 });
  const all = (held) => ({ id: "a", [name]: held });
  const writer = client[`By${capital(name)}`];
  const key = (held) => ({ [name]: held });
  const args = (held) => ({ id: "a", ...VALID, [name]: held });
  return {
    create: (held) => client.All.create(all(held)),
    put: (held) => client.All.put(all(held)),
    update: (held) => client.All.update({ id: "a" }, { [name]: held }),
    putMany: (held) => client.All.putMany([all(held)]),
    "transact create": (held) => client.transact([client.All.part.create(all(held))]),
    "transact update": (held) => client.transact([client.All.part.update({ id: "a" }, { [name]: held })]),
    ...(name in VALID && {
      write: (held) => client.change(args(held)),
      "transact write": (held) => client.transact([client.part.change(args(held))]),
    }),
    ...(name in TAKEN && !NO_KEY.includes(name) && {
      "key create": (held) => writer.create(key(held)),
      "key update": (held) => writer.update(key(held), { note: "n" }),
      "key delete": (held) => writer.delete(key(held)),
      "key getMany": (held) => writer.getMany([key(held)]),
      "key deleteMany": (held) => writer.deleteMany([key(held)]),
      "key transact": (held) => client.transact([writer.part.delete(key(held))]),
      "key pattern": (held) => client[`by${capital(name)}`](key(held)),
    }),
  };
}

/** Whether an error says what it is about, and why. */
function isNamed({ code, detail, message }, name) {
  return code === "invalid" && detail.of !== undefined && detail.name?.split(/[.[]/)[0] === name && message.includes(name);
}

/** Whether a call takes a value of the pool. A key has no empty text. */
function isTaken(taken, how, what) {
  if (what === "empty text" && how.startsWith("key")) return false;
  return taken.includes(what);
}

async function check(calls, name, taken, wrap = (held) => held) {
  const wrong = [];
  for (const [how, call] of Object.entries(calls)) {
    for (const [what, held] of Object.entries(POOL)) {
      // In an update it removes an attribute, and in a record it is an absent field.
      if (what === "null" && (how.includes("update") || name.startsWith("inner"))) continue;
      sent = 0;
      const said = await (async () => call(wrap(held)))().catch((error) => error);
      const isRight = isTaken(taken, how, what) ? sent > 0 : sent === 0 && isNamed(said, name);
      if (!isRight) wrong.push(`${how}: ${what}: ${said?.code ?? ""} ${said?.message ?? JSON.stringify(said)} ${JSON.stringify(said?.detail)}`);
    }
  }
  assert.deepEqual(wrong, []);
}

for (const [of, callsOf] of [["by name", byName], ["by generated clients", ofGenerated]]) {
  for (const [name, taken] of Object.entries(TAKEN)) {
    test(`wrong values are refused ${of}: ${name}`, () => check(callsOf(name), name, taken));
  }
  for (const [what, [name, wrap, attribute = what]] of Object.entries(INSIDE)) {
    test(`wrong values are refused ${of}: ${what}`, () => check(callsOf(attribute), attribute, TAKEN[name], wrap));
  }
}

/** Stream records as the model's entities and copies. */

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { fileURLToPath } from "node:url";
import { counted, planOf } from "./model.mjs";
import { generated, source } from "./source.mjs";

const { Client } = await source("client.js");

const CASES = JSON.parse(readFileSync(new URL("../../cases/events.json", import.meta.url), "utf8"));
const CASES_MODEL = new URL("../../cases/events.keyfold", import.meta.url);
const CASES_PLAN = planOf(readFileSync(CASES_MODEL, "utf8"));
const { EventsClient } = await generated(fileURLToPath(CASES_MODEL));

const PLAN = planOf(`
model events 1
table Main (PK, SK) type entity
entity User in Main
  id: string, mail: string, photo: binary?
  key "USER#{id}" "USER"
  copy card "CARDS" "{mail}#{id}" only mail
  unique mail
entity Basket in Main
  id: string, lines: list of int
  key "BASKET#{id}" "LINES#"
  split lines by 2
pattern user(id) -> User?
`);

const written = counted();
const client = new Client(PLAN, written);

/** The stored items of a write, by their partition keys. */
async function stored(entity, values) {
  written.sent.length = 0;
  await client.create(entity, values);
  const [{ input }] = written.sent;
  const all = input.TransactItems?.map((one) => one.Put?.Item) ?? [input.Item];
  return all.filter((item) => item !== undefined);
}

function record(NewImage, OldImage) {
  const { PK, SK } = NewImage ?? OldImage;
  return { dynamodb: { Keys: { PK, SK }, NewImage, OldImage } };
}

test("an entity is created, changed and deleted", async () => {
  const [user] = await stored("User", { id: "ada", mail: "a@x" });
  const ada = { kind: "User", id: "ada", mail: "a@x" };
  assert.deepEqual(await client.event(record(user)), { kind: "User", new: ada });
  const changed = { ...user, mail: { S: "b@x" } };
  assert.deepEqual(await client.event(record(changed, user)), {
    kind: "User",
    old: ada,
    new: { ...ada, mail: "b@x" },
  });
  assert.deepEqual(await client.event(record(undefined, user)), { kind: "User", old: ada });
});

test("bytes of a reader of streams and base64 of Lambda are the same", async () => {
  const [user] = await stored("User", { id: "ada", mail: "a@x", photo: new Uint8Array([1, 2]) });
  for (const photo of [user.photo, { B: new Uint8Array([1, 2]) }]) {
    const event = await client.event(record({ ...user, photo }));
    assert.deepEqual(event.new.photo, new Uint8Array([1, 2]));
  }
});

test("what is no record of a stream is told from one without images", async () => {
  for (const none of [{ Records: [record({})] }, {}, undefined, null, 5, "x", [], { dynamodb: null }, { dynamodb: "x" }, { dynamodb: [] }]) {
    await assert.rejects(client.event(none), {
      code: "invalid",
      message: "this is no record of a stream: it has no `dynamodb`; give each of `event.Records` of Lambda, or of the records of a reader",
    });
  }
  for (const bare of [{ dynamodb: {} }, { dynamodb: { Keys: { PK: { S: "USER#a" } } } }]) {
    await assert.rejects(client.event(bare), {
      code: "invalid",
      message: "the record has no image; the table's stream must have new and old images",
    });
  }
});

test("of a list in several parts, the main item comes without it", async () => {
  const [whole] = await stored("Basket", { id: "b", lines: [1, 2] });
  assert.deepEqual((await client.event(record(whole))).new.lines, [1, 2]);
  const [main, part] = await stored("Basket", { id: "b", lines: [1, 2, 3] });
  assert.deepEqual((await client.event(record(main))).new, { kind: "Basket", id: "b" });
  assert.equal(await client.event(record(part)), undefined);
});

const readers = {
  "by name": new Client(CASES_PLAN, counted()),
  generated: new EventsClient(counted()),
};
for (const { name, record: one, copies, event } of CASES.cases) {
  for (const [of, shared] of Object.entries(readers)) {
    test(`the cases of all clients, ${of}: ${name}`, async () => {
      const call = (options) => shared.event(one, { copies, ...options });
      if (event === "invalid") {
        return assert.rejects(call({ onUnknown: "skip" }), { code: "invalid" });
      }
      if (event === "unknown") {
        await assert.rejects(call(), { code: "unknown_item" });
        return assert.equal(await call({ onUnknown: "skip" }), undefined);
      }
      const found = await call();
      if (event === null) return assert.equal(found, undefined);
      const { kind, ...images } = event;
      const shown = Object.entries(images).map(([when, item]) => [when, { kind, ...item }]);
      assert.deepEqual(found, { kind, ...Object.fromEntries(shown) });
    });
  }
}

/** Stream records as the model's entities and copies. */

import assert from "node:assert/strict";
import { test } from "node:test";
import { counted, planOf } from "./model.mjs";
import { source } from "./source.mjs";

const { Client } = await source("client.js");

const PLAN = planOf(`
model events 1
table Main (PK, SK) type entity
table Logs (PK, SK) per day
entity User in Main
  id: string, mail: string, photo: binary?
  key "USER#{id}" "USER"
  copy card "CARDS" "{mail}#{id}" only mail
  unique mail
entity Basket in Main
  id: string, lines: list of int
  key "BASKET#{id}" "LINES#"
  split lines by 2
entity Log in Logs
  id: string, at: time
  key "LOG#{id}" "{at}"
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

test("a copy has a kind of its own, and a guard is nothing", async () => {
  const [, ...others] = await stored("User", { id: "ada", mail: "a@x" });
  const events = await Promise.all(others.map((item) => client.event(record(item))));
  assert.deepEqual(events.filter((event) => event !== undefined), [
    { kind: "User.card", new: { kind: "User.card", mail: "a@x" } },
  ]);
  assert.equal(events.length, 2);
});

test("bytes of a reader of streams and base64 of Lambda are the same", async () => {
  const [user] = await stored("User", { id: "ada", mail: "a@x", photo: new Uint8Array([1, 2]) });
  for (const photo of [user.photo, { B: new Uint8Array([1, 2]) }]) {
    const event = await client.event(record({ ...user, photo }));
    assert.deepEqual(event.new.photo, new Uint8Array([1, 2]));
  }
});

test("of a list in several parts, the main item comes without it", async () => {
  const [whole] = await stored("Basket", { id: "b", lines: [1, 2] });
  assert.deepEqual((await client.event(record(whole))).new.lines, [1, 2]);
  const [main, part] = await stored("Basket", { id: "b", lines: [1, 2, 3] });
  assert.deepEqual((await client.event(record(main))).new, { kind: "Basket", id: "b" });
  assert.equal(await client.event(record(part)), undefined);
});

test("tables of periods are known by the address of the stream", async () => {
  const [log] = await stored("Log", { id: "l", at: "2024-01-15T10:30:00Z" });
  const eventSourceARN = "arn:aws:dynamodb:eu-west-1:1:table/Logs_2024_01_15/stream/2024-01-15T00:00:00.000";
  assert.equal((await client.event({ ...record(log), eventSourceARN })).kind, "Log");
  // A table of another program may have a name that only resembles a day.
  for (const name of ["Other", "Logs_2024_01_32", "Logs_2023_02_29", "Logs_2024_01", "Logs_archive"]) {
    const other = eventSourceARN.replace("Logs_2024_01_15", name);
    assert.equal(await client.event({ ...record(log), eventSourceARN: other }), undefined, name);
  }
});

test("another program's item is nothing, and a record without images is refused", async () => {
  assert.equal(await client.event(record({ PK: { S: "X" }, SK: { S: "Y" } })), undefined);
  await assert.rejects(client.event({ dynamodb: { Keys: {} } }), { code: "invalid" });
  await assert.rejects(client.event({}), { code: "invalid" });
});

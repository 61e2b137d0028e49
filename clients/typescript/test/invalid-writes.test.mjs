/** Writes that the service finds invalid: one code, and one sentence, whether a write is a request of its own, part
 * of a transaction or of a batch. */

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { after, before, test } from "node:test";
import { planOf } from "./model.mjs";
import { source } from "./source.mjs";

const { Client, connect } = await source("client.js", "transport/node.js");
const read = (name) => readFileSync(new URL(`../../cases/invalid_writes.${name}`, import.meta.url), "utf8");
const { before: first, cases } = JSON.parse(read("json").replaceAll("LARGE", "x".repeat(420_000)));

let server;
let client;
before(async () => {
  server = await connect("memory:");
  client = new Client(planOf(read("keyfold")), server);
  await client.ensureTables();
  await write(first.slice(0, 1));
  await write(first.slice(1));
});
after(() => server.close());

/** Carries out one write as a call of its own, several as a transaction. */
function write(writes) {
  const all = writes.map(({ run, ...one }) => (run === undefined ? one : { write: run, ...one }));
  const [{ put, values, write: name, args }] = all;
  if (all.length > 1) return client.transact(all);
  return put === undefined ? client.write(name, args) : client.put(put, values);
}

for (const { name, items, writes, message } of cases) {
  test(`the cases of all clients: ${name}`, async () => {
    const error = await (items ? client.putMany("Note", items) : write(writes)).catch((one) => one);
    assert.equal(error.message, message);
    assert.deepEqual([error.code, error.detail.exception], ["service", "ValidationException"]);
    const { action, table, key } = error.place;
    assert.equal(message.indexOf(`${action} of ${table} (PK = ${key.PK}, SK = ${key.SK}): `), 21);
  });
}

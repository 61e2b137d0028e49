/** Errors of calls: what they name, and where a write is refused, as in the clients of all languages. */

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { after, before, test } from "node:test";
import { planOf } from "./model.mjs";
import { source } from "./source.mjs";

const { Client, connect, Fakes } = await source("client.js", "transport/node.js", "fakes.js");
const read = (name) => readFileSync(new URL(`../../cases/errors.${name}`, import.meta.url), "utf8");
const { before: first, invalid, refused, done } = JSON.parse(read("json").replaceAll("LONG", "x".repeat(2100)));

let server;
let client;
before(async () => {
  server = await connect("memory:");
  client = new Client(planOf(read("keyfold")), server);
  await client.ensureTables();
  for (const one of first) await carry(one);
});
after(() => server.close());

/** How each call of a case is made. */
const CALLS = {
  create: (of, { values }) => client.create(of, values),
  put: (of, { values }) => client.put(of, values),
  update: (of, { values, remove }) => client.update(of, values, { remove }),
  delete: (of, { key }) => client.delete(of, key),
  read: (of, { args }) => client.page(of, args),
  one: (of, { args }) => client.one(of, args),
  run: (of, { args }) => client.write(of, args),
  getMany: (of, { keys }) => client.getMany(of, keys),
  putMany: (of, { items }) => client.putMany(of, items),
  deleteMany: (of, { keys }) => client.deleteMany(of, keys),
  fake: (of, { values }) => new Fakes(client).entity(of, values),
  transact: (writes) => client.transact(writes.map(({ run, ...one }) => (run === undefined ? one : { write: run, ...one }))),
};

async function carry(call) {
  const verb = Object.keys(CALLS).find((one) => one in call);
  return CALLS[verb](call[verb], call);
}

for (const { name, call, languages, of, attribute, item, write } of invalid) {
  if (languages?.includes("typescript") === false) continue;
  test(`an error of wrong input names what it names in all clients: ${name}`, async () => {
    const error = await carry(call).then(assert.fail, (one) => one);
    assert.equal(error.code, "invalid", error.stack);
    const { detail } = error;
    assert.deepEqual([detail.of, detail.name, detail.item, error.write], [of, attribute, item, write], error.message);
  });
}

for (const { name, call, code, action, entity, id, write } of refused) {
  test(`a refused write says where as in all clients: ${name}`, async () => {
    const error = await carry(call).then(assert.fail, (one) => one);
    const { place } = error;
    assert.deepEqual([error.code, place?.action, place?.entity, place?.id, error.write], [code, action, entity, id, write], error.stack);
  });
}

for (const { name, call, operation, changes } of done) {
  test(`${name}, in all clients`, async () => {
    const report = await carry(call);
    assert.deepEqual([report.operation, report.changes], [operation, changes]);
  });
}

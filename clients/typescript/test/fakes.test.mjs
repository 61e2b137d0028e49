/** Factories: valid for every model of the repository, and the same by their seed. */

import assert from "node:assert/strict";
import { readdirSync } from "node:fs";
import { execFileSync } from "node:child_process";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { fileURLToPath } from "node:url";
import { planOf as planText } from "./model.mjs";
import { BINARY, source } from "./source.mjs";

const { Client, Fakes, Writer, startServer } = await source("client.js", "writer.js", "testing.js");
const ROOT = fileURLToPath(new URL("../../..", import.meta.url));
const FOLDERS = ["models", "models/existing", "crates/keyfold-prove/tests"];
const MODELS = FOLDERS.flatMap((folder) =>
  readdirSync(join(ROOT, folder))
    .filter((name) => name.endsWith(".keyfold"))
    .map((name) => join(folder, name)),
).concat("crates/keyfold-cli/src/cmd/first.keyfold");
const planOf = (model) => JSON.parse(execFileSync(BINARY, ["plan", join(ROOT, model)], { encoding: "utf8" }));
const ENTITIES = 12;

/** The entities, those that others refer to or that count others first. */
function ordered(plan) {
  const waits = (entity) => [
    ...entity.attributes.flatMap((one) => one.refers?.entity ?? []),
    ...plan.entities.filter((one) => one.aggregates?.some((each) => each.entity === entity.name)).map((one) => one.name),
  ];
  const done = [];
  const visit = (entity, path) => {
    if (done.includes(entity) || path.includes(entity)) return;
    for (const name of waits(entity)) visit(plan.entities.find((one) => one.name === name), [...path, entity]);
    done.push(entity);
  };
  for (const entity of plan.entities) visit(entity, []);
  // Nobody writes a view.
  return done.filter((one) => one.view === undefined);
}

for (const model of MODELS) {
  for (const numbers of ["number", "exact"]) {
    test(`${model}, ${numbers}`, async () => {
      const server = await startServer();
      try {
        const plan = planOf(model);
        const client = new Client(plan, server.endpoint, { numbers });
        await client.ensureTables();
        const fakes = new Fakes(client);
        for (let at = 0; at < ENTITIES; at += 1) {
          const related = {};
          for (const { name } of ordered(plan)) {
            const values = fakes.entity(name, {}, related);
            // It has what a write would make: others may refer to that, and storing it changes nothing of it.
            assert.deepEqual((await client[at % 2 === 0 ? "create" : "put"](name, values)).made, [], name);
            related[name] = values;
          }
        }
      } finally {
        await server.stop();
      }
    });
  }
}

test("the same seed makes the same, others refer to what is given, and values can be", async () => {
  const plan = planOf("models/shop.keyfold");
  const client = new Client(plan, "http://localhost:1");
  const shop = { client, User: new Writer(client, "User"), Order: new Writer(client, "Order") };
  const made = (seed) => {
    const fakes = new Fakes(shop, { seed });
    const user = fakes.of(shop.User);
    return [user, fakes.of(shop.Order, { total: 5 }, { User: user }), fakes.entity("Product")];
  };
  assert.deepEqual(made(3), made(3));
  assert.notDeepEqual(made(3), made(4));
  const [user, order] = made(3);
  assert.equal(order.userId, user.userId);
  assert.equal(order.total, 5);
  assert.throws(() => new Fakes(shop).entity("Nothing"), { code: "invalid", detail: { code: "invalid", of: "Nothing" } });
  const wrong = () => new Fakes(shop).of(shop.Order, { totl: 5 });
  assert.throws(wrong, { detail: { code: "invalid", name: "totl", of: "Order" }, message: /^Order has no `totl`; it has orderId, .*total/ });
  assert.throws(() => new Fakes(shop).of(shop.Order, { toString: 5 }), { code: "invalid" });
  assert.throws(() => new Fakes(shop).of(shop.Order, {}, { Usr: user }), { message: /^the model has no entity `Usr`$/ });
});

test("a fake has the identifiers, moments and defaults of a stored one, and others refer to it", async () => {
  const server = await startServer();
  try {
    const client = new Client(planText(KEPT), server.endpoint);
    const shop = { client, Shelf: new Writer(client, "Shelf"), Book: new Writer(client, "Book") };
    await client.ensureTables();
    for (let seed = 0; seed < 40; seed += 1) {
      const fakes = new Fakes(shop, { seed });
      const shelf = fakes.of(shop.Shelf);
      const book = fakes.of(shop.Book, {}, { Shelf: shelf });
      assert.deepEqual([book.shelfId, book.floor], [shelf.shelfId, shelf.floor]);
      assert.deepEqual(fakes.of(shop.Shelf, { shelfId: undefined, floor: 2 }).floor, 2);
      await client.transact([{ create: "Shelf", values: shelf }, { put: "Book", values: book }]);
      const { kind, books, revision, ...stored } = await client.one("shelf", { shelfId: shelf.shelfId, floor: shelf.floor });
      assert.deepEqual([kind, books, revision, stored], ["Shelf", 1, 1, shelf]);
      const [found] = await client.all("books", { shelfId: shelf.shelfId }, 2);
      assert.deepEqual({ ...found }, { kind: "Book", ...book });
    }
    assert.deepEqual(new Fakes(shop, { seed: 5 }).of(shop.Shelf), new Fakes(shop, { seed: 5 }).of(shop.Shelf));
  } finally {
    await server.stop();
  }
});

const KEPT = `
model kept 1
table Tab (PK, SK)
entity Shelf
  shelfId: ulid = new, floor: int = 1, open: bool = true, label: fresh | worn = fresh, madeAt: time(s) = now
  changedAt: time = now always
  key "S#{shelfId}" "F#{floor}"
  count books of Book
  version revision
entity Book
  shelfId: Shelf.shelfId, floor: Shelf.floor, bookId: uuid = new, day: date = now
  key "S#{shelfId}" "B#{bookId}"
pattern shelf(shelfId, floor) -> Shelf?
pattern books(shelfId) -> Book[]
`;

test("two seeds make no identifier in common", () => {
  const plan = planText(`
model seeds 1
table Tab (PK, SK)
entity Thing
  id: string, at: time, day: date, number: int, code: ulid, unit: uuid
  key "T#{id}#{at}#{day}#{number:09}" "C#{code}#{unit}"
pattern thing(id, at, day, number, code, unit) -> Thing?
`);
  const client = new Client(plan, "http://localhost:1");
  // The last two would draw the same numbers, one after the other.
  const seeds = [0, 1, 2, 11, 12, 1 + 0x6d2b79f5, 1_700_000_000_050];
  const seen = new Map();
  for (const seed of seeds) {
    const fakes = new Fakes(client, { seed });
    for (let at = 0; at < 50; at += 1) {
      for (const [name, value] of Object.entries(fakes.entity("Thing"))) {
        const text = `${name} ${value}`;
        assert.ok((seen.get(text) ?? seed) === seed, `${text}: ${seen.get(text)} and ${seed}`);
        seen.set(text, seed);
      }
    }
  }
  for (const seed of [-1, 1.5, Number.NaN]) assert.throws(() => new Fakes(client, { seed }), { detail: { code: "invalid", name: "seed" } });
});

test("a view is written by nobody", async () => {
  const server = await startServer();
  try {
    const plan = planOf(MODELS.find((one) => one.endsWith("sales_reports.keyfold")));
    const client = new Client(plan, server.endpoint);
    await client.ensureTables();
    const row = new Fakes(client).entity("OrderLine", {}, {});
    const key = { orderId: row.orderId };
    const writes = [
      () => client.create("OrderLine", row),
      () => client.put("OrderLine", row),
      () => client.update("OrderLine", { ...key, total: 1 }),
      () => client.delete("OrderLine", key),
      () => client.transact([{ put: "OrderLine", values: row }]),
      () => client.putMany("OrderLine", [row]),
    ];
    for (const write of writes) {
      await assert.rejects(write, { code: "invalid", message: /OrderLine is a view, .* follow from Order: write Order/ });
    }
  } finally {
    await server.stop();
  }
});

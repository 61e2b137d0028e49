/** The quay on the engine that EXAMPLE_CONNECTION names: items are assigned and unloaded, one after the other. The
 * engine is not asked whether it isolates. */

import assert from "node:assert/strict";
import { test } from "node:test";
import { started } from "../../web/test/started.mjs";

const connection = process.env.EXAMPLE_CONNECTION;

test("another engine: N3, an item is in its container, and refusals say why", async () => {
  assert.ok(connection, "EXAMPLE_CONNECTION names the engine");
  const { address, end } = await started("freight", [], { FREIGHT_CONNECTION: connection });
  const get = async (path) => (await fetch(`${address}/api${path}`)).json();
  const post = async (path, body) => {
    const answer = await fetch(`${address}/api${path}`, { method: "POST", body: JSON.stringify(body) });
    return { status: answer.status, value: await answer.json() };
  };
  const container = async (id) => (await get("/containers")).containers.find(({ containerId }) => containerId === id);
  assert.equal((await post("/containers", { containerId: "c1", places: 1 })).status, 201);
  for (const itemId of ["a", "b"]) await post("/items", { itemId, description: "tea" });
  assert.equal((await post("/items/a/assign", { containerId: "c1" })).status, 200);
  assert.deepEqual(await container("c1"), { containerId: "c1", free: 0, shipments: ["a"] });
  const full = await post("/items/b/assign", { containerId: "c1" });
  assert.deepEqual([full.status, full.value.code], [409, "no_place"]);
  assert.equal((await post("/items/a/unload", { containerId: "c1" })).value.containerId, null);
  assert.deepEqual(await container("c1"), { containerId: "c1", free: 1, shipments: [] });
  for (let n = 0; n < 3; n += 1) await post("/containers/south/rush", { dispatchers: 1 });
  const { free, shipments } = await container("south");
  assert.deepEqual([free, shipments.length], [13, 3]);
  const { items } = await get("/items");
  assert.equal(items.filter(({ containerId }) => containerId === "south").length, 3);
  assert.equal(await end(), 0);
});

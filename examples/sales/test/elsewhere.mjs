/** The sales on the engine that EXAMPLE_CONNECTION names, by its connection string alone: views are built and kept by two
 * workers, one of which is killed, and compared with SQL. Requests go one after another there, which takes minutes. On
 * an engine without streams, whose command EXAMPLE_STREAMLESS names, the program says why it does not start. */

import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { createServer } from "node:net";
import { test } from "node:test";
import { inTurn } from "../../web/test/in_turn.mjs";
import { started } from "../../web/test/started.mjs";

const { EXAMPLE_CONNECTION: connection, EXAMPLE_STREAMLESS: streamless } = process.env;
const WITHIN_MS = 570_000;

test("another engine: N5, views are kept, and compared with SQL", { timeout: WITHIN_MS }, async (t) => {
  assert.ok(connection, "EXAMPLE_CONNECTION names the engine");
  const engine = await inTurn(connection);
  t.after(() => engine.close());
  const { address, end, said } = await started("sales", [], { SALES_CONNECTION: engine.address });
  assert.ok(address, said());
  t.after(end);
  const call = async (path, body) => {
    const asked = body === undefined ? {} : { method: "POST", body: JSON.stringify(body) };
    const answer = await fetch(`${address}${path}`, asked);
    const value = await answer.json();
    // Views are late while they are built.
    if (value.code === "late") return call(path, body);
    assert.ok(answer.ok, `${path}: ${JSON.stringify(value)}\n${said()}`);
    return value;
  };
  await call("/api/selling", { ordersASecond: 0 });
  const order = { customerId: "zoe", productId: "rug", regionId: "west", quantity: 900 };
  const { orderId } = await call("/api/orders", order);
  assert.equal((await call(`/api/orders/${orderId}/pay`, {})).status, "paid");
  await call("/api/workers/1/kill", {});
  await call("/api/legacy/products/rug", { name: "Rug of wool" });
  assert.ok((await call("/api/import", {})).written <= 1);
  const compared = await call("/api/compare", {});
  assert.deepEqual([compared.differences, compared.isSame], [[], true]);
  assert.ok(compared.sold > 40, `${compared.sold} orders`);
  const day = new Date().toISOString().slice(0, 10);
  const row = (await call(`/api/days/${day}`)).rows.find(({ productId }) => productId === "rug");
  assert.deepEqual([row.best[0].orderId, row.product], [orderId, "Rug of wool"]);
  assert.equal(await end(), 0);
  assert.equal(engine.answers.get(500), undefined, "the engine answers 500");
});

test("an engine without streams: the program says why it does not start", { timeout: WITHIN_MS }, async () => {
  assert.ok(streamless, "EXAMPLE_STREAMLESS names the engine's command");
  const free = createServer().listen(0, "127.0.0.1");
  await new Promise((resolve) => free.once("listening", resolve));
  const { port } = free.address();
  await new Promise((resolve) => free.close(resolve));
  const engine = spawn("node", [streamless, "--host", "127.0.0.1", "--port", String(port)], { stdio: "ignore" });
  try {
    const place = `http://127.0.0.1:${port}`;
    const isOpen = async () => {
      try {
        await fetch(place);
        return true;
      } catch {
        return false;
      }
    };
    while (!(await isOpen())) {
      assert.equal(engine.exitCode, null, "the engine has ended");
      await new Promise((resolve) => setTimeout(resolve, 100));
    }
    const program = await started("sales", [], { SALES_CONNECTION: place });
    assert.equal(program.address, undefined);
    assert.notEqual(await program.ended, 0);
    assert.match(program.said(), /^stream: the model says NEW_AND_OLD_IMAGES, the table has none$/m);
  } finally {
    engine.kill("SIGKILL");
  }
});

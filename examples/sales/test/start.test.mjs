/** The program on a folder, on a server, and where neither is. */

import assert from "node:assert/strict";
import { test } from "node:test";
import { server, started } from "../../web/test/started.mjs";

const call = async (address, path, body) => {
  const response = await fetch(`${address}${path}`, body === undefined ? {} : { method: "POST", body: JSON.stringify(body) });
  assert.equal(response.status, 200, `${path}: ${await response.clone().text()}`);
  return response.json();
};
const compared = async (address) => {
  await call(address, "/api/selling", { ordersASecond: 0 });
  const found = await call(address, "/api/compare", {});
  assert.deepEqual([found.differences, found.isSame], [[], true]);
  return found;
};

test("on a folder: orders and rows are there after a restart", async () => {
  const one = await started("sales");
  const before = await compared(one.address);
  assert.ok(before.sold >= 60, `${before.sold} orders`);
  assert.equal(await one.end({ keep: true }), 0);
  const other = await started("sales", [], {}, one.folder);
  assert.ok((await compared(other.address)).sold >= before.sold);
  assert.equal(await other.end(), 0);
});

test("on a server: two programs with two workers each keep the same rows", async () => {
  const { address, stop } = await server();
  const one = await started("sales", [], { SALES_CONNECTION: address });
  const other = await started("sales", [], { SALES_CONNECTION: address });
  await call(other.address, "/api/selling", { ordersASecond: 0 });
  await call(one.address, "/api/workers/2/kill", {});
  const first = await compared(one.address);
  assert.deepEqual([(await compared(other.address)).turnoverCents], [first.turnoverCents]);
  assert.deepEqual([await one.end(), await other.end()], [0, 0]);
  await stop();
});

test("where it cannot start, it says why", async () => {
  const { address, ended, said } = await started("sales", [], { SALES_CONNECTION: "http://127.0.0.1:1" });
  assert.deepEqual([address, await ended], [undefined, 1]);
  assert.match(said(), /^Sales stays closed: .*127\.0\.0\.1:1.*\n$/);
  const legacy = await started("sales", ["--legacy", "postgres://nobody@127.0.0.1:1/none"]);
  assert.deepEqual([legacy.address, await legacy.ended], [undefined, 1]);
  assert.match(legacy.said(), /^Sales stays closed: the legacy system: .*refused.*\n$/);
});

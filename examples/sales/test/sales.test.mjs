/** The sales as they are started: their API by its description, workers that are killed, proofs. */

import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { isDeepStrictEqual } from "node:util";
import { described } from "../../web/test/described.mjs";
import { started } from "../../web/test/started.mjs";

const file = (path) => new URL(path, import.meta.url).pathname;
const day = new Date().toISOString().slice(0, 10);
const month = day.slice(0, 7);
let sales, api;

before(async () => {
  sales = await started("sales", [], { SALES_CONNECTION: "memory:" });
  assert.ok(sales.address, sales.said());
  api = described(file("../openapi.json"), sales.address);
});
after(async () => {
  assert.equal(await sales?.end(), 0);
  // What is tried again stands in the log.
  const logged = sales.said().split("\n").slice(1);
  assert.deepEqual(logged.filter((line) => line !== "" && !/^\w+: .* tried again\. /.test(line)), []);
});

const get = async (path) => (await api.call("GET", path)).value;
const post = async (path, body) => (await api.call("POST", path, body)).value;
const sell = (ordersASecond) => post("/api/selling", { ordersASecond });
/** The answer of a proof, of which one runs at a time: a second one is refused. */
async function alone(path) {
  const answers = await Promise.all([api.call("POST", path), api.call("POST", path)]);
  const [done, refused] = answers.sort((one, other) => one.status - other.status);
  assert.deepEqual([done.status, refused.status], [200, 409]);
  return done.value;
}
/** Waits for a state. */
async function until(isThere) {
  for await (const state of api.events("/api/events", "Shown")) if (state.day !== "" && isThere(state)) return state;
  throw new Error("the events ended");
}
const isBuilt = ({ views }) => views.length === 3 && views.every((one) => one.generation !== null && one.building === null);
const isSettled = (state) => isBuilt(state) && state.views.every((one) => one.behind === 0);

test("N5: a paid order is in the rows of its day, region and product, and one that is taken back is in none", async () => {
  await sell(0);
  await until(isSettled);
  const order = { customerId: "zoe", productId: "rug", regionId: "west", quantity: 900 };
  const { orderId, totalCents, status } = await post("/api/orders", order);
  assert.deepEqual([totalCents, status], [900 * 23_900, "pending"]);
  const best = ({ daily }) => daily.find(({ productId }) => productId === "rug")?.best[0].orderId;
  assert.notEqual(best(await until(isSettled)), orderId);
  assert.equal((await post(`/api/orders/${orderId}/pay`)).status, "paid");
  await until((state) => best(state) === orderId);
  await until(isSettled);
  const { rows } = await get(`/api/days/${day}`);
  const row = rows.find(({ productId }) => productId === "rug");
  assert.deepEqual(row.best[0], { orderId, customerId: "zoe", totalCents });
  assert.equal(row.product, "Wool rug");
  const west = (await get(`/api/months/${month}`)).rows.find(({ regionId }) => regionId === "west");
  // A state reads how far the views are and their rows at once: a later one has the rows.
  await until(({ regions }) => isDeepStrictEqual(west, regions.find(({ regionId }) => regionId === "west")));
  assert.deepEqual([west.region, west.manager], ["West", "Dana Okafor"]);
  const top = (await get(`/api/months/${month}/regions/west/top`)).rows;
  assert.deepEqual([top[0].productId, top[0].product, top[0].region], ["rug", "Wool rug", "West"]);
  const turnovers = top.map(({ turnoverCents }) => turnoverCents);
  assert.deepEqual(turnovers, [...turnovers].sort((one, other) => other - one));
  assert.equal((await post(`/api/orders/${orderId}/return`)).status, "returned");
  await until((state) => best(state) !== orderId);
  assert.equal((await get(`/api/orders/${orderId}`)).status, "returned");
});

test("N5: after a pause in which nobody looks, the first state is of now, and has no looks from before it", async () => {
  await sell(0);
  await until(isSettled);
  await until(({ looks }) => looks.length > 3);
  const { sold } = await until(() => true);
  // Nobody looks, and meanwhile there is an order more.
  await new Promise((resolve) => setTimeout(resolve, 2500));
  await post("/api/orders", { customerId: "pia", productId: "rug", regionId: "west", quantity: 1 });
  await sell(9);
  await new Promise((resolve) => setTimeout(resolve, 2500));
  let first;
  for await (const state of api.events("/api/events", "Shown")) {
    first = state;
    break;
  }
  await sell(0);
  assert.equal(first.sold.wanted, 9);
  assert.ok(first.sold.placed > sold.placed, `${first.sold.placed} placed`);
  assert.equal(first.day, day);
  assert.equal(first.looks.length, 1);
  assert.ok(first.looks[0].placed < 30, "orders of one second");
});

test("N5: a worker that is killed is started again, and the rows are what SQL makes of the orders", async () => {
  await sell(8);
  const { workers } = await until(({ workers }) => workers.every(({ pid }) => pid !== null));
  await post("/api/workers/1/kill");
  await until((now) => now.workers[0].kills === 1 && ![null, workers[0].pid].includes(now.workers[0].pid));
  assert.ok((await until(() => true)).news.some(({ text }) => text === "Worker 1 was killed."));
  const compared = await alone("/api/compare");
  assert.deepEqual(compared.differences, []);
  assert.equal(compared.isSame, true);
  assert.ok(compared.sold > 60, `${compared.sold} orders`);
  await sell(0);
});

test("N5: a product that is renamed in PostgreSQL has its new name in all rows", async () => {
  await post("/api/legacy/products/kettle", { name: "Kettle of steel" });
  const { products } = await get("/api/legacy/products");
  assert.equal(products.find(({ productId }) => productId === "kettle").name, "Kettle of steel");
  // Nobody asks for an import: it comes by itself.
  await until(({ daily }) => daily.find(({ productId }) => productId === "kettle")?.product === "Kettle of steel");
  assert.deepEqual(await post("/api/import"), { written: 0, deleted: 0 });
  assert.equal((await post("/api/compare")).isSame, true);
});

test("N5: views are rebuilt to the same numbers while workers are killed", async () => {
  const { views } = await until(isBuilt);
  assert.deepEqual(views.map(({ view }) => view).sort(), ["DailySales", "RegionProducts", "RegionSales"]);
  assert.deepEqual(await post("/api/chaos", { isOn: true }), { isOn: true });
  const rebuilt = await alone("/api/rebuild");
  assert.deepEqual(rebuilt.differences, []);
  assert.deepEqual([rebuilt.isSame, rebuilt.generation], [true, 2]);
  assert.deepEqual([rebuilt.rowsAfter, rebuilt.turnoverCentsAfter], [rebuilt.rowsBefore, rebuilt.turnoverCentsBefore]);
  await until(({ workers }) => workers.reduce((sum, { kills }) => sum + kills, 0) > 1);
  await post("/api/chaos", { isOn: false });
});

test("N5: what cannot be is refused with a sentence", async () => {
  const refused = async (status, method, path, body) => {
    const answer = await api.call(method, path, body);
    assert.equal(answer.status, status, path);
    return answer.value.detail;
  };
  const order = { customerId: "zoe", productId: "rug", regionId: "west", quantity: 1 };
  assert.equal(await refused(400, "POST", "/api/orders", { ...order, productId: "car" }), "There is no product car. Send one that there is.");
  await refused(400, "POST", "/api/orders", { ...order, regionId: "moon" });
  await refused(400, "POST", "/api/orders", { ...order, quantity: 0 });
  for (const customerId of ["", " "]) await refused(400, "POST", "/api/orders", { ...order, customerId });
  assert.match(await refused(400, "POST", "/api/orders", "{"), /The body/);
  const { orderId } = await post("/api/orders", order);
  assert.match(await refused(409, "POST", `/api/orders/${orderId}/return`), /The order is pending/);
  await post(`/api/orders/${orderId}/pay`);
  assert.match(await refused(409, "POST", `/api/orders/${orderId}/pay`), /The order is paid/);
  const nothing = "01ARZ3NDEKTSV4RRFFQ69G5FAV";
  for (const path of [nothing, "x"]) await refused(404, "GET", `/api/orders/${path}`);
  await refused(404, "POST", `/api/orders/${nothing}/pay`);
  await refused(404, "POST", `/api/orders/${nothing}/return`);
  await refused(400, "GET", "/api/days/yesterday");
  await refused(400, "GET", "/api/months/2026-13");
  await refused(400, "GET", "/api/months/now/regions/west/top");
  assert.equal(await refused(404, "GET", "/api/months/2026-11/regions/xx/top"), "There is no region xx.");
  await refused(400, "POST", "/api/selling", { ordersASecond: 201 });
  await refused(400, "POST", "/api/chaos", { isOn: 1 });
  await refused(404, "POST", "/api/workers/3/kill");
  await refused(400, "POST", "/api/legacy/products/rug", { name: " " });
  await refused(404, "POST", "/api/legacy/products/car", { name: "Car" });
  assert.deepEqual(api.unseen(), []);
});

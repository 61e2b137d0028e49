/** The server route, with the requests that a browser makes. */

import assert from "node:assert/strict";
import { randomUUID } from "node:crypto";
import { after, before, test } from "node:test";
import { start, tampered } from "./start.mjs";

const ORDERS = 7;
let server, GET;

before(async () => {
  let shop;
  ({ shop, server } = await start());
  ({ GET } = await import("../dist/route.js"));
  const { made } = await shop.User.create({ email: "ada@example.com", name: "Ada" });
  const userId = made.userId;
  for (let n = 0; n < ORDERS; n += 1) {
    const createdAt = new Date(Date.UTC(2024, 0, n + 1)).toISOString();
    await shop.placeOrder({ orderId: randomUUID(), userId, createdAt, total: n, status: "paid", lines: [] });
  }
});
after(() => server?.stop());

const get = (path) => GET(new Request(new URL(path, "https://shop.example")));

test("E6: a browser follows the pages by their addresses", async () => {
  const totals = [];
  let pages = 0;
  for (let path = "/api/orders?status=paid&limit=3"; path !== null; pages += 1) {
    const response = await get(path);
    assert.equal(response.status, 200);
    const { orders, next } = await response.json();
    totals.push(...orders.map(({ total }) => total));
    path = next;
  }
  assert.deepEqual([totals, pages], [[6, 5, 4, 3, 2, 1, 0], 3]);
});

test("E6: a cursor that was changed, or is another list's, is refused by 400", async () => {
  const { next } = await (await get("/api/orders?status=paid&limit=3")).json();
  const cursor = new URL(next, "https://shop.example").searchParams.get("after");
  assert.equal((await get(`/api/orders?status=paid&after=${cursor}`)).status, 200);
  for (const wrong of [tampered(cursor), cursor.split(".")[0], "", "%F0", `${cursor}.AA`]) {
    const response = await get(`/api/orders?status=paid&after=${wrong}`);
    assert.equal(response.status, 400, wrong);
    assert.equal((await response.json()).code, "invalid");
  }
  assert.equal((await get(`/api/orders?status=shipped&after=${cursor}`)).status, 400);
});

test("E6: a status or a limit that is none is refused by 400", async () => {
  for (const query of ["status=lost", "limit=0", "limit=x", "limit=1.5"]) {
    assert.equal((await get(`/api/orders?${query}`)).status, 400, query);
  }
  const { orders, next } = await (await get("/api/orders")).json();
  assert.deepEqual([orders, next], [[], null]);
});

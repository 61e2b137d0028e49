/** The service on a server in memory. */

import assert from "node:assert/strict";
import { randomUUID } from "node:crypto";
import { after, before, test } from "node:test";
import { start } from "./start.mjs";

const service = await import("../dist/service.js");
let shop, server, userId;

before(async () => {
  ({ shop, server } = await start());
  ({ userId } = await service.createUser(shop, { email: "ada@example.com", name: "Ada" }));
});
after(() => server?.stop());

const place = (lines, orderId = randomUUID(), user = userId) =>
  service.placeOrder(shop, { orderId, userId: user, lines });
const stockOf = async (productId) => (await shop.product({ productId })).stock;

test("E1: an e-mail belongs to one user, whatever its capitals", async () => {
  const again = await service.createUser(shop, { email: "ADA@example.com", name: "Another" });
  assert.deepEqual(again, { outcome: "email_taken" });
  const { outcome, userId: bob } = await service.createUser(shop, { email: "bob@example.com", name: "Bob" });
  assert.equal(outcome, "created");
  assert.equal((await shop.user({ userId: bob })).name, "Bob");
  assert.equal((await shop.userByEmail({ email: "Bob@Example.com" })).userId, bob);
});

test("E3 E4 E5: an order takes its products from the stock, at the shop's prices", async () => {
  const orderId = randomUUID();
  const lines = [
    { productId: "pen", quantity: 2 },
    { productId: "ink", quantity: 1 },
    { productId: "pen", quantity: 1 },
  ];
  assert.deepEqual(await place(lines, orderId), { outcome: "placed", total: 3 * 150 + 700 });
  assert.deepEqual([await stockOf("pen"), await stockOf("ink")], [7, 1]);
  const { order, items } = await service.wholeOrder(shop, orderId);
  assert.deepEqual([order.userId, order.total, order.status], [userId, 1150, "pending"]);
  assert.deepEqual(
    items.map(({ productId, quantity, price }) => [productId, quantity, price]),
    [
      ["ink", 1, 700],
      ["pen", 3, 150],
    ],
  );
  assert.deepEqual(await place(lines, orderId), { outcome: "placed_before" }, "sent again");
  assert.deepEqual([await stockOf("pen"), await stockOf("ink")], [7, 1]);
});

test("E3 E5: a refused order says what refused it, and changes nothing", async () => {
  const orderId = randomUUID();
  const pen = await stockOf("pen");
  const many = [
    { productId: "pen", quantity: 1 },
    { productId: "ink", quantity: 5 },
  ];
  assert.deepEqual(await place(many, orderId), { outcome: "out_of_stock", productId: "ink" });
  assert.equal(await stockOf("pen"), pen);
  assert.equal(await service.wholeOrder(shop, orderId), undefined);
  const one = [{ productId: "pen", quantity: 1 }];
  const nobody = "01HM5Z2V4XA7B8C9D0E1F2G3H4";
  assert.deepEqual(await place(one, orderId, nobody), { outcome: "unknown_user" });
  const other = [{ productId: "rug", quantity: 1 }];
  assert.deepEqual(await place(other), { outcome: "unknown_product", productId: "rug" });
  for (const lines of [[], [{ productId: "pen", quantity: -1 }], [{ productId: "pen", quantity: 0.5 }]]) {
    assert.equal((await place(lines)).outcome, "wrong_basket");
  }
});

test("E3: the largest order fits one transaction, a larger one is refused", async () => {
  const names = Array.from({ length: 49 }, (_, n) => `p${n}`);
  for (const productId of names) {
    await shop.Product.create({ productId, category: "many", name: productId, price: 1, stock: 1 });
  }
  const lines = names.map((productId) => ({ productId, quantity: 1 }));
  assert.equal((await place(lines)).outcome, "wrong_basket");
  assert.deepEqual(await place(lines.slice(1)), { outcome: "placed", total: 48 });
});

test("E3 E5: of three orders for the last piece, one is placed, and the others are refused", async () => {
  await shop.Product.create({ productId: "cup", category: "kitchen", name: "Cup", price: 900, stock: 1 });
  const orders = await Promise.all([1, 2, 3].map(() => place([{ productId: "cup", quantity: 1 }])));
  assert.deepEqual(orders.map(({ outcome }) => outcome).sort(), ["out_of_stock", "out_of_stock", "placed"]);
  assert.equal(await stockOf("cup"), 0);
});

test("E2 E6 E7: a user's orders come by pages, newest first, and follow their status", async () => {
  const { userId: eve } = await service.createUser(shop, { email: "eve@example.com", name: "Eve" });
  const ids = Array.from({ length: 5 }, () => randomUUID());
  for (const [n, orderId] of ids.entries()) {
    const at = new Date(Date.UTC(2024, 0, n + 1)).toISOString();
    await shop.placeOrder({ orderId, userId: eve, createdAt: at, total: n, lines: [] });
  }
  const first = await service.ordersOfUser(shop, eve, { limit: 3 });
  assert.deepEqual(first.items.map(({ total }) => total), [4, 3, 2]);
  const second = await service.ordersOfUser(shop, eve, { limit: 3, after: first.next });
  assert.deepEqual([second.items.map(({ total }) => total), second.next], [[1, 0], undefined]);

  assert.equal(await service.setStatus(shop, ids[4], "paid"), true);
  const { items: paid } = await service.ordersByStatus(shop, "paid");
  assert.deepEqual(paid.map(({ orderId }) => orderId), [ids[4]]);
  const { items: pending } = await service.ordersByStatus(shop, "pending", { limit: 100 });
  assert.ok(pending.every(({ orderId, status }) => orderId !== ids[4] && status === "pending"));
  const [newest] = (await service.ordersOfUser(shop, eve, { limit: 1 })).items;
  assert.equal(newest.status, "paid", "the user's copy follows");
  assert.equal(await service.setStatus(shop, randomUUID(), "paid"), false);
});

test("E6: orders are shipped together or not at all", async () => {
  const products = Array.from({ length: 30 }, (_, n) => ({
    productId: `p${n}`,
    category: "many",
    name: `P${n}`,
    price: n,
    stock: 5,
  }));
  await service.putProducts(shop, products);
  const orderIds = [randomUUID(), randomUUID()];
  for (const orderId of orderIds) await place([{ productId: "p29", quantity: 1 }], orderId);
  assert.equal(await stockOf("p29"), 3);
  const status = async (orderId) => (await service.wholeOrder(shop, orderId)).order.status;
  const none = randomUUID();
  assert.deepEqual(await service.shipOrders(shop, [...orderIds, none]), [none]);
  assert.deepEqual(await Promise.all(orderIds.map(status)), ["pending", "pending"]);
  assert.deepEqual(await service.shipOrders(shop, orderIds), []);
  assert.deepEqual(await Promise.all(orderIds.map(status)), ["shipped", "shipped"]);
});

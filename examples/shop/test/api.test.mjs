/** The API: each access pattern and technique of the design by its id. On a server in memory, or on the engine that
 * EXAMPLE_CONNECTION names: moto. It carries out transactions that come at once into each other, so that it has to get
 * one request after another; buyers still come between the requests of others. */

import assert from "node:assert/strict";
import { randomUUID } from "node:crypto";
import { after, before, test } from "node:test";
import { open } from "../dist/server.js";
import { caller, promised } from "./described.mjs";

const elsewhere = process.env.EXAMPLE_CONNECTION;
let shop, call, answered;

before(async () => {
  shop = await open({ connection: elsewhere ?? "memory:", cursorSecret: "a secret of the tests" });
  ({ call, answered } = caller(shop.address));
});
after(() => shop?.close());

/** Makes the call, which must succeed, and returns its body. */
async function did(...args) {
  const { status, value } = await call(...args);
  assert.ok(status < 300, `${args.slice(0, 2).join(" ")}: ${status} ${JSON.stringify(value)}`);
  return value;
}

/** What is read by one request to the table, which is this one. */
async function once(request, path) {
  const { value, requests, status } = await call("GET", path);
  assert.equal(status, 200, JSON.stringify(value));
  assert.match(requests, new RegExp(`^${request} [\\d.]+$`), path);
  return value;
}

/** All of a list, page by page. */
async function all(path, name) {
  const found = [];
  for (let next = ""; next !== undefined; ) {
    const page = await did("GET", `${path}${next && `&after=${encodeURIComponent(next)}`}`);
    found.push(...page[name]);
    next = page.next;
  }
  return found;
}

let users = 0;
async function user(email = `user${(users += 1)}@example.com`) {
  return (await did("POST", "/users", { email, name: email.split("@")[0] })).userId;
}

async function product(productId, stock, price = 100, category = "tests") {
  await did("PUT", `/products/${productId}`, { category, name: productId, price, stock });
  return productId;
}

async function order(userId, lines, orderId = randomUUID()) {
  const asked = Object.entries(lines).map(([productId, quantity]) => ({ productId, quantity }));
  await did("PUT", `/orders/${orderId}`, { userId, lines: asked });
  return orderId;
}

test("E1: a user is found by id and by e-mail, which belongs to one", async () => {
  const userId = await user("Ada@example.com");
  const { createdAt, ...found } = await once("GetItem", `/users/${userId}`);
  assert.deepEqual(found, { userId, email: "Ada@example.com", name: "Ada", active: true });
  assert.ok(Math.abs(Date.parse(createdAt) - Date.now()) < 60_000);
  assert.equal((await once("Query", "/users?email=ada%40EXAMPLE.com")).userId, userId);
  assert.equal((await call("POST", "/users", { email: "ada@example.com", name: "x" })).status, 409);
});

test("E2 E3 E4 E5: an order is one transaction, and each question one request", async () => {
  const userId = await user();
  const [pen, ink] = [await product("pen", 10, 150), await product("ink", 5, 700)];
  const orderId = await order(userId, { [pen]: 2, [ink]: 1 });
  const { order: found, items } = await once("Query", `/orders/${orderId}`);
  assert.deepEqual([found.total, found.status, found.userId], [1000, "pending", userId]);
  assert.deepEqual(
    items.map(({ productId, quantity, price }) => [productId, quantity, price]),
    [
      ["ink", 1, 700],
      ["pen", 2, 150],
    ],
  );
  assert.deepEqual((await once("Query", `/orders/${orderId}/items`)).items, items);
  assert.equal((await once("GetItem", "/products/pen")).stock, 8);
  const { orders } = await once("Query", `/users/${userId}/orders`);
  assert.deepEqual(orders, [{ orderId, total: 1000, status: "pending", createdAt: found.createdAt }]);
  const lines = [{ productId: pen, quantity: 2 }, { productId: ink, quantity: 1 }];
  assert.equal((await call("PUT", `/orders/${orderId}`, { userId, lines })).status, 200, "sent again");
  const other = await call("PUT", `/orders/${orderId}`, { userId, lines: lines.slice(1) });
  assert.deepEqual([other.status, other.value.code], [409, "other_basket"]);
  assert.equal((await did("GET", "/products/pen")).stock, 8);
});

test("E6 E7: orders by status and the recent ones follow the status, newest first", async () => {
  const userId = await user();
  await product("pad", 100);
  const ids = [];
  const since = new Date().toISOString();
  for (let n = 0; n < 7; n += 1) ids.unshift(await order(userId, { pad: 1 }));
  for (const id of ids) await did("PUT", `/orders/${id}/status`, { status: "paid" });
  const of = (orders) => orders.filter(({ orderId }) => ids.includes(orderId)).map(({ orderId }) => orderId);
  assert.deepEqual(of(await all("/orders?status=paid&limit=3", "orders")).sort(), [...ids].sort());
  assert.deepEqual(of(await all("/orders?status=pending&limit=3", "orders")), []);
  const recent = (await once("Query", `/orders?status=paid&since=${since}`)).orders;
  assert.deepEqual(of(recent).length, 7);
  assert.ok(recent.every(({ createdAt }, n) => n === 0 || createdAt <= recent[n - 1].createdAt));
  const own = (await once("Query", `/users/${userId}/orders?since=${since}`)).orders;
  assert.deepEqual(new Set(own.map(({ status }) => status)), new Set(["paid"]), "the user's copies follow");
  const later = new Date(Date.now() + 60_000).toISOString();
  assert.deepEqual((await did("GET", `/users/${userId}/orders?since=${later}`)).orders, []);
  assert.deepEqual((await did("GET", `/orders?status=paid&since=${later}`)).orders, []);
});

test("E3 E5: of 64 buyers at once, as many get a piece as there are, and the stock is never oversold", async () => {
  const BUYERS = 64;
  const PIECES = 40;
  await product("globe", PIECES, 2500);
  const buyers = await Promise.all(Array.from({ length: BUYERS }, () => user()));
  const attempts = { busy: 0 };
  const bought = await Promise.all(
    buyers.map(async (userId, n) => {
      const orderId = randomUUID();
      const lines = [{ productId: "globe", quantity: 1 + (n % 2) }];
      for (;;) {
        const { status, value } = await call("PUT", `/orders/${orderId}`, { userId, lines });
        // A shop that is busy, or does not know whether the order was placed, is asked again with the
        // same order, which is placed once.
        if (status !== 503 && status !== 502) return { status, value, orderId, pieces: lines[0].quantity };
        attempts.busy += 1;
      }
    }),
  );
  const placed = bought.filter(({ status }) => status === 200 || status === 201);
  const refused = bought.filter(({ status }) => status === 409);
  assert.equal(placed.length + refused.length, BUYERS);
  assert.deepEqual(new Set(refused.map(({ value }) => value.code)), new Set(["out_of_stock"]));
  const sold = placed.reduce((sum, { pieces }) => sum + pieces, 0);
  const { stock } = await did("GET", "/products/globe");
  assert.equal(sold + stock, PIECES, `${sold} sold, ${stock} left`);
  // Whoever wanted one piece was refused only when there was none.
  const small = refused.some(({ pieces }) => pieces === 1);
  assert.ok(stock === 0 || (stock === 1 && !small), `${stock} left, ${attempts.busy} answers were 503`);
  for (const { orderId, pieces } of placed) {
    const { items } = await did("GET", `/orders/${orderId}`);
    assert.deepEqual(items.map(({ quantity }) => quantity), [pieces]);
  }
  for (const { orderId } of refused) assert.equal((await call("GET", `/orders/${orderId}`)).status, 404);
});

test("ET1: the sparse index holds the active users only", async () => {
  const [one, other] = [await user(), await user()];
  const active = async () => {
    const found = await all("/active-users?limit=5", "users");
    assert.ok(found.every((each, n) => each.active && (n === 0 || each.createdAt <= found[n - 1].createdAt)));
    return [one, other].filter((id) => found.some(({ userId }) => userId === id));
  };
  assert.deepEqual(await active(), [one, other]);
  await did("PUT", `/users/${one}/active`, { active: false });
  assert.deepEqual(await active(), [other]);
  assert.equal((await did("GET", `/users/${one}`)).active, false);
  await did("PUT", `/users/${one}/active`, { active: true });
  assert.deepEqual(await active(), [one, other]);
  await once("Query", "/active-users");
});

test("ET2: one index answers for categories and prices, beside e-mails and statuses", async () => {
  const prices = { desk: 5400, lamp: 12900, mat: 690, tray: 99 };
  for (const [name, price] of Object.entries(prices)) await product(name, 1, price, "furniture");
  const found = (await once("Query", "/products?category=furniture")).products;
  assert.deepEqual(found.map(({ productId }) => productId), ["tray", "mat", "desk", "lamp"]);
  const cheap = (await once("Query", "/products?category=furniture&most=5400")).products;
  assert.deepEqual(cheap.map(({ productId }) => productId), ["tray", "mat", "desk"]);
  assert.deepEqual((await all("/products?category=furniture&limit=1", "products")).length, 4);
  assert.deepEqual((await did("GET", "/products?category=FURNITURE")).products, []);
});

test("ET3: stores by region, city and street, as far as they are given", async () => {
  for (const [id, region, city, street] of [
    ["a", "north", "bodø", "storgata"],
    ["b", "north", "bodø", "storgata ost"],
    ["c", "north", "narvik", "storgata"],
    ["d", "northwest", "bodø", "storgata"],
  ]) {
    await did("PUT", `/stores/${id}`, { region, city, street });
  }
  for (const [query, ids] of [
    ["region=north", ["a", "b", "c"]],
    ["region=north&city=bod%C3%B8", ["a", "b"]],
    ["region=north&city=bod%C3%B8&street=storgata", ["a"]],
    ["region=nor", []],
  ]) {
    const { stores } = await once("Query", `/stores?${query}`);
    assert.deepEqual(stores.map(({ storeId }) => storeId).sort(), ids, query);
  }
  assert.equal((await call("GET", "/stores?region=north&street=storgata")).status, 400);
  assert.equal((await call("PUT", "/stores/e", { region: "a#b", city: "c", street: "d" })).status, 400);
});

test("ET4: organisations and users, by either side and by role", async () => {
  const [ada, bob] = [await user(), await user()];
  for (const id of ["press", "guild"]) await did("PUT", `/organisations/${id}`, { name: id });
  assert.equal((await call("PUT", "/organisations/press", { name: "x" })).status, 409);
  const join = (orgId, userId, role) => call("POST", `/organisations/${orgId}/members/${userId}`, { role });
  for (const [orgId, userId, role] of [
    ["press", ada, "owner"],
    ["press", bob, "member"],
    ["guild", ada, "member"],
  ]) {
    assert.equal((await join(orgId, userId, role)).status, 201);
  }
  const members = async (orgId, query = "") => {
    const found = await once("Query", `/organisations/${orgId}/members${query}`);
    return found.members.map(({ userId, role }) => [userId, role]);
  };
  assert.deepEqual(await members("press"), [
    [bob, "member"],
    [ada, "owner"],
  ]);
  assert.deepEqual(await members("press", "?role=owner"), [[ada, "owner"]]);
  const { organisations } = await once("Query", `/users/${ada}/organisations`);
  assert.deepEqual(organisations.map(({ orgId, role }) => [orgId, role]), [
    ["guild", "member"],
    ["press", "owner"],
  ]);
  assert.equal((await join("press", bob, "admin")).status, 409, "a member already");
  await did("PUT", `/organisations/press/members/${bob}`, { role: "owner" });
  assert.equal((await members("press", "?role=owner")).length, 2);
  assert.deepEqual(await members("press", "?role=member"), []);
  assert.equal((await once("GetItem", "/organisations/press")).members, 2);
  await did("DELETE", `/organisations/press/members/${bob}`);
  assert.equal((await call("DELETE", `/organisations/press/members/${bob}`)).status, 404);
  assert.equal((await did("GET", "/organisations/press")).members, 1);
  const nobody = "01HM5Z2V4XA7B8C9D0E1F2G3H4";
  assert.equal((await join("press", nobody, "member")).status, 404);
  assert.equal((await join("nowhere", ada, "member")).status, 404);
  assert.equal((await did("GET", "/organisations/press")).members, 1);
});

test("ET5: a folder has all that is below it", async () => {
  const paths = ["plans/2026/roof.pdf", "plans/2026/shelf/a.pdf", "plans/2025/door.pdf", "plans-old.txt"];
  for (const path of paths) await did("PUT", "/organisations/guild/files", { path, bytes: path.length });
  for (const [folder, count] of Object.entries({ "": 4, "plans/": 3, "plans/2026/": 2, "plans/2024/": 0 })) {
    const { files } = await once("Query", `/organisations/guild/files?folder=${encodeURIComponent(folder)}`);
    assert.equal(files.length, count, folder);
    assert.ok(files.every(({ path, bytes }) => path.startsWith(folder) && bytes === path.length));
  }
});

test("ET6: views of a day are one partition, and a range goes over days in order", async () => {
  const moments = ["2026-11-20T23:59:59.999Z", "2026-11-21T00:00:00.000Z", "2026-11-21T12:00:00.000Z"];
  moments.push("2026-11-23T08:00:00.000Z");
  for (const at of moments) await did("POST", "/products/pen/views", { at });
  const day = await once("Query", "/products/pen/views?day=2026-11-21");
  assert.deepEqual(day.views.map(({ at }) => at), [moments[2], moments[1]]);
  const range = `from=${moments[0]}&to=${moments[2]}`;
  const between = (await did("GET", `/products/pen/views?${range}`)).views;
  assert.deepEqual(between.map(({ at }) => at), [moments[2], moments[1], moments[0]]);
  assert.equal(between[0].expiresAt, "2027-02-19T12:00:00.000Z");
  const paged = await all(`/products/pen/views?from=${moments[0]}&to=${moments[3]}&limit=1`, "views");
  assert.deepEqual(paged.map(({ at }) => at), [...moments].reverse());
  const { at } = await did("POST", "/products/pen/views", {});
  assert.ok(Math.abs(Date.parse(at) - Date.now()) < 60_000);
});

test("E1 to E7 and ET1 to ET6: what does not exist is refused by 404, and what cannot be read by 400", async () => {
  const [nobody, userId, none] = ["01HM5Z2V4XA7B8C9D0E1F2G3H4", await user(), randomUUID()];
  const lines = [{ productId: "pen", quantity: 1 }];
  for (const [method, path, body] of [
    ["GET", `/users/${nobody}`],
    ["GET", "/users?email=nobody"],
    ["PUT", `/users/${nobody}/active`, { active: true }],
    ["GET", `/orders/${none}`],
    ["PUT", `/orders/${none}`, { userId: nobody, lines }],
    ["PUT", `/orders/${none}`, { userId, lines: [{ productId: "none", quantity: 1 }] }],
    ["PUT", `/orders/${none}/status`, { status: "paid" }],
    ["GET", "/products/none"],
    ["GET", "/organisations/none"],
    ["PUT", `/organisations/press/members/${nobody}`, { role: "member" }],
    ["GET", "/nothing"],
    ["GET", "/products/%F0"],
  ]) {
    assert.equal((await call(method, path, body)).status, 404, `${method} ${path}`);
  }
  for (const [method, path, body] of [
    ["POST", "/users", "no JSON"],
    ["POST", "/users", { email: 5, name: "x" }],
    ["GET", "/users"],
    ["GET", "/users/abc"],
    ["PUT", `/users/${userId}/active`, { active: "yes" }],
    ["GET", "/users/abc/orders"],
    ["GET", `/users/${userId}/orders?since=yesterday`],
    ["GET", `/users/${userId}/organisations?after=abc`],
    ["GET", "/orders"],
    ["GET", "/orders?status=lost"],
    ["GET", "/orders?status=paid&limit=0"],
    ["GET", "/orders/abc"],
    ["GET", "/orders/abc/items"],
    ["PUT", `/orders/${none}`, { userId, lines: [] }],
    ["PUT", `/orders/${none}`, { userId, lines: "pen" }],
    ["PUT", `/orders/${none}/status`, { status: "lost" }],
    ["PUT", "/products/p", { category: "c", name: "n", price: -1, stock: 1 }],
    ["GET", "/products"],
    ["GET", "/products?category=tests&most=much"],
    ["GET", "/active-users?after=abc"],
    ["PUT", "/organisations/p", {}],
    ["GET", "/stores?region=north&street=storgata"],
    ["GET", "/organisations/press/members?role=king"],
    ["POST", `/organisations/press/members/${userId}`, { role: "king" }],
    ["PUT", `/organisations/press/members/${userId}`, { role: 5 }],
    ["DELETE", "/organisations/press/members/abc"],
    ["PUT", "/organisations/press/files", { path: "a", bytes: 1.5 }],
    ["GET", "/organisations/press/files?limit=x"],
    ["POST", "/products/pen/views", { at: "noon" }],
    ["GET", "/products/pen/views"],
    ["GET", "/products/pen/views?day=2026-13-01"],
  ]) {
    const { status, value } = await call(method, path, body);
    assert.equal(status, 400, `${method} ${path} ${JSON.stringify(value)}`);
    assert.ok(["invalid", "wrong_basket"].includes(value.code), value.code);
    assert.doesNotMatch(value.detail, /NaN/);
  }
});

test("E1 E3 E5 E6 ET1 ET3 ET6: a member that is missing or wrong is refused by its name, and no sentence names what is inside", async () => {
  const [userId, none] = [await user(), randomUUID()];
  for (const [method, path, body, field] of [
    ["POST", "/users", {}, "email"],
    ["POST", "/users", { email: "ada" }, "name"],
    ["POST", "/users", { email: "ada", name: "" }, "name"],
    ["POST", "/users", { email: "ada", name: " \u00a0\t" }, "name"],
    ["PUT", "/stores/%20", { region: "r", city: "c", street: "s" }, "storeId"],
    ["PUT", "/organisations/%20", { name: "n" }, "orgId"],
    ["PUT", "/products/%20", { category: "c", name: "n", price: 1, stock: 1 }, "productId"],
    ["POST", "/users", { email: "ada", name: "Ada", age: 5 }, "age"],
    ["PUT", `/users/${userId}/active`, {}, "active"],
    ["PUT", `/orders/${none}`, { userId }, "lines"],
    ["PUT", `/orders/${none}`, { userId, lines: [] }, "lines"],
    ["PUT", `/orders/${none}`, { userId, lines: [{ productId: "a" }] }, "lines[0].quantity"],
    ["PUT", `/orders/${none}`, { userId, lines: [{ productId: "\0", quantity: 1 }] }, "lines[0].productId"],
    ["PUT", `/orders/${none}`, { userId, lines: [{ productId: "a", quantity: 0 }] }, "lines[0].quantity"],
    ["PUT", `/stores/${"a".repeat(5000)}`, { region: "r", city: "c", street: "s" }, "storeId"],
    ["PUT", "/organisations/%00", { name: "n" }, "orgId"],
    ["GET", "/products/pen/views?from=0001-01-01T00:00:00Z&to=9999-01-01T00:00:00Z", undefined, "to"],
    ["PUT", `/orders/${none}/status`, { status: "lost" }, "status"],
    ["PUT", "/products/p", { category: "c", name: "n", stock: 1 }, "price"],
    ["POST", "/products/pen/views", { at: "9999-12-31T00:00:00Z" }, "at"],
    ["GET", "/orders", undefined, "status"],
    ["GET", "/orders?status=foo", undefined, "status"],
    ["GET", "/orders?status=paid&limit=abc", undefined, "limit"],
    ["GET", "/active-users?after=abc", undefined, "after"],
  ]) {
    const { status, value } = await call(method, path, body);
    assert.deepEqual([status, value.field], [400, field], `${method} ${path} ${JSON.stringify(value)}`);
    assert.match(value.detail, /^\S.*\.$/, path);
    assert.doesNotMatch(value.detail, /pattern|orders_by_status|PK|escape/, path);
  }
});

test("ET5 ET6: what belongs to something is refused without it", async () => {
  for (const [method, path, body] of [
    ["PUT", "/organisations/nowhere/files", { path: "a", bytes: 1 }],
    ["POST", "/products/nothing/views", {}],
  ]) {
    const { status, value } = await call(method, path, body);
    assert.deepEqual([status, value.code], [404, "not_found"], path);
  }
});

test("E1 to E6 ET2 ET6: what is refused has a sentence, with what was given", async () => {
  const [nobody, userId, none] = ["01HM5Z2V4XA7B8C9D0E1F2G3H4", await user(), randomUUID()];
  const [pen, pens] = [{ productId: "pen", quantity: 1 }, { productId: "pen", quantity: 0 }];
  const taken = { email: "taken@example.com", name: "x" };
  await did("POST", "/users", taken);
  for (const [method, path, body, sentence] of [
    ["POST", "/users", taken, /e-mail/],
    ["POST", "/users", { ...taken, age: 5 }, /"age".* only email, name: leave the rest out\.$/],
    ["POST", "/users", { ...taken, ["__proto__"]: 5 }, /"__proto__"/],
    ["PUT", `/orders/${none}`, { userId: nobody, lines: [pen] }, new RegExp(nobody)],
    ["PUT", `/orders/${none}`, { userId, lines: [{ ...pen, productId: "none" }] }, /no product none\. /],
    ["PUT", `/orders/${none}`, { userId, lines: [pens] }, /quantity of pen is no number from 1 to 1,000\. Correct it\.$/],
    ["PUT", `/orders/${none}`, { userId, lines: [{ ...pen, quantity: 9007199254740991 }] }, /quantity of pen is no number from 1 to 1,000\. Correct it\.$/],
    ["PUT", `/orders/${none}`, { userId, lines: [{ ...pen, quantity: 600 }, { ...pen, quantity: 600 }] }, /more than 1,000 pieces of pen\. Order fewer\.$/],
    ["PUT", `/orders/${none}`, { userId, lines: [{ ...pen, price: 1 }] }, /lines\[0\] has no member "price"/i],
    ["GET", "/orders?status=paid&limit=abc", undefined, /^The member limit is "abc"\. /],
    ["GET", "/users/x/orders?limit=", undefined, /^The member limit is ""\. /],
    ["GET", "/products?category=tests&most=abc", undefined, /^The member most is "abc"\. /],
    ["GET", "/products?category=tests&most=1e99", undefined, /^The member most is "1e99"\. /],
    ["POST", "/products/pen/views", { at: "9999-12-31T00:00:00Z" }, /^The moment "9999-12-31/],
    ["POST", "/products/pen/views", { at: "+275760-09-13T00:00:00.000Z" }, /^The moment "\+275760/],
  ]) {
    const { status, value } = await call(method, path, body);
    assert.ok([400, 404, 409].includes(status), `${path} ${status}`);
    assert.match(value.detail, sentence, path);
  }
});

test("E1: what is too large is refused, and so is what a page of another site sends", async () => {
  const large = await call("POST", "/users", `{"name":"${"x".repeat(200_000)}"}`);
  assert.deepEqual([large.status, large.value.code], [413, "too_large"]);
  assert.equal(large.value.detail, "A body has at most 65536 bytes. Shorten it.");
  for (const headers of [{ origin: "https://evil.example" }, { "sec-fetch-site": "cross-site" }]) {
    const { status, value } = await call("POST", "/users", {}, headers);
    assert.deepEqual([status, value.code], [403, "forbidden"]);
  }
});

test("E2: a cursor of another list is refused", async () => {
  const [one, other] = [await user(), await user()];
  for (const userId of [one, one, other]) await order(userId, { pad: 1 });
  const { next } = await did("GET", `/users/${one}/orders?limit=1`);
  const of = (userId) => call("GET", `/users/${userId}/orders?after=${encodeURIComponent(next)}`);
  assert.equal((await of(one)).status, 200);
  assert.equal((await of(other)).status, 400);
});

test("E3 E5: a refused order says which product", async () => {
  const lines = [{ productId: "tray", quantity: 2 }];
  const { status, value } = await call("PUT", `/orders/${randomUUID()}`, { userId: await user(), lines });
  const detail = "There are too few pieces of tray. Order fewer.";
  const refused = { status: 409, code: "out_of_stock", detail, productId: "tray" };
  assert.deepEqual([status, value], [409, refused]);
  const again = { category: "tests", name: "pen", price: 1, stock: 1 };
  assert.equal((await call("PUT", "/products/pen", again)).status, 409);
});

test("the description is served, and each of its answers was seen", async () => {
  const served = await (await fetch(`${shop.address}/api/openapi.json`)).json();
  assert.equal(served.openapi, "3.1.0");
  assert.deepEqual([...answered].filter((one) => !/ (403|413|5\d\d)$/.test(one)).sort(), [...promised].sort());
});

// The model's own writes in a real browser, and entities that take the place of others: the whole transaction first, then its inverse.

import assert from "node:assert/strict";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { closed, done, opened, served, started } from "./started.mjs";

const axe = createRequire(import.meta.url).resolve("axe-core/axe.min.js");
const MODEL = `model named 1
table Named (PK, SK)
  gsi GSI1 (GSI1PK, GSI1SK)
entity User
  userId: string, email: string, orders: int
  key     "USER#{userId}"  "PROFILE"
  unique  email
  count   orders of Order
entity Order
  orderId: string, userId: User.userId, status: pending | paid, note: string?
  key           "ORDER#{orderId}"    "META"
  GSI1          "STATUS#{status}"    "{orderId}"
  copy summary  "USER#{userId}"      "ORDER#{orderId}"  only orderId, status
entity Line
  orderId: Order.orderId, itemId: string, quantity: int
  key  "ORDER#{orderId}"  "ITEM#{itemId}"
record Item
  itemId: string, quantity: int
pattern user(userId) -> User?
pattern order(orderId) -> Order?
pattern lines(orderId) -> Line[]
pattern orders_of_user(userId) -> Order.summary[]
pattern orders_by_status(status) -> Order[]
write place_order(lines: list of Item)
  create Order
  create Line for each lines
write pay(orderId, note)
  update Order set status = paid, note = note when status = pending
write cancel(orderId)
  delete Order
`;

let folder;
let model;
let server;
let workbench;
let cookies;

before(async () => {
  folder = mkdtempSync(join(tmpdir(), "keyfold-named-"));
  model = join(folder, "named.keyfold");
  writeFileSync(model, MODEL);
  server = await served(model);
  workbench = await started({ "named.keyfold": MODEL }, ["--at", server.endpoint, "--write"]);
});

after(async () => {
  await closed();
  await workbench?.end();
  await server?.end();
  rmSync(folder, { recursive: true, force: true });
});

async function page(options = {}) {
  if (cookies === undefined) {
    const first = await opened(workbench);
    cookies = await first.context.cookies();
    await first.context.close();
  }
  return opened({ ...workbench, url: `${workbench.origin}/` }, { hash: "#view=explore", ...options, cookies });
}

const at = () => ["--endpoint", server.endpoint];
const put = (...args) => done(["put", model, ...args, ...at()]);
const run = (...args) => JSON.parse(done(["run", model, ...args, ...at(), "--json"])).result.items.map((one) => one.attributes);
const actions = async (own) => (await own.locator(".actions li").allTextContents()).join("\n");
const write = (own, name) => own.locator(".choices").getByRole("button", { name, exact: true }).click();
const show = (own) => own.getByRole("button", { name: "Show what is written" }).click();
const carryOut = async (own) => {
  await own.getByRole("button", { name: "Carry it out" }).click();
  await own.locator(".edit .good", { hasText: "Done by" }).waitFor();
};
const undone = async (own) => {
  await own.getByRole("button", { name: "Undo…" }).click();
  await own.locator(".actions li").first().waitFor();
};

test("a named write shows its transaction, and is undone with its counter, its copy and its lines", async () => {
  put("User", "userId=u1", "email=a@b");
  const { page: own, faults, context } = await page();
  await write(own, "place_order");
  await show(own);
  await own.locator("#field-orderId-about", { hasText: "a value is needed" }).waitFor();
  await own.getByLabel("orderId").fill("o1");
  await own.getByLabel("userId").fill("u1");
  await own.getByLabel("status").selectOption("pending");
  await own.getByLabel("lines").fill('[{"itemId": "<b>i1", "quantity": "many"}]');
  await show(own);
  await own.locator("#field-lines-about", { hasText: "quantity" }).waitFor();
  await own.getByLabel("lines").fill('[{"itemId": "<b>i1", "quantity": 2}, {"itemId": "i2", "quantity": 1}]');
  await show(own);
  await own.locator(".actions li").nth(4).waitFor();
  const shown = await actions(own);
  for (const said of [/PK = ORDER#o1.*SK = META.*with its entry in GSI1/, /SK = ITEM#<b>i1/, /SK = ITEM#i2/, /PK = USER#u1.*SK = ORDER#o1/, /PK = USER#u1.*SK = PROFILE.*orders/]) assert.match(shown, said);
  assert.deepEqual(run("order", "orderId=o1"), [], "nothing is written before somebody agrees");
  await carryOut(own);
  assert.equal(run("order", "orderId=o1").length, 1);
  assert.equal(run("lines", "orderId=o1").length, 2);
  assert.equal(run("user", "userId=u1")[0].orders, 1);
  await undone(own);
  assert.match(await actions(own), /delete.*ORDER#o1/s);
  await carryOut(own);
  assert.deepEqual([...run("order", "orderId=o1"), ...run("lines", "orderId=o1")], []);
  assert.deepEqual(run("orders_of_user", "userId=u1"), []);
  assert.equal(run("user", "userId=u1")[0].orders, 0);
  assert.deepEqual(faults, []);
  await context.close();
});

test("a change and a deletion by named writes are led back; a faster one is seen", async () => {
  put("User", "userId=u2", "email=c@d");
  put("Order", "orderId=o2", "userId=u2", "status=pending");
  const { page: own, faults, context } = await page();
  const order = () => run("order", "orderId=o2")[0];
  await write(own, "pay");
  await own.getByLabel("orderId").fill("o2");
  await own.getByLabel("note").fill("thanks");
  await show(own);
  await own.locator(".actions li").first().waitFor();
  done(["update", model, "Order", "orderId=o2", "status=paid", ...at()]);
  await own.getByRole("button", { name: "Carry it out" }).click();
  await own.locator(".fault", { hasText: /status/ }).waitFor();
  assert.equal(order().note, undefined);
  done(["update", model, "Order", "orderId=o2", "status=pending", ...at()]);
  await show(own);
  await own.locator(".actions li").first().waitFor();
  await carryOut(own);
  assert.deepEqual([order().status, order().note], ["paid", "thanks"]);
  await undone(own);
  await carryOut(own);
  assert.deepEqual([order().status, order().note], ["pending", undefined]);

  await own.keyboard.press("Control+k");
  await own.keyboard.type("run write cancel");
  await own.locator(".palette li").first().waitFor();
  await own.keyboard.press("Enter");
  await own.getByLabel("orderId").fill("o2");
  await show(own);
  await own.locator(".actions .delete").first().waitFor();
  await carryOut(own);
  assert.deepEqual([order(), run("user", "userId=u2")[0].orders], [undefined, 0]);
  await undone(own);
  await carryOut(own);
  assert.deepEqual([order().status, run("user", "userId=u2")[0].orders], ["pending", 1]);
  assert.deepEqual(faults, []);
  await context.close();
});

test("an entity takes the place of another one, and gives it back", async () => {
  put("User", "userId=u3", "email=old@x");
  const { page: own, faults, context } = await page();
  await write(own, "User");
  await own.getByLabel("userId").fill("u3");
  await own.getByLabel("email").fill("new@x");
  await show(own);
  await own.locator(".actions li").first().waitFor();
  await own.getByRole("button", { name: "Carry it out" }).click();
  await own.locator(".fault", { hasText: "exists" }).waitFor();
  await own.getByLabel("where one with this key is there").selectOption("put");
  await show(own);
  await own.locator(".actions li").nth(2).waitFor();
  assert.match(await actions(own), /old@x/s, "the guard of the value of before is deleted");
  await carryOut(own);
  assert.equal(run("user", "userId=u3")[0].email, "new@x");
  await undone(own);
  await carryOut(own);
  assert.equal(run("user", "userId=u3")[0].email, "old@x");
  assert.deepEqual(faults, []);
  await context.close();
});

test("the form of a named write is one for everybody, at each width", async () => {
  for (const [width, colorScheme] of [[1280, "light"], [1280, "dark"], [390, "light"], [390, "dark"]]) {
    const { page: own, faults, context } = await page({ width, colorScheme });
    if (width > 1000) await write(own, "place_order");
    else await own.getByLabel("table or pattern").selectOption("wplace_order");
    await own.getByLabel("orderId").fill(`${width}${colorScheme}`);
    await own.getByLabel("userId").fill("u1");
    await own.getByLabel("status").selectOption("pending");
    await own.getByLabel("lines").fill('[{"itemId": "i1", "quantity": 2}]');
    await show(own);
    await own.locator(".actions li").nth(3).waitFor();
    if (process.env.KEYFOLD_WEB_PICTURES) await own.screenshot({ path: join(process.env.KEYFOLD_WEB_PICTURES, `named-${width}-${colorScheme}.png`) });
    await own.evaluate(readFileSync(axe, "utf8"));
    const { violations } = await own.evaluate(() => globalThis.axe.run(document, { runOnly: ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "best-practice"] }));
    assert.deepEqual(violations.map((one) => `${one.id}: ${one.nodes.map((node) => node.html.slice(0, 200)).join(" ")}`), []);
    assert.equal(await own.evaluate(() => document.documentElement.scrollWidth - document.documentElement.clientWidth), 0);
    assert.deepEqual(faults, []);
    await context.close();
  }
});

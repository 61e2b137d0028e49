// Entities written in a real browser: shown first, carried out as they were shown, undone; and refused where nobody agreed.

import assert from "node:assert/strict";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { beside, closed, done, opened, served, started } from "./started.mjs";

const axe = createRequire(import.meta.url).resolve("axe-core/axe.min.js");
const shop = new URL("../../models/shop.keyfold", import.meta.url).pathname;
const SHOP = readFileSync(shop, "utf8");

let server;
let workbench;
let cookies;

before(async () => {
  server = await served(shop);
  workbench = await started({ "shop.keyfold": SHOP }, ["--at", await server.at(), "--write"]);
});

after(async () => {
  await closed();
  await workbench?.end();
  await server?.end();
});

async function session() {
  if (cookies !== undefined) return;
  const first = await opened(workbench);
  cookies = await first.context.cookies();
  await first.context.close();
}

async function page(options = {}) {
  await session();
  return opened({ ...workbench, url: `${workbench.origin}/` }, { hash: "#view=explore", ...options, cookies });
}

/** Does what the command does, beside the page. */
const command = async (verb, ...args) => {
  await session();
  return beside({ server, workbench, cookies }, [verb, shop, ...args]);
};

/** What a pattern answers, asked beside the page. */
const run = (...args) => command("run", ...args);

const carryOut = async (own) => {
  await own.getByRole("button", { name: "Carry it out" }).click();
  await own.locator(".edit .good", { hasText: "Done by" }).waitFor();
};

test("an entity is made, changed, deleted and brought back, and all that follows is shown first", async () => {
  const { page: own, faults } = await page();
  await own.locator(".choices").getByRole("button", { name: "User", exact: true }).click();
  await own.getByLabel("userId").fill("u1");
  await own.getByRole("button", { name: "Show what is written" }).click();
  await own.locator("#field-email-about", { hasText: "a value is needed" }).waitFor();
  await own.getByLabel("email").fill("<b>@\u202eexample.org");
  await own.getByLabel("name").fill("Ada");
  await own.getByLabel("createdAt").fill("2026-01-01");
  await own.getByRole("button", { name: "Show what is written" }).click();
  await own.locator(".actions li").nth(1).waitFor();
  assert.match((await own.locator(".actions li").allTextContents()).join("\n"), /put User.*PK = USER#u1.*SK = PROFILE.*only if.*with its entry in GSI1\n.*guard of email.*<b>@\\u202eexample/s);
  assert.deepEqual((await run("user", "userId=u1")), [], "nothing is written before somebody agrees");
  await carryOut(own);
  assert.equal((await run("user", "userId=u1"))[0].name, "Ada");

  // A change of an order is one of its copy, too.
  await command("put", "Order", "orderId=o1", "userId=u1", "createdAt=2026-02-01T10:00:00Z", "total=5", "status=pending");
  await own.goto(`${workbench.origin}/#view=explore&pattern=orders_by_status&a.status=pending`);
  await own.locator(".grid .kind").click();
  await own.getByRole("button", { name: "Change…" }).click();
  assert.ok(await own.getByLabel("orderId").isDisabled());
  await own.getByLabel("status").selectOption("paid");
  await own.getByRole("button", { name: "Show what is written" }).click();
  await own.locator(".actions li").nth(1).waitFor();
  const shown = (await own.locator(".actions li").allTextContents()).join("\n");
  assert.match(shown, /Order .*PK = ORDER#o1.*with its entry in GSI1/s);
  assert.match(shown, /SET .*GSI1PK = "STATUS#paid".*only if .*status = "pending"/s);
  assert.match(shown, /summary.*PK = USER#u1/s);

  // Somebody else is faster: what was shown is not true any more, and nothing is written.
  await command("update", "Order", "orderId=o1", "status=shipped");
  await own.getByRole("button", { name: "Carry it out" }).click();
  await own.locator(".fault", { hasText: "has changed since this was shown" }).waitFor();
  assert.equal((await run("orders_of_user", "userId=u1"))[0].status, "shipped");
  await own.getByRole("button", { name: "Show what is written" }).click();
  await carryOut(own);
  assert.equal((await run("orders_of_user", "userId=u1"))[0].status, "paid");
  await own.getByRole("button", { name: "Undo…" }).click();
  await own.locator(".actions li").nth(1).waitFor();
  await carryOut(own);
  assert.equal((await run("orders_of_user", "userId=u1"))[0].status, "shipped");

  // A deletion, and its inverse.
  await own.goto(`${workbench.origin}/#view=explore&pattern=user&a.userId=u1`);
  await own.locator(".grid .kind").click();
  await own.getByRole("button", { name: "Delete…" }).click();
  await own.getByRole("button", { name: "Show what is written" }).click();
  await own.locator(".actions .delete").nth(1).waitFor();
  await carryOut(own);
  assert.deepEqual((await run("user", "userId=u1")), []);
  await own.getByRole("button", { name: "Undo…" }).click();
  await own.locator(".actions li").nth(1).waitFor();
  await carryOut(own);
  assert.equal((await run("user", "userId=u1"))[0].email, "<b>@\u202eexample.org");
  assert.deepEqual(faults, []);
});

test("an item is written as it is stored, if nobody has changed it since it was read", async () => {
  await command("put", "Product", "productId=raw", "name=Lamp", "price=5", "stock=1");
  const { page: own, faults } = await page({ hash: `#view=explore&table=Shop&in=${encodeURIComponent('{"PK":{"S":"PRODUCT#raw"}}')}` });
  const open = async () => {
    await own.locator(".grid .kind").click();
    await own.getByRole("button", { name: "As stored…" }).click();
  };
  await open();
  const text = await own.getByLabel("the item in JSON").inputValue();
  await own.getByLabel("the item in JSON").fill("{");
  await own.getByRole("button", { name: "Show the request" }).click();
  await own.locator(".fault", { hasText: "This is no JSON" }).waitFor();
  await own.getByLabel("the item in JSON").fill(text.replace('"Lamp"', '"<b>Lamp"'));
  await own.getByRole("button", { name: "Show the request" }).click();
  const request = JSON.parse(await own.locator(".edit .request pre").textContent());
  assert.match(request.UpdateExpression, /^SET #s0 = :s0$/);
  assert.match(request.ConditionExpression, /#h0 = :h0 AND /);
  assert.equal((await run("product", "productId=raw"))[0].name, "Lamp", "nothing is written before somebody agrees");
  // Somebody else is faster.
  await command("update", "Product", "productId=raw", "price=6");
  await own.getByRole("button", { name: "Carry it out" }).click();
  await own.locator(".fault", { hasText: /condition/i }).waitFor();
  assert.equal((await run("product", "productId=raw"))[0].name, "Lamp");
  await own.getByRole("button", { name: "close the form" }).click();
  await own.reload();
  await open();
  await own.getByLabel("the item in JSON").fill((await own.getByLabel("the item in JSON").inputValue()).replace('"Lamp"', '"<b>Lamp"'));
  await own.getByRole("button", { name: "Show the request" }).click();
  await carryOut(own);
  assert.equal((await run("product", "productId=raw"))[0].name, "<b>Lamp");
  await own.reload();
  await open();
  await own.locator(".edit").getByRole("button", { name: "Delete…" }).click();
  await carryOut(own);
  assert.deepEqual((await run("product", "productId=raw")), []);
  assert.deepEqual(faults, []);
});

test("missing tables of the model are made, where the command said so", async () => {
  const data = mkdtempSync(join(tmpdir(), "keyfold-missing-"));
  const model = join(data, "other.keyfold");
  writeFileSync(model, 'model other 1\ntable Other (PK, SK)\nentity A\n  id: string\n  key "A#{id}" "A"\npattern a(id) -> A?\n');
  const folder = join(data, "data");
  done(["put", shop, "Product", "productId=p", "name=N", "price=1", "stock=1", "--data", folder]);
  const other = readFileSync(model, "utf8");
  const making = await started({ "other.keyfold": other }, ["--at", `keyfold:${folder}`, "--write"]);
  try {
    const { page: own, faults, context } = await opened(making, { hash: "#view=explore" });
    await own.locator(".choices", { hasText: "The model has Other, and this place has not." }).waitFor();
    await own.getByRole("button", { name: "Make the table" }).click();
    await own.locator(".notice .good", { hasText: "Made: Other." }).waitFor();
    await own.locator(".choice", { hasText: /^Other$/ }).click();
    await own.getByRole("button", { name: "New item…" }).waitFor();
    assert.equal(await own.getByText("this place has not").count(), 0);
    assert.deepEqual(faults, []);
    await context.close();
  } finally {
    await making.end();
    rmSync(data, { recursive: true, force: true });
  }
});

test("nothing is written without consent, by other pages, or where the command did not say so", async () => {
  const { page: own, context } = await page();
  const user = { file: 0, verb: "create", entity: "User", values: { userId: "x", email: "x@x", name: "x", createdAt: "2026-01-01" } };
  const ask = (at, body, headers = {}) => own.request.post(`${at.origin}/explore/write`, { data: body, headers: { origin: at.origin, ...headers } });
  const said = await (await ask(workbench, user)).json();
  assert.equal(said.actions.length, 2);
  const other = { ...said.shown, request: { ...said.shown.request, ClientRequestToken: "x" } };
  assert.match(await (await ask(workbench, { ...user, shown: other })).text(), /has changed since this was shown/);
  assert.match(await (await ask(workbench, { ...user, values: { ...user.values, name: "y" }, shown: said.shown })).text(), /has changed since this was shown/);
  assert.equal((await ask(workbench, { ...user, shown: said.shown }, { origin: "http://evil.example" })).status(), 403);
  assert.deepEqual((await run("user", "userId=x")), []);

  const reading = await started({ "shop.keyfold": SHOP }, ["--at", server.copied()]);
  try {
    const first = await opened(reading, { hash: "#view=explore&pattern=user&a.userId=u1" });
    const answer = await first.page.request.post(`${reading.origin}/explore/write`, { data: { ...user, shown: said.shown }, headers: { origin: reading.origin } });
    assert.equal(answer.status(), 404);
    for (const [path, data] of [["item", { table: "Shop", after: { PK: { S: "a" }, SK: { S: "b" } }, isAgreed: true }], ["create", { file: 0 }]]) {
      const refused = await first.page.request.post(`${reading.origin}/explore/${path}`, { data, headers: { origin: reading.origin } });
      assert.equal(refused.status(), 404, path);
    }
    await first.page.locator(".grid .kind").click();
    await first.page.locator(".detail").waitFor();
    assert.equal(await first.page.getByRole("button", { name: /New|Change|Delete|As stored/ }).count(), 0);
    await first.context.close();
  } finally {
    await reading.end();
  }
  assert.deepEqual((await run("user", "userId=x")), []);
  await context.close();
});

test("a place that is not on this machine is marked, and each write is asked twice", async () => {
  // The name of this machine's address in the documents' range leads nowhere: what is asked is seen before.
  const far = await started({ "shop.keyfold": SHOP }, ["--at", "http://192.0.2.1:9", "--write"]);
  try {
    const { page: own, context } = await opened(far, { hash: "#view=explore" });
    assert.match(await own.locator(".place").textContent(), /192\.0\.2\.1.*not on this machine, may be written/);
    assert.match(await own.locator(".place").getAttribute("class"), /away/);
    const shown = { now: 0, seed: "0", request: {} };
    const body = { file: 0, verb: "create", entity: "User", values: { userId: "x", email: "x@x", name: "x", createdAt: "2026-01-01" }, shown };
    const answer = await own.request.post(`${far.origin}/explore/write`, { data: body, headers: { origin: far.origin } });
    assert.match(await answer.text(), /agree a second time/);
    // The page asks twice before it sends that.
    const asked = [];
    await own.route("**/explore/write", (route) => {
      const sent = route.request().postDataJSON();
      asked.push(sent);
      const answer = sent.shown ? { done: { operation: "PutItem", changes: ["put Product"], units: 1 } } : { operation: "PutItem", actions: [{ label: "put Product", verb: "put", key: {}, indexes: [] }], made: [], shown, inverse: null, anew: [] };
      route.fulfill({ json: answer });
    });
    await own.route("**/explore/tables", (route) => route.fulfill({ json: { tables: [], missing: [] } }));
    await own.reload();
    await own.locator(".choices").getByRole("button", { name: "Product", exact: true }).click();
    await own.getByRole("button", { name: "Show what is written" }).click();
    await own.getByRole("button", { name: "Carry it out" }).click();
    assert.equal(asked.length, 1);
    await own.getByRole("button", { name: "Yes, write to http://192.0.2.1:9" }).click();
    await own.locator(".edit .good").waitFor();
    assert.equal(asked[1].isSure, true);
    await context.close();
  } finally {
    await far.end();
  }
});

test("an item as it is stored is for everybody, too, at each width", async () => {
  await command("put", "Product", "productId=wide", "name=Lamp", "price=5", "stock=1");
  for (const [width, colorScheme] of [[1280, "dark"], [390, "light"]]) {
    const { page: own, faults, context } = await page({ width, colorScheme, hash: `#view=explore&table=Shop&in=${encodeURIComponent('{"PK":{"S":"PRODUCT#wide"}}')}` });
    await own.locator(".grid .kind").click();
    await own.getByRole("button", { name: "As stored…" }).click();
    await own.getByLabel("the item in JSON").fill((await own.getByLabel("the item in JSON").inputValue()).replace("Lamp", "Lamp2"));
    await own.getByRole("button", { name: "Show the request" }).click();
    await own.locator(".edit .request pre").waitFor();
    await own.evaluate(readFileSync(axe, "utf8"));
    const { violations } = await own.evaluate(() => globalThis.axe.run(document, { runOnly: ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "best-practice"] }));
    assert.deepEqual(violations.map((one) => `${one.id}: ${one.nodes.map((node) => node.html.slice(0, 200)).join(" ")}`), []);
    assert.equal(await own.evaluate(() => document.documentElement.scrollWidth - document.documentElement.clientWidth), 0);
    assert.deepEqual(faults, []);
    await context.close();
  }
});

test("the form of a write is one for everybody, by keyboard, at each width", async () => {
  for (const width of [1280, 390]) {
    for (const colorScheme of ["light", "dark"]) {
      const { page: own, faults, context } = await page({ width, colorScheme });
      await own.keyboard.press("Control+k");
      await own.keyboard.type("new product");
      await own.locator(".palette li").first().waitFor();
      await own.keyboard.press("Enter");
      await own.getByLabel("productId").fill(`p${width}${colorScheme}`);
      await own.getByLabel("name").fill("Lamp");
      await own.getByLabel("price").fill("9.5");
      await own.getByLabel("stock").fill("3");
      await own.keyboard.press("Enter");
      await own.locator(".actions li").waitFor();
      await own.evaluate(readFileSync(axe, "utf8"));
      const { violations } = await own.evaluate(() => globalThis.axe.run(document, { runOnly: ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "best-practice"] }));
      assert.deepEqual(violations.map((one) => `${one.id}: ${one.nodes.map((node) => node.html.slice(0, 200)).join(" ")}`), []);
      assert.equal(await own.evaluate(() => document.documentElement.scrollWidth - document.documentElement.clientWidth), 0);
      assert.deepEqual(faults, []);
      await context.close();
    }
  }
});

// What a model is beside its tables, in a real browser: entities with their references, the proof by execution, the tables of a place.

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { closed, opened, served, started } from "./started.mjs";

const axe = createRequire(import.meta.url).resolve("axe-core/axe.min.js");
const shop = new URL("../../models/shop.keyfold", import.meta.url).pathname;
const SHOP = readFileSync(shop, "utf8");
/** The shop as it is to become: another index, an expiry, a further table. */
const CHANGED =
  SHOP.replace("table Shop (PK, SK)", "table Shop (PK, SK) ttl goneAt").replace("  gsi GSI1 (", "  gsi GSI2 (").replaceAll(/^  GSI1 /gm, "  GSI2 ").replaceAll(/^entity \w+/gm, "$& in Shop") +
  '\ntable More (A, B)\nentity Extra in More\n  extraId: string\n  key "E#{extraId}" "E"\n';

let server;
let workbench;
let cookies;

before(async () => {
  server = await served(shop);
  workbench = await started({ "shop.keyfold": SHOP, "changed.keyfold": CHANGED }, ["--at", server.endpoint]);
});

after(async () => {
  await closed();
  await workbench?.end();
  await server?.end();
});

async function page(options = {}) {
  if (cookies === undefined) {
    const first = await opened(workbench);
    cookies = await first.context.cookies();
    await first.context.close();
  }
  return opened({ ...workbench, url: `${workbench.origin}/` }, { ...options, cookies });
}

const tab = (own, name) => own.locator("nav[aria-label=views]").getByRole("button", { name, exact: true }).click();

test("entities are above those that refer to them, and follow the text", async () => {
  const { page: own, faults, context } = await page();
  await tab(own, "Entities");
  const names = own.locator("svg.chart .name");
  await names.first().waitFor();
  assert.deepEqual(await names.allTextContents(), ["User", "Product", "Order", "OrderItem"]);
  const top = async (name) => (await own.locator("svg.chart .entity", { hasText: name }).first().boundingBox()).y;
  assert.ok((await top("User")) < (await top("Order")) && (await top("Order")) < (await top("OrderItem")));
  assert.equal(await own.locator("svg.chart .refers").count(), 3);
  await own.locator(".entities li", { hasText: "OrderItem.orderId refers to Order.orderId: many OrderItem to one Order" }).waitFor();
  await own.locator(".cm-content").click();
  await own.keyboard.press("Control+End");
  await own.keyboard.type('\nentity Review\n  userId: User.userId, productId: Product.productId\nkey "REVIEW#{userId}" "R#{productId}"\n');
  await own.locator("svg.chart .name", { hasText: "Review" }).waitFor();
  assert.equal(await own.locator("svg.chart .refers").count(), 5);
  await own.getByRole("button", { name: "Order.userId", exact: true }).click();
  await own.locator(".cm-activeLine", { hasText: "entity Order" }).waitFor();
  assert.match(own.url(), /side=entities/);
  assert.deepEqual(faults, []);
  await context.close();
});

test("the model as it is edited is proved by execution, with its progress", async () => {
  const { page: own, faults, context } = await page({ hash: "#side=proof" });
  await own.locator(".state.good").waitFor();
  const prove = own.getByRole("button", { name: "Prove the model" });
  await own.locator(".cm-content").click();
  await own.keyboard.press("Control+End");
  await own.keyboard.type("\npattern everybody(email) -> User?\n");
  await own.locator(".state.good").waitFor();
  await prove.click();
  await own.locator(".proof progress").waitFor();
  await own.locator(".proof .good", { hasText: "Proved by execution" }).waitFor({ timeout: 90_000 });
  await own.locator(".proof li", { hasText: /everybody: asked \d+ times/ }).waitFor();
  await own.locator(".cm-content").click();
  await own.keyboard.type(" # more");
  await own.locator(".proof .warn", { hasText: "This is of another text" }).waitFor();
  assert.deepEqual(faults, []);
  await context.close();
});

test("a proof is stopped, and another one begun", async () => {
  const { page: own, faults, context } = await page({ hash: "#side=proof" });
  await own.locator(".state.good").waitFor();
  await own.getByRole("button", { name: "Prove the model" }).click();
  await own.locator(".proof progress").waitFor();
  await own.getByRole("button", { name: "Stop", exact: true }).click();
  await own.locator(".proof .warn", { hasText: "The proof was stopped" }).waitFor({ timeout: 60_000 });
  assert.equal(await own.locator(".proof .good").count(), 0);
  await own.getByRole("button", { name: "Prove the model" }).click();
  await own.locator(".proof .good", { hasText: "Proved by execution" }).waitFor({ timeout: 90_000 });
  assert.deepEqual(faults, []);
  await context.close();
});

test("a proof that fails shows the rows, and the shortest way to them", async () => {
  const { page: own, faults, context } = await page({ hash: "#side=proof" });
  await own.locator(".state.good").waitFor();
  const wrong = { what: "orders_of_user(userId = u1)", expected: "2 rows: <b>o1, o2", found: "1 row: o1" };
  const report = { seed: 1, rows: 9, writes: 8, refused: 1, storedItems: 20, aggregates: 0, never: [{ kind: "write", name: "set_status" }], patterns: [{ name: "orders_of_user", runs: 4, items: 5, answered: 0, requests: 4, failures: [wrong] }], failures: [], smallest: { writes: ["create Order o2\u202e"], failure: wrong } };
  const said = [{ isRunning: true, phase: "asking", done: 2, total: 9 }, { isRunning: false, report }];
  await own.route("**/prove", (route) => route.fulfill({ json: {} }));
  await own.route("**/proof", (route) => route.fulfill({ json: said.length > 1 ? said.shift() : said[0] }));
  await own.getByRole("button", { name: "Prove the model" }).click();
  await own.locator(".proof .bad", { hasText: "One answer differs from that of SQL." }).waitFor();
  const text = await own.locator(".proof").innerText();
  for (const one of [/orders_of_user\(userId = u1\)\s+expected\s+2 rows: <b>o1, o2\s+found\s+1 row: o1/, /shortest way.*create Order o2\\u202e/s, /never found an item: orders_of_user/, /write set_status/, /1 of them wrong/]) assert.match(text, one);
  assert.deepEqual(faults, []);
  await context.close();
});

test("the tables of the place are compared with the edited model, and each difference says what it means for data", async () => {
  const { page: own, faults, context } = await page({ hash: "#side=difference" });
  const compare = () => own.getByRole("button", { name: /^Compare/ }).click();
  await own.locator(".state.good").waitFor();
  await compare();
  await own.locator(".deployed .good", { hasText: "as the model says" }).waitFor();
  await own.getByLabel("model", { exact: true }).first().selectOption("1");
  await own.locator(".deployed .warn", { hasText: "The text has changed since." }).waitFor();
  await compare();
  await own.locator(".deployed li.index").first().waitFor();
  const text = await own.locator(".deployed").innerText();
  for (const one of [/gsi GSI2: the model has it, the table has not\s+UpdateTable makes it/, /index GSI1: the table has it, the model has not\s+No pattern/, /ttl.*goneAt.*\s+Items whose time in this attribute is over are deleted/, /More not there\s+.*the place has not\s+Nothing is there yet/]) assert.match(text, one);
  assert.deepEqual(faults, []);
  await context.close();
});

test("entities, proof and tables are for everybody, at each width", async () => {
  for (const [width, colorScheme] of [[1280, "light"], [1280, "dark"], [390, "light"], [390, "dark"]]) {
    for (const side of ["entities", "proof", "difference"]) {
      const { page: own, faults, context } = await page({ width, colorScheme, hash: `#side=${side}&front=side&file=1` });
      await own.locator(".state.good").waitFor();
      if (side === "entities") await own.locator("svg.chart .name").first().waitFor();
      if (side === "proof") await own.locator(".proof [role=status]").waitFor();
      if (side === "difference") {
        await own.getByRole("button", { name: /^Compare/ }).click();
        await own.locator(".deployed li.index").first().waitFor();
      }
      if (process.env.KEYFOLD_WEB_PICTURES) await own.screenshot({ path: join(process.env.KEYFOLD_WEB_PICTURES, `${side}-${width}-${colorScheme}.png`) });
      await own.evaluate(readFileSync(axe, "utf8"));
      const { violations } = await own.evaluate(() => globalThis.axe.run(document, { runOnly: ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "best-practice"] }));
      assert.deepEqual(violations.map((one) => `${side} ${one.id}: ${one.nodes.map((node) => node.html.slice(0, 200)).join(" ")}`), []);
      assert.equal(await own.evaluate(() => document.documentElement.scrollWidth - document.documentElement.clientWidth), 0);
      assert.deepEqual(faults, []);
      await context.close();
    }
  }
});

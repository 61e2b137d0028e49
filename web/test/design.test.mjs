// The page in a real browser: a model is written, mended, saved; what is beside it follows.

import assert from "node:assert/strict";
import { readFileSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { after, before, test } from "node:test";
import { closed, opened, started } from "./started.mjs";

const axe = createRequire(import.meta.url).resolve("axe-core/axe.min.js");
const read = (path) => readFileSync(new URL(`../../${path}`, import.meta.url), "utf8");
const SHOP = read("models/shop.keyfold");
const LONG = read("e2e/long_names.keyfold");

let workbench;

before(async () => {
  workbench = await started({ "shop.keyfold": SHOP, "long.keyfold": LONG });
});

after(async () => {
  await closed();
  await workbench?.end();
});

// The token is used up by the first page: the others have its cookie.
let cookies;

async function page(options = {}) {
  if (cookies === undefined) {
    const first = await opened(workbench);
    cookies = await first.context.cookies();
    await first.context.close();
  }
  return opened({ ...workbench, url: `${workbench.origin}/` }, { ...options, cookies });
}

const tiles = (page) => page.locator("svg.map .item .name").allTextContents();

test("a model is written, its mistake mended by the offered repair, and saved", async () => {
  const { page: own, faults } = await page();
  await own.locator("svg.map .item .name", { hasText: "Order.summary[]" }).first().waitFor();
  await own.locator(".cm-content").click();
  await own.keyboard.press("Control+End");
  await own.keyboard.type("\nentity Coupon\n  code: string, email: string\n");
  await own.keyboard.type('key "COUPON#{cod}" "COUPON"\n');
  const finding = own.locator(".findings li.error").first();
  await finding.waitFor();
  // What is drawn stays that of the last version without errors, and the page says so.
  assert.match(await own.locator(".state").textContent(), /errors/);
  assert.ok((await tiles(own)).includes("User"));
  const repair = finding.locator("button:not(.link)").first();
  await repair.click();
  await own.locator("svg.map .name", { hasText: "Coupon" }).waitFor();
  await own.locator(".state.good").waitFor();
  assert.match(await own.locator(".cm-content").innerText(), /COUPON#\{code\}/);
  await own.keyboard.press("Control+s");
  await own.locator(".notice .good").waitFor();
  assert.match(readFileSync(workbench.files[0], "utf8"), /"COUPON#\{code\}"/);

  // Somebody else writes the file: nothing is overwritten.
  writeFileSync(workbench.files[0], SHOP);
  await own.locator(".cm-content").click();
  await own.keyboard.press("Control+End");
  await own.keyboard.type("# more\n");
  await own.keyboard.press("Control+s");
  await own.locator(".notice .bad", { hasText: "changed by another program" }).waitFor();
  assert.equal(readFileSync(workbench.files[0], "utf8"), SHOP);
  assert.deepEqual(faults.filter((one) => !one.includes("409")), []);
});

test("the patterns follow each keystroke", async () => {
  const { page: own, faults } = await page({ hash: "#side=patterns" });
  await own.locator(".patterns tbody tr").first().waitFor();
  const count = await own.locator(".patterns tbody tr").count();
  await own.locator(".cm-content").click();
  await own.keyboard.press("Control+End");
  await own.keyboard.type("\npattern order(orderId) -> Order?\n");
  await own.locator(".patterns th", { hasText: /^order\(/ }).waitFor();
  assert.equal(await own.locator(".patterns tbody tr").count(), count + 1);
  const row = own.locator(".patterns tr", { has: own.locator("th", { hasText: /^order\(/ }) });
  assert.match(await row.textContent(), /GetItem.*PK = "ORDER#\{orderId\}"/);
  await row.locator("th button").click();
  assert.match(await own.locator(".cm-activeLine").textContent(), /^pattern order\(/);
  assert.deepEqual(faults, []);
});

test("a pattern says why it reads this key and no other, and follows the text", async () => {
  const { page: own, faults } = await page({ hash: "#side=patterns" });
  await own.getByRole("button", { name: "why user_by_email reads GSI1" }).click();
  const reasons = own.locator(".reasons li");
  await reasons.nth(1).waitFor();
  assert.match((await reasons.allTextContents()).join("\n"), /^Shop is not read: its partition key "USER#\{userId\}" needs `userId`, which the pattern is not given\nGSI1 is read: it holds exactly what is asked: GSI1PK = "EMAIL#\{email\}"/);
  // The parameter gets another name: the answer is asked again.
  await own.locator(".cm-content").click();
  await own.keyboard.press("Control+End");
  await own.keyboard.type("\npattern order(orderId) -> Order?\n");
  await own.locator(".patterns th", { hasText: /^order\(/ }).waitFor();
  await own.getByRole("button", { name: "why order reads Shop" }).click();
  await own.locator(".reasons", { hasText: /GSI1 is not read/ }).nth(0).waitFor();
  await own.getByRole("button", { name: "why user_by_email reads GSI1" }).click();
  assert.equal(await own.locator(".reasons").count(), 1);
  assert.deepEqual(faults, []);
});

test("the difference to the stored file says what it means for data", async () => {
  writeFileSync(workbench.files[0], SHOP);
  const { page: own, faults } = await page({ hash: "#side=difference" });
  await own.locator(".side", { hasText: "there is no difference" }).waitFor();
  await own.locator(".cm-content").click();
  await own.keyboard.press("Control+End");
  await own.keyboard.type("\npattern order(orderId) -> Order?\n");
  await own.locator(".difference li", { hasText: "pattern order: added" }).waitFor();
  await own.locator(".side .good", { hasText: "Stored data stays as it is." }).waitFor();
  await own.keyboard.type("\nentity Coupon\n  code: string\nkey \"COUPON#{code}\" \"COUPON\"\nGSI1 \"COUPONS\" \"{code}\"\n");
  await own.locator(".difference li", { hasText: "entity Coupon: added" }).waitFor();
  await own.keyboard.press("Control+Home");
  // An attribute of all stored orders.
  const line = own.locator(".cm-line", { hasText: /^ *orderId: string/ }).first();
  await line.click();
  await own.keyboard.press("End");
  await own.keyboard.type(", weight: number");
  await own.locator(".difference .warn", { hasText: /backfill/ }).first().waitFor();
  await own.locator(".side > .warn", { hasText: "Every item of an entity gets something more." }).waitFor();
  await own.keyboard.press("Control+s");
  await own.locator(".side", { hasText: "there is no difference" }).waitFor();
  writeFileSync(workbench.files[0], SHOP);
  assert.deepEqual(faults, []);
});

test("the language server completes, explains and formats", async () => {
  const { page: own, faults } = await page();
  await own.locator(".cm-content").click();
  await own.keyboard.press("Control+End");
  await own.keyboard.type("\npattern  all_of(userId) -> Us");
  await own.locator(".cm-tooltip-autocomplete li", { hasText: "User" }).first().waitFor();
  await own.keyboard.press("Escape");
  await own.keyboard.type("er?\n");
  await own.keyboard.press("Shift+Alt+F");
  await own.locator(".cm-line", { hasText: /^pattern all_of\(userId\)/ }).waitFor();
  await own.locator(".cm-line", { hasText: /^pattern all_of/ }).locator("span").nth(0).hover();
  await own.locator(".cm-line", { hasText: /^pattern all_of/ }).hover({ position: { x: 75, y: 8 } });
  await own.locator(".cm-tooltip-hover", { hasText: "GetItem" }).waitFor();
  assert.deepEqual(faults, []);
});

test("everything is reached without a mouse, and a link keeps the view", async () => {
  const { page: own, faults } = await page();
  const command = async (text) => {
    await own.keyboard.press("Control+k");
    await own.keyboard.type(text);
    await own.keyboard.press("Enter");
  };
  await own.locator(".cm-content").click();
  await command("show patterns");
  await own.locator(".patterns").waitFor();
  await command("colours dark");
  await command("open long");
  await own.locator(".patterns th", { hasText: "unit_with_invitations" }).waitFor();
  const link = own.url();
  assert.match(link, /#file=1&side=patterns.*theme=dark/);
  await own.goto("about:blank");
  await own.goto(link);
  await own.locator(".patterns th", { hasText: "unit_with_invitations" }).waitFor();
  assert.equal(await own.evaluate(() => getComputedStyle(document.documentElement).colorScheme), "dark");
  await command("go to entity OrganizationalUnit");
  await own.locator(".cm-activeLine", { hasText: "entity OrganizationalUnit" }).waitFor();
  // No key of a command has gone to the text.
  assert.equal(await own.locator("option", { hasText: "•" }).count(), 0);
  assert.deepEqual(faults, []);
});

const VIEWS = [];
for (const width of [1280, 390]) {
  for (const colorScheme of ["light", "dark"]) {
    for (const hash of ["", "#file=1&front=side", "#file=1&side=patterns&front=side", "#side=difference&front=side"]) VIEWS.push({ width, colorScheme, hash });
  }
}

test("no view violates a rule of axe, and none is wider than its window", async () => {
  for (const view of VIEWS) {
    const { page: own, faults, context } = await page(view);
    await own.locator("svg.map, .patterns, .side .empty").first().waitFor({ state: "attached" });
    if (view.hash.includes("patterns")) {
      await own.locator(".patterns td .link").first().click();
      await own.locator(".reasons li").first().waitFor();
    }
    // The script comes by the protocol of the browser: the page's policy would refuse it.
    await own.evaluate(readFileSync(axe, "utf8"));
    const { violations } = await own.evaluate(() => globalThis.axe.run(document, { runOnly: ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "best-practice"] }));
    const found = violations.map((one) => `${one.id}: ${one.nodes.map((node) => node.html).join(" ")}`);
    assert.deepEqual(found, [], JSON.stringify(view));
    const wide = await own.evaluate(() => document.documentElement.scrollWidth - document.documentElement.clientWidth);
    assert.equal(wide, 0, JSON.stringify(view));
    const inside = await own.evaluate(() => {
      const side = document.querySelector(".side");
      return side.scrollWidth - side.clientWidth;
    });
    assert.equal(inside, 0, `what is beside the editor fits its place: ${JSON.stringify(view)}`);
    assert.deepEqual(faults, []);
    await context.close();
  }
});

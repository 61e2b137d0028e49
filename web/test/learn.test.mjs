// What there is to learn, in a real browser: designs with their data, a tour, the rules.

import assert from "node:assert/strict";
import { existsSync, readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { closed, opened, started } from "./started.mjs";

const axe = createRequire(import.meta.url).resolve("axe-core/axe.min.js");
const MODEL = 'model own 1\ntable Own (PK, SK)\nentity A\n  id: string\n  key "A#{id}" "A"\npattern a(id) -> A?\n';

let workbench;
let cookies;

before(async () => {
  workbench = await started({ "own.keyfold": MODEL });
});

after(async () => {
  await closed();
  await workbench?.end();
});

async function page({ path = "/", ...options } = {}) {
  if (cookies === undefined) {
    const first = await opened(workbench);
    cookies = await first.context.cookies();
    await first.context.close();
  }
  return opened({ ...workbench, url: `${workbench.origin}${path}` }, { hash: "#view=learn", ...options, cookies });
}

test("each design opens by one click, with data, and what is changed there stays there", async () => {
  const { page: own, faults, context } = await page();
  const links = own.locator(".designs a");
  await links.first().waitFor();
  const names = await links.allTextContents();
  assert.ok(names.length >= 13 && names.includes("santa"));
  await own.getByRole("link", { name: "shop", exact: true }).click();
  await own.locator("svg.map .item .name", { hasText: "Order.summary[]" }).first().waitFor();
  await own.getByRole("button", { name: "Explore" }).click();
  await own.locator(".choice", { hasText: /^Shop$/ }).click();
  await own.locator(".grid .kind", { hasText: "User" }).first().waitFor();
  await own.goto("about:blank");
  await own.goto(`${workbench.origin}/?sample=shop#view=explore&pattern=user&a.userId=u1`);
  await own.locator(".grid .kind").click();
  await own.getByRole("button", { name: "Change…" }).click();
  await own.getByLabel("name").fill("Countess");
  await own.getByRole("button", { name: "Show what is written" }).click();
  await own.getByRole("button", { name: "Carry it out" }).click();
  await own.locator(".edit .good").waitFor();
  await own.reload();
  await own.locator(".grid td", { hasText: "Countess" }).waitFor();
  // Every other one has items, too.
  for (const name of names) {
    const tables = await own.evaluate((name) => fetch(`/explore/tables?sample=${name}`, { method: "POST", body: '{"file":0}' }).then((answer) => answer.json()), name);
    assert.deepEqual(tables.missing, [], name);
    const counts = await Promise.all(tables.tables.map(({ name: table }) => own.evaluate(([name, table]) => fetch(`/explore/items?sample=${name}`, { method: "POST", body: JSON.stringify({ file: 0, table, limit: 10 }) }).then(async (answer) => (await answer.json()).items.filter((one) => one.role !== "unknown").length), [name, table])));
    assert.ok(counts.some((count) => count > 0), `${name}: ${counts}`);
  }
  await own.getByRole("link", { name: "Leave the design" }).click();
  await own.locator(".cm-content", { hasText: "model own 1" }).waitFor();
  assert.equal(await own.getByRole("button", { name: "Explore" }).count(), 0, "the own model has no place");
  assert.deepEqual(faults, []);
  assert.match(await (await own.request.get(`${workbench.origin}/files?sample=..`)).text(), /no such design/);
  await context.close();
});

test("the file of a design is its own, and goes away with the workbench", async () => {
  const other = await started({ "own.keyfold": MODEL });
  const { page: own, context } = await opened(other);
  const files = await own.evaluate(() => fetch("/files?sample=freight").then((answer) => answer.json()));
  const path = files.files[0].name;
  assert.match(path, /freight\.keyfold$/);
  assert.ok(existsSync(path));
  await context.close();
  await other.end();
  assert.ok(!existsSync(path));
});

test("the tour leads to each of its tasks", async () => {
  const { page: own, faults, context } = await page();
  const links = own.locator(".tour a");
  await links.first().waitFor();
  const all = await links.evaluateAll((some) => some.map((one) => one.getAttribute("href")));
  assert.equal(all.length, 15);
  for (const href of new Set(all)) {
    // A link opens a page anew.
    await own.goto("about:blank");
    await own.goto(`${workbench.origin}${href}`);
    const view = /view=(\w+)/.exec(href)?.[1] ?? "design";
    await own.locator(`main.${view}`).waitFor();
    if (/pattern=|table=/.test(href)) await own.locator(".grid .kind").first().waitFor();
    assert.equal(await own.locator(".notice .bad, .fault").count(), 0, href);
  }
  assert.deepEqual(faults, []);
  await context.close();
});

test("each rule has its page, and a finding leads to it", async () => {
  const { page: own, faults, context } = await page({ hash: "" });
  await own.locator(".cm-content").click();
  await own.keyboard.press("Control+End");
  await own.keyboard.type("\npattern b(nothing) -> A?\n");
  const finding = own.locator(".findings li.error").first();
  await finding.waitFor();
  const code = /KF\d+/.exec(await finding.textContent())[0];
  await finding.getByRole("button", { name: `why ${code}` }).click();
  await own.getByRole("article", { name: `rule ${code}` }).waitFor();
  assert.match(own.url(), new RegExp(`rule=${code}`));
  await own.getByRole("button", { name: "All rules" }).click();
  const rules = await own.locator(".rules .link").allTextContents();
  assert.ok(rules.length >= 27);
  const [first] = rules;
  await own.getByRole("button", { name: first, exact: true }).click();
  await own.locator("article pre").nth(1).waitFor();
  assert.deepEqual(faults, []);
  await context.close();
});

test("learning is for everybody, at each width", async () => {
  for (const [width, colorScheme] of [[1280, "light"], [1280, "dark"], [390, "light"], [390, "dark"]]) {
    for (const hash of ["#view=learn", "#view=learn&rule=KF011"]) {
      const { page: own, faults, context } = await page({ width, colorScheme, hash, path: "/?sample=santa" });
      await own.locator(hash.includes("rule") ? "article" : ".designs").waitFor();
      if (process.env.KEYFOLD_WEB_PICTURES) await own.screenshot({ path: join(process.env.KEYFOLD_WEB_PICTURES, `learn-${width}-${colorScheme}${hash.includes("rule") ? "-rule" : ""}.png`) });
      await own.evaluate(readFileSync(axe, "utf8"));
      const { violations } = await own.evaluate(() => globalThis.axe.run(document, { runOnly: ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "best-practice"] }));
      assert.deepEqual(violations.map((one) => `${one.id}: ${one.nodes.map((node) => node.html.slice(0, 200)).join(" ")}`), []);
      assert.equal(await own.evaluate(() => document.documentElement.scrollWidth - document.documentElement.clientWidth), 0);
      assert.deepEqual(faults, []);
      await context.close();
    }
  }
});

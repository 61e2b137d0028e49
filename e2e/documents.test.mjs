// The document of a design in a real browser, wide and narrow, light and dark: no text leaves its box, no line crosses a word, and
// nothing is wider than the page but what scrolls.

import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { mkdtempSync, readdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { launch } from "./browser.mjs";

const binary = process.env.KEYFOLD_BIN ?? new URL("../target/debug/keyfold", import.meta.url).pathname;
const folder = mkdtempSync(join(tmpdir(), "keyfold-"));
const models = new URL("../models/", import.meta.url).pathname;
const files = readdirSync(models).filter((name) => name.endsWith(".keyfold")).map((name) => join(models, name));
files.push(new URL("long_names.keyfold", import.meta.url).pathname);
let browser;

before(async () => {
  browser = await launch([]);
});

after(async () => {
  await browser?.close();
  rmSync(folder, { recursive: true, force: true });
});

// Runs in the page.
function faults() {
  const found = [];
  const page = document.documentElement;
  if (page.scrollWidth > page.clientWidth) found.push(`the page is ${page.scrollWidth} wide, the window ${page.clientWidth}`);
  const inside = (inner, outer) =>
    inner.left >= outer.left - 1 && inner.right <= outer.right + 1 && inner.top >= outer.top - 1 && inner.bottom <= outer.bottom + 1;
  for (const text of document.querySelectorAll("svg text")) {
    const box = text.previousElementSibling;
    if (!inside(text.getBoundingClientRect(), box.getBoundingClientRect())) found.push(`${text.textContent} leaves its box`);
    if (!getComputedStyle(box).fill.match(/^(rgb\(|color\(srgb [\d. ]+\))/)) found.push(`a line shines through ${text.textContent}`);
  }
  const followed = [...document.querySelectorAll("svg > *")].map((one) => one.tagName);
  if (followed.lastIndexOf("path") > followed.indexOf("rect") && followed.includes("rect")) found.push("a line lies on a box");
  for (const item of document.querySelectorAll(".item, .collection, td, h1, h2, h3, li")) {
    if (item.textContent === "") continue;
    const range = document.createRange();
    range.selectNodeContents(item);
    if (!inside(range.getBoundingClientRect(), item.getBoundingClientRect())) found.push(`${item.textContent} leaves its place`);
  }
  const boxes = [...document.querySelectorAll(".item, svg rect")].map((one) => one.getBoundingClientRect());
  const overlap = (a, b) => a.left < b.right - 1 && b.left < a.right - 1 && a.top < b.bottom - 1 && b.top < a.bottom - 1;
  boxes.forEach((a, at) => {
    if (boxes.slice(at + 1).some((b) => overlap(a, b))) found.push(`boxes lie on each other at ${a.left}, ${a.top}`);
  });
  return found;
}

test("what is written stays in its place", async () => {
  let boxes = 0;
  for (const file of files) {
    const html = join(folder, "page.html");
    execFileSync(binary, ["docs", file, "-o", html]);
    for (const [width, colorScheme] of [[1280, "light"], [390, "dark"]]) {
      const page = await browser.newPage({ viewport: { width, height: 900 }, colorScheme });
      await page.goto(`file://${html}`);
      assert.deepEqual(await page.evaluate(faults), [], `${file} at ${width}`);
      boxes += await page.locator(".item, svg rect").count();
      await page.close();
    }
  }
  assert.ok(boxes > 100, `only ${boxes} boxes were looked at`);
});

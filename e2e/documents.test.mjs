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
  const shown = (one) => one.getClientRects().length > 0;
  const texts = [...document.querySelectorAll("svg text")].filter(shown);
  for (const text of texts) {
    const box = text.closest("g")?.querySelector("rect") ?? text.previousElementSibling;
    if (!inside(text.getBoundingClientRect(), box.getBoundingClientRect())) found.push(`${text.textContent} leaves its box`);
    if (!getComputedStyle(box).fill.match(/^(rgb\(|color\(srgb [\d. ]+\))/)) found.push(`a line shines through ${text.textContent}`);
  }
  for (const text of texts.filter((one) => one.firstChild.data.endsWith("…"))) {
    const whole = text.querySelector("title")?.textContent ?? "";
    if (!whole.startsWith(text.firstChild.data.slice(0, -1))) found.push(`${text.textContent} is cut and has no title`);
  }
  const followed = [...document.querySelectorAll("svg:not(.map) > *")].map((one) => one.tagName);
  if (followed.lastIndexOf("path") > followed.indexOf("rect") && followed.includes("rect")) found.push("a line lies on a box");
  for (const item of document.querySelectorAll("td, h1, h2, h3, li")) {
    if (item.textContent === "") continue;
    const range = document.createRange();
    range.selectNodeContents(item);
    if (!inside(range.getBoundingClientRect(), item.getBoundingClientRect())) found.push(`${item.textContent} leaves its place`);
  }
  const boxes = [...document.querySelectorAll("svg rect")].filter(shown).map((one) => one.getBoundingClientRect());
  const overlap = (a, b) => a.left < b.right - 1 && b.left < a.right - 1 && a.top < b.bottom - 1 && b.top < a.bottom - 1;
  boxes.forEach((a, at) => {
    if (boxes.slice(at + 1).some((b) => overlap(a, b))) found.push(`boxes lie on each other at ${a.left}, ${a.top}`);
  });
  const lines = texts.map((one) => one.getBoundingClientRect());
  lines.forEach((a, at) => {
    // The boxes of two lines of a tile touch: their letters do not.
    const below = lines.slice(at + 1).findIndex((b) => overlap(a, b) && Math.min(a.bottom, b.bottom) - Math.max(a.top, b.top) > 3);
    if (below >= 0) found.push(`${texts[at].textContent} lies on ${texts[at + 1 + below].textContent}`);
  });
  return found;
}

// Runs in the page: the pixels of a map's picture that have the colour of letters, and lie outside of all tiles.
async function stray([png, tiles]) {
  const image = new Image();
  image.src = `data:image/png;base64,${png}`;
  await image.decode();
  const canvas = new OffscreenCanvas(image.width, image.height);
  const context = canvas.getContext("2d");
  context.drawImage(image, 0, 0);
  const { data } = context.getImageData(0, 0, image.width, image.height);
  let outside = 0;
  let letters = 0;
  for (let at = 0; at < data.length; at += 4) {
    // Red letters on white.
    if (data[at] - data[at + 1] < 60) continue;
    letters += 1;
    const x = (at / 4) % image.width;
    const y = Math.floor(at / 4 / image.width);
    if (!tiles.some((one) => x >= one.x && x < one.x + one.width && y >= one.y && y < one.y + one.height)) outside += 1;
  }
  return { outside, letters };
}

test("in a picture of a map with long keys, no letter is outside of its tile", async () => {
  const html = join(folder, "page.html");
  execFileSync(binary, ["docs", new URL("long_names.keyfold", import.meta.url).pathname, "-o", html]);
  for (const [width, colorScheme] of [[1280, "light"], [390, "dark"]]) {
    const page = await browser.newPage({ viewport: { width, height: 900 }, colorScheme });
    await page.goto(`file://${html}`);
    await page.addStyleTag({ content: "svg.map { background: #fff; overflow: visible } svg.map rect { fill: #fff !important; stroke: #fff !important } svg.map text { fill: #f00 !important }" });
    for (const map of await page.locator("svg.map:visible").all()) {
      const png = (await map.screenshot()).toString("base64");
      const tiles = await map.locator("rect").evaluateAll((all) =>
        all.map((one) => Object.fromEntries(["x", "y", "width", "height"].map((name) => [name, Number(one.getAttribute(name))]))));
      const { outside, letters } = await page.evaluate(stray, [png, tiles]);
      assert.ok(letters > 500, `only ${letters} pixels of letters`);
      assert.equal(outside, 0, `${outside} pixels of letters are outside of their tiles at ${width}`);
    }
    await page.close();
  }
});

test("what is written stays in its place", async () => {
  let boxes = 0;
  for (const file of files) {
    const html = join(folder, "page.html");
    execFileSync(binary, ["docs", file, "-o", html]);
    for (const [width, colorScheme] of [[1280, "light"], [390, "dark"]]) {
      const page = await browser.newPage({ viewport: { width, height: 900 }, colorScheme });
      await page.goto(`file://${html}`);
      assert.deepEqual(await page.evaluate(faults), [], `${file} at ${width}`);
      boxes += await page.locator("svg rect:visible").count();
      await page.close();
    }
  }
  assert.ok(boxes > 100, `only ${boxes} boxes were looked at`);
});

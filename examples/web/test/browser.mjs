/** A headless Chromium of the system, whose pages are examined as they are shown. */

import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { chromium } from "playwright-core";
import { isLight } from "./weighed.mjs";

const NAMES = ["chromium", "chromium-browser", "google-chrome", "google-chrome-stable"];
const ARGUMENTS = ["--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run"];
const QUIET = ["--disable-background-networking", "--disable-component-update", "--disable-sync"];

/** On which the pages are looked at. */
const LOOKS = {
  "phone-dark": { viewport: { width: 390, height: 844 }, colorScheme: "dark" },
  "desktop-light": { viewport: { width: 1280, height: 800 }, colorScheme: "light" },
};

function executable() {
  if (process.env.KEYFOLD_CHROMIUM) return process.env.KEYFOLD_CHROMIUM;
  for (const name of NAMES) {
    try {
      return execFileSync("sh", ["-c", `command -v ${name}`], { encoding: "utf8" }).trim();
    } catch {
      // The next one.
    }
  }
  throw new Error("Chromium is needed: install Debian's package chromium, or name one in KEYFOLD_CHROMIUM");
}

/** What is wrong with the page as it is shown: sizes, contrasts, labels. It runs in the page. */
function examined() {
  const found = [];
  const root = document.documentElement;
  if (root.scrollWidth > root.clientWidth) found.push(`scrolls sideways by ${root.scrollWidth - root.clientWidth}`);
  if (document.querySelectorAll("h1").length !== 1) found.push("has not one h1");
  const parts = (color) => color.match(/[\d.]+/g).map(Number);
  const light = (color) => {
    const [r, g, b] = parts(color).map((part) =>
      part / 255 <= 0.04045 ? part / 255 / 12.92 : ((part / 255 + 0.055) / 1.055) ** 2.4,
    );
    return 0.2126 * r + 0.7152 * g + 0.0722 * b;
  };
  const ground = (element) => {
    for (let one = element; one !== null; one = one.parentElement) {
      const color = getComputedStyle(one).backgroundColor;
      if ((parts(color)[3] ?? 1) === 1) return color;
    }
    return "rgb(255, 255, 255)";
  };
  const texts = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  for (let node = texts.nextNode(); node !== null; node = texts.nextNode()) {
    const element = node.parentElement;
    if (node.data.trim() === "" || element.closest(".skip, noscript, script, option") !== null) continue;
    const style = getComputedStyle(element);
    const ink = element instanceof SVGElement ? style.fill : style.color;
    const [one, other] = [light(ink), light(ground(element))];
    const contrast = (Math.max(one, other) + 0.05) / (Math.min(one, other) + 0.05);
    if (contrast < 4.5) found.push(`${node.data.trim().slice(0, 30)}: contrast ${contrast.toFixed(2)}`);
  }
  for (const button of document.querySelectorAll("button")) {
    const range = document.createRange();
    range.selectNodeContents(button);
    const [text, box] = [range.getBoundingClientRect(), button.getBoundingClientRect()];
    const room = Math.min(text.left - box.left, box.right - text.right);
    if (text.width > 0 && room < 4) found.push(`${button.textContent}: its text is ${room.toFixed(1)} from the edge`);
  }
  for (const element of document.querySelectorAll("button, input, select")) {
    const { height } = element.getBoundingClientRect();
    if (height < 40) found.push(`${element.name || element.textContent}: ${height} high`);
    const name = element.labels?.[0]?.textContent ?? element.textContent ?? "";
    if (name.trim() === "" && !element.ariaLabel) found.push(`${element.outerHTML} has no label`);
  }
  return found;
}

/** What Tab has to reach, in the order of the page, named as people know it. The page's start has the focus
 * then. It runs in the page. */
function reachable() {
  const all = document.querySelectorAll("a[href], button, input, select, textarea, summary, [tabindex]");
  const named = (one) => one.ariaLabel || one.labels?.[0]?.textContent.trim() || one.textContent.trim() || one.name;
  globalThis.named = named;
  globalThis.reached = [...all].filter((one) => one.tabIndex >= 0 && !one.disabled && one.checkVisibility());
  document.body.tabIndex = -1;
  document.body.focus({ preventScroll: true });
  document.body.removeAttribute("tabindex");
  scrollTo(0, 0);
  return globalThis.reached.map(named);
}

/** What has the focus: its name, what is wrong with how it is shown, and its place among what Tab has to reach. None
 * where the focus has left the page. It runs in the page. */
function focused() {
  const one = document.activeElement;
  if (one === null || one === document.body) return undefined;
  const { outlineStyle, outlineWidth } = getComputedStyle(one);
  const { top, bottom, left, right } = one.getBoundingClientRect();
  const is = { width: document.documentElement.clientWidth, height: document.documentElement.clientHeight };
  const faults = [];
  if (outlineStyle === "none" || parseFloat(outlineWidth) < 2) faults.push("has no outline");
  if (bottom <= 0 || right <= 0 || top >= is.height || left >= is.width) faults.push("is not in sight");
  return { name: globalThis.named(one), faults, at: globalThis.reached.indexOf(one) };
}

/** Walks through a page by Tab, from its start to its end: each link, button and field is reached in the order of the
 * page, and has an outline where it is in sight. */
async function walked(page, name) {
  const wanted = await page.evaluate(reachable);
  const [found, faults] = [[], []];
  // A place that scrolls is reached too, so that there are more steps than elements.
  for (let step = 0; step <= 2 * wanted.length + 20; step += 1) {
    await page.keyboard.press("Tab");
    const one = await page.evaluate(focused);
    // Behind the last element Tab leaves the page, or begins again.
    if (one === undefined || (one.at === 0 && found.length > 0)) break;
    faults.push(...one.faults.map((fault) => `${one.name} ${fault}`));
    if (one.at !== -1) found.push(one.name);
  }
  assert.deepEqual(faults, [], `${name}: the focus is seen`);
  assert.deepEqual(found, wanted, `${name}: Tab goes through the page in order`);
}

/** Moves the focus to an element by Tab alone, from where it is; to the first one that has it within a place. */
export async function tabTo(page, element) {
  await element.waitFor();
  for (let step = 0; step < 200; step += 1) {
    if (await element.evaluate((one) => one.contains(document.activeElement))) return;
    await page.keyboard.press("Tab");
  }
  assert.fail(`Tab does not reach ${element}`);
}

/** Presses a key on an element that Tab reaches. */
export async function pressOn(page, element, key = "Enter") {
  await tabTo(page, element);
  await page.keyboard.press(key);
}

/** Starts the browser for the pages at an address; their pictures go into a folder. */
export async function launch(address, shots) {
  mkdirSync(shots, { recursive: true });
  const folder = mkdtempSync(join(tmpdir(), "keyfold-chromium-"));
  const browser = await chromium.launch({
    executablePath: executable(),
    headless: true,
    args: [...ARGUMENTS, ...QUIET, `--disk-cache-dir=${folder}`],
  });
  const faults = [];
  /** A new page at a path. Whatever the browser complains of is a fault. */
  const at = async (path, look = "desktop-light") => {
    const context = await browser.newContext({ baseURL: address, ...LOOKS[look] });
    context.setDefaultTimeout(20_000);
    const page = await context.newPage();
    page.on("console", (message) => {
      // The browser itself says so of each answer that is a problem.
      if (!/status of 4\d\d/.test(message.text())) faults.push(`${page.url()}: ${message.text()}`);
    });
    page.on("pageerror", (error) => faults.push(`${page.url()}: ${error}`));
    await page.goto(path);
    return page;
  };
  /** Examines a page, takes its picture, and walks through it by keyboard unless it moves meanwhile. */
  const seen = async (page, name, look, { moves = false } = {}) => {
    assert.deepEqual(await page.evaluate(examined), [], `${name} (${look})`);
    await page.screenshot({ path: join(shots, `${name}-${look}.png`) });
    if (!moves) await walked(page, `${name} (${look})`);
  };
  /** Holds what the first view of a page takes against the bounds: until an element of its content is there. */
  const light = async (path, content) => {
    const page = await at("about:blank");
    await isLight(page, path, () => content(page).first().waitFor());
    await page.context().close();
  };
  const close = async () => {
    await browser.close();
    rmSync(folder, { recursive: true, force: true });
  };
  return { at, seen, light, close, faults };
}

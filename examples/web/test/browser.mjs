/** A headless Chromium of the system, whose pages are examined as they are shown. */

import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { chromium } from "playwright-core";

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
  for (const element of document.querySelectorAll("button, input, select")) {
    const { height } = element.getBoundingClientRect();
    if (height < 40) found.push(`${element.name || element.textContent}: ${height} high`);
    const name = element.labels?.[0]?.textContent ?? element.textContent ?? "";
    if (name.trim() === "" && !element.ariaLabel) found.push(`${element.outerHTML} has no label`);
  }
  return found;
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
  /** Examines a page, and takes its picture. */
  const seen = async (page, name, look) => {
    assert.deepEqual(await page.evaluate(examined), [], `${name} (${look})`);
    await page.screenshot({ path: join(shots, `${name}-${look}.png`) });
  };
  const close = async () => {
    await browser.close();
    rmSync(folder, { recursive: true, force: true });
  };
  return { at, seen, close, faults };
}

/** A headless Chromium of the system, in a folder of its own. */

import { execFileSync } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { chromium } from "playwright-core";

const NAMES = ["chromium", "chromium-browser", "google-chrome", "google-chrome-stable"];
const ARGUMENTS = ["--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run"];
const QUIET = ["--disable-background-networking", "--disable-component-update", "--disable-sync"];

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

/** Starts the browser. Each page is of a size and a colour scheme, and `close` ends all of it. */
export async function launch() {
  const folder = mkdtempSync(join(tmpdir(), "shop-chromium-"));
  const browser = await chromium.launch({
    executablePath: executable(),
    headless: true,
    args: [...ARGUMENTS, ...QUIET, `--disk-cache-dir=${folder}`],
  });
  const open = async (options = {}) => {
    const context = await browser.newContext({ viewport: { width: 1280, height: 800 }, ...options });
    context.setDefaultTimeout(10_000);
    return context.newPage();
  };
  const close = async () => {
    await browser.close();
    rmSync(folder, { recursive: true, force: true });
  };
  return { open, close };
}

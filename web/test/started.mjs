// A workbench on copies of models, and a browser that opens its address.

import { spawn } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { launch } from "../../e2e/browser.mjs";

const binary = process.env.KEYFOLD_BIN || new URL("../../target/debug/keyfold", import.meta.url).pathname;

/** Starts a workbench on these models, by name; `end` stops it. */
export async function started(models) {
  const folder = mkdtempSync(join(tmpdir(), "keyfold-workbench-"));
  const files = Object.entries(models).map(([name, text]) => {
    writeFileSync(join(folder, name), text);
    return join(folder, name);
  });
  const process = spawn(binary, ["workbench", ...files, "--port", "0", "--json"], { stdio: ["ignore", "pipe", "inherit"] });
  let said = "";
  const url = await new Promise((resolve, reject) => {
    process.stdout.on("data", (some) => {
      said += some;
      if (said.includes("\n")) resolve(JSON.parse(said).result.url);
    });
    process.on("exit", () => reject(new Error(`the workbench ended: ${said}`)));
  });
  const end = async () => {
    process.removeAllListeners("exit");
    const ended = new Promise((resolve) => process.on("exit", resolve));
    process.kill("SIGTERM");
    await ended;
    rmSync(folder, { recursive: true, force: true });
  };
  return { url, origin: new URL(url).origin, files, end };
}

let browser;

/** Opens a workbench in a browser of its own. What the page logs, asks elsewhere and throws is kept. */
export async function opened(workbench, { width = 1280, height = 860, colorScheme = "light", hash = "", cookies = [] } = {}) {
  browser ??= await launch([]);
  const context = await browser.newContext({ viewport: { width, height }, colorScheme });
  await context.addCookies(cookies);
  const page = await context.newPage();
  const faults = [];
  page.on("console", (message) => message.type() === "error" && faults.push(message.text()));
  page.on("pageerror", (error) => faults.push(error.message));
  page.on("dialog", (dialog) => faults.push(`a dialog: ${dialog.message()}`) && dialog.dismiss());
  page.on("request", (request) => new URL(request.url()).origin === workbench.origin || faults.push(`a request to ${request.url()}`));
  await page.goto(workbench.url + hash);
  await page.locator(".state.good, .state.bad").first().waitFor();
  return { page, faults, context };
}

export async function closed() {
  await browser?.close();
}

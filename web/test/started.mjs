// A workbench on copies of models, and a browser that opens its address.

import { execFileSync, spawn, spawnSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { gunzipSync } from "node:zlib";
import { launch } from "../../e2e/browser.mjs";
import { begun, kind } from "./places.mjs";

const binary = process.env.KEYFOLD_BIN || new URL("../../target/debug/keyfold", import.meta.url).pathname;

/** A folder of `build.mjs` whose page is tested in the place of the binary's: no build of the binary is waited for. */
const built = process.env.KEYFOLD_WEB_ASSETS;

/** Starts the command, and gives back the process and the result that it says first. */
async function run(args) {
  const process = spawn(binary, [...args, "--port", "0", "--json"], { stdio: ["ignore", "pipe", "inherit"] });
  let said = "";
  const result = await new Promise((resolve, reject) => {
    process.stdout.on("data", (some) => {
      said += some;
      if (said.includes("\n")) resolve(JSON.parse(said).result);
    });
    process.on("exit", () => reject(new Error(`the command ended: ${said}`)));
  });
  const end = async () => {
    process.removeAllListeners("exit");
    const ended = new Promise((resolve) => process.on("exit", resolve));
    process.kill("SIGTERM");
    await ended;
  };
  return { result, end };
}

/**
 * Starts a server in memory, with the tables of a model. `at` is what a workbench is started with; a folder is served no more from then on. With `--workbench` it has the address of its page, too.
 * Tests that ask nothing special of the server run at another place instead, where one is named (`places.mjs`).
 */
export async function served(model, more = []) {
  if (kind !== "keyfold" && more.length === 0) {
    const place = await begun(run, model);
    execFileSync(binary, ["tables", model, "--endpoint", place.endpoint]);
    return { at: async () => place.endpoint, copied: () => place.endpoint, ...place };
  }
  const { result, end } = await run(["serve", model, "--memory", ...more]);
  const page = result.workbench === undefined ? {} : { url: result.workbench, origin: new URL(result.workbench).origin };
  return { endpoint: result.endpoint, at: async () => result.endpoint, copied: () => result.endpoint, ...page, end };
}

/** Asks a workbench as its page does. A refusal is thrown. */
async function asked({ origin }, cookies, path, body) {
  const cookie = cookies.map(({ name, value }) => `${name}=${value}`).join("; ");
  const answer = await fetch(`${origin}/explore/${path}`, { method: "POST", headers: { origin, cookie, "content-type": "application/json" }, body: JSON.stringify(body) });
  const said = await answer.json();
  if (said.error) throw new Error(said.error);
  return said;
}

/**
 * Does what the command does with these arguments (`put MODEL ENTITY name=value..`, `run MODEL PATTERN name=value..`), at a place whose
 * workbench is open; gives back the entities of a pattern. Only the workbench has a folder open: there its first model is asked, as another
 * tab of its page would.
 */
export async function beside({ server, workbench, cookies }, [verb, model, name, ...given]) {
  if (kind !== "folder") {
    const said = done([verb, model, name, ...given, "--endpoint", server.endpoint, "--json"]);
    return verb === "run" ? JSON.parse(said).result.items.map((one) => one.attributes) : undefined;
  }
  const values = Object.fromEntries(given.map((one) => [one.slice(0, one.indexOf("=")), one.slice(one.indexOf("=") + 1)]));
  if (verb === "run") {
    const { items } = await asked(workbench, cookies, "run", { file: 0, pattern: name, arguments: values });
    const plain = (value) => value.S ?? (value.N === undefined ? value : Number(value.N));
    return items.map((one) => Object.fromEntries(one.values.map(([name, value]) => [name, plain(value)])));
  }
  const write = { file: 0, verb, entity: name, values };
  const { shown } = await asked(workbench, cookies, "write", write);
  await asked(workbench, cookies, "write", { ...write, shown });
}

/** Does what the command does with these arguments, and ends. */
export const done = (args) => execFileSync(binary, args, { encoding: "utf8" });

/** What the command says with these arguments, whether it ends well or not. */
export function attempted(args) {
  const { stdout, stderr } = spawnSync(binary, args, { encoding: "utf8", timeout: 300_000 });
  return stdout + stderr;
}

/** What the command says when it refuses these arguments. */
export function refused(args) {
  const { status, stderr } = spawnSync(binary, args, { encoding: "utf8", timeout: 60_000 });
  if (status === 0 || status === null) throw new Error(`the command was not refused: ${args.join(" ")}`);
  return stderr;
}

/** Starts a workbench on these models, by name; `end` stops it. */
export async function started(models, more = []) {
  const folder = mkdtempSync(join(tmpdir(), "keyfold-workbench-"));
  const files = Object.entries(models).map(([name, text]) => {
    writeFileSync(join(folder, name), text);
    return join(folder, name);
  });
  const { result, end } = await run(["workbench", ...files, ...more]);
  const url = result.url;
  const ended = async () => {
    await end();
    rmSync(folder, { recursive: true, force: true });
  };
  return { url, origin: new URL(url).origin, files, end: ended };
}

let browser;

/** Opens a workbench in a browser of its own. What the page logs, asks elsewhere and throws is kept. */
export async function opened(workbench, { width = 1280, height = 860, colorScheme = "light", hash = "", cookies = [], permissions = [] } = {}) {
  browser ??= await launch([]);
  const context = await browser.newContext({ viewport: { width, height }, colorScheme, permissions });
  await context.addCookies(cookies);
  for (const name of built === undefined ? [] : ["app.js", "app.css"]) {
    const body = gunzipSync(readFileSync(join(built, `${name}.gz`)));
    await context.route(`**/${name}`, (route) => route.fulfill({ body, contentType: name.endsWith("js") ? "text/javascript" : "text/css" }));
  }
  const page = await context.newPage();
  const faults = [];
  page.on("console", (message) => message.type() === "error" && faults.push(message.text()));
  page.on("pageerror", (error) => faults.push(error.message));
  page.on("dialog", (dialog) => faults.push(`a dialog: ${dialog.message()}`) && dialog.dismiss());
  page.on("request", (request) => new URL(request.url()).origin === workbench.origin || faults.push(`a request to ${request.url()}`));
  await page.goto(workbench.url + hash);
  await page.locator(".state.good, .state.bad, main.explore, main.operate, main.learn").first().waitFor();
  return { page, faults, context };
}

export async function closed() {
  await browser?.close();
}

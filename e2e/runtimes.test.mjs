// The generated client of the shop in Deno, Bun, a browser, and without what is Node's own: all answer the same.

import assert from "node:assert/strict";
import { execFile, execFileSync, spawn } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { promisify } from "node:util";
import { build } from "esbuild";
import { launch, serve } from "./browser.mjs";

const run = promisify(execFile);
const root = new URL("..", import.meta.url).pathname;
const binary = process.env.KEYFOLD_BIN ?? join(root, "target/debug/keyfold");
const folder = new URL("typescript", import.meta.url).pathname;
const made = join(folder, "made");
let server, endpoint, allowed, browser;

/** The program as one file, with an end of its own. */
async function bundled(name, end, options = {}) {
  const contents = `import { shop } from "./anywhere.js";\n${end}`;
  const outfile = join(made, `${name}.mjs`);
  await build({
    stdin: { contents, resolveDir: folder, loader: "ts" },
    outfile,
    bundle: true,
    platform: "neutral",
    format: "esm",
    logLevel: "error",
    alias: { "@keyfold/client": join(root, "clients/typescript/src/index.ts") },
    ...options,
  });
  return outfile;
}

before(async () => {
  execFileSync(binary, ["generate", "typescript", join(root, "models/shop.keyfold"), "-o", made]);
  const text = await bundled("page", "globalThis.shop = shop;", { format: "iife" });
  allowed = await serve({ "/": `<!doctype html><meta charset="utf-8"><script>${readFileSync(text, "utf8")}</script>` });
  server = spawn(binary, ["serve", "--json", "--port", "0", "--memory", "--allow-origin", allowed.origin]);
  const line = await new Promise((resolve) => server.stdout.once("data", (data) => resolve(String(data))));
  endpoint = JSON.parse(line).result.endpoint;
});

// However the tests end, the server must not outlive them.
process.on("exit", () => server?.kill("SIGKILL"));

after(async () => {
  await browser?.close();
  allowed.close();
  server.kill("SIGTERM");
});

const EXPECTED = {
  user: { kind: "User", userId: "user", email: "", name: "Ada 𝄞", createdAt: "2024-01-15T10:30:00.000Z" },
  totals: [0.375, 0.25, 0.125],
  ends: true,
  kinds: ["OrderItem", "Order"],
  errors: ["exists", "invalid", "aborted", "transport"],
};
/** A program that takes the endpoint and its name from the command line. */
const PROGRAM = "const [, , endpoint, name] = process.argv;\nconsole.log(JSON.stringify(await shop(endpoint!, name!)));\n";

async function answerOf(command, args, name) {
  const { stdout } = await run(command, [...args, endpoint, name], { env: { PATH: process.env.PATH } });
  return JSON.parse(stdout);
}

test("in Node", async () => {
  assert.deepEqual(await answerOf(process.execPath, [await bundled("node", PROGRAM)], "node"), EXPECTED);
});

test("in an environment with nothing but the web's interfaces", async () => {
  const hidden = PROGRAM.replace("\n", "\nconst { log } = console;\ndelete (globalThis as { process?: unknown }).process;\n");
  assert.deepEqual(await answerOf(process.execPath, [await bundled("edge", hidden)], "edge"), EXPECTED);
});

test("in Deno, which is allowed nothing but the network", async () => {
  const deno = new URL("node_modules/.bin/deno", import.meta.url).pathname;
  const args = ["run", "--no-prompt", "--no-config", "--allow-net", await bundled("deno", PROGRAM)];
  assert.deepEqual(await answerOf(deno, args, "deno"), EXPECTED);
});

test("in Bun", async () => {
  // Its installation moves the binary, where npm runs it.
  const places = [`@oven/bun-${process.platform}-${process.arch}/bin/bun`, "bun/bin/bun.exe"];
  const bun = places.map((place) => new URL(`node_modules/${place}`, import.meta.url).pathname).find(existsSync);
  assert.deepEqual(await answerOf(bun, [await bundled("bun", PROGRAM)], "bun"), EXPECTED);
});

test("in a page of a browser", async () => {
  browser = await launch();
  const page = await browser.newPage();
  await page.goto(allowed.origin);
  const answer = await page.evaluate(([endpoint]) => globalThis.shop(endpoint, "page"), [endpoint]);
  assert.deepEqual(answer, EXPECTED);
});

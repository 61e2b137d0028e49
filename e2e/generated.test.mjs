// Generated TypeScript clients: printed as prettier prints them, compiled with all checks, wrong programs
// refused at the right line, right ones run against a server.

import assert from "node:assert/strict";
import { execFile, spawn } from "node:child_process";
import { readFileSync, readdirSync, rmSync } from "node:fs";
import { basename, join } from "node:path";
import { after, before, test } from "node:test";
import { promisify } from "node:util";
import { build } from "esbuild";
import { format } from "prettier";

const run = promisify(execFile);
const root = new URL("..", import.meta.url).pathname;
const binary = process.env.KEYFOLD_BIN ?? join(root, "target/debug/keyfold");
const folder = new URL("typescript", import.meta.url).pathname;
const made = join(folder, "made");
// A folder with more models, such as random ones.
const more = process.env.KEYFOLD_MODELS;
const folders = ["models", "models/existing", "crates/keyfold-codegen/testscripts", "clients/cases"].map((name) => join(root, name));
let server, endpoint;

/** The models of a folder. */
const modelsOf = (place) =>
  readdirSync(place)
    .filter((name) => name.endsWith(".keyfold"))
    .map((name) => join(place, name));

before(async () => {
  rmSync(made, { recursive: true, force: true });
  const generate = (model, output) => run(binary, ["generate", "typescript", model, "-o", output]);
  for (const model of folders.flatMap(modelsOf)) await generate(model, made);
  for (const model of more === undefined ? [] : modelsOf(more)) {
    await generate(model, join(made, `${basename(model, ".keyfold")}.ts`));
  }
  server = spawn(binary, ["serve", "--json", "--port", "0", "--memory"]);
  const line = await new Promise((resolve) => server.stdout.once("data", (data) => resolve(String(data))));
  endpoint = JSON.parse(line).result.endpoint;
});

// However the tests end, the server must not outlive them.
process.on("exit", () => server?.kill("SIGKILL"));

after(() => server.kill("SIGTERM"));

test("clients are printed as prettier prints them", async () => {
  for (const name of readdirSync(made)) {
    const text = readFileSync(join(made, name), "utf8");
    assert.equal(await format(text, { parser: "typescript" }), text, name);
  }
});

/** The lines that the comments of wrong programs are about, with the errors that they name and a piece of their
 * messages. */
function wanted(text) {
  const found = new Map();
  text.split("\n").forEach((line, at) => {
    const error = /^\s*\/\/ @error (TS\d+) `([^`]+)` /.exec(line);
    if (error !== null) found.set(at + 2, { code: error[1], piece: error[2] });
  });
  return found;
}

test("clients compile, and wrong programs do not", async () => {
  const compiler = join(root, "e2e/node_modules/typescript/bin/tsc");
  const { stdout } = await run(process.execPath, [compiler, "-p", folder, "--pretty", "false"]).catch((error) => error);
  const found = new Map();
  // The lines behind an error's first one are indented.
  for (const text of stdout.split(/\n(?! )/)) {
    const error = /^(.*)\((\d+),\d+\): error (TS\d+): ([^]*)/.exec(text);
    if (error === null) continue;
    const [, file, at, code, message] = error;
    assert.equal(basename(file), "wrong.ts", text);
    found.set(Number(at), [...(found.get(Number(at)) ?? []), { code, message }]);
  }
  const errors = wanted(readFileSync(join(folder, "wrong.ts"), "utf8"));
  assert.ok(errors.size >= 60, `${errors.size} wrong programs`);
  const codes = (all) => new Map([...all].map(([at, one]) => [at, [one].flat().map(({ code }) => code)]));
  assert.deepEqual(codes(found), codes(errors));
  for (const [at, { piece }] of errors) assert.ok(found.get(at)[0].message.includes(piece), `line ${at}: ${piece}`);
});

test("programs on generated clients run", async (context) => {
  const outfile = join(made, "run.mjs");
  await build({
    entryPoints: [join(folder, "run.ts")],
    outfile,
    bundle: true,
    platform: "node",
    format: "esm",
    logLevel: "error",
    alias: { "@keyfold/client": join(root, "clients/typescript/src/index.ts") },
  });
  const programs = await import(outfile);
  for (const [name, program] of Object.entries(programs)) {
    await context.test(name, () => program(endpoint));
  }
});

// Generated TypeScript clients: printed as prettier prints them, compiled with all checks, wrong programs
// refused at the right line, right ones run against a server.

import assert from "node:assert/strict";
import { execFile, spawn } from "node:child_process";
import { mkdirSync, readFileSync, readdirSync, rmSync, writeFileSync } from "node:fs";
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
const servers = [];
let endpoint;

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
  endpoint = await serve();
});

/** Starts a server in memory, and returns its endpoint. */
async function serve(...args) {
  const server = spawn(binary, ["serve", "--json", "--port", "0", "--memory", ...args]);
  servers.push(server);
  const line = await new Promise((resolve) => server.stdout.once("data", (data) => resolve(String(data))));
  return JSON.parse(line).result.endpoint;
}

// However the tests end, the servers must not outlive them.
process.on("exit", () => servers.forEach((server) => server.kill("SIGKILL")));

after(() => servers.forEach((server) => server.kill("SIGTERM")));

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

/** Runs each program of a file. */
async function runs(context, name, endpoint) {
  const outfile = join(made, `${name}.mjs`);
  const sources = join(root, "clients/typescript/src");
  await build({
    entryPoints: [join(folder, `${name}.ts`)],
    outfile,
    bundle: true,
    platform: "node",
    format: "esm",
    logLevel: "error",
    external: ["@aws-sdk/*"],
    alias: { "@keyfold/client/aws": join(sources, "aws.ts"), "@keyfold/client": join(sources, "index.ts") },
  });
  for (const [program, run] of Object.entries(await import(outfile))) {
    await context.test(program, () => run(endpoint));
  }
}

test("programs on generated clients run", (context) => runs(context, "run", endpoint));

test("programs on generated clients run by the AWS SDK", async (context) => {
  const keys = join(made, "keys.json");
  writeFileSync(keys, JSON.stringify([{ accessKey: "key", secret: "s/e+c", sessionToken: "token" }]));
  // The chain of the SDK for Node, under the name of the package that hands it to programs.
  const providers = join(made, "node_modules/@aws-sdk/credential-providers");
  mkdirSync(providers, { recursive: true });
  writeFileSync(join(providers, "package.json"), '{ "type": "module", "exports": "./index.js" }');
  writeFileSync(join(providers, "index.js"), 'export { defaultProvider as fromNodeProviderChain } from "@aws-sdk/credential-provider-node";');
  // A source that this package does not have of its own: a program that prints the keys.
  const printed = { Version: 1, AccessKeyId: "key", SecretAccessKey: "s/e+c", SessionToken: "token" };
  writeFileSync(join(made, "print.mjs"), `console.log('${JSON.stringify(printed)}')`);
  process.env.AWS_CONFIG_FILE = join(made, "config");
  writeFileSync(process.env.AWS_CONFIG_FILE, `[profile printed]\ncredential_process = "${process.execPath}" "${join(made, "print.mjs")}"\n`);
  try {
    await runs(context, "aws", await serve("--credentials", keys));
  } finally {
    delete process.env.AWS_CONFIG_FILE;
  }
});

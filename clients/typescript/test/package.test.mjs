/** The package: its size, and its installation from a file in an empty project without network. */

import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { cpSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { fileURLToPath, pathToFileURL } from "node:url";
import { gzipSync } from "node:zlib";
import { build, transform } from "esbuild";
import { BINARY } from "./source.mjs";

const ROOT = fileURLToPath(new URL("..", import.meta.url));
const PROJECT = mkdtempSync(join(tmpdir(), "keyfold-package-"));
const README = readFileSync(join(ROOT, "README.md"), "utf8");

/** The most bytes of gzip, each file on its own: of what is loaded at once, and of that with the first request over
 * HTTP. The generated client of the shop is no part of the runtime, and what it imports is. */
const READING_BYTES_MAX = 15_000;
const SHOP_HTTP_BYTES_MAX = 20_000;
/** With whatever a pattern can have: ranges, pages, several partitions, keys and values of all kinds. */
const ALL_READING_BYTES_MAX = 39 * 1024;
/** All together, in one file. */
const ALL_BYTES_MAX = 66_000;
/** At once, with the generated client of the shop and its plan. */
const SHOP_BYTES_MAX = 17.5 * 1024;
/** What is loaded where the model or the program needs it. */
const OF_HTTP = ["transport/http.js"];
const OF_SHOP = [...OF_HTTP, "read/range.js", "read/collection.js", "paging.js", "value/types.js"];
const OF_READING = [...OF_SHOP, "read/rare.js", "packed.js", "key/formats.js"];

/** The first block of a language in the README. */
function block(language) {
  const found = new RegExp(`\n\`\`\`${language}\n([^]*?)\n\`\`\`\n`).exec(README);
  assert.ok(found, `README.md has no block of ${language}`);
  return found[1];
}

function run(program, args, options = {}) {
  return execFileSync(program, args, { cwd: PROJECT, encoding: "utf8", ...options });
}

before(() => {
  const [{ filename }] = JSON.parse(run("npm", ["pack", "--json", "--pack-destination", PROJECT], { cwd: ROOT }));
  writeFileSync(join(PROJECT, "package.json"), '{ "private": true }\n');
  run("npm", ["install", "--offline", "--no-audit", "--no-fund", "--silent", `./${filename}`]);
});
after(() => rmSync(PROJECT, { recursive: true, force: true }));

test("the quick start of the README runs in an empty project", () => {
  writeFileSync(join(PROJECT, "notes.keyfold"), `${block("keyfold")}\n`);
  writeFileSync(join(PROJECT, "notes.json"), run(BINARY, ["plan", "notes.keyfold"]));
  const program = block("js");
  writeFileSync(join(PROJECT, "notes.mjs"), program);
  const said = [...program.matchAll(/console\.log\(.*; \/\/ (.*)/g)].map(([, text]) => text);
  assert.equal(run(process.execPath, ["notes.mjs"]).trim(), said.join("\n"));
});

test("the package is built from any folder", () => {
  const copy = join(PROJECT, "copy");
  for (const name of ["src", "test", "build.mjs", "package.json", "tsconfig.json"]) {
    cpSync(join(ROOT, name), join(copy, name), { recursive: true });
  }
  symlinkSync(join(ROOT, "node_modules"), join(copy, "node_modules"));
  run(process.execPath, [join(copy, "build.mjs")]);
  for (const name of ["dist/esm/index.js", "dist/cjs/index.js", "dist/cjs/package.json", "built/lockstep.mjs"]) {
    assert.ok(existsSync(join(copy, name)), name);
  }
});

// Package managers that hide what a package does not name let it import no other.
test("what it uses of the SDK of AWS are peers that a program may leave out", () => {
  const { peerDependencies, peerDependenciesMeta } = JSON.parse(readFileSync(join(ROOT, "package.json"), "utf8"));
  const optional = { optional: true };
  assert.deepEqual(Object.keys(peerDependencies), ["@aws-sdk/client-dynamodb", "@aws-sdk/credential-providers"]);
  assert.deepEqual(peerDependenciesMeta, { "@aws-sdk/client-dynamodb": optional, "@aws-sdk/credential-providers": optional });
  // `before` has installed the package without it.
  assert.equal(existsSync(join(PROJECT, "node_modules/@aws-sdk")), false);
});

// A program may import what a library requires; bundles and test runners make copies, too.
test("a connection and an error of one copy of the package are those of another", () => {
  writeFileSync(
    join(PROJECT, "copies.mjs"),
    `import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { Client, KeyfoldError } from "@keyfold/client";
const required = createRequire(import.meta.url);
const other = required("@keyfold/client");
const connection = await required("@keyfold/client/node").connect("memory:");
const notes = new Client(JSON.parse(readFileSync("notes.json", "utf8")), connection);
await notes.ensureTables();
const note = { author: "ada", at: "2024-01-15", text: "Hello" };
await notes.create("Note", note);
const error = await notes.create("Note", note).catch((one) => one);
await connection.close();
class Own extends KeyfoldError {}
const classes = [KeyfoldError, other.KeyfoldError, Error, Own].map((one) => error instanceof one);
console.log(error.code, ...classes, new Own("", { code: "refused" }) instanceof Own, {} instanceof KeyfoldError);
`,
  );
  assert.equal(run(process.execPath, ["copies.mjs"]), "exists true true true false true false\n");
});

test("the package is there for require, with one class of errors", () => {
  writeFileSync(
    join(PROJECT, "notes.cjs"),
    `const { readFileSync } = require("node:fs");
const { Client, KeyfoldError } = require("@keyfold/client");
const { connect } = require("@keyfold/client/node");
(async () => {
  const connection = await connect("memory:");
  const notes = new Client(JSON.parse(readFileSync("notes.json", "utf8")), connection);
  await notes.ensureTables();
  await notes.create("Note", { author: "ada", at: "2024-01-15", text: "Hello" });
  const error = await notes.create("Note", { author: "ada", at: "2024-01-15", text: "Hello" }).catch((one) => one);
  const { items } = await notes.page("notes_of", { author: "ada" });
  await connection.close();
  console.log(error instanceof KeyfoldError, error.code, items.length);
})();
`,
  );
  assert.equal(run(process.execPath, ["notes.cjs"]), "true exists 1\n");
});

test("the types are right for both kinds of modules, strictly", () => {
  const program = `import { Client, KeyfoldError, type Page } from "@keyfold/client";
import { connect } from "@keyfold/client/node";
export async function page(plan: ConstructorParameters<typeof Client>[0]): Promise<Page> {
  const client = new Client(plan, await connect("memory:"), { numbers: "exact", onUnknown: "skip" });
  try {
    return await client.page("notes_of", { author: "ada" }, { limit: 3 });
  } catch (error) {
    if (error instanceof KeyfoldError && error.detail.code === "taken") error.detail.attributes.join();
    throw error;
  }
}
`;
  for (const name of ["esm.mts", "cjs.cts"]) writeFileSync(join(PROJECT, name), program);
  const tsc = join(ROOT, "node_modules/typescript/bin/tsc");
  run(process.execPath, [
    ...[tsc, "--noEmit", "--strict", "--module", "node16", "--target", "es2022", "--lib", "es2022,dom,dom.asynciterable"],
    ...["--exactOptionalPropertyTypes", "esm.mts", "cjs.cts"],
  ], { stdio: ["ignore", "inherit", "inherit"] });
});

/** The files of a program, which a bundler splits, and those of it that are loaded at once and with these later. */
async function bundled(contents, splitting = true) {
  const { outputFiles, metafile } = await build({
    stdin: { contents, resolveDir: PROJECT },
    bundle: true,
    minify: true,
    splitting,
    format: "esm",
    target: "es2022",
    outdir: "out",
    write: false,
    metafile: true,
  });
  const files = new Map(outputFiles.map((one) => [one.path.split("/").at(-1), one.contents]));
  const outputs = Object.entries(metafile.outputs);
  const loaded = (later = []) => {
    const all = new Set();
    const load = (path) => {
      const name = path.split("/").at(-1);
      if (all.has(name)) return;
      all.add(name);
      for (const one of metafile.outputs[path].imports) if (one.kind === "import-statement") load(one.path);
    };
    load(outputs.find(([path]) => path.endsWith("stdin.js"))[0]);
    for (const name of later) {
      const found = outputs.find(([, { entryPoint }]) => entryPoint?.endsWith(`/esm/${name}`));
      assert.ok(found, `${name} is not loaded later`);
      load(found[0]);
    }
    return [...all];
  };
  return { files, loaded };
}

/** The bytes of gzip of files. */
function size({ files }, names) {
  return names.reduce((sum, name) => sum + gzipSync(files.get(name), { level: 9 }).length, 0);
}

/** A program that has of the package what the generated client of the shop imports, and no more. */
async function shopRuntime() {
  run(BINARY, ["generate", "typescript", join(ROOT, "../../models/shop.keyfold"), "-o", PROJECT]);
  const { code } = await transform(readFileSync(join(PROJECT, "shop.ts"), "utf8"), { loader: "ts" });
  const names = new Set([...code.matchAll(/\bkeyfold\.(\w+)/g)].map(([, name]) => name));
  assert.ok(names.has("Client") && names.has("Query") && names.has("Writer"), [...names].join());
  return `export { ${[...names].join(", ")} } from "@keyfold/client";`;
}

test("the package is small and has no dependency", async () => {
  const { dependencies, sideEffects } = JSON.parse(readFileSync(join(ROOT, "package.json"), "utf8"));
  assert.deepEqual([dependencies, sideEffects], [undefined, false]);
  const runtime = await bundled('export { Client, KeyfoldError } from "@keyfold/client";');
  // The entry, what is loaded at once, and a file for each that is loaded later, with what those share.
  assert.equal(runtime.loaded().length, 2, runtime.loaded().join());
  const ofShop = await bundled(await shopRuntime());
  const generated = await bundled('export { ShopClient } from "./shop.ts";');
  const whole = await bundled('export { Client, KeyfoldError } from "@keyfold/client";', false);
  const sizes = [
    ["to read", size(runtime, runtime.loaded()), READING_BYTES_MAX],
    ["of the shop over HTTP", size(ofShop, ofShop.loaded(OF_HTTP)), SHOP_HTTP_BYTES_MAX],
    ["of whatever the shop reads", size(ofShop, ofShop.loaded(OF_SHOP)), ALL_READING_BYTES_MAX],
    ["of whatever is read", size(runtime, runtime.loaded(OF_READING)), ALL_READING_BYTES_MAX],
    ["of the shop with its generated client, at once", size(generated, generated.loaded()), SHOP_BYTES_MAX],
    ["in all, in one file", size(whole, [...whole.files.keys()]), ALL_BYTES_MAX],
  ];
  for (const [what, bytes] of sizes) console.log(`gzipped: ${bytes} bytes ${what}`);
  for (const [what, bytes, most] of sizes) assert.ok(bytes <= most, `${bytes} bytes ${what}, of at most ${most}`);
});

test("a read over HTTP loads no file that is not counted", async () => {
  const { startServer } = await import(pathToFileURL(join(PROJECT, "node_modules/@keyfold/client/dist/esm/node.js")));
  const runtime = await bundled(await shopRuntime());
  // Only these files are there.
  const folder = join(PROJECT, "counted");
  mkdirSync(folder);
  for (const name of runtime.loaded(OF_HTTP)) writeFileSync(join(folder, name.replace(/\.js$/, ".mjs")), moved(runtime.files.get(name)));
  writeFileSync(join(PROJECT, "shop.json"), run(BINARY, ["plan", join(ROOT, "../../models/shop.keyfold")]));
  const plan = JSON.parse(readFileSync(join(PROJECT, "shop.json"), "utf8"));
  const server = await startServer();
  try {
    const { Client } = await import(pathToFileURL(join(PROJECT, "node_modules/@keyfold/client/dist/esm/index.js")));
    const whole = new Client(plan, server.endpoint);
    await whole.ensureTables();
    await whole.create("User", { userId: "ada", email: "ada@example.com", name: "Ada", createdAt: "2024-01-15T10:00:00Z" });
    const { Client: Counted } = await import(pathToFileURL(join(folder, "stdin.mjs")));
    const shop = new Counted(plan, server.endpoint);
    assert.equal((await shop.one("user", { userId: "ada" }))?.name, "Ada");
    assert.equal((await shop.one("user_by_email", { email: "ada@example.com" }))?.userId, "ada");
    assert.equal(await shop.one("product", { productId: "pen" }), undefined);
    // A range is loaded when it is read.
    await assert.rejects(shop.page("items_of_order", { orderId: "1" }), { code: "ERR_MODULE_NOT_FOUND" });
  } finally {
    await server.stop();
  }
});

/** The text of a file that lies among files of the end `mjs`. */
function moved(contents) {
  return new TextDecoder().decode(contents).replace(/(["'])(\.\/[\w-]+)\.js\1/g, "$1$2.mjs$1");
}

/** The package: its size, and its installation from a file in an empty project without network. */

import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { cpSync, existsSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { fileURLToPath } from "node:url";
import { gzipSync } from "node:zlib";
import { build } from "esbuild";
import { BINARY } from "./source.mjs";

const ROOT = fileURLToPath(new URL("..", import.meta.url));
const PROJECT = mkdtempSync(join(tmpdir(), "keyfold-package-"));
const README = readFileSync(join(ROOT, "README.md"), "utf8");

/** The most bytes of gzip that a program loads at once, with what it loads at its first request over HTTP, and all
 * together. */
const READING_BYTES_MAX = 20_000;
const HTTP_BYTES_MAX = 23.5 * 1024;
const ALL_BYTES_MAX = 57 * 1024;
/** The most of a program that reads whatever a pattern can have: ranges, pages, several partitions. */
const ALL_READING_BYTES_MAX = 35 * 1024;
/** The same for the generated client of the shop, with its plan. */
const SHOP_BYTES_MAX = 22.5 * 1024;
/** What is loaded where the model or the program needs it. */
const OF_HTTP = ["transport/http.js"];
const OF_READING = [...OF_HTTP, "key/range.js", "paging.js", "read/rare.js"];

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

test("the SDK of AWS is a peer that a program may leave out", () => {
  const { peerDependencies, peerDependenciesMeta } = JSON.parse(readFileSync(join(ROOT, "package.json"), "utf8"));
  assert.deepEqual(Object.keys(peerDependencies), ["@aws-sdk/client-dynamodb"]);
  assert.deepEqual(peerDependenciesMeta, { "@aws-sdk/client-dynamodb": { optional: true } });
  // `before` has installed the package without it.
  assert.equal(existsSync(join(PROJECT, "node_modules/@aws-sdk")), false);
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

test("the package is small and has no dependency", async () => {
  const { dependencies, sideEffects } = JSON.parse(readFileSync(join(ROOT, "package.json"), "utf8"));
  assert.deepEqual([dependencies, sideEffects], [undefined, false]);
  const bundled = async (contents, splitting) => {
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
    return { outputs: metafile.outputs, files: new Map(outputFiles.map((one) => [one.path.split("/").at(-1), one])) };
  };
  const size = (file) => gzipSync(file.contents, { level: 9 }).length;
  /** The bytes that are loaded at once, and with these files, which are loaded later. */
  const loaded = async (contents, later = []) => {
    const { outputs, files } = await bundled(contents, true);
    const all = new Set();
    const load = (path) => {
      if (all.has(path)) return;
      all.add(path);
      for (const one of outputs[path].imports) if (one.kind === "import-statement") load(one.path);
    };
    const paths = Object.keys(outputs);
    load(paths.find((path) => path.endsWith("stdin.js")));
    for (const name of later) {
      const found = paths.find((path) => outputs[path].entryPoint?.endsWith(`/esm/${name}`));
      assert.ok(found, `${name} is not loaded later`);
      load(found);
    }
    // The entry, what is loaded at once, and a file for each that is loaded later, with what those share.
    if (later.length === 0) assert.equal(all.size, 2, [...all].join());
    return [...all].reduce((sum, path) => sum + size(files.get(path.split("/").at(-1))), 0);
  };
  const runtime = 'export { Client, KeyfoldError } from "@keyfold/client";';
  const reading = await loaded(runtime);
  const http = await loaded(runtime, OF_HTTP);
  const allReading = await loaded(runtime, OF_READING);
  const all = [...(await bundled(runtime, false)).files.values()].reduce((sum, file) => sum + size(file), 0);
  run(BINARY, ["generate", "typescript", join(ROOT, "../../models/shop.keyfold"), "-o", PROJECT]);
  const shop = await loaded('export { ShopClient } from "./shop.ts";');
  console.log(
    `gzipped: ${reading} bytes to read, ${http} over HTTP, ${allReading} whatever is read, ${all} in all, ${shop} of a shop that reads`,
  );
  assert.ok(reading <= READING_BYTES_MAX, `${reading} bytes to read`);
  assert.ok(http <= HTTP_BYTES_MAX, `${http} bytes to read over HTTP`);
  assert.ok(allReading <= ALL_READING_BYTES_MAX, `${allReading} bytes to read whatever there is`);
  assert.ok(all <= ALL_BYTES_MAX, `${all} bytes in all`);
  assert.ok(shop <= SHOP_BYTES_MAX, `${shop} bytes of a shop that reads`);
});

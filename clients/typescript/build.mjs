/** Builds the package: ESM with types in `dist/esm`, CommonJS with types in `dist/cjs`, and the programs of
 * the tests in `built`. What is built already of these very files stays, so that programs which use it go on. */

import { execFileSync } from "node:child_process";
import { createHash } from "node:crypto";
import { cpSync, existsSync, mkdirSync, readFileSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { build } from "esbuild";

const root = dirname(fileURLToPath(import.meta.url));
process.chdir(root);

const files = (folder, end) =>
  readdirSync(folder, { recursive: true })
    .map(String)
    .filter((name) => name.endsWith(end))
    .map((name) => join(folder, name));

/** A digest of all that the outputs follow from. */
function sources() {
  const names = ["build.mjs", "package.json", "package-lock.json", "tsconfig.json", ...files("src", ".ts"), ...files("test", ".ts")];
  const digest = createHash("sha256");
  for (const name of names.filter((name) => existsSync(name)).sort()) {
    const text = readFileSync(name);
    digest.update(`${name} ${text.length}\n`).update(text);
  }
  return digest.digest("hex");
}

/** Written last: it says of which sources the outputs are. */
const STAMP = join("built", "sources.txt");
const made = sources();
if (existsSync(STAMP) && readFileSync(STAMP, "utf8") === made && existsSync(join("dist", "cjs", "package.json"))) process.exit(0);

for (const folder of ["built", "dist"]) rmSync(folder, { recursive: true, force: true });
execFileSync(process.execPath, ["node_modules/typescript/bin/tsc", "--outDir", "dist/esm"], { stdio: "inherit" });
// esbuild's own folder is that in which it was imported.
const absWorkingDir = root;
await build({ absWorkingDir, entryPoints: files("dist/esm", ".js"), outdir: "dist/cjs", format: "cjs", platform: "node", supported: { "dynamic-import": false }, logLevel: "warning" });
mkdirSync("dist/cjs", { recursive: true });
cpSync("dist/esm", "dist/cjs", { recursive: true, filter: (name) => !name.endsWith(".js") });
writeFileSync("dist/cjs/package.json", '{ "type": "commonjs" }\n');
await build({
  absWorkingDir,
  entryPoints: files("test", ".ts"),
  outdir: "built",
  bundle: true,
  format: "esm",
  platform: "node",
  external: ["esbuild"],
  target: "node20",
  outExtension: { ".js": ".mjs" },
  sourcemap: "inline",
  logLevel: "warning",
});
writeFileSync(STAMP, made);

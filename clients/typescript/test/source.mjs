/** The sources as modules, bundled when a test asks for them. */

import { build } from "esbuild";
import { execFileSync } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { basename, join } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";

const FOLDER = mkdtempSync(join(tmpdir(), "keyfold-source-"));
process.on("exit", () => rmSync(FOLDER, { recursive: true, force: true }));
let count = 0;
const SOURCES = fileURLToPath(new URL("../src", import.meta.url));

/** The `keyfold` binary of KEYFOLD_BIN, or of this repository. */
export const BINARY = (process.env.KEYFOLD_BIN ??= fileURLToPath(
  new URL("../../../target/debug/keyfold", import.meta.url),
));

/** A module with everything that these files of `src` export. */
export function source(...files) {
  return bundled(files.map((file) => `export * from "./${file}";`).join("\n"));
}

/** The generated client of a model's file, on the sources. */
export function generated(model) {
  execFileSync(BINARY, ["generate", "typescript", model, "-o", FOLDER]);
  return bundled(`export * from ${JSON.stringify(join(FOLDER, basename(model, ".keyfold")))};`);
}

async function bundled(contents) {
  const outfile = join(FOLDER, `${(count += 1)}.mjs`);
  await build({
    stdin: { contents, resolveDir: SOURCES, loader: "ts" },
    alias: { "@keyfold/client": join(SOURCES, "index.ts") },
    bundle: true,
    format: "esm",
    platform: "node",
    target: "node20",
    sourcemap: "inline",
    outfile,
  });
  return import(pathToFileURL(outfile).href);
}

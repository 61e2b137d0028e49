// Builds the page, and puts it compressed where the binary embeds it. With --check it only compares: what is there must be what is
// built. The whole page must stay below 250 kB.

import { build } from "esbuild";
import { existsSync, readFileSync, readdirSync, writeFileSync } from "node:fs";
import { gunzipSync, gzipSync } from "node:zlib";

const BYTES_MAX = 250_000;
const place = new URL("../crates/keyfold-workbench/assets/", import.meta.url);
const here = new URL("./", import.meta.url);

const { outputFiles, metafile } = await build({
  entryPoints: { app: new URL("src/app.jsx", here).pathname },
  absWorkingDir: here.pathname,
  outdir: "out",
  bundle: true,
  minify: true,
  format: "esm",
  target: "es2022",
  jsx: "automatic",
  jsxImportSource: "preact",
  legalComments: "none",
  define: { "process.env.NODE_ENV": '"production"' },
  metafile: true,
  write: false,
});

/** The packages that are in the page, with their licences. */
function licences() {
  const names = new Set();
  for (const path of Object.keys(metafile.inputs)) {
    const found = /node_modules\/((?:@[^/]+\/)?[^/]+)\//.exec(path);
    if (found) names.add(found[1]);
  }
  const one = (name) => {
    const folder = new URL(`node_modules/${name}/`, here);
    const { version, license } = JSON.parse(readFileSync(new URL("package.json", folder)));
    const file = readdirSync(folder).find((entry) => /^licen[cs]e/i.test(entry));
    const text = file === undefined ? "" : readFileSync(new URL(file, folder), "utf8").trim();
    return `${name} ${version} (${license})\n\n${text}\n`;
  };
  const head = "The page of keyfold workbench holds these packages.\n";
  return [head, ...[...names].sort().map(one)].join(`\n${"-".repeat(80)}\n\n`);
}

const made = {
  "licences.txt": Buffer.from(licences()),
  "icon.svg": readFileSync(new URL("src/icon.svg", here)),
};
for (const { path, contents } of outputFiles) made[path.split("/").pop()] = Buffer.from(contents);

let total = 0;
let isStale = false;
for (const [name, bytes] of Object.entries(made).sort()) {
  const file = new URL(`${name}.gz`, place);
  const packed = gzipSync(bytes, { level: 9 });
  total += packed.length;
  const isSame = existsSync(file) && gunzipSync(readFileSync(file)).equals(bytes);
  if (isSame) continue;
  if (process.argv.includes("--check")) {
    console.error(`${name}.gz is not what web/ builds: run \`cargo xtask web\``);
    isStale = true;
  } else {
    writeFileSync(file, packed);
  }
}
console.log(`the page has ${total} bytes, compressed`);
if (total > BYTES_MAX) {
  console.error(`the page must have at most ${BYTES_MAX} bytes`);
  isStale = true;
}
process.exit(isStale ? 1 : 0);

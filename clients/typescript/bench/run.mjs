/** Measures the client beside the AWS SDK, ElectroDB and dynamodb-toolbox: operations a second and
 * milliseconds of CPU for each, in rounds that take turns, against one server in memory.
 *
 *     npm --prefix clients/typescript/bench run bench -- [--seconds 1] [--rounds 7] [--parallel 8] [--only keyfold,raw]
 *
 * `--cold 20` also starts each that many times, in turns, and measures from the start of the process to the
 * answer of its first get. `--only keyfold-fetch,raw-fetch` measures the client beside the AWS SDK where both send by
 * `fetch`. The others are compared with the first one. `--size` measures nothing else than what each program deploys.
 * `KEYFOLD_BIN` names the server's binary. */

import { execFileSync, fork, spawn } from "node:child_process";
import { once } from "node:events";
import { readFileSync, writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { gzipSync } from "node:zlib";
import { build } from "esbuild";

const HERE = fileURLToPath(new URL(".", import.meta.url));
const NAMES = ["keyfold", "raw", "electrodb", "toolbox"];
/** Those that send by `fetch`, which are measured where `--only` names them. */
const BY_FETCH = ["keyfold-fetch", "raw-fetch"];
const OPERATIONS = ["get", "query", "put"];
const BINARY = process.env.KEYFOLD_BIN ?? fileURLToPath(new URL("../../../target/release/keyfold", import.meta.url));
const { values: options } = parseArgs({
  options: {
    seconds: { type: "string", default: "1" },
    rounds: { type: "string", default: "7" },
    parallel: { type: "string", default: "8" },
    cold: { type: "string", default: "0" },
    size: { type: "boolean", default: false },
    only: { type: "string", default: NAMES.join(",") },
  },
});
const names = options.only.split(",");

/** How a program that is deployed is bundled. */
const DEPLOYED = {
  bundle: true,
  platform: "node",
  format: "esm",
  target: "node20",
  alias: { "@keyfold/client": `${HERE}../dist/esm/index.js` },
  minify: true,
  banner: { js: 'import { createRequire as makeRequire } from "node:module"; const require = makeRequire(import.meta.url);' },
  logLevel: "error",
};

/** Generates the clients, and bundles each contender. */
async function bundled() {
  execFileSync(BINARY, ["generate", "typescript", `${HERE}bench.keyfold`, "-o", `${HERE}made`]);
  // The client by `fetch` has a table of its own.
  const model = readFileSync(`${HERE}bench.keyfold`, "utf8").replace("table Bench ", "table BenchFetch ");
  writeFileSync(`${HERE}made/fetch.keyfold`, model);
  execFileSync(BINARY, ["generate", "typescript", `${HERE}made/fetch.keyfold`, "-o", `${HERE}made/fetch`]);
  const contenders = [...NAMES, ...BY_FETCH].map((name) => `${HERE}contenders/${name}.mjs`);
  await build({
    ...DEPLOYED,
    entryPoints: [`${HERE}worker.mjs`, `${HERE}cold.mjs`, ...contenders],
    outdir: `${HERE}built`,
    outbase: HERE,
    outExtension: { ".js": ".mjs" },
    splitting: true,
    external: ["./contenders/*"],
  });
}

/** The bytes of a contender as one file, compressed by gzip, with all that it loads. */
async function size(name) {
  const { outputFiles } = await build({ ...DEPLOYED, entryPoints: [`${HERE}contenders/${name}.mjs`], write: false });
  return gzipSync(outputFiles[0].contents, { level: 9 }).length;
}

async function server() {
  const child = spawn(BINARY, ["serve", "--json", "--port", "0", "--memory"], { stdio: ["pipe", "pipe", "ignore"] });
  const [line] = await once(child.stdout, "data");
  return [child, JSON.parse(String(line)).result.endpoint];
}

async function ask(child, message) {
  child.send(message);
  return (await once(child, "message"))[0];
}

/** The value in the middle. */
function median(values) {
  return [...values].sort((one, other) => one - other)[Math.floor(values.length / 2)];
}

await bundled();
if (options.size) {
  const sizes = await Promise.all(names.map(size));
  console.log("bytes of a program with the three operations: bundled, minified, compressed by gzip");
  for (const [at, name] of names.entries()) console.log(`  ${name.padEnd(13)} ${String(sizes[at]).padStart(8)}`);
  process.exit();
}
const [process_, endpoint] = await server();
const children = new Map();
for (const name of names) {
  const child = fork(`${HERE}built/worker.mjs`, [name, endpoint], { env: { ...process.env, AWS_REGION: "us-east-1" } });
  await once(child, "message");
  children.set(name, child);
}
const settings = { milliseconds: Number(options.seconds) * 1000, parallel: Number(options.parallel) };
for (const operation of OPERATIONS) {
  const all = new Map(names.map((name) => [name, []]));
  // The first round warms up.
  for (let round = 0; round <= Number(options.rounds); round += 1) {
    for (const name of names) {
      const found = await ask(children.get(name), { operation, options: settings });
      if (round > 0) all.get(name).push({ rate: found.done / found.seconds, cpu: found.cpu / found.done });
    }
  }
  const rows = names.map((name) => ({
    name,
    cpu: median(all.get(name).map((one) => one.cpu)),
    rate: median(all.get(name).map((one) => one.rate)),
  }));
  const own = rows[0];
  console.log(`\n${operation}: ms of CPU, operations a second, CPU beside ${own.name}`);
  for (const { name, cpu, rate } of rows) {
    console.log(`  ${name.padEnd(13)} ${cpu.toFixed(3).padStart(7)} ${Math.round(rate).toString().padStart(7)} ${(cpu / own.cpu).toFixed(2).padStart(6)}x`);
  }
}
if (Number(options.cold) > 0) {
  const all = new Map(names.map((name) => [name, []]));
  for (let at = 0; at <= Number(options.cold); at += 1) {
    for (const name of names) {
      const child = fork(`${HERE}built/cold.mjs`, [name, endpoint], { env: { ...process.env, AWS_REGION: "us-east-1" } });
      const [[milliseconds]] = await Promise.all([once(child, "message"), once(child, "exit")]);
      if (at > 0) all.get(name).push(milliseconds);
    }
  }
  console.log("\ncold start: ms until the answer of the first get");
  for (const name of names) console.log(`  ${name.padEnd(13)} ${median(all.get(name)).toFixed(1).padStart(7)}`);
}
for (const child of children.values()) child.send({ operation: "end" });
process_.kill();

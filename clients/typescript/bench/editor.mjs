/** Measures what an editor does with the client of a large model, of 50 entities and 200 patterns: `tsc`, beside an
 * empty file, and the list of completions of the client's methods, by tsserver.
 *
 *     node clients/typescript/bench/editor.mjs
 *
 * `KEYFOLD_BIN` names the binary that generates the client. */

import { execFileSync, spawn } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { largeProject } from "../test/large.mjs";

const ROOT = fileURLToPath(new URL("..", import.meta.url));
const BINARY = process.env.KEYFOLD_BIN ?? join(ROOT, "../../target/release/keyfold");

const PROGRAM = `import { LargeClient, Thing7Id } from "./large";
const large = new LargeClient("http://localhost:8000");
const things = await large.thing7sOfOwner({ ownerId: "o" }).all(100);
const found = await large.thing7({ thing7Id: Thing7Id("t") });
export const names: string[] = [...things.map((one) => one.name), found?.note ?? ""];
large.`;

/** The milliseconds of a request to tsserver, and its answer. */
function asker(server) {
  const waiting = new Map();
  let text = "";
  let count = 0;
  server.stdout.setEncoding("utf8").on("data", (chunk) => {
    text += chunk;
    for (const line of text.split("\n").slice(0, -1)) {
      if (!line.startsWith("{")) continue;
      const { request_seq: of, body } = JSON.parse(line);
      waiting.get(of)?.(body);
    }
    text = text.slice(text.lastIndexOf("\n") + 1);
  });
  return async (command, args) => {
    const seq = (count += 1);
    const start = performance.now();
    const body = new Promise((resolve) => waiting.set(seq, resolve));
    server.stdin.write(`${JSON.stringify({ seq, type: "request", command, arguments: args })}\n`);
    return [await body, performance.now() - start];
  };
}

/** The milliseconds of the compiler in a project: all, and those of the processor, in which other work on the machine
 * counts less. */
function compiled(project) {
  const report = 'process.on("exit",()=>{const{user,system}=process.cpuUsage();console.log((user+system)/1000)})';
  const args = [`--import=data:text/javascript,${report}`, join(ROOT, "node_modules/typescript/bin/tsc"), "-p", project];
  const start = performance.now();
  const cpu = Number(execFileSync(process.execPath, args, { encoding: "utf8" }));
  return [performance.now() - start, cpu];
}

function median(values) {
  return [...values].sort((one, other) => one - other)[Math.floor(values.length / 2)];
}

const folder = mkdtempSync(join(tmpdir(), "keyfold-editor-"));
try {
  largeProject(folder, ROOT, BINARY, `${PROGRAM}client;\n`);
  const file = join(folder, "program.ts");
  writeFileSync(join(folder, "empty.ts"), "export {};\n");
  writeFileSync(join(folder, "empty.json"), '{ "extends": "./tsconfig.json", "files": ["empty.ts"] }');
  for (const [what, project] of [
    ["tsc", "tsconfig.json"],
    ["tsc of an empty file", "empty.json"],
  ]) {
    const runs = Array.from({ length: 5 }, () => compiled(join(folder, project)));
    const [all, cpu] = [0, 1].map((at) => Math.round(median(runs.map((one) => one[at]))));
    console.log(`${what}: ${all} ms, ${cpu} ms of CPU`);
  }

  const server = spawn(process.execPath, [join(ROOT, "node_modules/typescript/lib/tsserver.js")], { stdio: ["pipe", "pipe", "ignore"] });
  const ask = asker(server);
  server.stdin.write(`${JSON.stringify({ seq: 0, type: "request", command: "open", arguments: { file, fileContent: PROGRAM } })}\n`);
  const line = PROGRAM.split("\n").length;
  const at = { file, line, offset: PROGRAM.split("\n").at(-1).length + 1 };
  const [first, opened] = await ask("completionInfo", at);
  const later = [];
  for (let count = 0; count < 9; count += 1) {
    // A character that is typed makes the checker look at the file again.
    const typed = { file, line: 1, offset: 1, endLine: 1, endOffset: 1, insertString: " " };
    server.stdin.write(`${JSON.stringify({ seq: 0, type: "request", command: "change", arguments: typed })}\n`);
    later.push((await ask("completionInfo", at))[1]);
  }
  console.log(`completions: ${first.entries.length} entries, ${Math.round(opened)} ms after opening, ${Math.round(median(later))} ms after typing`);
  server.kill();
} finally {
  rmSync(folder, { recursive: true, force: true });
}

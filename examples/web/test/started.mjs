/** Programs of the examples as they are started, and servers of tables. */

import { spawn } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

const BUILT = new URL("../../../target/debug", import.meta.url).pathname;

/** The address that a process prints; none if it ends before. */
function addressOf(child) {
  let said = "";
  const ended = new Promise((resolve) => child.once("close", resolve));
  const address = new Promise((resolve, reject) => {
    child.once("error", reject);
    for (const pipe of [child.stdout, child.stderr])
      pipe.on("data", (text) => {
        said += text;
        const found = /http:\/\/[\d.]+:\d+/.exec(said)?.[0];
        if (pipe === child.stdout && found !== undefined) resolve(found);
      });
    void ended.then(() => resolve(undefined));
  });
  return { address, ended, said: () => said };
}

/** Starts a program in a folder of its own, or in that of another one. It says in its first line where
 * it is open. `end` interrupts it, and returns its exit code. EXAMPLE_BIN names the folder of the
 * programs that are built. */
export async function started(name, words = [], env = {}, folder = mkdtempSync(join(tmpdir(), `${name}-`))) {
  const program = join(process.env.EXAMPLE_BIN ?? BUILT, name);
  const child = spawn(program, words, { cwd: folder, env: { ...process.env, ...env } });
  let isKept = false;
  const { address, said, ...process_ } = addressOf(child);
  const ended = process_.ended.finally(() => {
    if (!isKept) rmSync(folder, { recursive: true, force: true });
  });
  const end = ({ keep = false } = {}) => {
    isKept = keep;
    child.kill("SIGINT");
    return ended;
  };
  return { address: await address, folder, end, ended, said };
}

/** A server of tables in memory, which ends with this process. */
export async function server(...options) {
  const keyfold = process.env.KEYFOLD_BIN ?? join(BUILT, "keyfold");
  const words = ["serve", "--memory", "--port", "0", "--until-stdin-closes", "--no-project", ...options];
  const child = spawn(keyfold, words);
  const { address, ended, said } = addressOf(child);
  const found = await address;
  if (found === undefined) throw new Error(`the server does not start: ${said()}`);
  const stop = () => {
    child.stdin.end();
    return ended;
  };
  return { address: found, stop };
}

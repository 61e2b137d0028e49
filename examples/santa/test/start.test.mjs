/** The program as it is started: on a folder, on a server, and where it cannot be. */

import assert from "node:assert/strict";
import { execFileSync, spawn } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { startServer } from "@keyfold/client/node";

const here = new URL("..", import.meta.url).pathname;
let folder;

before(() => {
  folder = mkdtempSync(join(tmpdir(), "santa-"));
});
after(() => rmSync(folder, { recursive: true, force: true }));

/** Starts the program, which says where it is open. `end` closes it and returns its exit code. */
async function started(connection, ...options) {
  const env = { ...process.env, SANTA_CONNECTION: connection, SANTA_CURSOR_SECRET: "of the tests" };
  const child = spawn(process.execPath, ["dist/main.js", ...options], { cwd: here, env });
  let said = "";
  const ended = new Promise((resolve) => child.once("close", resolve));
  for (const pipe of [child.stdout, child.stderr]) pipe.on("data", (text) => (said += text));
  const address = await new Promise((resolve) => {
    child.stdout.on("data", () => {
      const found = /open at (http:\S+)/.exec(said)?.[1];
      if (found !== undefined) resolve(found);
    });
    void ended.then(() => resolve(undefined));
  });
  const end = async () => {
    child.kill("SIGINT");
    return ended;
  };
  return { address, end, ended, said: () => said };
}

const json = async (address, path) => (await fetch(`${address}/api${path}`)).json();

test("on a folder, letters are there after a restart, and what is there is not filled again", async () => {
  const one = await started(`keyfold:${folder}`, "--seeded");
  const { letters } = await json(one.address, "/letters");
  assert.equal(letters.length, 8);
  const { toy, wishes } = await json(one.address, "/toys/kite/demand");
  assert.equal(
    toy.wanted,
    wishes.reduce((sum, { quantity }) => sum + quantity, 0),
  );
  assert.equal(await one.end(), 0);
  const other = await started(`keyfold:${folder}`, "--seeded");
  assert.deepEqual((await json(other.address, "/letters")).letters, letters);
  assert.equal(await other.end(), 0);
});

test("on a server, two workshops have the same letters, and an empty one says so", async () => {
  const server = await startServer();
  const both = await Promise.all([started(server.endpoint), started(server.endpoint)]);
  const [one, other] = both.map(({ address }) => address);
  assert.match(await (await fetch(`${one}/letters`)).text(), /There is no letter yet/);
  const body = JSON.stringify({ name: "Top", description: "Hums.", price: 5 });
  await fetch(`${one}/api/toys`, { method: "POST", headers: { "content-type": "application/json" }, body });
  assert.equal((await json(other, "/toys/top")).price, 5);
  await server.stop();
  // The table is gone: a sentence for people, and the cause in the log.
  const page = await fetch(`${one}/toys`);
  assert.deepEqual([page.status, /The table cannot be reached/.test(await page.text())], [503, true]);
  assert.match(both[0].said(), /KeyfoldError/);
  for (const { end } of both) assert.equal(await end(), 0);
});

test("where it cannot start, it says why in a line", async () => {
  const { address, ended, said } = await started("http://127.0.0.1:1");
  assert.deepEqual([address, await ended], [undefined, 1]);
  assert.match(said(), /^The workshop stays closed: .*127\.0\.0\.1:1.*\n$/);
});

test("the generated client is that of the model", () => {
  execFileSync(process.env.KEYFOLD_BIN ?? "keyfold", ["generate", "--check"], { cwd: here, stdio: "pipe" });
});

/** The program as it is started: on a folder, on a server, and where it cannot be. */

import assert from "node:assert/strict";
import { execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { connect, createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { startServer } from "@keyfold/client/node";

const here = new URL("..", import.meta.url).pathname;
let folder;

before(() => {
  folder = mkdtempSync(join(tmpdir(), "shop-"));
});
after(() => rmSync(folder, { recursive: true, force: true }));

/** Starts the program, which says where it is open. `end` closes it and returns its exit code. */
async function started(connection, ...options) {
  const env = { ...process.env, SHOP_CONNECTION: connection, CURSOR_SECRET: "of the tests" };
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

/** The status that a request is answered with, whatever its first line has: fetch would mend it. */
function statusOf(address, method, target) {
  const { hostname, port } = new URL(address);
  return new Promise((resolve, reject) => {
    let said = "";
    const socket = connect(Number(port), hostname, () => {
      socket.write(`${method} ${target} HTTP/1.1\r\nhost: ${hostname}\r\nconnection: close\r\n\r\n`);
    });
    socket.setEncoding("latin1").on("data", (text) => (said += text));
    socket.on("error", reject).on("close", () => resolve(Number(/^HTTP\/1\.1 (\d{3})/.exec(said)?.[1])));
  });
}

const json = async (address, path) => (await fetch(`${address}/api${path}`)).json();

test("on a folder, orders are there after a restart, and what is there is not filled again", async () => {
  const one = await started(`keyfold:${folder}`, "--seeded");
  const { orders } = await json(one.address, "/orders?status=paid");
  assert.equal(orders.length, 1);
  const { products } = await json(one.address, "/products?category=writing");
  assert.equal(await one.end(), 0);
  const other = await started(`keyfold:${folder}`, "--seeded");
  assert.deepEqual((await json(other.address, "/orders?status=paid")).orders, orders);
  assert.deepEqual((await json(other.address, "/products?category=writing")).products, products);
  assert.equal(await other.end(), 0);
});

test("the lines of the README work as written", async () => {
  const { address, end } = await started("memory:", "--seeded");
  const text = readFileSync(join(here, "README.md"), "utf8");
  const lines = [...text.matchAll(/^(curl .*)  # (\d{3})$/gm)];
  assert.equal(lines.length, 3);
  for (const [, line, status] of lines) {
    const asked = line.replace("localhost:8000", address).replace("curl", "curl -s -o /dev/null -w '%{http_code}'");
    assert.equal(execFileSync("sh", ["-c", asked], { encoding: "utf8" }), status, line);
  }
  assert.equal(await end(), 0);
});

test("on a server, two shops have the same stock, and a table that is gone is no answer", async () => {
  const server = await startServer();
  const both = await Promise.all([started(server.endpoint), started(server.endpoint)]);
  const [one, other] = both.map(({ address }) => address);
  const body = JSON.stringify({ category: "toys", name: "Top", price: 5, stock: 1 });
  const headers = { "content-type": "application/json" };
  await fetch(`${one}/api/products/top`, { method: "PUT", headers, body });
  assert.equal((await json(other, "/products/top")).stock, 1);
  await server.stop();
  const answer = await fetch(`${one}/api/products/top`);
  const detail = "The table did not answer as it should, or did not say what it did. Look before you send it again.";
  assert.deepEqual([answer.status, await answer.json()], [502, { status: 502, code: "transport", detail }]);
  assert.match(both[0].said(), /KeyfoldError/);
  for (const { end } of both) assert.equal(await end(), 0);
});

test("whatever a request asks for is answered, and ends nothing", async () => {
  const { address, end } = await started("memory:");
  const targets = ["//", "//evil.example/", "///", "//[", "//a:b@c:99999/", "/%", "/api/%F0", "/api//", "/\\"];
  targets.push("*", "?", "http://", "http://[", "http://evil.example/nothing", "nowhere:1", "/?%", "/api/toys/%");
  for (const method of ["GET", "POST", "OPTIONS"]) {
    for (const target of targets) {
      // The first page of all is there, whatever stands behind it.
      const wanted = target === "/?%" && method === "GET" ? [200] : [400, 404];
      const status = await statusOf(address, method, target);
      assert.ok(wanted.includes(status), `${method} ${target}: ${status}`);
    }
  }
  assert.equal(await statusOf(address, "GET", "http://127.0.0.1/api/orders?status=paid"), 200);
  assert.equal(await end(), 0);
});

test("a wrong port, or one that is taken, is said in a line", async () => {
  for (const port of ["abc", "", "99999", "-1", "8e3"]) {
    process.env.PORT = port;
    const { address, ended, said } = await started("http://127.0.0.1:1");
    assert.deepEqual([address, await ended], [undefined, 1]);
    // The table, which cannot be opened either, was not asked for.
    assert.match(said(), new RegExp(`^The shop stays closed: PORT is "${port}"\\. .*65535.*\n$`));
  }
  const taken = createServer().listen(0, "127.0.0.1");
  await once(taken, "listening");
  process.env.PORT = String(taken.address().port);
  const { address, ended, said } = await started("memory:");
  assert.deepEqual([address, await ended], [undefined, 1]);
  assert.match(said(), new RegExp(`^The shop stays closed: .*EADDRINUSE.*${process.env.PORT}\n$`));
  taken.close();
  delete process.env.PORT;
});

test("where it cannot start, it says why in a line", async () => {
  const { address, ended, said } = await started("http://127.0.0.1:1");
  assert.deepEqual([address, await ended], [undefined, 1]);
  assert.match(said(), /^The shop stays closed: .*127\.0\.0\.1:1.*\n$/);
});

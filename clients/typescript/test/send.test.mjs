/** The ways of requests: Node's own HTTP, and the `fetch` that a program gives. */

import assert from "node:assert/strict";
import { createServer } from "node:http";
import { test } from "node:test";
import { source } from "./source.mjs";

const { KeyfoldError, transportOf } = await source("error.js", "transport/connect.js");

/** A server that answers by a function, for the time of `use`. */
async function serving(answer, use) {
  const server = createServer(answer);
  await new Promise((resolve) => server.listen(0, "127.0.0.1", resolve));
  try {
    return await use(`http://127.0.0.1:${server.address().port}`);
  } finally {
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  }
}

async function codeOf(promise) {
  const error = await promise.then(assert.fail, (one) => one);
  assert.ok(error instanceof KeyfoldError, String(error.stack));
  return error.code;
}

test("connections are kept, and texts arrive whole", async () => {
  const text = "ä𝄞".repeat(50_000);
  const ports = new Set();
  await serving(
    async (request, response) => {
      ports.add(request.socket.remotePort);
      let body = "";
      for await (const chunk of request.setEncoding("utf8")) body += chunk;
      assert.equal(Number(request.headers["content-length"]), Buffer.byteLength(body));
      response.end(`{"Attributes":${body}}`);
    },
    async (endpoint) => {
      const transport = transportOf(endpoint);
      for (let at = 0; at < 3; at += 1) {
        assert.deepEqual(await transport.call("PutItem", { text: { S: text } }), { Attributes: { text: { S: text } } });
      }
    },
  );
  assert.equal(ports.size, 1);
});

test("an answer that is cut off is lost, and one that nobody takes is unsent", async () => {
  const cut = (request, response) => {
    response.writeHead(200, { "content-length": 100 });
    response.write("{");
    setTimeout(() => request.socket.destroy(), 10);
  };
  for (const answer of [cut, (request) => request.socket.destroy()]) {
    await serving(answer, async (endpoint) => {
      const transport = transportOf(endpoint, { retries: 0 });
      assert.equal(await codeOf(transport.call("PutItem", {})), "outcome_unknown");
      assert.equal(await codeOf(transport.call("GetItem", {})), "transport");
    });
  }
  const closed = await serving(() => {}, async (endpoint) => endpoint);
  assert.equal(await codeOf(transportOf(closed, { retries: 0 }).call("PutItem", {})), "transport");
  assert.equal(await codeOf(transportOf("http://[::1]:1", { retries: 0 }).call("PutItem", {})), "transport");
});

test("a signal ends a request that waits for its answer", async () => {
  let ended;
  const closed = new Promise((resolve) => (ended = resolve));
  await serving(
    (request) => request.socket.on("close", ended),
    async (endpoint) => {
      const call = transportOf(endpoint).call("GetItem", {}, AbortSignal.timeout(50));
      const kept = setTimeout(() => {}, 10_000);
      assert.equal(await codeOf(call), "aborted");
      await closed;
      clearTimeout(kept);
    },
  );
});

test("a program's own fetch is used, given or in the place of the global one", async () => {
  const { fetch } = globalThis;
  const sent = [];
  const own = async (url, { body }) => {
    sent.push(`${url} ${new TextDecoder().decode(body)}`);
    return new Response("{}");
  };
  const replaced = transportOf("http://a.example");
  try {
    globalThis.fetch = own;
    await replaced.call("GetItem", {});
  } finally {
    globalThis.fetch = fetch;
  }
  await transportOf({ endpoint: "http://b.example", fetch: own }).call("GetItem", {});
  assert.deepEqual(sent, ["http://a.example/ {}", "http://b.example/ {}"]);
});

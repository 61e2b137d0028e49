/** The loop of functions, on a server that plays the Lambda Runtime API. */

import assert from "node:assert/strict";
import { createServer } from "node:http";
import { test } from "node:test";
import { source } from "./source.mjs";

const { run } = await source("lambda.js");

test("each event is handled in its turn, and what the function returns or throws is sent", async () => {
  const events = [{ n: 1 }, { n: 2 }, { n: 3 }, { n: 4 }];
  const seen = [];
  const answers = [];
  const server = createServer(async (request, response) => {
    let body = "";
    for await (const chunk of request) body += chunk;
    if (request.method === "POST") {
      answers.push([request.url.replace("/2018-06-01/runtime/invocation/", ""), JSON.parse(body)]);
      return response.writeHead(202).end('{"status":"OK"}');
    }
    const event = events.shift();
    if (event === undefined) return response.writeHead(500).end("no more");
    response.writeHead(200, { "Lambda-Runtime-Aws-Request-Id": `id${event.n}` }).end(JSON.stringify(event));
  });
  await new Promise((resolve) => server.listen(0, "127.0.0.1", resolve));
  process.env.AWS_LAMBDA_RUNTIME_API = `127.0.0.1:${server.address().port}`;
  const running = run(async (event) => {
    seen.push(event.n);
    if (event.n === 2) throw new TypeError("bad");
    if (event.n === 3) throw "worse";
    return event.n === 4 ? undefined : { batchItemFailures: [] };
  });
  await assert.rejects(running, /answers 500: no more/);
  server.closeAllConnections();
  server.close();
  delete process.env.AWS_LAMBDA_RUNTIME_API;
  assert.deepEqual(seen, [1, 2, 3, 4]);
  const [first, second, third, last] = answers;
  assert.deepEqual(first, ["id1/response", { batchItemFailures: [] }]);
  assert.deepEqual([second[0], second[1].errorType, second[1].errorMessage], ["id2/error", "TypeError", "bad"]);
  assert.deepEqual([third[0], third[1].errorType, third[1].errorMessage], ["id3/error", "Error", "worse"]);
  assert.deepEqual(last, ["id4/response", null]);
});

test("a program that nobody started as a function says how it is started", async () => {
  await assert.rejects(run(() => {}), /AWS_LAMBDA_RUNTIME_API is not set: start this program by `keyfold serve --on-stream/);
});

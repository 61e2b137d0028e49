// What web pages can do to a server on their reader's machine, in a real browser: a page of a foreign origin can neither read nor write,
// whatever it tries; the SDK for JavaScript in a page of an allowed origin can.

import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { CreateTableCommand, DynamoDBClient, PutItemCommand, ScanCommand } from "@aws-sdk/client-dynamodb";
import { build } from "esbuild";
import { launch, serve } from "./browser.mjs";

const binary = process.env.KEYFOLD_BIN ?? new URL("../target/debug/keyfold", import.meta.url).pathname;
const folder = mkdtempSync(join(tmpdir(), "keyfold-"));
const SECRET = "only-for-the-owner";
let browser, server, endpoint, port, owner, foreign, allowed;

before(async () => {
  const bundle = await build({
    stdin: {
      contents: `export * from "@aws-sdk/client-dynamodb"`,
      resolveDir: new URL(".", import.meta.url).pathname,
    },
    bundle: true,
    write: false,
    platform: "browser",
    format: "iife",
    globalName: "sdk",
  });
  foreign = await serve({ "/": "<!doctype html><title>Foreign</title><body></body>" });
  allowed = await serve({ "/": `<!doctype html><title>Allowed</title><script>${bundle.outputFiles[0].text}</script>` });
  const options = ["serve", "--json", "--port", "0", "--data", join(folder, "data"), "--allow-origin", allowed.origin];
  server = spawn(binary, options, { stdio: ["ignore", "pipe", "inherit"] });
  const line = await new Promise((resolve) => server.stdout.once("data", (data) => resolve(String(data))));
  endpoint = JSON.parse(line).result.endpoint.replace("127.0.0.1", "localhost");
  port = new URL(endpoint).port;
  owner = new DynamoDBClient({ endpoint, region: "us-east-1", credentials: { accessKeyId: "local", secretAccessKey: "local" } });
  const key = [{ AttributeName: "id", KeyType: "HASH" }];
  const attributes = [{ AttributeName: "id", AttributeType: "S" }];
  await owner.send(
    new CreateTableCommand({ TableName: "Secrets", KeySchema: key, AttributeDefinitions: attributes, BillingMode: "PAY_PER_REQUEST" }),
  );
  await owner.send(new PutItemCommand({ TableName: "Secrets", Item: { id: { S: SECRET } } }));
  browser = await launch(["evil.example"]);
});

process.on("exit", () => server?.kill("SIGKILL"));

after(async () => {
  await browser?.close();
  foreign?.close();
  allowed?.close();
  server?.kill("SIGTERM");
  rmSync(folder, { recursive: true, force: true });
});

/// What a page tries, each in a way of its own; run in the page. Gives back what it could read.
async function attack({ endpoint, read, write }) {
  const told = [];
  const target = (operation) => `X-Amz-Target=DynamoDB_20120810.${operation}`;
  // Any signature will do on a server without credentials.
  const now = new Date().toISOString().replace(/[-:]|\.\d+/g, "");
  const signed = `X-Amz-Algorithm=AWS4-HMAC-SHA256&X-Amz-Credential=local%2F${now.slice(0, 8)}%2Fus-east-1%2Fdynamodb%2Faws4_request&X-Amz-Date=${now}&X-Amz-Expires=600&X-Amz-SignedHeaders=host&X-Amz-Signature=00`;
  const query = (operation) => `${endpoint}/?${target(operation)}&${signed}`;
  const headers = (operation, type) => ({
    "content-type": type,
    "x-amz-target": `DynamoDB_20120810.${operation}`,
    authorization: `AWS4-HMAC-SHA256 Credential=local/${now.slice(0, 8)}/us-east-1/dynamodb/aws4_request, SignedHeaders=host, Signature=00`,
    "x-amz-date": now,
  });
  const attempt = async (name, act) => {
    try {
      const text = await act();
      if (typeof text === "string" && text !== "") told.push(`${name}: ${text}`);
    } catch {
      // The browser or the server refused it.
    }
  };
  const post = async (url, options) => (await fetch(url, { method: "POST", ...options })).text();
  const untyped = (body) => new Blob([body]);
  for (const [operation, body] of [["Scan", read], ["PutItem", write], ["DeleteTable", '{"TableName":"Secrets"}'], ["ListTables", "{}"]]) {
    for (const type of ["application/x-amz-json-1.0", "application/json", "text/plain"]) {
      await attempt(`fetch ${operation} ${type}`, () => post(endpoint, { headers: headers(operation, type), body }));
      await attempt(`no-cors ${operation} ${type}`, () => post(endpoint, { mode: "no-cors", headers: headers(operation, type), body }));
      await attempt(`query ${operation} ${type}`, () => post(query(operation), { mode: "no-cors", headers: { "content-type": type }, body }));
      await attempt(`cors query ${operation} ${type}`, () => post(query(operation), { headers: { "content-type": type }, body }));
    }
    await attempt(`untyped ${operation}`, () => post(query(operation), { mode: "no-cors", body: untyped(body) }));
    await attempt(`untyped cors ${operation}`, () => post(query(operation), { body: untyped(body) }));
    await attempt(`beacon ${operation}`, () => navigator.sendBeacon(query(operation), untyped(body)) && "");
    await attempt(
      `request ${operation}`,
      () =>
        new Promise((resolve) => {
          const request = new XMLHttpRequest();
          request.open("POST", query(operation));
          request.onloadend = () => resolve(request.responseText);
          request.send(body);
        }),
    );
    await attempt(
      `worker ${operation}`,
      () =>
        new Promise((resolve) => {
          const code = `fetch(${JSON.stringify(query(operation))}, { method: "POST", mode: "no-cors", body: new Blob([${JSON.stringify(body)}]) }).then((answer) => answer.text()).then(postMessage, () => postMessage(""))`;
          new Worker(URL.createObjectURL(new Blob([code]))).onmessage = (message) => resolve(message.data);
        }),
    );
    for (const enctype of ["text/plain", "application/x-www-form-urlencoded", "multipart/form-data"]) {
      await attempt(
        `form ${operation} ${enctype}`,
        () =>
          new Promise((resolve) => {
            const frame = document.createElement("iframe");
            frame.name = `frame${Math.random()}`;
            document.body.append(frame);
            const form = document.createElement("form");
            Object.assign(form, { action: query(operation), method: "POST", enctype, target: frame.name });
            // `{"a": "="}` is JSON that a form can send.
            const [before, behind] = [body.slice(0, -1) + ',"x":"', '"}'];
            const input = document.createElement("input");
            Object.assign(input, { name: before, value: behind });
            form.append(input);
            document.body.append(form);
            frame.onload = () => {
              let text = "";
              try {
                text = frame.contentDocument?.body?.textContent ?? "";
              } catch {
                // Not to be read from here.
              }
              resolve(text);
            };
            form.submit();
            setTimeout(() => resolve(""), 300);
          }),
      );
    }
    // An origin that is nobody's.
    const sandboxed = document.createElement("iframe");
    sandboxed.sandbox = "allow-scripts";
    sandboxed.srcdoc = `<script>fetch(${JSON.stringify(query(operation))}, { method: "POST", mode: "no-cors", body: new Blob([${JSON.stringify(body)}]) }).then((answer) => answer.text()).catch(() => "").then((text) => parent.postMessage({ text }, "*"))</script>`;
    await attempt(
      `sandbox ${operation}`,
      () =>
        new Promise((resolve) => {
          addEventListener("message", (message) => resolve(message.data.text), { once: true });
          document.body.append(sandboxed);
          setTimeout(() => resolve(""), 1_000);
        }),
    );
    for (const kind of ["img", "script", "embed"]) {
      const element = document.createElement(kind);
      element.src = `${query(operation)}&body=${encodeURIComponent(body)}`;
      document.body.append(element);
    }
  }
  for (const path of ["/", "/metrics", "/health"]) {
    await attempt(`read ${path}`, async () => (await fetch(endpoint + path)).text());
  }
  await new Promise((resolve) => setTimeout(resolve, 300));
  return told;
}

const ATTACK = { read: '{"TableName":"Secrets"}', write: '{"TableName":"Secrets","Item":{"id":{"S":"planted"}}}' };

async function isUntouched() {
  const items = (await owner.send(new ScanCommand({ TableName: "Secrets" }))).Items;
  assert.deepEqual(items, [{ id: { S: SECRET } }]);
}

test("a page of a foreign origin can neither read nor write", async () => {
  for (const name of ["localhost", "127.0.0.1"]) {
    const page = await browser.newPage();
    await page.goto(foreign.origin);
    const told = await page.evaluate(attack, { ...ATTACK, endpoint: `http://${name}:${port}` });
    assert.deepEqual(told, [], "what the page could read");
    await isUntouched();
    await page.close();
  }
  // The tries did reach the server.
  const metrics = await (await fetch(`${endpoint}/metrics`)).text();
  const refused = Number(/keyfold_pages_turned_away_total (\d+)/.exec(metrics)[1]);
  assert.ok(refused > 50, `${refused} requests of the page were refused`);
});

test("a name that was made to lead here can neither read nor write", async () => {
  const page = await browser.newPage();
  const rebound = `http://evil.example:${port}`;
  // The page came from elsewhere, before its name led here.
  await page.route(`${rebound}/page`, (route) => route.fulfill({ contentType: "text/html", body: "<!doctype html><body></body>" }));
  await page.goto(`${rebound}/page`);
  const told = await page.evaluate(attack, { ...ATTACK, endpoint: rebound });
  // It is of the same origin, so it reads what it is told: that this is not the server's name.
  const answers = told.filter((answer) => !answer.includes("is not a name of this server"));
  assert.deepEqual(answers, [], "what the page could read");
  assert.ok(told.length > 10, "the page did reach the server");
  await isUntouched();
  await page.close();
});

/// The application that the server was started for; run in the page.
async function use({ endpoint }) {
  const { DynamoDBClient, CreateTableCommand, PutItemCommand, GetItemCommand, QueryCommand } = globalThis.sdk;
  const client = new DynamoDBClient({ endpoint, region: "us-east-1", credentials: { accessKeyId: "local", secretAccessKey: "local" } });
  await client.send(
    new CreateTableCommand({
      TableName: "FromPage",
      KeySchema: [{ AttributeName: "id", KeyType: "HASH" }],
      AttributeDefinitions: [{ AttributeName: "id", AttributeType: "S" }],
      BillingMode: "PAY_PER_REQUEST",
    }),
  );
  await client.send(new PutItemCommand({ TableName: "FromPage", Item: { id: { S: "a" }, n: { N: "1" } } }));
  const { Item } = await client.send(new GetItemCommand({ TableName: "FromPage", Key: { id: { S: "a" } } }));
  const query = new QueryCommand({ TableName: "FromPage", KeyConditionExpression: "id = :id", ExpressionAttributeValues: { ":id": { S: "a" } } });
  const { Count } = await client.send(query);
  const missing = new GetItemCommand({ TableName: "Nothing", Key: { id: { S: "a" } } });
  const error = await client.send(missing).then(() => "", (error) => error.name);
  return { Item, Count, error };
}

test("the SDK in a page of an allowed origin works", async () => {
  const page = await browser.newPage();
  await page.goto(allowed.origin);
  const told = await page.evaluate(use, { endpoint });
  assert.deepEqual(told, { Item: { id: { S: "a" }, n: { N: "1" } }, Count: 1, error: "ResourceNotFoundException" });
  // The same program in a page that is not allowed.
  const other = await browser.newPage();
  await other.goto(foreign.origin);
  await other.addScriptTag({ content: await page.evaluate(() => document.scripts[0].textContent) });
  await assert.rejects(other.evaluate(use, { endpoint }), /Failed to fetch/);
  await isUntouched();
});

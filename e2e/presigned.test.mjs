// Requests that the JavaScript SDK's signer signs for others to send: it moves the target and the token into the query.

import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { Sha256 } from "@aws-crypto/sha256-js";
import { SignatureV4 } from "@smithy/signature-v4";

const binary = process.env.KEYFOLD_BIN ?? new URL("../target/debug/keyfold", import.meta.url).pathname;
const folder = mkdtempSync(join(tmpdir(), "keyfold-"));
let server, endpoint;

before(async () => {
  const options = ["serve", "--json", "--port", "0", "--data", join(folder, "data"), "--credential", "AK:secret"];
  server = spawn(binary, options, { stdio: ["ignore", "pipe", "inherit"] });
  const line = await new Promise((resolve) => server.stdout.once("data", (data) => resolve(String(data))));
  endpoint = new URL(JSON.parse(line).result.endpoint);
});

process.on("exit", () => server?.kill("SIGKILL"));

after(() => {
  server?.kill("SIGTERM");
  rmSync(folder, { recursive: true, force: true });
});

const TYPE = { "content-type": "application/x-amz-json-1.0" };

async function presign(body, secretAccessKey = "secret") {
  const credentials = { accessKeyId: "AK", secretAccessKey };
  const signer = new SignatureV4({ service: "dynamodb", region: "us-east-1", credentials, sha256: Sha256 });
  const { hostname, port } = endpoint;
  const headers = { host: `${hostname}:${port}`, "x-amz-target": "DynamoDB_20120810.ListTables" };
  const request = { method: "POST", protocol: "http:", hostname, port: Number(port), path: "/", query: {}, headers, body };
  const signed = await signer.presign(request, { expiresIn: 60 });
  return `${endpoint.origin}/?${new URLSearchParams(signed.query).toString().replaceAll("+", "%20")}`;
}

const send = async (url, body, headers = TYPE) => {
  const answer = await fetch(url, { method: "POST", body, headers });
  return [answer.status, await answer.json().catch(() => "")];
};

test("a presigned request names its operation in the query", async () => {
  const url = await presign("{}");
  assert.match(url, /x-amz-target=DynamoDB_20120810\.ListTables/i);
  assert.deepEqual(await send(url, "{}"), [200, { TableNames: [] }]);
  const refused = async (url, body, headers) => (await send(url, body, headers))[1].__type;
  assert.match(await refused(url, '{"Limit":1}'), /InvalidSignatureException/);
  assert.match(await refused(url.replace("ListTables", "DescribeLimits"), "{}"), /InvalidSignatureException/);
  assert.match(await refused(await presign("{}", "other"), "{}"), /InvalidSignatureException/);
  // A header cannot ask for something else.
  const other = { ...TYPE, "x-amz-target": "DynamoDB_20120810.DescribeLimits" };
  assert.match(await refused(url, "{}", other), /IncompleteSignatureException/);
});

// The page beside a server: the server's own tables, with the rights of one of its credentials.

import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { closed, opened, refused, served } from "./started.mjs";

const { DynamoDBClient, PutItemCommand } = createRequire(new URL("../../e2e/package.json", import.meta.url))("@aws-sdk/client-dynamodb");
const shop = new URL("../../models/shop.keyfold", import.meta.url).pathname;
const SECRET = "kept-by-the-server";

let folder;
let credentials;

before(() => {
  folder = mkdtempSync(join(tmpdir(), "keyfold-beside-"));
  credentials = join(folder, "credentials.json");
  writeFileSync(
    credentials,
    JSON.stringify([
      { accessKey: "AKIDALL", secret: SECRET },
      { accessKey: "AKIDREAD", secret: `${SECRET}-2`, access: "read" },
      { accessKey: "AKIDNONE", secret: `${SECRET}-3`, access: "read", tables: { Shop: "none" } },
    ]),
  );
});

after(async () => {
  await closed();
  rmSync(folder, { recursive: true, force: true });
});

/** A certificate of another name than this machine's. */
function certificate() {
  const [cert, tlsKey] = ["cert.pem", "key.pem"].map((name) => join(folder, name));
  execFileSync("openssl", ["req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes", "-subj", "/CN=db.example", "-days", "2", "-keyout", tlsKey, "-out", cert], { stdio: "ignore" });
  return ["--tls-cert", cert, "--tls-key", tlsKey];
}

const key = (name) => ["--credentials", credentials, "--workbench", "--workbench-port", "0", "--workbench-key", name];

/** Makes a product in the page, and gives back what the page says. */
async function made(own, id) {
  await own.locator(".choices").getByRole("button", { name: "Product", exact: true }).click();
  for (const [name, value] of Object.entries({ productId: id, name: "Lamp", price: "5", stock: "1" })) await own.getByLabel(name).fill(value);
  await own.getByRole("button", { name: "Show what is written" }).click();
  await own.locator(".actions li").waitFor();
  await own.getByRole("button", { name: "Carry it out" }).click();
  await own.locator(".edit .good, .edit .fault").waitFor();
  return own.locator(".edit .good, .edit .fault").textContent();
}

test("a server without credentials shows its own tables, and writes only where that was said", async () => {
  const server = await served(shop, ["--workbench", "--workbench-port", "0"]);
  try {
    const client = new DynamoDBClient({ endpoint: server.endpoint, region: "us-east-1", credentials: { accessKeyId: "x", secretAccessKey: "x" } });
    await client.send(new PutItemCommand({ TableName: "Shop", Item: { PK: { S: "OTHER#1" }, SK: { S: "A" } } }));
    const { page: own, faults, context } = await opened(server, { hash: "#view=explore" });
    assert.match(await own.locator(".place").textContent(), /http:\/\/127\.0\.0\.1:\d+ on this machine, read only/);
    await own.locator(".choice", { hasText: /^Shop$/ }).click();
    await own.locator(".grid .kind.unknown").waitFor();
    assert.equal(await own.getByText("New", { exact: true }).count(), 0);
    await own.getByRole("button", { name: "Design" }).click();
    await own.locator("svg.map .name", { hasText: "Order.summary[]" }).first().waitFor();
    assert.deepEqual(faults, []);
    // The address of the server itself is no page.
    assert.notEqual((await own.request.get(`${server.endpoint}/files`)).status(), 200);
    await context.close();
  } finally {
    await server.end();
  }
});

test("the rights of an access key hold in the page, also where the server speaks TLS, and no secret reaches it", async () => {
  for (const [name, more, expected] of [
    ["AKIDALL", certificate(), /^Done by PutItem/],
    ["AKIDREAD", [], /user\/AKIDREAD is not authorized to perform: dynamodb:PutItem/],
  ]) {
    const server = await served(shop, [...key(name), "--workbench-write", ...more]);
    try {
      const { page: own, context } = await opened(server, { hash: "#view=explore" });
      const told = [];
      own.on("response", async (answer) => told.push(await answer.text().catch(() => "")));
      await own.reload();
      assert.match(await own.locator(".place").textContent(), new RegExp(`as ${name} on this machine, may be written`));
      assert.match(await made(own, "p1"), expected);
      assert.ok(told.length > 3 && told.every((text) => !text.includes(SECRET)));
      await context.close();
    } finally {
      await server.end();
    }
  }
  const server = await served(shop, key("AKIDNONE"));
  try {
    const { page: own, context } = await opened(server, { hash: "#view=explore&table=Shop" });
    await own.locator(".fault", { hasText: "user/AKIDNONE is not authorized to perform: dynamodb:Scan" }).waitFor();
    await context.close();
  } finally {
    await server.end();
  }
});

test("with several credentials it must be said whose rights the page has", async () => {
  const page = ["serve", shop, "--memory", "--port", "0", "--credentials", credentials, "--workbench", "--workbench-port", "0"];
  assert.match(refused(page), /several credentials: name the access key whose rights the page has by --workbench-key/);
  assert.match(refused([...page, "--workbench-key", "AKIDOTHER"]), /the server has no such access key/);
});

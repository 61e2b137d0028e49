// Data in a real browser: items as entities, patterns by forms, requests to copy, hostile values, and what no page may do.

import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { kind, options } from "./places.mjs";
import { closed, done, opened, served, started } from "./started.mjs";

const axe = createRequire(import.meta.url).resolve("axe-core/axe.min.js");
const { BatchWriteItemCommand, DynamoDBClient, PutItemCommand } = createRequire(new URL("../../e2e/package.json", import.meta.url))("@aws-sdk/client-dynamodb");
const shop = new URL("../../models/shop.keyfold", import.meta.url).pathname;
const SHOP = readFileSync(shop, "utf8");

const SECRET = "kept-from-the-page";
/** Keys and values of somebody who wants a page to do something else. */
const HOSTILE = ["<script>alert(1)</script>", "<img src=x onerror=alert(2)>", "\"'`; $(touch x) ' \\", "\u202egnp.exe\u2066", "javascript:alert(3)", "</textarea><svg/onload=alert(4)>", "{{7*7}}${7*7}", "a\u0000b\nc\u200b", "'; DROP TABLE x; --", "😀 é", "x".repeat(3000)];

let server;
let workbench;
let folder;

before(async () => {
  folder = mkdtempSync(join(tmpdir(), "keyfold-explore-"));
  server = await served(shop);
  const put = (...args) => done(["put", shop, ...args, "--endpoint", server.endpoint]);
  for (const one of ["u1", "u2"]) put("User", `userId=${one}`, `email=${one}@example.org`, `name=Name of ${one}`, "createdAt=2026-01-01T10:00:00Z");
  for (const at of [1, 2, 3]) put("Order", `orderId=o${at}`, "userId=u1", `createdAt=2026-02-0${at}T10:00:00Z`, `total=${at * 9.5}`, "status=paid");
  const client = new DynamoDBClient(options(server));
  for (const [at, text] of HOSTILE.entries()) {
    await client.send(new PutItemCommand({ TableName: "Shop", Item: { PK: { S: `HOSTILE#${text.slice(0, 900)}` }, SK: { S: text.slice(0, 900) }, [text.slice(0, 200)]: { S: text }, list: { L: [{ S: text }, { N: "12345678901234567890.5" }] }, bytes: { B: Buffer.from(`${at}<>`) } } }));
  }
  const items = Array.from({ length: 960 }, (_, at) => ({ PutRequest: { Item: { PK: { S: "MANY" }, SK: { S: `<b>${at}` }, [`"onload=${at % 7}`]: { S: `<iframe srcdoc="<script>parent.alert(${at})</script>">` } } } }));
  while (items.length > 0) await client.send(new BatchWriteItemCommand({ RequestItems: { Shop: items.splice(0, 25) } }));
  process.env.AWS_ACCESS_KEY_ID = "AKIDKEPT";
  process.env.AWS_SECRET_ACCESS_KEY = SECRET;
  workbench = await started({ "shop.keyfold": SHOP }, ["--at", await server.at()]);
});

after(async () => {
  await closed();
  await workbench?.end();
  await server?.end();
  rmSync(folder, { recursive: true, force: true });
});

let cookies;

async function page(options = {}) {
  if (cookies === undefined) {
    const first = await opened(workbench);
    cookies = await first.context.cookies();
    await first.context.close();
  }
  return opened({ ...workbench, url: `${workbench.origin}/` }, { ...options, cookies });
}

const cells = (page) => page.locator(".grid tbody tr").allTextContents();

test("items are shown as entities, with their keys taken apart", async () => {
  const { page: own, faults } = await page({ hash: "#view=explore" });
  await own.getByRole("button", { name: "Shop", exact: true }).click();
  await own.locator(".grid .warn, .head .warn", { hasText: "Scan" }).waitFor();
  await own.getByRole("button", { name: "GSI1", exact: true }).click();
  await own.locator(".grid .kind", { hasText: /^Order$/ }).first().waitFor();
  await own.getByRole("button", { name: "Order", exact: true }).first().click();
  const detail = own.locator(".detail");
  assert.match(await detail.textContent(), /SK META/);
  assert.match(await detail.textContent(), /GSI1 GSI1SK ORDER#2026-02-0.*template "ORDER#\{createdAt\}#\{orderId\}"createdAt2026-02-0.T10:00:00.*orderIdo/);

  // The collection of a user: the entity, and copies of its orders.
  await own.goto(`${workbench.origin}/#view=explore&table=Shop&in=${encodeURIComponent('{"PK":{"S":"USER#u1"}}')}`);
  await own.locator(".grid .kind.copy").nth(2).waitFor();
  assert.deepEqual(await own.locator(".grid .kind").allTextContents(), ["Order.summary", "Order.summary", "Order.summary", "User"]);
  await own.getByRole("button", { name: "Ascending" }).click();
  await own.locator(".grid tbody tr:first-child .kind", { hasText: /^User$/ }).waitFor();
  assert.match(own.url(), /backward=1/);

  // A guard, and items of somebody else.
  await own.goto(`${workbench.origin}/#view=explore&table=Shop&limit=200&in=${encodeURIComponent('{"PK":{"S":"UNIQUE#User#email#u1@example.org"}}')}`);
  await own.locator(".grid .kind.guard").click();
  await own.locator(".detail", { hasText: "a guard of unique attributes" }).waitFor();
  await own.goto(`${workbench.origin}/#view=explore&table=Shop&in=${encodeURIComponent('{"PK":{"S":"MANY"}}')}`);
  await own.locator(".grid .kind.unknown").first().click();
  await own.locator(".detail .warn", { hasText: "no entity of the model has such a key" }).waitFor();
  assert.deepEqual(faults, []);
});

test("a pattern is run by its form, wrong input is named at its field, pages follow", async () => {
  const { page: own, faults } = await page({ hash: "#view=explore" });
  await own.getByRole("button", { name: "orders_by_status", exact: true }).click();
  const words = await own.locator("#field-status option").allTextContents();
  assert.deepEqual(words, ["", "pending", "paid", "shipped"]);
  await own.getByRole("button", { name: "Run" }).click();
  await own.locator("#field-status-about", { hasText: "a value is needed" }).waitFor();
  assert.equal(await own.locator("#field-status").getAttribute("aria-invalid"), "true");

  await own.getByRole("button", { name: "recent_orders", exact: true }).click();
  await own.getByLabel("userId").fill("u1");
  await own.getByLabel("since").fill("yesterday");
  await own.keyboard.press("Enter");
  await own.locator("#field-since-about", { hasText: "is not a time" }).waitFor();
  await own.getByLabel("since").fill("2026-02-01");
  await own.getByLabel("a page of").fill("2");
  await own.keyboard.press("Enter");
  await own.locator(".grid tbody tr").nth(1).waitFor();
  assert.match((await cells(own))[0], /Order.summaryo3.*28\.5/);
  assert.match(await own.locator(".request h4").textContent(), kind === "moto" ? /Query 1 units/ : /Query 0\.5 units/);
  assert.match(await own.locator(".request pre").first().textContent(), /"KeyConditionExpression": "#n0 = :v0 AND #n1 BETWEEN|"KeyConditionExpression"/);
  await own.getByRole("button", { name: "Next", exact: true }).click();
  await own.locator(".pages", { hasText: "1 item" }).waitFor();
  assert.match((await cells(own))[0], /o1/);
  const link = own.url();
  await own.getByRole("button", { name: "Previous", exact: true }).click();
  await own.locator(".pages", { hasText: "2 items" }).waitFor();
  // A link shows the same page.
  await own.goto("about:blank");
  await own.goto(link);
  await own.locator(".pages", { hasText: "1 item" }).waitFor();
  assert.match((await cells(own))[0], /o1/);
  assert.equal(await own.getByLabel("userId").inputValue(), "u1");
  assert.deepEqual(faults, []);
});

test("a request is built by a form, costs are said before a Scan, and a link asks it again", async () => {
  const { page: own, faults } = await page({ hash: "#view=explore" });
  await own.getByRole("button", { name: "Build a request…" }).click();
  assert.ok(await own.getByRole("button", { name: "Run", exact: true }).isDisabled(), "a key is needed");
  await own.getByLabel("the value of PK").fill("USER#u1");
  await own.getByLabel("how SK is").selectOption("begins_with");
  await own.getByLabel("the value of SK").fill("ORDER#");
  await own.getByRole("button", { name: "Add a filter" }).click();
  await own.getByLabel("the attribute of filter 1").fill("total");
  await own.getByLabel("how filter 1 compares").selectOption("between");
  await own.getByLabel("the type of filter 1").selectOption("N");
  await own.getByLabel("the least value of total").fill("10");
  await own.getByLabel("the greatest value of total").fill("20");
  await own.getByLabel("items of a page").selectOption("10");
  await own.keyboard.press("Tab");
  await own.getByLabel("the least value of total").press("Enter");
  await own.locator(".pages", { hasText: "1 item, 1 request" }).waitFor();
  assert.match((await cells(own))[0], /Order.summary.*o2.*19/);
  const sent = JSON.parse(await own.locator(".request pre").first().textContent());
  assert.deepEqual(sent, {
    TableName: "Shop",
    Limit: 10,
    KeyConditionExpression: "#k0 = :k0 AND begins_with(#k1, :k1)",
    FilterExpression: "#f0 BETWEEN :f0 AND :f0b",
    ExpressionAttributeNames: { "#f0": "total", "#k0": "PK", "#k1": "SK" },
    ExpressionAttributeValues: { ":f0": { N: "10" }, ":f0b": { N: "20" }, ":k0": { S: "USER#u1" }, ":k1": { S: "ORDER#" } },
    ReturnConsumedCapacity: "TOTAL",
  });
  const link = own.url();
  await own.goto("about:blank");
  await own.goto(link);
  await own.locator(".pages", { hasText: "1 item, 1 request" }).waitFor();
  assert.equal(await own.getByLabel("the greatest value of total").inputValue(), "20");

  await own.getByLabel("operation").selectOption("Scan");
  assert.match(await own.locator(".raw .warn").textContent(), /A Scan reads all of Shop: [\d,]+ items of [\d,]+ bytes as last counted, about [\d.,]+ read units/);
  await own.getByRole("button", { name: "remove filter 1" }).click();
  await own.getByRole("button", { name: "Run", exact: true }).click();
  await own.locator(".pages", { hasText: "10 items, 1 request" }).waitFor();
  const before = await cells(own);
  await own.getByRole("button", { name: "Next", exact: true }).click();
  await own.waitForFunction((first) => document.querySelector(".grid tbody tr")?.textContent !== first, before[0]);
  await own.getByRole("button", { name: "Previous", exact: true }).click();
  await own.waitForFunction((first) => document.querySelector(".grid tbody tr")?.textContent === first, before[0]);

  // A statement reads, and writes nothing.
  await own.getByLabel("operation").selectOption("ExecuteStatement");
  await own.getByLabel("statement").fill("SELECT * FROM \"Shop\" WHERE PK = 'USER#u1' AND SK = 'PROFILE'");
  await own.getByRole("button", { name: "Run", exact: true }).click();
  await own.locator(".grid .kind", { hasText: /^User$/ }).waitFor();
  await own.getByLabel("statement").fill("DELETE FROM \"Shop\" WHERE PK = 'USER#u1' AND SK = 'PROFILE'");
  await own.getByRole("button", { name: "Run", exact: true }).click();
  await own.locator(".fault", { hasText: "they begin with SELECT" }).waitFor();
  assert.deepEqual(faults, []);
});

test("a page is filtered, sorted, cut to columns, and exported", async () => {
  const { page: own, faults } = await page({ hash: "#view=explore&pattern=orders_of_user&a.userId=u1" });
  await own.getByRole("button", { name: "total" }).click();
  assert.match((await cells(own))[0], /o1.*9\.5/);
  await own.getByRole("button", { name: "total" }).click();
  assert.match((await cells(own))[0], /o3.*28\.5/);
  await own.getByLabel("filter the page").fill("o2");
  await own.locator(".pages", { hasText: "1 of 3 items" }).waitFor();
  await own.getByLabel("filter the page").fill("");
  await own.locator(".columns summary").click();
  await own.locator(".columns").getByLabel("createdAt").uncheck();
  const file = async (name) => {
    const [download] = await Promise.all([own.waitForEvent("download"), own.getByRole("button", { name, exact: true }).click()]);
    return [download.suggestedFilename(), readFileSync(await download.path(), "utf8")];
  };
  assert.deepEqual(await file("CSV"), ["orders_of_user.csv", "kind,orderId,total,status\r\nOrder.summary,o3,28.5,paid\r\nOrder.summary,o2,19,paid\r\nOrder.summary,o1,9.5,paid\r\n"]);
  const [name, lines] = await file("JSONL");
  assert.equal(name, "orders_of_user.jsonl");
  assert.deepEqual(JSON.parse(lines.split("\n")[0]), { kind: "Order.summary", item: { orderId: "o3", total: 28.5, status: "paid" } });
  assert.match(own.url(), /sort=total&down=1&hide=createdAt/);
  assert.deepEqual(faults, []);
});

/** A program of the tests' Python, or of the machine. */
function program(name) {
  const own = new URL(`../../e2e/.venv/bin/${name}`, import.meta.url).pathname;
  return existsSync(own) ? own : name;
}

test("hostile keys and values are texts, and copied requests ask for exactly them", async () => {
  const { page: own, faults, context } = await page({ hash: "#view=explore&table=Shop&limit=1000", permissions: ["clipboard-read", "clipboard-write"] });
  await own.locator(".grid tbody tr").nth(900).waitFor();
  assert.equal(await own.locator("main img, main script, main svg, main iframe").count(), 0);
  const text = await own.locator(".grid").textContent();
  for (const one of ["HOSTILE#<script>alert(1)</script>", "HOSTILE#\\u202egnp.exe\\u2066", "a\\u0000b\\u000ac\\u200b"]) assert.ok(text.includes(one), one);
  assert.ok(!/[\u202e\u2066\u200b\u0000]/.test(text), "a hidden mark is in the page");
  const { accessKeyId, secretAccessKey } = options(server).credentials;
  const env = { PATH: process.env.PATH, HOME: folder, AWS_ACCESS_KEY_ID: accessKeyId, AWS_SECRET_ACCESS_KEY: secretAccessKey, ...(server.certificate && { AWS_CA_BUNDLE: server.certificate }) };
  // Each of them a collection of its own, opened, and its request carried out as it was copied.
  for (const hostile of HOSTILE) {
    const key = { PK: { S: `HOSTILE#${hostile.slice(0, 900)}` } };
    await own.goto(`${workbench.origin}/#view=explore&table=Shop&in=${encodeURIComponent(JSON.stringify(key))}`);
    await own.locator(".pages", { hasText: "1 item, 1 request" }).waitFor();
    await own.locator(".grid .kind").click();
    await own.locator(".detail").waitFor();
    if (kind === "folder") {
      // Another program cannot open it: the page says what to do.
      await own.getByLabel("form of the requests").selectOption("cli");
      await own.getByText("This is a folder: serve it with keyfold serve").waitFor();
      continue;
    }
    const copied = {};
    for (const form of ["cli", "boto3"]) {
      await own.getByLabel("form of the requests").selectOption(form);
      await own.getByRole("button", { name: "Copy", exact: true }).click();
      await own.locator(".notice .good").waitFor();
      copied[form] = await own.evaluate(() => navigator.clipboard.readText());
    }
    writeFileSync(join(folder, "copied.py"), copied.boto3.replace("print(answer)", "import json\nprint(json.dumps(answer['Items'][0]['SK']))"));
    const python = execFileSync(program("python3"), [join(folder, "copied.py")], { env, encoding: "utf8" });
    assert.deepEqual(JSON.parse(python), { S: hostile.slice(0, 900) });
    // The shell makes of it the words that the CLI gets; the CLI itself takes a second for each.
    const words = execFileSync("sh", ["-c", copied.cli.replace(/^aws /, "printf '%s\\0' ")], { env, encoding: "utf8", cwd: folder }).split("\0");
    assert.deepEqual(words.slice(0, 7), ["dynamodb", "query", "--endpoint-url", options(server).endpoint, "--region", "us-east-1", "--no-paginate"]);
    assert.deepEqual(JSON.parse(words[8]).ExpressionAttributeValues, { ":k0": key.PK });
    if (hostile === HOSTILE[2]) {
      const said = execFileSync("sh", ["-c", copied.cli.replace(/^aws /, `'${program("aws")}' `)], { env, encoding: "utf8" });
      assert.equal(JSON.parse(said).Items[0].SK.S, hostile);
    }
  }
  assert.ok(!existsSync(join(folder, "x")));
  assert.deepEqual(faults, []);
  await context.close();
});

test("no credentials reach the page, and nobody else may ask", async () => {
  const { page: own } = await page();
  const ask = (path, body, headers = {}) => own.request.post(`${workbench.origin}${path}`, { data: body, headers: { origin: workbench.origin, ...headers } });
  for (const [path, body] of [["/explore/tables", { file: 0 }], ["/explore/table", { table: "Shop" }], ["/explore/items", { file: 0, table: "Shop", limit: 5 }], ["/explore/run", { file: 0, pattern: "user", arguments: { userId: "u1" } }], ["/explore/raw", { file: 0, operation: "Scan", table: "Shop", request: { TableName: "Shop", Limit: 5 } }]]) {
    const answer = await ask(path, body);
    const text = await answer.text();
    assert.equal(answer.status(), 200, text);
    assert.ok(!text.includes(SECRET) && !text.includes("AKIDKEPT") && !text.includes('"error"'), text);
    assert.equal((await ask(path, body, { origin: "http://evil.example" })).status(), 403);
    assert.equal((await fetch(`${workbench.origin}${path}`, { method: "POST", body: "{}", headers: { origin: workbench.origin } })).status, 403);
  }
  const files = await (await own.request.get(`${workbench.origin}/files`)).text();
  assert.ok(!files.includes(SECRET) && !files.includes("AKIDKEPT"));
  assert.equal((await ask("/explore/nothing", {})).status(), 404);
  assert.match(await (await ask("/explore/run", { file: 7, pattern: "user", arguments: {} })).text(), /there is no such file/);
});

test("a folder is explored without a model, and by keyboard alone", async () => {
  const data = join(folder, "data");
  done(["put", shop, "User", "userId=u9", "email=u9@example.org", "name=N", "createdAt=2026-01-01T10:00:00Z", "--data", data]);
  const bare = await started({}, ["--at", `keyfold:${data}`]);
  try {
    const { page: own, faults, context } = await opened(bare, { colorScheme: "dark" });
    assert.equal(await own.getByRole("button", { name: "Design" }).count(), 0);
    await own.getByRole("button", { name: "Operate" }).click();
    await own.locator(".state-of", { hasText: "holds" }).waitFor();
    await own.getByRole("button", { name: "Explore", exact: true }).click();
    await own.locator(".choice", { hasText: "Shop" }).waitFor();
    await own.keyboard.press("Control+k");
    await own.keyboard.type("table shop");
    await own.keyboard.press("Enter");
    await own.locator(".grid .kind.unknown").nth(1).waitFor();
    assert.match((await cells(own)).join(), /USER#u9/);
    await own.keyboard.press("Control+k");
    await own.keyboard.type("csv");
    await Promise.all([own.waitForEvent("download"), own.keyboard.press("Enter")]);
    assert.deepEqual(faults, []);
    await context.close();
  } finally {
    await bare.end();
  }
});

const RAW = `&raw=${encodeURIComponent(JSON.stringify({ operation: "Scan", table: "Shop", index: null, keys: [], filters: [{ name: "nothing", how: "does not exist", type: "N", value: "" }], backward: false, strong: true, limit: 10, statement: "" }))}`;

test("no view of data violates a rule of axe, and none is wider than its window", async () => {
  for (const width of [1280, 390]) {
    for (const colorScheme of ["light", "dark"]) {
      for (const hash of ["", "&table=Shop", "&pattern=recent_orders&a.userId=u1&a.since=x", "&pattern=orders_of_user&a.userId=u1", RAW]) {
        const { page: own, faults, context } = await page({ width, colorScheme, hash: `#view=explore${hash}` });
        await own.locator(".start, .grid, .field .bad:not(:empty)").first().waitFor();
        if (hash.includes("table")) await own.locator(".grid .kind").first().click();
        await own.evaluate(readFileSync(axe, "utf8"));
        const { violations } = await own.evaluate(() => globalThis.axe.run(document, { runOnly: ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "best-practice"] }));
        const found = violations.map((one) => `${one.id}: ${one.nodes.map((node) => node.html.slice(0, 200)).join(" ")}`);
        assert.deepEqual(found, [], JSON.stringify({ width, colorScheme, hash }));
        const wide = await own.evaluate(() => document.documentElement.scrollWidth - document.documentElement.clientWidth);
        assert.equal(wide, 0, JSON.stringify({ width, colorScheme, hash }));
        assert.deepEqual(faults, []);
        await context.close();
      }
    }
  }
});

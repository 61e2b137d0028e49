// The place as a whole in a real browser: what tables say about themselves, and changes as they come.

import assert from "node:assert/strict";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { kind } from "./places.mjs";
import { beside, closed, done, opened, served, started } from "./started.mjs";

const axe = createRequire(import.meta.url).resolve("axe-core/axe.min.js");
const MODEL = `model followed 1
table Followed (PK, SK)
  stream new and old images
  gsi GSI1 (GSI1PK, GSI1SK)
entity User
  userId: string, name: string, about: string?
  key   "USER#{userId}"  "PROFILE"
  GSI1  "USERS"          "{name}#{userId}"
pattern user(userId) -> User?
`;

let folder;
let model;
let server;
let workbench;

before(async () => {
  folder = mkdtempSync(join(tmpdir(), "keyfold-operate-"));
  model = join(folder, "followed.keyfold");
  writeFileSync(model, MODEL);
  server = await served(model);
  // A folder is changed through its workbench alone.
  workbench = await started({ "followed.keyfold": MODEL }, ["--at", await server.at(), ...(kind === "folder" ? ["--write"] : [])]);
});

after(async () => {
  await closed();
  await workbench?.end();
  await server?.end();
  rmSync(folder, { recursive: true, force: true });
});

let cookies;

async function page(options) {
  if (cookies === undefined) {
    const first = await opened(workbench);
    cookies = await first.context.cookies();
    await first.context.close();
  }
  return opened({ ...workbench, url: `${workbench.origin}/` }, { ...options, cookies });
}

const put = (verb, ...args) => beside({ server, workbench, cookies }, [verb, model, "User", ...args]);

test("tables say what they hold, and changes come while they are made", async () => {
  const { page: own, faults, context } = await page({ hash: "#view=explore" });
  await own.getByRole("button", { name: "Operate" }).click();
  const table = own.getByLabel("table Followed");
  await table.waitFor();
  assert.match(await table.innerText(), /Followed\s+holds\s+0 items, 0 bytes, as last counted\s+capacity\s+on demand\s+indexes\s+GSI1 global, 0 items, 0 bytes\s+stream\s+NEW_AND_OLD_IMAGES Follow\s+expiry\s+none\s+recovery\s+no point in time\s+backups\s+none/);
  assert.match(await own.getByLabel("jobs").innerText(), kind === "moto" ? /exports\s+not said here.*imports\s+not said here/s : /exports\s+none\s+imports\s+none/);
  await own.getByRole("button", { name: "Follow", exact: true }).click();
  await own.locator(".stream .empty", { hasText: "Nothing has changed since." }).waitFor();
  const link = own.url();
  assert.match(link, /view=operate&follow=Followed/);
  // The first answer has begun at the latest record: what comes is behind it.
  await own.waitForResponse((answer) => answer.url().endsWith("/explore/stream") && answer.request().postDataJSON().positions !== null);
  await put("put", "userId=u1", "name=<b>Ada");
  await own.locator(".stream li", { hasText: "User made PK = USER#u1, SK = PROFILE" }).waitFor();
  await put("update", "userId=u1", "name=Grace");
  await own.locator(".stream li", { hasText: "name = <b>Ada → Grace" }).waitFor();
  await put("delete", "userId=u1");
  await own.locator(".stream li", { hasText: "User deleted" }).waitFor();
  assert.match(await own.locator(".stream li").first().textContent(), /deleted/, "the newest is first");
  assert.equal(await own.locator("main b").filter({ hasText: "Ada" }).count(), 0);

  // A link follows the same table; the palette and a narrow page have it, too.
  for (const [width, colorScheme] of [[1280, "light"], [1280, "dark"], [390, "light"], [390, "dark"]]) {
    const other = await page({ width, colorScheme, hash: new URL(link).hash });
    await other.page.locator(".stream .empty").waitFor();
    await other.page.getByLabel("jobs").waitFor();
    await other.page.evaluate(readFileSync(axe, "utf8"));
    const { violations } = await other.page.evaluate(() => globalThis.axe.run(document, { runOnly: ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "best-practice"] }));
    assert.deepEqual(violations.map((one) => `${one.id}: ${one.nodes.map((node) => node.html.slice(0, 200)).join(" ")}`), []);
    assert.equal(await other.page.evaluate(() => document.documentElement.scrollWidth - document.documentElement.clientWidth), 0);
    assert.deepEqual(other.faults, []);
    await other.context.close();
  }
  await own.keyboard.press("Control+k");
  await own.keyboard.type("explore the data");
  await own.keyboard.press("Enter");
  await own.locator(".choices").waitFor();
  assert.deepEqual(faults, []);
});

test("the largest collections and items are found by reading the table, and a partition key with most changes is a hot one", async () => {
  const { page: own, faults, context } = await page({ hash: "#view=operate&follow=Followed" });
  const table = own.getByLabel("table Followed");
  await own.locator(".stream .empty").waitFor();
  await own.waitForResponse((answer) => answer.url().endsWith("/explore/stream") && answer.request().postDataJSON().positions !== null);
  await put("put", "userId=small", "name=s");
  await put("put", "userId=<b>large", "name=l", `about=${"x".repeat(90_000)}`);
  for (let number = 0; number < 12; number++) await put("update", "userId=small", `name=n${number}`);
  await own.getByLabel("keys by traffic").getByText("a hot partition key").waitFor();
  assert.match(await own.getByLabel("keys by traffic").innerText(), /of 1\d changes.*USER#small 9\d %|USER#small 8\d % of them: a hot partition key/s);
  await table.getByRole("button", { name: "Measure…" }).click();
  await table.getByText(/This reads the whole table: \d+ read units?/).waitFor();
  await table.getByRole("button", { name: "Read it all" }).click();
  await table.getByText("The largest items").waitFor();
  await table.getByRole("button", { name: "Measure…" }).waitFor();
  const text = await table.innerText();
  for (const one of [/2 items, 90 kB, [\d.]+ read units/, /collections\s+USER#<b>large: 1 item, 90 kB\s+USER#small: 1 item, \d+ bytes/, /items\s+PK = USER#<b>large, SK = PROFILE: 90 kB\s+PK = USER#small/]) assert.match(text, one);
  if (process.env.KEYFOLD_WEB_PICTURES) await own.screenshot({ path: join(process.env.KEYFOLD_WEB_PICTURES, "operate.png") });
  await own.evaluate(readFileSync(axe, "utf8"));
  const { violations } = await own.evaluate(() => globalThis.axe.run(document, { runOnly: ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "best-practice"] }));
  assert.deepEqual(violations.map((one) => `${one.id}: ${one.nodes.map((node) => node.html.slice(0, 200)).join(" ")}`), []);
  for (const user of ["small", "<b>large"]) await put("delete", `userId=${user}`);
  assert.deepEqual(faults, []);
  await context.close();
});

test("the requests of everybody are watched while they come", async () => {
  const { page: own, faults, context } = await page({ hash: "#view=operate" });
  await own.getByRole("button", { name: "Watch requests" }).click();
  const requests = own.getByLabel("requests", { exact: true });
  const link = own.url();
  assert.match(link, /view=operate&watch=requests/);
  if (kind === "folder") await requests.getByText("There is no server here").waitFor();
  else if (kind === "moto" || kind === "dynalite") await requests.getByText("This endpoint is no Keyfold server").waitFor();
  else {
    await requests.getByText("Nobody asks just now.").waitFor();
    for (let number = 0; (await requests.locator("tbody tr").count()) === 0; number++) await put("put", `userId=w${number % 5}`, "name=w");
    assert.match(await requests.innerText(), /a second, \d+ open connections?/);
    assert.match(await requests.locator("tbody").innerText(), /(PutItem|UpdateItem|TransactWriteItems|DescribeTable|Query|GetItem)[^]*≤ [\d.]+ m?s/);
    assert.match(await requests.getByRole("img").getAttribute("aria-label"), /requests a second in the last two minutes, [\d.,]+ at the most/);
    for (let number = 0; number < 5; number++) await put("delete", `userId=w${number}`).catch(() => undefined);
  }
  await own.evaluate(readFileSync(axe, "utf8"));
  const { violations } = await own.evaluate(() => globalThis.axe.run(document, { runOnly: ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "best-practice"] }));
  assert.deepEqual(violations.map((one) => `${one.id}: ${one.nodes.map((node) => node.html.slice(0, 200)).join(" ")}`), []);
  const other = await page({ hash: new URL(link).hash });
  await other.page.getByLabel("requests", { exact: true }).waitFor();
  await other.context.close();
  await own.getByRole("button", { name: "Stop watching" }).click();
  await requests.waitFor({ state: "detached" });
  assert.deepEqual(faults, []);
  await context.close();
});

test("requests are counted between two looks, throttled ones are marked, and a server that begins anew is counted anew", async () => {
  const within = (...counts) => [0.0001, 0.001, 0.005, null].map((most, at) => [most, counts[at]]);
  const get = (ok, ...counts) => ({ name: "GetItem", outcomes: { ok }, within: within(...counts) });
  const put = (outcomes, ...counts) => ({ name: "PutItem", outcomes, within: within(...counts) });
  const looks = [
    [get(1_000_000, 999_999, 999_999, 999_999, 1_000_000)],
    [get(1_000_200, 999_999, 1_000_150, 1_000_199, 1_000_200), put({ ok: 3, ProvisionedThroughputExceededException: 2, "<b>Odd": 1 }, 0, 0, 6, 6)],
    // The server was started again.
    [get(4, 4, 4, 4, 4)],
    [get(8, 4, 4, 4, 8)],
  ];
  for (const [width, colorScheme] of [[1280, "light"], [390, "dark"]]) {
    const { page: own, faults, context } = await page({ width, colorScheme, hash: "#view=operate" });
    let look = 0;
    let goOn;
    const seen = new Promise((resolve) => (goOn = resolve));
    await own.route("**/explore/requests", async (route) => {
      if (look === 2) await seen;
      await route.fulfill({ json: { operations: looks[Math.min(look, looks.length - 1)], connections: 2 } });
      look += 1;
    });
    await own.getByRole("button", { name: "Watch requests" }).click();
    const requests = own.getByLabel("requests", { exact: true });
    const row = (name) => requests.locator("tbody tr", { hasText: name });
    await row("GetItem").waitFor();
    const [gets, puts] = [await row("GetItem").locator("td").allInnerTexts(), await row("PutItem").locator("td").allInnerTexts()];
    assert.ok(Number(gets[0]) > 30 && Number(gets[0]) <= 100, gets[0]);
    assert.deepEqual(gets.slice(1), ["≤ 1 ms", "≤ 5 ms", "none"]);
    assert.deepEqual(puts.slice(1, 3), ["≤ 5 ms", "≤ 5 ms"]);
    assert.match(puts[3], /2 ProvisionedThroughputExceededException: throttled\s+1 <b>Odd/);
    assert.equal(await requests.locator("b").count(), 0);
    assert.equal(await own.evaluate(() => document.documentElement.scrollWidth - document.documentElement.clientWidth), 0);
    if (process.env.KEYFOLD_WEB_PICTURES) await own.screenshot({ path: join(process.env.KEYFOLD_WEB_PICTURES, `requests-${width}.png`) });
    goOn();
    await requests.getByText("over 5 s").first().waitFor();
    assert.deepEqual(await row("GetItem").locator("td").allInnerTexts().then((all) => all.slice(1)), ["over 5 s", "over 5 s", "none"]);
    assert.deepEqual(faults, []);
    await context.close();
  }
});

test("measuring goes on page by page, is stopped, and marks what comes near a limit", async () => {
  const pages = [0, 1, 2].map((at) => ({
    collections: [{ partition: { S: "c" }, items: 2, bytes: 4e9 }, { partition: { S: `d${at}` }, items: 1, bytes: 5 }],
    items: [{ key: { PK: { S: `d${at}` } }, bytes: 409_000 - at }],
    units: 3,
    next: { PK: { S: "c" } },
  }));
  const local = { IndexName: "L", IndexSizeBytes: 0, ItemCount: 0 };
  await atEndpoint({ ListTables: { TableNames: ["Old"] }, DescribeTable: { Table: { ...OLD, LocalSecondaryIndexes: [local] } } }, async (own) => {
    let asked = 0;
    let goOn;
    await own.route("**/explore/measure", async (route) => {
      asked += 1;
      if (asked === 3) await new Promise((resolve) => (goOn = resolve));
      await route.fulfill({ json: pages[asked - 1] });
    });
    const table = own.getByLabel("table Old");
    await table.getByRole("button", { name: "Measure…" }).click();
    await table.getByRole("button", { name: "Read it all" }).click();
    await table.getByText("So far 6 items").waitFor();
    await table.getByRole("button", { name: "Stop" }).click();
    while (goOn === undefined) await new Promise((resolve) => setTimeout(resolve, 10));
    goOn();
    await table.getByText("Stopped after 9 items").waitFor();
    const text = await table.innerText();
    for (const one of [/9 read units/, /c: 6 items, 12000 MB, of 10000 MB at most/, /PK = d0: 409 kB, of 410 kB at most/]) assert.match(text, one);
    assert.equal(asked, 3);
  });
});

/** Shows *Operate* of an endpoint that gives these answers, and knows no other request. */
async function atEndpoint(answers, look) {
  const foreign = createServer((request, response) => {
    const operation = request.headers["x-amz-target"]?.split(".")[1];
    request.resume().on("end", () => {
      const said = answers[operation];
      response.writeHead(said ? 200 : 400, { "content-type": "application/x-amz-json-1.0" });
      response.end(JSON.stringify(said ?? { __type: "com.amazon.coral.service#UnknownOperationException", message: "not here" }));
    });
  });
  await new Promise((resolve) => foreign.listen(0, "127.0.0.1", resolve));
  const foreignPage = await started({}, ["--at", `http://127.0.0.1:${foreign.address().port}`]);
  try {
    const { page: own, faults, context } = await opened(foreignPage, { hash: "#view=operate" });
    await own.locator(".state-of").first().waitFor();
    await look(own);
    assert.deepEqual(faults, []);
    await context.close();
  } finally {
    await foreignPage.end();
    foreign.closeAllConnections();
    foreign.close();
  }
}

const OLD = { TableName: "Old", TableStatus: "ACTIVE", ItemCount: 3, TableSizeBytes: 99, KeySchema: [{ AttributeName: "PK", KeyType: "HASH" }], AttributeDefinitions: [{ AttributeName: "PK", AttributeType: "S" }] };

test("an endpoint that does not know a request says so, and the rest is shown", async () => {
  await atEndpoint({ ListTables: { TableNames: ["Old"] }, DescribeTable: { Table: OLD } }, async (own) => {
    assert.match(await own.getByLabel("table Old").innerText(), /holds\s+3 items, 99 bytes.*stream\s+none\s+expiry\s+not said here: .*not here.*backups\s+not said here: .*not here/s);
    assert.match(await own.getByLabel("jobs").innerText(), /exports\s+not said here: .*not here.*imports\s+not said here: .*not here/s);
  });
});

test("exports, imports and restores are shown with how far they are", async () => {
  const arn = "arn:aws:dynamodb:eu-west-1:1:table/Old";
  const exports = [["COMPLETED", "FULL_EXPORT"], ["IN_PROGRESS", "INCREMENTAL_EXPORT"], ["FAILED", "FULL_EXPORT"]];
  const answers = {
    ListTables: { TableNames: ["Old"] },
    DescribeTable: { Table: { ...OLD, TableStatus: "CREATING", RestoreSummary: { RestoreDateTime: 1, RestoreInProgress: true } } },
    ListExports: { ExportSummaries: exports.map(([ExportStatus, ExportType], at) => ({ ExportArn: `${arn}/export/0${at}-<b>x`, ExportStatus, ExportType })) },
    ListImports: { ImportSummaryList: [{ ImportArn: `${arn}/import/07`, ImportStatus: "IN_PROGRESS", TableArn: arn, StartTime: 1796000000 }] },
  };
  await atEndpoint(answers, async (own) => {
    const text = await own.getByLabel("jobs").innerText();
    for (const one of [/Old: done 00-<b>x/, /Old, its changes: in progress 01-<b>x/, /Old: failed 02/, /imports\s+Old: in progress, since 2026-11-30T/, /restores\s+Old/]) assert.match(text, one);
    assert.equal(await own.locator(".state-of .bad").count(), 1);
  });
});

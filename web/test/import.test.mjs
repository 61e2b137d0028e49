// Lines of JSON that come in, in a real browser: what each would write is said first, and only that is written.

import assert from "node:assert/strict";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { closed, done, opened, served, started } from "./started.mjs";

const axe = createRequire(import.meta.url).resolve("axe-core/axe.min.js");
const MODEL = `model imported 1
table Imported (PK, SK)
entity User
  userId: string, email: string, worth: number?
  key     "USER#{userId}"  "PROFILE"
  unique  email
  count   notes of Note
entity Note
  noteId: string, userId: User.userId, text: string
  key  "NOTE#{noteId}"  "NOTE"
pattern user(userId) -> User?
pattern note(noteId) -> Note?
`;

let folder;
let model;
let server;
let workbench;
let cookies;

before(async () => {
  folder = mkdtempSync(join(tmpdir(), "keyfold-import-"));
  model = join(folder, "imported.keyfold");
  writeFileSync(model, MODEL);
  server = await served(model);
  workbench = await started({ "imported.keyfold": MODEL }, ["--at", server.endpoint, "--write"]);
});

after(async () => {
  await closed();
  await workbench?.end();
  await server?.end();
  rmSync(folder, { recursive: true, force: true });
});

async function page(options = {}) {
  if (cookies === undefined) {
    const first = await opened(workbench);
    cookies = await first.context.cookies();
    await first.context.close();
  }
  return opened({ ...workbench, url: `${workbench.origin}/` }, { hash: "#view=explore", ...options, cookies });
}

const at = () => ["--endpoint", server.endpoint];
const run = (...args) => JSON.parse(done(["run", model, ...args, ...at(), "--json"])).result.items.map((one) => one.attributes);
const fill = (own, lines) => own.getByLabel("lines", { exact: true }).fill(lines.map((one) => (typeof one === "string" ? one : JSON.stringify(one))).join("\n"));
const look = (own) => own.getByRole("button", { name: "Look at what would be written" }).click();
const begin = (own) => own.locator(".choices").getByRole("button", { name: "Import…" }).click();

test("each line of entities says what it would write, or why it is refused, and the good ones are written", async () => {
  done(["put", model, "User", "userId=there", "email=there@x", ...at()]);
  const { page: own, faults, context } = await page();
  await begin(own);
  await fill(own, [
    '{"kind": "User", "item": {"userId": "a", "email": "<b>a@x", "worth": 12345678901234567890.125, "PK": "USER#a", "notes": 7}}',
    { kind: "User", item: { userId: "b", email: "b@x" } },
    "",
    { kind: "Note", item: { noteId: "n1", userId: "there", text: "\"quoted\" \\ and [brackets}" } },
    "{oops",
    { kind: "User", item: { userId: "c", email: "<b>a@x" } },
    { kind: "User", item: { userId: "there", email: "other@x" } },
    { kind: "User", item: { userId: "d" } },
    { kind: "Note", item: { noteId: "n2", userId: "nobody", text: "t" } },
    { kind: "unique User.email", item: {} },
    { kind: "User", item: { userId: "e", email: "e@x", worth: "much" } },
    { kind: "Note", item: { noteId: "n3", userId: "b", text: "its user is made by line 2" } },
    { kind: "User", item: { userId: "f", email: "there@x" } },
  ]);
  await look(own);
  await own.locator(".import h3", { hasText: "4 lines would be written, 8 lines refused" }).waitFor();
  const said = await own.locator(".import").innerText();
  for (const one of [/2 times create User, 4 actions in all: .*guard/, /2 times create Note, 4 actions/, /Not taken from the lines: PK, notes/]) assert.match(said, one);
  const refused = await own.locator(".refused").innerText();
  for (const one of [/line 5: this is no JSON/, /line 6: it writes the same item as line 1/, /line 7: put User: an item with this key is there already/, /line 8: .*email/, /line 9: count User.notes: the item that it changes is not there/, /line 10: .*no entity/, /line 11: .*worth/, /line 13: put the guard of email: an item/]) assert.match(refused, one);
  assert.deepEqual(run("user", "userId=a"), [], "nothing is written before somebody agrees");
  await own.getByRole("button", { name: "Write 4 lines" }).click();
  await own.locator(".import .good", { hasText: "4 lines written" }).waitFor();
  assert.match(done(["run", model, "user", "userId=a", ...at(), "--json"]), /12345678901234567890\.125/);
  assert.equal(run("user", "userId=there")[0].notes, 1);
  assert.equal(run("note", "noteId=n1")[0].text, '"quoted" \\ and [brackets}');
  assert.equal(run("user", "userId=b")[0].notes, 1);
  assert.deepEqual(run("user", "userId=c"), []);

  // In the place of what is there.
  await own.getByLabel("where one is there").selectOption("true");
  await fill(own, [{ kind: "User", item: { userId: "there", email: "other@x" } }]);
  await look(own);
  await own.getByRole("button", { name: "Write 1 line" }).click();
  await own.locator(".import .good", { hasText: "1 line written" }).waitFor();
  assert.deepEqual([run("user", "userId=there")[0].email, run("user", "userId=there")[0].notes], ["other@x", 1]);
  assert.deepEqual(faults, []);
  await context.close();
});

test("items come in as they are stored, from a file, many of them; somebody who was faster is kept", async () => {
  const { page: own, faults, context } = await page();
  await begin(own);
  await own.getByLabel("the lines are").selectOption("Imported");
  const item = (at) => ({ PK: { S: `RAW#${at}` }, SK: { S: "x" }, n: { N: String(at) } });
  const lines = [...Array.from({ length: 230 }, (_, at) => (at % 2 === 0 ? item(at) : { Item: item(at) })), { PK: { S: "a" } }, { PK: { N: "1" }, SK: { S: "x" } }, { PK: "plain" }, item(7)];
  const file = join(folder, "items.jsonl");
  writeFileSync(file, lines.map((one) => JSON.stringify(one)).join("\n"));
  await own.getByLabel("file with the lines").setInputFiles(file);
  await look(own);
  await own.locator(".import h3", { hasText: "230 lines would be written, 4 lines refused" }).waitFor();
  const refused = await own.locator(".refused").innerText();
  for (const one of [/line 231: .*SK is not there/, /line 232: .*PK has another type/, /line 233: no item/, /line 234: it writes the same item as line 8/]) assert.match(refused, one);
  done(["put", model, "Note", "noteId=other", "userId=there", "text=t", ...at()]);
  await own.evaluate(async () => {
    const item = { PK: { S: "RAW#3" }, SK: { S: "x" }, by: { S: "another" } };
    await fetch("/explore/item", { method: "POST", headers: { "content-type": "application/json" }, body: JSON.stringify({ table: "Imported", after: item, isAgreed: true }) });
  });
  await own.getByRole("button", { name: "Write 230 lines" }).click();
  await own.locator(".import .good", { hasText: "229 lines written" }).waitFor();
  await own.locator(".refused", { hasText: /line 4: .*condition/i }).waitFor();
  assert.deepEqual(faults, []);
  await context.close();
});

test("the import is one for everybody, at each width, and a phone finds it", async () => {
  for (const [width, colorScheme] of [[1280, "light"], [1280, "dark"], [390, "light"], [390, "dark"]]) {
    const { page: own, faults, context } = await page({ width, colorScheme });
    if (width > 1000) await begin(own);
    else await own.getByLabel("table or pattern").selectOption("i");
    await fill(own, [{ kind: "User", item: { userId: `w${width}${colorScheme}`, email: `${width}${colorScheme}@x` } }, { kind: "User", item: {} }]);
    await look(own);
    await own.locator(".import h3").waitFor();
    if (process.env.KEYFOLD_WEB_PICTURES) await own.screenshot({ path: join(process.env.KEYFOLD_WEB_PICTURES, `import-${width}-${colorScheme}.png`) });
    await own.evaluate(readFileSync(axe, "utf8"));
    const { violations } = await own.evaluate(() => globalThis.axe.run(document, { runOnly: ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "best-practice"] }));
    assert.deepEqual(violations.map((one) => `${one.id}: ${one.nodes.map((node) => node.html.slice(0, 200)).join(" ")}`), []);
    assert.equal(await own.evaluate(() => document.documentElement.scrollWidth - document.documentElement.clientWidth), 0);
    assert.deepEqual(faults, []);
    await context.close();
  }
});

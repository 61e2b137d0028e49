// What is under way at a place, in a real browser: views with how far they are behind, a move, an evolution and a migration, each begun
// by the command and left where it is.

import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { kind } from "./places.mjs";
import { attempted, beside, closed, done, opened, served, started } from "./started.mjs";

const axe = createRequire(import.meta.url).resolve("axe-core/axe.min.js");

/** The model that is shown: its view is built, and no worker keeps it. */
const KEPT = `model kept 1
table Kept (PK, SK)
  stream new and old images
entity Order
  orderId: string, createdAt: time, total: number, status: pending | paid
  key  "ORDER#{orderId}"  "META"
view DailySales of Order where status = paid
  key  "SALES"  "{createdAt:day}"
  total: sum total, orders: count
pattern order(orderId) -> Order?
pattern sales() -> DailySales[]
`;
const users = (version, index) => `model users ${version}
table Users (PK, SK)
${index ? "  gsi GSI1 (GSI1PK, GSI1SK)\n" : ""}entity User
  userId: string, name: string
  key   "USER#{userId}"  "PROFILE"
${index ? '  GSI1  "NAMES"  "{name}#{userId}"\n' : ""}pattern user(userId) -> User?
${index ? "pattern named(name) -> User[]\n" : ""}`;
const COME = `model come 1
table Come (PK)
entity Customer
  customerId: int, name: string
  key "CUSTOMER#{customerId}"
  from customers set customerId = customers.id
pattern customer(customerId) -> Customer?
`;
const MOVED = `model moved 1
table Moved (PK)
entity Thing
  thingId: string
  key "THING#{thingId}"
pattern thing(thingId) -> Thing?
`;
const MODELS = { "kept.keyfold": KEPT, "users-1.keyfold": users(1, false), "users-2.keyfold": users(2, true), "come.keyfold": COME };

let folder;
let server;
let source;
let workbench;
let cookies;
/** How many records are not in the rows yet, as the command says it: the worker may have ended before it noted the first. */
let behind;

const file = (name) => join(folder, name);

before(async () => {
  folder = mkdtempSync(join(tmpdir(), "keyfold-under-way-"));
  for (const [name, text] of Object.entries({ ...MODELS, "moved.keyfold": MOVED })) writeFileSync(file(name), text);
  server = await served(file("kept.keyfold"));
  const at = server.endpoint;
  const order = (id, total) => done(["put", file("kept.keyfold"), "Order", `orderId=${id}`, "createdAt=2026-02-01T10:00:00Z", `total=${total}`, "status=paid", "--endpoint", at]);
  order("o1", 5);
  done(["views", "rebuild", file("kept.keyfold"), "--endpoint", at]);
  order("o2", 6);
  order("o3", 7);
  [{ behind }] = JSON.parse(done(["views", "status", file("kept.keyfold"), "--endpoint", at, "--json"])).result.views;
  assert.ok(behind >= 2, `${behind} records`);

  done(["tables", file("users-1.keyfold"), "--endpoint", at]);
  done(["put", file("users-1.keyfold"), "User", "userId=u1", "name=Ada", "--endpoint", at]);
  assert.match(attempted(["evolve", "run", file("users-1.keyfold"), file("users-2.keyfold"), "--at", at]), /stands at phase 2, writers/);

  execFileSync("python3", ["-c", "import sqlite3, sys; c = sqlite3.connect(sys.argv[1]); c.execute('CREATE TABLE customers (id INTEGER PRIMARY KEY, name TEXT NOT NULL)'); c.execute(\"INSERT INTO customers VALUES (1, 'Ada'), (2, 'Grace')\"); c.commit()", file("<b>shop.db")]);
  done(["migrate", "run", file("come.keyfold"), "--from", `sqlite:${file("<b>shop.db")}`, "--at", at, "--once"]);

  source = await served(file("moved.keyfold"), ["--no-project"]);
  for (const id of ["t1", "t2", "t3"]) done(["put", file("moved.keyfold"), "Thing", `thingId=${id}`, "--endpoint", source.endpoint]);
  done(["move", source.endpoint, at, "--table", "Moved", "--stop-when-even", "--yes"]);

  workbench = await started(MODELS, ["--at", await server.at(), ...(kind === "folder" ? ["--write"] : [])]);
  const first = await opened(workbench);
  cookies = await first.context.cookies();
  await first.context.close();
});

after(async () => {
  await closed();
  await workbench?.end();
  await server?.end();
  await source?.end();
  rmSync(folder, { recursive: true, force: true });
});

const page = (options) => opened({ ...workbench, url: `${workbench.origin}/` }, { hash: "#view=operate", ...options, cookies });

/** How the commands name the place. */
const named = kind === "folder" ? /--data \S+/.source : kind === "secure" ? /--endpoint '[^']+'/.source : /--endpoint \S+/.source;

test("a view says how far it is behind, and which command keeps it", async () => {
  const { page: own, faults, context } = await page();
  const views = own.getByLabel("views", { exact: true });
  await views.getByText("DailySales").waitFor();
  assert.match(await views.innerText(), new RegExp(`DailySales\\s+generation 1 is live, ${behind} records behind, the oldest for [\\d.]+ (s|min)\\s+keyfold views run \\S+kept.keyfold ${named}`));
  await beside({ server, workbench, cookies }, ["put", file("kept.keyfold"), "Order", "orderId=o4", "createdAt=2026-02-01T10:00:00Z", "total=8", "status=paid"]);
  await own.getByRole("button", { name: "Look again" }).click();
  await views.getByText(`${behind + 1} records behind`).waitFor();
  // A model without views has none; one that is stored with errors says so, and the rest stays.
  await own.goto(`${workbench.origin}/#view=operate&file=1`);
  await own.reload();
  await views.getByText("The model has none.").waitFor();
  writeFileSync(workbench.files[0], "model");
  await own.goto(`${workbench.origin}/#view=operate`);
  await own.reload();
  await views.getByText("the stored model has errors").waitFor();
  await own.getByLabel("under way").getByText("phase 2 of").waitFor();
  writeFileSync(workbench.files[0], KEPT);
  assert.deepEqual(faults, []);
  await context.close();
});

test("moves, evolutions and migrations say where they stand, and what goes on with them", async () => {
  const { page: own, faults, context } = await page({ permissions: ["clipboard-read", "clipboard-write"] });
  const all = own.getByLabel("under way");
  await all.locator("b", { hasText: "Moved" }).waitFor();
  const text = await all.innerText();
  const at = kind === "folder" ? /keyfold:\S+/.source : kind === "secure" ? /'[^']+'/.source : /\S+/.source;
  const instant = /2\d{3}-\d\d-\d\dT\d\d:\d\d:\d\dZ/.source;
  assert.match(text, new RegExp(`moves\\s+Moved following\\s+from\\s+the table arn:aws:dynamodb:\\S+table/Moved\\s+to\\s+this place\\s+done\\s+4 of 4 segments copied, 3 items read, \\d+ records? of changes\\s+since\\s+${instant}`));
  assert.match(text, new RegExp(`goes on by\\s+keyfold move resume FROM ${at} --table Moved`));
  assert.match(text, new RegExp(`evolutions\\s+users phase 2 of \\d: writers, which waits for people\\s+from\\s+users 1\\s+to\\s+users 2\\s+since\\s+${instant}\\s+goes on by\\s+keyfold evolve run \\S+users-1.keyfold \\S+users-2.keyfold --at ${at} --done writers`));
  assert.match(text, new RegExp(`migrations\\s+come following changes\\s+from\\s+sqlite:\\S+/<b>shop.db\\s+to\\s+the tables of this place\\s+done\\s+2 rows copied\\s+goes on by\\s+keyfold migrate run MODEL --from 'sqlite:\\S+/<b>shop.db' --at ${at}`));
  assert.equal(await own.locator("main b").filter({ hasText: "shop.db" }).count(), 0, "values are escaped");
  // The command is copied as it is carried out.
  await all.getByRole("listitem").filter({ hasText: "users" }).getByRole("button", { name: "Copy" }).click();
  await own.locator(".notice .good").waitFor();
  const copied = await own.evaluate(() => navigator.clipboard.readText());
  assert.match(copied, /^keyfold evolve run .* --done writers$/);
  // With the model of the migration, its command has its path.
  await own.goto(`${workbench.origin}/#view=operate&file=3`);
  await own.reload();
  await all.getByText(/keyfold migrate run \S+come.keyfold --from/).waitFor();
  assert.deepEqual(faults, []);
  await context.close();
});

test("an evolution whose models are not open is shown without the words of its phases", async () => {
  const place = kind === "folder" ? server.copied() : await server.at();
  const other = await started({ "kept.keyfold": KEPT }, ["--at", place]);
  try {
    const { page: own, context } = await opened(other, { hash: "#view=operate" });
    const all = own.getByLabel("under way");
    await all.locator("b", { hasText: "users" }).waitFor();
    assert.match(await all.innerText(), /users phase 2, which waits for people.*keyfold evolve run OLD NEW --at/s);
    await context.close();
  } finally {
    await other.end();
  }
});

test("what is under way is for everybody, at each width", async () => {
  for (const [width, colorScheme] of [[1280, "light"], [1280, "dark"], [390, "light"], [390, "dark"]]) {
    const { page: own, faults, context } = await page({ width, colorScheme });
    await own.getByLabel("under way").getByText("phase 2 of").waitFor();
    await own.getByLabel("views", { exact: true }).scrollIntoViewIfNeeded();
    if (process.env.KEYFOLD_WEB_PICTURES) {
      await own.getByLabel("under way").evaluate((one) => one.scrollIntoView({ block: "end" }));
      await own.screenshot({ path: join(process.env.KEYFOLD_WEB_PICTURES, `under-way-${width}-${colorScheme}.png`) });
    }
    await own.evaluate(readFileSync(axe, "utf8"));
    const { violations } = await own.evaluate(() => globalThis.axe.run(document, { runOnly: ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "best-practice"] }));
    assert.deepEqual(violations.map((one) => `${one.id}: ${one.nodes.map((node) => node.html.slice(0, 200)).join(" ")}`), []);
    assert.equal(await own.evaluate(() => document.documentElement.scrollWidth - document.documentElement.clientWidth), 0);
    assert.deepEqual(faults, []);
    await context.close();
  }
});

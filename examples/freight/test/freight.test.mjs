/** The quay as it is started: its API by its description, its page in Chromium, on a folder and on a
 * server. */

import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { described } from "../../web/test/described.mjs";
import { launch, pressOn } from "../../web/test/browser.mjs";
import { server, started } from "../../web/test/started.mjs";

const file = (path) => new URL(path, import.meta.url).pathname;
let quay, api, browser;

before(async () => {
  quay = await started("freight", [], { FREIGHT_CONNECTION: "memory:" });
  api = described(file("../openapi.json"), quay.address);
  browser = await launch(quay.address, file("../screenshots/made"));
});
after(async () => {
  await browser?.close();
  assert.equal(await quay?.end(), 0);
});

const post = (path, body) => api.call("POST", path, body);
const code = ({ status, value }) => `${status} ${value.code}`;
const container = async (id) =>
  (await api.call("GET", "/api/containers")).value.containers.find(({ containerId }) => containerId === id);

test("N3: what is refused says which condition failed, and nothing changes", async () => {
  assert.equal((await post("/api/containers", { containerId: "c1", places: 1 })).status, 201);
  for (const itemId of ["a", "b"]) await post("/api/items", { itemId, description: "tea" });
  const { value } = await post("/api/items/a/assign", { containerId: "c1" });
  assert.deepEqual(value, { itemId: "a", description: "tea", containerId: "c1" });
  assert.deepEqual(await container("c1"), { containerId: "c1", free: 0, shipments: ["a"] });
  assert.equal(code(await post("/api/items/b/assign", { containerId: "c1" })), "409 no_place");
  assert.equal(code(await post("/api/items/a/assign", { containerId: "north" })), "409 not_free");
  assert.equal((await container("north")).free, 4);
  assert.equal(code(await post("/api/items/a/unload", { containerId: "north" })), "409 elsewhere");
  assert.equal((await post("/api/items/a/unload", { containerId: "c1" })).value.containerId, null);
  assert.deepEqual(await container("c1"), { containerId: "c1", free: 1, shipments: [] });
});

test("N3: of 64 dispatchers at once as many find a place as there are", async () => {
  const { value } = await post("/api/containers/south/rush", { dispatchers: 64 });
  assert.deepEqual([value.loaded, value.refused, value.free, value.isRight], [16, 48, 0, true]);
  const { items } = (await api.call("GET", "/api/items")).value;
  assert.equal(items.filter(({ containerId }) => containerId === "south").length, 16);
});

test("N3: what cannot be is refused with a sentence", async () => {
  assert.equal(code(await post("/api/containers", { containerId: "c1", places: 5 })), "409 exists");
  assert.equal(code(await post("/api/containers", { containerId: "c2", places: 0 })), "400 invalid");
  assert.equal(code(await post("/api/items", { itemId: "a", description: "again" })), "409 exists");
  assert.equal(code(await post("/api/items", { itemId: "x" })), "400 invalid");
  for (const [path, body, field] of [
    ["/api/items", { itemId: " ", description: "d" }, "itemId"],
    ["/api/items", { itemId: "", description: "d" }, "itemId"],
    ["/api/items", { itemId: "x", description: " \t\u00a0" }, "description"],
    ["/api/containers", { containerId: "\u2003", places: 5 }, "containerId"],
  ]) {
    const blank = await post(path, body);
    assert.deepEqual([code(blank), blank.value.field], ["400 invalid", field], JSON.stringify(body));
    assert.match(blank.value.detail, /^The member \w+ is (blank|empty)\. Send a text/);
  }
  for (const verb of ["assign", "unload"]) assert.equal(code(await post(`/api/items/a/${verb}`, "{")), "400 invalid");
  assert.equal(code(await post("/api/containers/c1/rush", { dispatchers: 0 })), "400 invalid");
  assert.equal(code(await post("/api/containers/nowhere/rush", { dispatchers: 2 })), "404 not_found");
  for (const list of ["containers", "items"]) assert.equal(code(await api.call("GET", `/api/${list}?after=x`)), "400 invalid");
  assert.deepEqual(api.unseen(), []);
  const message = async (path, body) => (await post(path, body)).value.detail;
  assert.match(await message("/api/containers", { containerId: "c2", places: "1" }), /^The member places is the text "1"/);
  assert.match(await message("/api/containers", ["c2", 1]), /^The body is no object/);
});

test("the lists have a page at a time, and the page says that there are more", async (context) => {
  const other = await started("freight", [], { FREIGHT_CONNECTION: "memory:" });
  context.after(() => other.end());
  const of = described(file("../openapi.json"), other.address);
  for (let from = 0; from < 600; from += 100) {
    const ids = Array.from({ length: 100 }, (_, at) => `many-${from + at}`);
    await Promise.all(ids.map((itemId) => of.call("POST", "/api/items", { itemId, description: "tea" })));
  }
  const first = (await of.call("GET", "/api/items")).value;
  const second = (await of.call("GET", `/api/items?after=${encodeURIComponent(first.next)}`)).value;
  assert.deepEqual([first.items.length, second.items.length, second.next], [500, 106, null]);
  assert.equal((await of.call("GET", "/api/containers")).value.next, null);
  const page = await browser.at(`${other.address}/`, "desktop-light");
  await page.getByText("The first 500 items are looked at; there are more.").waitFor();
  await page.context().close();
});

test("N3: what the routes refuse is a problem like all others", async () => {
  for (const [status, method, path, body] of [
    [405, "DELETE", "/api/items"],
    [413, "POST", "/api/items", "x".repeat(3_000_000)],
    [400, "POST", "/api/containers/%ff/rush", "{}"],
  ]) {
    const answer = await fetch(`${quay.address}${path}`, { method, body });
    const problem = await answer.json();
    assert.equal(answer.headers.get("content-type"), "application/problem+json");
    assert.deepEqual([answer.status, problem.status, problem.code], [status, status, "invalid"]);
    assert.match(problem.detail, /^[A-Z].+\.$/s);
  }
});

test("the page: items are assigned and unloaded by keyboard, and a rush shows its figures", async () => {
  for (const look of ["desktop-light", "phone-dark"]) {
    const page = await browser.at("/", look);
    await page.getByText("places are free").first().waitFor();
    const form = page.locator("#assign");
    await form.getByLabel("Item").selectOption("item-1");
    await form.getByLabel("Container").selectOption("east");
    await pressOn(page, form.getByRole("button"));
    await page.getByText("item-1 is in east.").waitFor();
    await page.evaluate(() => scrollTo(0, 0));
    await browser.seen(page, "quay", look);
    await pressOn(page, page.getByRole("button", { name: "Unload item-1" }));
    await page.getByText("item-1 is on the quay.").waitFor();
    // The button is gone. The focus stays near it.
    await page.waitForFunction(() => document.activeElement?.closest("#containers") !== null);
    await page.locator("#rush").getByLabel("Container").selectOption("north");
    await pressOn(page, page.locator("#rush").getByRole("button"));
    await page.getByText("64 dispatchers were at north at once.").waitFor();
    const figure = (name) => page.locator("dl div", { hasText: name }).locator("dd").textContent();
    assert.equal(await figure("Container and items agree"), "yes");
    assert.equal(await figure("Places left"), "0");
    await page.locator("#outcome").evaluate((element) => element.scrollIntoView({ block: "center" }));
    await browser.seen(page, "rush", look);
    await form.getByLabel("Container").selectOption("north");
    await pressOn(page, form.getByRole("button"));
    await page.getByText("Container north is full").waitFor();
    await page.context().close();
  }
  assert.deepEqual(browser.faults, []);
});

test("the page: a first view takes few requests and few bytes", async () => {
  await browser.light("/", (page) => page.getByText("places are free"));
  assert.deepEqual(browser.faults, []);
});

test("on a folder the goods stay where they are, and a dispatcher without a page sees them", async () => {
  const one = await started("freight", [], {});
  const assign = (address) =>
    fetch(`${address}/api/items/item-2/assign`, { method: "POST", body: '{"containerId":"north"}' });
  assert.equal((await assign(one.address)).status, 200);
  assert.equal(await one.end({ keep: true }), 0);
  const other = await started("freight", ["show", "item-2"], {}, one.folder);
  assert.equal(await other.ended, 0);
  assert.equal(other.said(), "item-2: a crate of bicycles, in north\n");
  for (const [words, said] of [
    [["assign", "item-2", "east"], "container east is full, or there is none"],
    [["show", "nothing"], "there is no item nothing"],
    [["item", " ", "tea"], "Freight stays closed: A name or a description is blank. Give one that can be seen."],
    [["container", "", "4"], "Freight stays closed: A name or a description is blank. Give one that can be seen."],
    [["container", "c2", "-1"], "Freight stays closed: A container has from 1 to 1,000 places. Send one of these numbers."],
    [["container", "c2", "9".repeat(20)], `Freight stays closed: ${"9".repeat(20)} is no number of places`],
  ]) {
    const refused = await started("freight", words);
    assert.deepEqual([await refused.ended, refused.said()], [1, `${said}\n`]);
  }
});

test("N3: on a server, 64 dispatchers of two programs fill no container twice", async () => {
  const { address, stop } = await server();
  const env = { FREIGHT_CONNECTION: address };
  const one = await started("freight", [], env);
  const other = await started("freight", [], env);
  const rush = async (program) =>
    (await fetch(`${program.address}/api/containers/south/rush`, { method: "POST", body: '{"dispatchers":32}' })).json();
  const [first, second] = await Promise.all([rush(one), rush(other)]);
  assert.deepEqual([first.isRight, second.isRight], [true, true], "each sees what the other has loaded");
  assert.equal(first.loaded + second.loaded, 16);
  const { containers } = await (await fetch(`${one.address}/api/containers`)).json();
  const south = containers.find(({ containerId }) => containerId === "south");
  assert.deepEqual([south.free, south.shipments.length], [0, 16]);
  await stop();
  for (const { end } of [one, other]) assert.equal(await end(), 0);
});

/** The home as it is started: its API by its description, throttling on an embedded database and on a
 * server, its page in Chromium. */

import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { setTimeout as delay } from "node:timers/promises";
import { described } from "../../web/test/described.mjs";
import { launch, pressOn } from "../../web/test/browser.mjs";
import { server, started } from "../../web/test/started.mjs";

const file = (path) => new URL(path, import.meta.url).pathname;
const description = file("../openapi.json");
let home, api, browser;

before(async () => {
  home = await started("smart-home", [], { HOME_CONNECTION: "memory:" });
  api = described(description, home.address);
  browser = await launch(home.address, file("../screenshots/made"));
});
after(async () => {
  await browser?.close();
  assert.equal(await home?.end(), 0);
});

const poll = (of, pollsASecond) => of.call("POST", "/api/polling", { pollsASecond });
/** Waits for a state of the polling. */
async function until(of, isThere) {
  for await (const state of of.events("/api/events", "Shown")) if (isThere(state)) return state;
  throw new Error("the events ended");
}
/** Ends the polling, and waits until no poll is under way. */
async function silence() {
  await poll(api, 0);
  const isSilent = ({ polled, throttled }) => polled + throttled === 0;
  return until(api, ({ wanted, seconds }) => wanted === 0 && seconds.slice(-2).every(isSilent));
}
/** The state of the polling after so many seconds. */
async function ahead(seconds) {
  let left = seconds;
  return until(api, () => (left -= 1) < 0);
}

test("N6: readings go into the table of their month, and a range is answered in order", async () => {
  const path = "/api/sensors/attic/readings";
  const at = ["2026-09-30T23:59:59.999Z", "2026-10-01T00:00:00.000Z", "2026-08-15T12:00:00.000Z", "2026-11-02T00:00:00.000Z"];
  for (const [value, time] of at.entries()) assert.equal((await api.call("POST", path, { at: time, value: value + 0.5 })).status, 201);
  const between = async (from, to) => (await api.call("GET", `${path}?from=${from}&to=${to}`)).value.readings;
  const all = await between("2026-08-01T00:00:00Z", "2026-11-30T00:00:00Z");
  assert.deepEqual(all.map((one) => one.value), [2.5, 0.5, 1.5, 3.5]);
  const two = await between("2026-09-30T00:00:00Z", "2026-10-01T00:00:00Z");
  assert.deepEqual(two.map((one) => Date.parse(one.at)), [Date.parse(at[0]), Date.parse(at[1])]);
  const to = new Date();
  const from = new Date(to - 90 * 24 * 3600 * 1000).toISOString();
  const { readings } = (await api.call("GET", `/api/sensors/kitchen/readings?from=${from}&to=${to.toISOString()}`)).value;
  assert.ok(readings.length > 350, `${readings.length} readings of the last months`);
});

test("N6: a reading keeps all its digits", async () => {
  const path = "/api/sensors/cellar/readings";
  const digits = "20.123456789012345678901234567891";
  const headers = { "content-type": "application/json" };
  const put = (value) => fetch(home.address + path, { method: "POST", headers, body: `{"at":"2026-11-01T00:00:00Z","value":${value}}` });
  assert.equal((await put(digits)).status, 201);
  const range = "?from=2026-11-01T00:00:00Z&to=2026-11-01T00:00:00Z";
  const text = await (await fetch(home.address + path + range)).text();
  assert.ok(text.includes(`"value":${digits}}`), text);
  const more = await put("1." + "2".repeat(40));
  assert.equal(more.status, 400);
  for (const wrong of ['"1"', "null", "[1]"]) assert.equal((await put(wrong)).status, 400, wrong);
});

test("N4: bursts are taken on demand, and a device shows its latest events", async () => {
  const { value } = await api.call("POST", "/api/burst", { events: 1000 });
  assert.deepEqual([value.events, value.units], [1000, 1000]);
  const { activity } = (await api.call("GET", "/api/devices/device-07/activity")).value;
  assert.equal(activity.length, 50);
  const times = activity.map(({ at }) => Date.parse(at));
  assert.deepEqual(times, [...times].sort((one, other) => other - one));
});

test("N4 N6: what cannot be is refused with a sentence", async () => {
  const refused = async (method, path, body) => assert.equal((await api.call(method, path, body)).status, 400, path);
  await refused("POST", "/api/polling", { pollsASecond: 1001 });
  await refused("POST", "/api/burst", { events: 0 });
  for (const range of [
    "from=yesterday",
    "from=2026-11-01T00:00:00Z",
    "from=2026-11-02T00:00:00Z&to=2026-11-01T00:00:00Z",
    "from=1500-01-01T00:00:00Z&to=2299-11-01T00:00:00Z",
  ]) await refused("GET", `/api/sensors/attic/readings?${range}`);
  await refused("POST", "/api/sensors/attic/readings", { at: "2026-11-01T00:00:00Z", value: 1e200 });
  await refused("POST", "/api/sensors/attic/readings", { at: "yesterday", value: 1 });
  assert.equal((await api.call("GET", "/api/devices/nope/activity")).status, 404);
  const last = "9999-12-30T22:00:00.999Z";
  assert.equal((await api.call("POST", "/api/sensors/attic/readings", { at: last, value: 1 })).status, 201);
  const later = await api.call("POST", "/api/sensors/attic/readings", { at: "9999-12-31T00:00:00Z", value: 1 });
  assert.deepEqual([later.status, later.value.detail.includes(`the last one is ${last}`)], [400, true]);
});

test("N4: beyond the capacity polling backs off and no poll is lost; within it none is refused, though nothing is saved", async () => {
  await poll(api, 1000);
  await until(api, ({ throttled }) => throttled > 0);
  // What was saved, five minutes of the capacity, is used up: the rate comes down to the table's, and refusals become few.
  const isCalm = ({ polled, throttled }) => polled + throttled < 60;
  const calm = await until(api, ({ seconds }) => seconds.slice(-3).every(isCalm) && seconds.at(-1).polled > 0);
  assert.ok(calm.polled >= 1500, `${calm.polled} polls`);
  const silent = await silence();
  // The table has saved what it got in this silence, some seconds: four polls a second live on what it gets now.
  await poll(api, 4);
  const steady = await until(api, ({ polled, throttled }) => polled >= silent.polled + 80 || throttled > silent.throttled);
  assert.equal(steady.throttled - silent.throttled, 0, `refused after ${steady.polled - silent.polled} polls`);
  // Twenty are more than it gets, by fifteen a second.
  await poll(api, 20);
  const refused = await until(api, ({ polled, throttled }) => throttled > steady.throttled || polled > steady.polled + 1000);
  assert.ok(refused.throttled > steady.throttled, "no poll of a thousand was refused");
  const { seconds } = await ahead(15);
  const asked = seconds.slice(-10).reduce((sum, { polled, throttled }) => sum + polled + throttled, 0);
  assert.ok(asked < 120, `${asked} polls in ten seconds, of two hundred that were wanted`);
  const end = await silence();
  const { devices } = (await api.call("GET", "/api/devices")).value;
  assert.equal(devices.length, 20);
  assert.equal(devices.reduce((sum, { polls }) => sum + polls, 0), end.polled);
  assert.deepEqual(api.unseen(), []);
});

test("N4: on a server that enforces capacity the client backs off, too", async () => {
  const { address, stop } = await server("--capacity", "enforce");
  const other = await started("smart-home", [], { HOME_CONNECTION: address });
  const of = described(description, other.address);
  await poll(of, 1000);
  const state = await until(of, ({ throttled }) => throttled > 3);
  assert.ok(state.polled >= 1000, `${state.polled} polls`);
  assert.deepEqual(state.seconds.reduce((sum, { failed }) => sum + failed, 0), 0);
  assert.equal(await other.end(), 0);
  await stop();
});

test("the page: polling and bursts by keyboard, and a chart over months", async () => {
  for (const look of ["phone-dark", "desktop-light"]) {
    const page = await browser.at("/", look);
    await page.getByLabel("Polls a second").fill("300");
    await pressOn(page, page.getByRole("button", { name: "Poll" }));
    await page.getByText("300 polls a second are wanted.").waitFor();
    await page.waitForTimeout(2500);
    await browser.seen(page, "polling", look);
    await page.getByLabel("Polls a second").fill("0");
    await pressOn(page, page.getByRole("button", { name: "Poll" }));
    await page.getByText("Nothing is polled.").waitFor();
    await pressOn(page, page.getByRole("button", { name: "Burst" }));
    await page.getByText("500 events were written").waitFor();
    await page.getByLabel("Days").selectOption("90");
    await pressOn(page, page.getByRole("button", { name: "Show" }));
    await page.getByText(/readings from [345] tables/).waitFor();
    await page.locator("#chart").evaluate((element) => element.scrollIntoView({ block: "center" }));
    await browser.seen(page, "readings", look);
    await page.context().close();
  }
  assert.deepEqual(browser.faults, []);
});

test("the page: a first view takes few requests and few bytes", async () => {
  await browser.light("/", (page) => page.locator("#chart").getByText(/^[\d,]+ readings? from (the table of the month|[2-9] tables, one for each month): from/));
  assert.deepEqual(browser.faults, []);
});

/** Stores a reading. A sensor is one partition key, which takes a thousand writes a second: what is
 * refused beyond them is sent again. */
async function stored(of, path, reading) {
  for (;;) {
    const { status, value } = await of.call("POST", path, reading);
    if (status !== 503) return assert.equal(status, 201, JSON.stringify(value));
    await delay(100);
  }
}

test("N6: of many readings the API has some thousands at a time, and the chart shows all", async (context) => {
  const other = await started("smart-home", [], { HOME_CONNECTION: "memory:" });
  context.after(() => other.end());
  const of = described(description, other.address);
  const path = "/api/sensors/kitchen/readings";
  const [count, end] = [5_100, Date.now()];
  const moment = (back) => new Date(end - 60_000 * back).toISOString();
  for (let from = 1; from <= count; from += 100) {
    const some = Array.from({ length: 100 }, (_, at) => moment(from + at));
    // One of them is the coldest, which the chart shows, too.
    const value = (at) => (at === moment(2_000) ? -40 : 20);
    await Promise.all(some.map((at) => stored(of, path, { at, value: value(at) })));
  }
  const between = async (from) => (await of.call("GET", `${path}?from=${from}&to=${moment(0)}`)).value;
  const first = await between(moment(count));
  assert.equal(first.readings.length, 5_000);
  const second = await between(first.next);
  assert.equal(second.next, null);
  assert.equal(second.readings[0].at, first.next);
  const page = await browser.at(`${other.address}/`, "desktop-light");
  await page.getByLabel("Days").selectOption("7");
  await page.getByRole("button", { name: "Show" }).press("Enter");
  const caption = page.getByText(/^5,1\d\d readings from .* from -40 to/);
  await caption.waitFor();
  const line = await page.locator("#chart path").getAttribute("d");
  assert.ok(line.split("L").length <= 1_000, "a chart has as many points as it can show");
  await page.context().close();
  assert.deepEqual(browser.faults, []);
});

test("on a folder, what was polled is there after a restart", async () => {
  const one = await started("smart-home");
  const of = described(description, one.address);
  await poll(of, 100);
  await until(of, ({ polled }) => polled > 20);
  assert.equal(await one.end({ keep: true }), 0);
  const other = await started("smart-home", [], {}, one.folder);
  const { devices } = (await described(description, other.address).call("GET", "/api/devices")).value;
  assert.ok(devices.length > 0);
  assert.equal(await other.end(), 0);
});

/** The club as it is started: its API by its description, its pages in Chromium. */

import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { described } from "../../web/test/described.mjs";
import { launch, pressOn, tabTo } from "../../web/test/browser.mjs";
import { started } from "../../web/test/started.mjs";

const file = (path) => new URL(path, import.meta.url).pathname;
/** Both sizes and both colours. */
const SEEN = ["phone-dark", "desktop-light"];
let club, api, browser;

before(async () => {
  club = await started("alleycat", [], { ALLEYCAT_CONNECTION: "memory:" });
  api = described(file("../openapi.json"), club.address);
  browser = await launch(club.address, file("../screenshots/made"));
});
after(async () => {
  await browser?.close();
  assert.equal(await club?.end(), 0);
});

const start = async (body, classId = "sprint") => {
  const { status, value } = await api.call("POST", `/api/classes/${classId}/races`, body);
  assert.equal(status, 202);
  return value.raceId;
};

test("A4: every state of a leaderboard is sorted, and the last one is the truth", async () => {
  const raceId = await start({ racers: 30, seconds: 20, speed: 10 });
  const path = `/api/classes/sprint/races/${raceId}`;
  let last, seen = 0;
  for await (const state of api.events(`${path}/events`, "Shown")) {
    const scores = state.rows.map(({ score }) => score);
    assert.deepEqual(scores, [...scores].sort((one, other) => other - one));
    [last, seen] = [state, seen + 1];
  }
  assert.ok(seen > 3, `the leaderboard moved ${seen} times`);
  const { figures } = last;
  assert.deepEqual([figures.writes, figures.lost, figures.rightReaders], [600, 0, 4]);
  assert.deepEqual((await api.call("GET", `/api/races/${raceId}/leaderboard`)).value.rows, last.rows);
  assert.equal((await api.call("GET", path)).value.isOver, true);
});

test("A1 A2 A3 A5: results, races, the best, and the seconds of a race", async () => {
  const raceId = await start({ racers: 3, seconds: 5, speed: 10 }, "climb");
  for await (const state of api.events(`/api/classes/climb/races/${raceId}/events`, "Shown")) assert.equal(state.problem, null);
  const { races } = (await api.call("GET", "/api/classes/climb/races")).value;
  assert.deepEqual(races.map((race) => [race.raceId, race.racers]), [[raceId, 3]]);
  const { results } = (await api.call("GET", "/api/racers/0002/results")).value;
  const result = results.find((one) => one.raceId === raceId);
  assert.equal(result.seconds, 5);
  const { tracks } = (await api.call("GET", `/api/racers/0002/performance?race=${raceId}`)).value;
  assert.equal(tracks.length, 1);
  assert.equal(tracks[0].points.reduce((sum, watts) => sum + watts, 0), result.score);
  const { best } = (await api.call("GET", "/api/classes/climb/best")).value;
  assert.equal(best.length, 3);
  assert.equal(best.find(({ racerId }) => racerId === "0002").score, result.score);
});

test("A5: recorded points are stored and read as it was", async () => {
  const points = Array.from({ length: 600 }, (_, at) => 200 + Math.round(60 * Math.sin(at / 90)) + (at % 7));
  const raceId = await start({ racers: 1, seconds: 600, speed: 100 }, "endurance");
  for await (const state of api.events(`/api/classes/endurance/races/${raceId}/events`, "Shown")) assert.equal(state.problem, null);
  const body = { racerId: "0042", name: "Ines Berg", raceId, points };
  const { value } = await api.call("POST", "/api/classes/endurance/results", body);
  assert.equal(value.score, points.reduce((sum, watts) => sum + watts, 0));
  const { tracks } = (await api.call("GET", `/api/racers/0042/performance?race=${raceId}`)).value;
  assert.deepEqual(tracks, [{ raceId, points }]);
  const refused = async (status, changed) => {
    const answer = await api.call("POST", "/api/classes/endurance/results", { ...body, ...changed });
    assert.equal(answer.status, status);
    return answer.value.detail;
  };
  // Sent again it is the same result; with other seconds it is another one.
  assert.deepEqual((await api.call("POST", "/api/classes/endurance/results", body)).value, value);
  await refused(409, { points: [...points].reverse() });
  // The racer's own result of the race stays.
  await refused(409, { racerId: "0001" });
  assert.match(await refused(400, { racerId: "0043", points: points.slice(1) }), /has 600 seconds/);
});

test("A1 to A5: what cannot be is refused with a sentence", async () => {
  const refused = async (status, method, path, body, headers) => {
    const answer = await api.call(method, path, body, headers);
    assert.equal(answer.status, status, path);
    return answer.value.detail;
  };
  assert.equal(await refused(404, "GET", "/api/classes/nothing/races"), "There is no class nothing.");
  await refused(404, "GET", "/api/classes/nothing/best");
  await refused(404, "GET", "/api/classes/sprint/races/nothing");
  for (const race of ["zz", ".1", "sprint.999"])
    assert.equal(await refused(404, "GET", `/api/races/${race}/leaderboard`), `There is no race ${race}.`);
  await refused(404, "POST", "/api/classes/nothing/races", { racers: 1, seconds: 1, speed: 1 });
  const many = { racers: 1001, seconds: 1, speed: 1 };
  assert.match(await refused(400, "POST", "/api/classes/sprint/races", many), /from 1 to 1,000/);
  assert.match(await refused(400, "POST", "/api/classes/sprint/races", "{"), /The body/);
  for (const limit of ["0", "abc", "-1"]) await refused(400, "GET", `/api/races/nothing/leaderboard?limit=${limit}`);
  await refused(400, "POST", "/api/classes/sprint/results", { racerId: "1", name: "N", raceId: "r", points: [] });
  for (const blank of [{ racerId: " " }, { name: "\t" }, { name: "" }]) {
    const result = { racerId: "1", name: "N", raceId: "r", points: [1], ...blank };
    assert.match(await refused(400, "POST", "/api/classes/sprint/results", result), /is (blank|empty)\. Send a text/);
  }
  await refused(404, "POST", "/api/classes/nothing/results", { racerId: "1", name: "N", raceId: "r", points: [1] });
  const unknown = { racerId: "0043", name: "N", raceId: "sprint.999", points: [1] };
  const record = (classId, body) => refused(404, "POST", `/api/classes/${classId}/results`, body);
  assert.equal(await record("sprint", unknown), "There is no race sprint.999 of sprint.");
  // A race of another class is none of this one.
  await record("climb", { ...unknown, raceId: "sprint.1" });
  assert.deepEqual((await api.call("GET", "/api/racers/0043/results")).value.results, []);
  assert.deepEqual((await api.call("GET", "/api/racers/0043/performance")).value.tracks, []);
  for (const of of ["results", "performance"]) await refused(400, "GET", `/api/racers/0043/${of}?after=x`);
  await refused(404, "GET", "/api/classes/sprint/races/nothing/events");
  const foreign = await fetch(`${club.address}/api/classes/sprint/races`, { method: "POST", headers: { origin: "http://elsewhere.example" } });
  assert.equal(foreign.status, 403);
  const slow = { racers: 1, seconds: 60, speed: 1 };
  const [running] = await Promise.all([start(slow), start(slow)]);
  const early = { racerId: "0001", name: "N", raceId: running, points: Array(60).fill(1) };
  assert.match(await refused(409, "POST", "/api/classes/sprint/results", early), /is running/);
  assert.match(await refused(409, "POST", "/api/classes/sprint/races", slow), /Two races are running/);
});

test("all that the description promises was seen", async () => {
  await api.call("GET", "/api/classes");
  assert.deepEqual(api.unseen(), []);
});

test("pages: a race is started by keyboard, its leaderboard moves, and its figures stand at its end", async () => {
  const other = await started("alleycat", [], { ALLEYCAT_CONNECTION: "memory:" });
  const own = await launch(other.address, file("../screenshots/made"));
  const page = await own.at("/", "phone-dark");
  await pressOn(page, page.getByRole("link", { name: "Sprint" }));
  await tabTo(page, page.getByLabel("Racers"));
  await page.keyboard.type("20");
  await tabTo(page, page.getByLabel("Seconds"));
  await page.keyboard.type("120");
  await pressOn(page, page.getByLabel("Times as fast"));
  await page.waitForURL("**/races/sprint.1");
  const rows = page.locator(".board li");
  await rows.nth(9).waitFor();
  const first = await rows.locator(".score").first().textContent();
  // The board is seen to move before a picture is taken, which may outlast the race.
  await page.waitForFunction((text) => document.querySelector(".board .score").textContent !== text, first);
  await own.seen(page, "race", "phone-dark", { moves: true });
  // Tab goes on from racer to racer while the rows move, and the last one keeps the focus.
  await tabTo(page, page.locator(".board"));
  for (let step = 0; step < 3; step += 1) await page.keyboard.press("Tab");
  const racer = await page.evaluate(() => document.activeElement.textContent);
  await page.getByRole("heading", { name: "The run" }).waitFor();
  const isThere = (await rows.getByRole("link", { name: racer, exact: true }).count()) > 0;
  const focused = await page.evaluate(() => document.activeElement.textContent);
  assert.equal(focused === racer, isThere, `the focus is on ${focused}`);
  assert.ok(await page.locator(".board").evaluate((board) => board.contains(document.activeElement)));
  const figure = (name) => page.locator("dl div", { hasText: name }).locator("dd").textContent();
  assert.deepEqual([await figure("Writes lost"), await figure("Right leaderboards")], ["0", "4 of 4"]);
  await own.seen(page, "figures", "phone-dark");
  assert.deepEqual(own.faults, []);
  await own.close();
  assert.equal(await other.end(), 0);
});

test("pages: events that were refused are asked for again", async () => {
  const page = await browser.at("/", "phone-dark");
  let asked = 0;
  await page.route("**/events", (route) => (asked++ === 0 ? route.fulfill({ status: 503 }) : route.continue()));
  await page.goto(`${club.address}/classes/sprint/races/sprint.1`);
  await page.getByRole("heading", { name: "The run" }).waitFor();
  assert.equal(await page.locator(".alert").textContent(), "");
  assert.equal(asked, 2);
  // The browser reports the refusal, which is meant here.
  browser.faults.length = 0;
  await page.context().close();
});

/** The chart of a racer has a point for each second, as high as its watts. */
async function secondBySecond(page) {
  const line = page.getByRole("img", { name: /^Race endurance\.1: watts second by second/ }).locator("path");
  const drawn = await line.getAttribute("d");
  const heights = drawn.split(/[ML]/).slice(1).map((point) => -Number(point.split(" ")[1]));
  const { tracks } = (await api.call("GET", "/api/racers/0042/performance?race=endurance.1")).value;
  const [{ points }] = tracks;
  assert.deepEqual([points.length, heights.length], [600, 600]);
  const [lowest, highest] = [Math.min(...heights), Math.max(...heights)];
  const [least, most] = [Math.min(...points), Math.max(...points)];
  const share = (highest - lowest) / (most - least);
  points.forEach((watts, at) => {
    const wanted = lowest + (watts - least) * share;
    // Heights are drawn to the tenth.
    assert.ok(Math.abs(heights[at] - wanted) < 0.2, `second ${at}: ${watts} watts at ${heights[at]}`);
  });
  const labels = await page.getByRole("img", { name: /^Race endurance\.1/ }).locator("text").allTextContents();
  assert.deepEqual(labels.slice(-2), ["0:00", "10:00"]);
}

test("pages: all of them on a phone in the dark and on a desk in the light", async () => {
  const paths = {
    home: ["/", "Alleycat"],
    class: ["/classes/climb", "Climb"],
    racer: ["/racers/0042", "Racer 0042"],
    over: ["/classes/sprint/races/sprint.1", "Race 1"],
    nothing: ["/classes/sprint/races/nothing", "Alleycat"],
  };
  for (const look of SEEN)
    for (const [name, [path, title]] of Object.entries(paths)) {
      const page = await browser.at(path, look);
      await page.getByRole("heading", { level: 1, name: title }).waitFor();
      if (name === "over") await page.getByRole("heading", { name: "The run" }).waitFor();
      if (name === "racer") await secondBySecond(page);
      await browser.seen(page, name, look);
      await page.context().close();
    }
  const page = await browser.at("/classes/sprint/races/nothing");
  assert.match(await page.getByRole("alert").textContent(), /There is no race nothing/);
  assert.deepEqual(browser.faults, []);
});

test("pages: a first view of each takes few requests and few bytes", async () => {
  await browser.light("/", (page) => page.getByText("Sprint"));
  await browser.light("/classes/climb", (page) => page.getByText("Climb"));
  await browser.light("/classes/sprint/races/sprint.1", (page) => page.getByText("The run"));
  await browser.light("/racers/0042", (page) => page.getByRole("img", { name: /^Race endurance\.1/ }));
  assert.deepEqual(browser.faults, []);
});

test("an address that is no text is said, and so is a class that there is not", async () => {
  for (const [path, sentence] of [
    ["/classes/%ff", "There is no such page: its address has a broken character. Begin at the classes."],
    ["/racers/%E0%A4%A", "There is no such page: its address has a broken character. Begin at the classes."],
    ["/classes/none", "There is no class none."],
  ]) {
    const page = await browser.at(path);
    await page.getByRole("alert").getByText(sentence).waitFor();
    await page.context().close();
  }
  assert.deepEqual(browser.faults, []);
});

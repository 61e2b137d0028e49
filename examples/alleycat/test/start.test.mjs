/** The program on a folder, on a server, and where neither is. */

import assert from "node:assert/strict";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { server, started } from "../../web/test/started.mjs";
import { isWhole, raced } from "./raced.mjs";

test("on a folder: no write is lost, and the races are there after a restart", async () => {
  const folder = mkdtempSync(join(tmpdir(), "alleycat-data-"));
  const connection = `keyfold:${folder}`;
  isWhole(await raced(connection, "50", "10", "10"), 500);
  const { address, end } = await started("alleycat", [], { ALLEYCAT_CONNECTION: connection });
  const { races } = await (await fetch(`${address}/api/classes/sprint/races`)).json();
  assert.deepEqual(races.map(({ raceId, isOver }) => [raceId, isOver]), [["sprint.1", true]]);
  assert.equal(await end(), 0);
  rmSync(folder, { recursive: true });
});

test("on a server: two programs race at once, and a page of another one looks on", async () => {
  const { address, stop } = await server();
  const { end, ...club } = await started("alleycat", [], { ALLEYCAT_CONNECTION: address });
  const figures = await Promise.all([raced(address, "20", "10", "10"), raced(address, "20", "10", "10")]);
  figures.forEach((one) => isWhole(one, 200));
  const { races } = await (await fetch(`${club.address}/api/classes/sprint/races`)).json();
  assert.deepEqual(races.map(({ number }) => number), [2, 1]);
  const events = await (await fetch(`${club.address}/api/classes/sprint/races/sprint.1/events`)).text();
  assert.equal(JSON.parse(events.slice("data: ".length)).figures.lost, 0);
  await stop();
  assert.equal(await end(), 0);
});

test("A4: a race that cannot be is refused with a sentence", async () => {
  for (const [words, why] of [
    [["20", "10", "0"], "The speed is from 1 to 100 times."],
    [["0", "10", "1"], "The racers are from 1 to 1,000."],
    [["3", "-1", "1"], "SECONDS is no such number: -1 (invalid digit found in string)"],
  ]) {
    const { ended, said } = await started("alleycat", ["race", ...words], { ALLEYCAT_CONNECTION: "memory:" });
    assert.deepEqual([await ended, said()], [1, `Alleycat stays closed: ${why}\n`]);
  }
});

test("where it cannot start, it says why", async () => {
  const { address, ended, said } = await started("alleycat", [], { ALLEYCAT_CONNECTION: "http://127.0.0.1:1" });
  assert.deepEqual([address, await ended], [undefined, 1]);
  assert.match(said(), /^Alleycat stays closed: .*127\.0\.0\.1:1.*\n$/);
});

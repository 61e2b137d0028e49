/** Races on the engine that EXAMPLE_CONNECTION names: no write is lost, and A1 to A5 answer. */

import assert from "node:assert/strict";
import { test } from "node:test";
import { isWhole, raced } from "./raced.mjs";
import { started } from "../../web/test/started.mjs";

const connection = process.env.EXAMPLE_CONNECTION;

test("another engine: A1 to A5, no write is lost, and its results are read", async () => {
  assert.ok(connection, "EXAMPLE_CONNECTION names the engine");
  isWhole(await raced(connection, "8", "5", "5"), 40);
  const { address, end } = await started("alleycat", [], { ALLEYCAT_CONNECTION: connection });
  const get = async (path) => (await fetch(`${address}/api${path}`)).json();
  const { rows } = await get("/races/sprint.1/leaderboard");
  const scores = rows.map(({ score }) => score);
  assert.deepEqual(scores, [...scores].sort((one, other) => other - one));
  assert.equal(rows.length, 8);
  assert.deepEqual((await get("/classes/sprint/races")).races.map(({ raceId }) => raceId), ["sprint.1"]);
  assert.equal((await get("/classes/sprint/best")).best.length, 8);
  const [first] = rows;
  const { results } = await get(`/racers/${first.racerId}/results`);
  assert.deepEqual(results.map(({ raceId, score }) => [raceId, score]), [["sprint.1", first.score]]);
  const { tracks } = await get(`/racers/${first.racerId}/performance`);
  assert.equal(tracks[0].points.reduce((sum, watts) => sum + watts, 0), first.score);
  assert.equal(await end(), 0);
});

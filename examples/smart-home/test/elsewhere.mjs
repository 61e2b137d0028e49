/** The home on the engine that EXAMPLE_CONNECTION names: polls and bursts are counted, and readings of several months
 * come from the tables of their months. The engine is not asked whether it refuses what is too much. */

import assert from "node:assert/strict";
import { test } from "node:test";
import { described } from "../../web/test/described.mjs";
import { started } from "../../web/test/started.mjs";

const connection = process.env.EXAMPLE_CONNECTION;
const description = new URL("../openapi.json", import.meta.url).pathname;

test("another engine: N4 and N6, no poll or burst is lost, and readings are in the tables of their months", async () => {
  assert.ok(connection, "EXAMPLE_CONNECTION names the engine");
  const { address, end, said } = await started("smart-home", [], { HOME_CONNECTION: connection });
  assert.ok(address, said());
  const api = described(description, address);
  const until = async (isThere) => {
    for await (const state of api.events("/api/events", "Shown")) if (isThere(state)) return state;
    throw new Error("the events ended");
  };
  await api.call("POST", "/api/polling", { pollsASecond: 20 });
  await until(({ polled }) => polled >= 40);
  await api.call("POST", "/api/polling", { pollsASecond: 0 });
  const isCalm = ({ polled, throttled }) => polled + throttled === 0;
  const { polled } = await until(({ wanted, seconds }) => wanted === 0 && seconds.slice(-2).every(isCalm));
  const { devices } = (await api.call("GET", "/api/devices")).value;
  assert.equal(devices.reduce((sum, { polls }) => sum + polls, 0), polled);
  const burst = await api.call("POST", "/api/burst", { events: 200 });
  assert.deepEqual([burst.status, burst.value.events], [200, 200]);
  const { activity } = (await api.call("GET", "/api/devices/device-07/activity")).value;
  const times = activity.map(({ at }) => Date.parse(at));
  assert.ok(times.length > 0);
  assert.deepEqual(times, [...times].sort((one, other) => other - one));
  const path = "/api/sensors/attic/readings";
  const at = ["2026-09-30T23:59:59.999Z", "2026-10-01T00:00:00.000Z", "2026-08-15T12:00:00.000Z"];
  for (const [value, time] of at.entries()) assert.equal((await api.call("POST", path, { at: time, value })).status, 201);
  const range = "from=2026-08-01T00:00:00Z&to=2026-11-30T00:00:00Z";
  const { readings } = (await api.call("GET", `${path}?${range}`)).value;
  assert.deepEqual(readings.map(({ value }) => value), [2, 0, 1]);
  assert.equal(await end(), 0);
});

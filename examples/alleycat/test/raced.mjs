/** Races without a page. */

import assert from "node:assert/strict";
import { started } from "../../web/test/started.mjs";

/** Runs a race, and returns its figures. */
export async function raced(connection, ...words) {
  const program = await started("alleycat", ["race", ...words], { ALLEYCAT_CONNECTION: connection });
  assert.equal(await program.ended, 0, program.said());
  return JSON.parse(program.said());
}

export const isWhole = ({ writes, lost, readers, rightReaders }, seconds) =>
  assert.deepEqual([writes, lost, rightReaders], [seconds, 0, readers]);

/** The generated client by `fetch`, which is its way wherever a program does not run on Node. Its model is the same with
 * another table. */

import { BenchClient } from "../made/fetch/bench.ts";
import { calls } from "./keyfold.mjs";

export async function make(endpoint) {
  await new BenchClient(endpoint).ensureTables();
  return open(endpoint);
}

/** The contender where its table is. */
export function open(endpoint) {
  return calls(new BenchClient({ endpoint, fetch: globalThis.fetch }));
}

/** The generated client of this package. */

import { BenchClient } from "../made/bench.ts";

export async function make(endpoint) {
  await new BenchClient(endpoint).ensureTables();
  return open(endpoint);
}

/** The contender where its table is. */
export function open(endpoint) {
  return calls(new BenchClient(endpoint));
}

/** The calls of a client. */
export function calls(bench) {
  return {
    get: (orderId) => bench.order({ orderId }),
    query: async (userId) => (await bench.ordersOfUser({ userId }).page()).items,
    put: (order) => bench.Order.create(order),
  };
}

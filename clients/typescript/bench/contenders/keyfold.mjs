/** The generated client of this package. */

import { KeyfoldError } from "@keyfold/client";
import { BenchClient } from "../made/bench.ts";

export async function make(endpoint) {
  const bench = new BenchClient(endpoint);
  await bench.client.ensureTables();
  return {
    error: KeyfoldError,
    get: (orderId) => bench.order({ orderId }),
    query: async (userId) => (await bench.ordersOfUser({ userId }).page()).items,
    put: (order) => bench.Order.create(order),
  };
}

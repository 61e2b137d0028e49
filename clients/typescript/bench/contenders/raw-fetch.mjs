/** The AWS SDK by `fetch`: with the handler that it has for edges and browsers. */

import { FetchHttpHandler } from "@smithy/fetch-http-handler";
import { calls, createTable, sdk } from "./raw.mjs";

const table = "BenchRawFetch";

export async function make(endpoint) {
  await createTable(sdk(endpoint), table);
  return open(endpoint);
}

/** The contender where its table is. */
export function open(endpoint) {
  return calls(sdk(endpoint, { requestHandler: new FetchHttpHandler() }), table);
}

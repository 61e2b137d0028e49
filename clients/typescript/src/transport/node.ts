/** Connections that only Node, Deno and Bun have: servers of their own, and profiles of AWS. */

import type { ClientOptions, Transport } from "../options.js";
import { OF_CLIENT, optionsIn } from "../takes.js";
import { retriesOf, transportOf } from "./connect.js";
import { read } from "./endpoint.js";
import { overHttp } from "./loaded.js";
import { OwnServer } from "./own.js";

export { type Server, startServer } from "./server.js";

/** A connection that is open until `close`. */
export interface OpenConnection extends Transport {
  /** Stops the server that the connection has started, if it has. */
  close(): Promise<void>;
}

/** Opens the connection of a text. `keyfold:./data` starts a server on a data folder and `memory:` one in
 * memory, which `close` stops; `dynamodb://eu-west-1?profile=prod` takes the credentials of a profile. */
export async function connect(text: string, options: Pick<ClientOptions, "retries"> = {}): Promise<OpenConnection> {
  const retries = retriesOf(optionsIn(OF_CLIENT, options, ["retries"]));
  const found = read(text);
  if (found.is === "endpoint") {
    return Object.assign(transportOf(text, { retries: retries.count }), { close: () => Promise.resolve() });
  }
  // A server that is started is stopped by `close` alone.
  const own = new OwnServer(found.folder);
  await own.target();
  return Object.assign(overHttp((ended) => own.target(ended), retries), { close: () => own.close() });
}

/** Connections that only Node, Deno and Bun have: servers of their own, and profiles of AWS. */

import { boundOf, needOptions } from "../error.js";
import type { ClientOptions, Transport } from "../options.js";
import { RETRIES, transportOf } from "./connect.js";
import { read } from "./endpoint.js";
import { LoadedTransport } from "./loaded.js";
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
  needOptions(options, ["retries"]);
  const found = read(text);
  if (found.is === "endpoint") return open(transportOf(text, options), () => Promise.resolve());
  // A server that is started is stopped by `close` alone.
  const retries = { count: boundOf(options.retries ?? RETRIES, "retries") };
  const own = new OwnServer(found.folder);
  await own.target();
  return open(new LoadedTransport((ended) => own.target(ended), retries), () => own.close());
}

function open(transport: Transport, close: () => Promise<void>): OpenConnection {
  return { call: (operation, input, signal) => transport.call(operation, input, signal), close };
}

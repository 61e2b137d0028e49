/** The server of one connection. */

import { transportError } from "../error.js";
import { type Target, targetOf } from "./endpoint.js";
import type { Server } from "./server.js";
import { sharedServer } from "./shared.js";

const LOCAL = { accessKeyId: "local", secretAccessKey: "local" };

/** A server that is started when it is asked for, and anew where one on a data folder has ended by itself. */
export class OwnServer {
  readonly #folder: string | undefined;
  #server: Promise<Server> | undefined;
  /** Why no other server is started. */
  #over: string | undefined;
  /** Says that the target is none any more. */
  #ended: (() => void) | undefined;

  constructor(folder: string | undefined) {
    this.#folder = folder;
  }

  /** The target of a server that runs. `ended` is called when it has ended, or the connection is closed. */
  async target(ended?: () => void): Promise<Target> {
    this.#ended = ended;
    if (this.#over !== undefined) throw transportError(`${this.#over}: open another connection`);
    const { endpoint } = await (this.#server ??= this.#started());
    return targetOf({ endpoint, credentials: LOCAL });
  }

  /** Stops it. Nothing is started any more. The error of a start is that of the call that asked for it. */
  async close(): Promise<void> {
    this.#over = "the connection is closed";
    this.#ended?.();
    const server = await this.#server?.catch(() => undefined);
    await server?.stop();
  }

  #started(): Promise<Server> {
    const server = sharedServer(this.#folder);
    void server
      .then(({ ended }) => ended)
      .then(() => {
        // What was in memory is not there in another one.
        if (this.#folder === undefined) this.#over ??= "the server in memory has ended, with what it held";
      })
      .catch(() => undefined)
      .then(() => {
        this.#server = undefined;
        this.#ended?.();
      });
    return server;
  }
}

/** The way of requests over HTTP, which a program loads at its first request: one with a transport of its own
 * never does. */

import type { Transport } from "../options.js";
import type { Targets } from "./endpoint.js";
import type { Retries } from "./retry.js";

/** What the environment gave when the program started: another one is the program's own. */
const FETCH: unknown = globalThis.fetch;

/** An endpoint with DynamoDB's API. */
export class LoadedTransport implements Transport {
  readonly #load: () => Promise<Transport>;
  #loaded: Promise<Transport> | undefined;

  /** `target` is asked for once, and again where it has ended. `send` takes the place of the environment's own way. */
  constructor(target: Targets, retries: Retries, send?: typeof fetch) {
    this.#load = async () => new (await import("./http.js")).HttpTransport(target, retries, send, FETCH);
  }

  async call(operation: string, input: object, signal?: AbortSignal): Promise<object> {
    const transport = await (this.#loaded ??= this.#load());
    return transport.call(operation, input, signal);
  }
}

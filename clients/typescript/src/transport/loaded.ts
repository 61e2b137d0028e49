/** What sends requests, which a program loads at its first request. */

import type { Transport } from "../options.js";
import { until } from "../until.js";
import type { Targets } from "./endpoint.js";
import type { Retries } from "./retry.js";

/** What the environment gave when the program started: another one is the program's own. */
const FETCH: unknown = globalThis.fetch;

/** A transport whose answers are looked at: one of this package, or one of a program behind its check. */
export class LoadedTransport implements Transport {
  readonly #load: () => Promise<Transport>;
  #loaded: Promise<Transport> | undefined;

  constructor(load: () => Promise<Transport>) {
    this.#load = load;
  }

  /** Sends a request. It stands by itself, so that a program may take it out of the object. */
  readonly call: Transport["call"] = async (operation, input, signal) => {
    const transport = await until(signal, (this.#loaded ??= this.#load()));
    return transport.call(operation, input, signal);
  };
}

/** An endpoint with DynamoDB's API. `target` is asked for once, and again where it has ended. `send` takes the place of
 * the environment's own way. */
export function overHttp(target: Targets, retries: Retries, send?: typeof fetch): LoadedTransport {
  return new LoadedTransport(async () => new (await import("./http.js")).HttpTransport(target, retries, send, FETCH));
}

/** A transport of a program. */
export function ofProgram(transport: Transport): LoadedTransport {
  return new LoadedTransport(async () => {
    const [{ repeated }, { checked }] = await Promise.all([import("./http.js"), import("./given.js")]);
    return checked(repeated, transport);
  });
}

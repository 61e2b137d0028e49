/** Transports of programs, which a program loads at its first request by one. Their answers and errors are those of any
 * transport: an answer that is none of DynamoDB's, and an error of others, lose what became of a request. Nothing is sent
 * again: only the transport knows whether something was sent. */

import type { Transport } from "../options.js";
import { onAbort } from "../until.js";
import type { repeated } from "./retry.js";

/** The milliseconds that a transport has to say what became of a request whose call has ended. */
const LAST_WORD_MS = 100;

/** A transport whose answers and errors are looked at. What looks is given, so that bundlers keep it in the file of the
 * way over HTTP. */
export function checked(repeat: typeof repeated, own: Transport): Transport {
  return {
    call: (operation, input, signal) =>
      repeat(operation, input, { count: 0 }, signal, async () => {
        try {
          return { is: "answered", by: "the transport answered", answer: await lastWord(own.call(operation, input, signal), signal) };
        } catch (error) {
          // That the call has ended does not say that nothing was sent.
          if (signal?.aborted === true && error === signal.reason) return { is: "lost", why: String(error), cause: error };
          throw error;
        }
      }),
  };
}

/** What a transport gives. One that does not know signals is not waited for beyond the call's end. */
function lastWord(sent: Promise<object>, signal: AbortSignal | undefined): Promise<object> {
  const late = new Promise<never>((_, reject) => {
    onAbort(signal, () => setTimeout(() => reject(signal?.reason as Error), LAST_WORD_MS));
  });
  return Promise.race([sent, late]);
}

// Bundlers then keep all that a program loads at once in one file.
export { Client } from "../client.js";

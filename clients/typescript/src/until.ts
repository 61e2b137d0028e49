/** Waits that end with a call. */

/** The result of a promise; rejects with the reason of a signal that aborts before. Not everything that a call
 * waits for ends by the signal: a program's credentials, transport or `fetch` need not know it. */
export function until<T>(signal: AbortSignal | undefined, promise: Promise<T>): Promise<T> {
  if (signal === undefined) return promise;
  return new Promise((resolve, reject) => {
    const end = (): void => reject(signal.reason as Error);
    const done = (): void => signal.removeEventListener("abort", end);
    promise.then(resolve, reject).finally(done);
    if (signal.aborted) end();
    else signal.addEventListener("abort", end, { once: true });
  });
}

/** Waits that end with a call. */

/** Does something when a signal aborts, at once where it has. Returns the function that forgets it. */
export function onAbort(signal: AbortSignal | undefined, task: () => void): () => void {
  if (signal?.aborted === true) task();
  else signal?.addEventListener("abort", task, { once: true });
  return () => signal?.removeEventListener("abort", task);
}

/** The result of a promise; rejects with the reason of a signal that aborts before. Not everything that a call
 * waits for ends by the signal: a program's credentials, transport or `fetch` need not know it. */
export function until<T>(signal: AbortSignal | undefined, promise: Promise<T>): Promise<T> {
  return new Promise((resolve, reject) => {
    const forget = onAbort(signal, () => reject(signal?.reason as Error));
    promise.then(resolve, reject).finally(forget);
  });
}

/** Waits, and no longer than until the signal. */
export async function pause(milliseconds: number, signal: AbortSignal | undefined): Promise<void> {
  let timer: ReturnType<typeof setTimeout> | undefined;
  const over = new Promise<void>((resolve) => {
    timer = setTimeout(resolve, milliseconds);
  });
  await until(signal, over).catch(() => clearTimeout(timer));
}

/** Attempts that are made again after a pause, and tasks that run at the same time. */

import type { Io } from "./io.js";

/** The most attempts of optimistic reads and writes before an error. */
export const TRIES = 24;

/** Waits a random time that grows with the attempts. */
export function backOff(io: Io, tried: number): Promise<void> {
  return io.pause(1, 4 * Math.min(tried + 1, 16));
}

/** The attempts of an optimistic read or write, from 0: who asks for another one waits before it. */
export async function* attempts(io: Io): AsyncGenerator<number, void, undefined> {
  for (let tried = 0; tried < TRIES; tried += 1) {
    yield tried;
    await backOff(io, tried);
  }
}

/** The results of all of these, which run at the same time. Each comes to its end before the error of the
 * first that failed is thrown. */
export async function together<T>(all: Iterable<Promise<T>>): Promise<T[]> {
  const ended = await Promise.allSettled(all);
  return ended.map((one) => {
    if (one.status === "rejected") throw one.reason;
    return one.value;
  });
}

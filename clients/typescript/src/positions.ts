/** Errors of lists that a caller gives: each names the item of a batch, or the write of a transaction, by its
 * position. */

import { detailOf, type ErrorCode, invalid, KeyfoldError, looked, retold } from "./error.js";

/** Refuses what is no list. */
export function listed<T>(given: readonly T[], of: string): readonly T[] {
  if (!Array.isArray(given)) throw invalid(`${of}: several are given as an array`, undefined, of);
  return looked("list", () => Array.from(given as readonly T[]), of);
}

/** What is made of each item or key of a batch. */
export function eachOf<T, Made>(all: readonly T[], of: string, make: (one: T) => Made): Made[] {
  return all.map((one, at) => {
    try {
      return make(one);
    } catch (error) {
      throw inItem(error, at, of);
    }
  });
}

/** The error of an item or key of a batch of this entity. What is invalid in it names its position. */
export function inItem(error: unknown, item: number, of: string): unknown {
  const detail = detailOf(error);
  if (detail?.code !== "invalid") return error;
  const { message } = error as KeyfoldError;
  return retold(error as KeyfoldError, { message: `item ${item} of the batch: ${message}`, detail: { of, ...detail, item } });
}

/** The codes of errors that are about one write of a transaction. */
const OF_ONE: readonly ErrorCode[] = ["refused", "exists", "taken", "not_found", "stale_version", "invalid"];

/** The error of one write of a transaction. */
export function inWrite(error: unknown, name: string, write: number): unknown {
  if (!(error instanceof KeyfoldError)) return error;
  if (!OF_ONE.includes(error.code)) return error;
  const message = error.message.startsWith(name) ? error.message : `${name}: ${error.message}`;
  return retold(error, { message, write });
}

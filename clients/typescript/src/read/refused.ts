/** The errors of patterns that cannot be read as they are asked for, or that stored items contradict: a program loads
 * them when one occurs. */

import { failure, invalid, KeyfoldError } from "../error.js";

/** The error about the way to read a pattern. */
export function otherWay(pattern: string, why: string): Error {
  const of = `the pattern ${pattern}`;
  return invalid(`${of} ${why}; read a page of it`, undefined, of);
}

/** The error about a pattern that is asked for several keys at once. */
export function notOfKeys(pattern: string): Error {
  return otherWay(pattern, "does not read several items by keys of their own");
}

/** The error about a page behind the only one. */
export function onePageOnly(pattern: string): Error {
  return invalid(`${pattern} has one page: it reads each item by its key`, "after");
}

/** The error about lists in several parts that lie in several partitions. */
export function splitInFan(): Error {
  return failure("refused", "items that are split are not read over several periods or shards; ask for one");
}

/** The error about two times with too many periods between them, or in another order. */
export function notPeriods(attribute: string, from: string, until: string, most: number, unit: string): Error {
  return invalid(
    `${attribute}: ${from} to ${until} are no two times with at most ${most} ${unit}s between them`,
    attribute,
  );
}

/** The error of a service that leaves keys unprocessed in each of many answers. */
export function leftAgain(): Error {
  return failure("transport", "the service left keys unprocessed again and again; try again later");
}

/** The error about a cursor that is none of a pattern with its arguments. */
export function noCursor(pattern: string): Error {
  return invalid(
    `\`after\` is no cursor of ${pattern} with these arguments; give the \`next\` of the page before`,
    "after",
  );
}

/** The error about a position that no page of a pattern with its arguments has. */
export function noPosition(pattern: string): Error {
  return invalid(
    `this is not where a page of ${pattern} ended with these arguments; give the \`next\` of that page`,
    "after",
  );
}

/** The error about an answer of more items than a program was to take. */
export function tooMany(pattern: string, most: number): Error {
  const message = `${pattern} has more than ${most} items; read its pages, or allow more`;
  return new KeyfoldError(message, { code: "too_many", pattern, most });
}

/** The error about strong consistency of a global index. */
export function notStrong(pattern: string, index: string): Error {
  return invalid(`${pattern} reads the global index ${index}, which has no strong consistency`, "strong");
}

/** The error about an answer that breaks its pattern's promise of one item. */
export function notSingle(pattern: string, count: number): Error {
  return failure(
    "refused",
    `${pattern} promises one item and found ${count}: they were not written through the model`,
  );
}

// Bundlers then keep all that a program loads at once in one file.
export { Client } from "../client.js";

/** The error of a service that answers with the same pages again and again. */
export function hadBefore(reading: string): KeyfoldError {
  return failure("transport", `${reading} has a page again that it had before`);
}

/** The error of a service whose page ends where none of a pattern does. */
export function noEnd(reading: string): KeyfoldError {
  return failure("transport", `a page of ${reading} ends with a key that is none of what was asked for`);
}

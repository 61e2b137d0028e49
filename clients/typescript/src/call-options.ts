/** Which options of calls say something: JSON and JavaScript give anything. A program loads this at the first call that
 * has options. */

import { boundOf, invalid, need } from "./error.js";
import type { ClientOptions } from "./options.js";
import { shownText } from "./value/text.js";

const FLAG = [true, false];
/** The options, and the values of those that have few. The others are checked here, or where they are read. */
const VALUES: Readonly<Record<string, readonly unknown[]>> = {
  backward: FLAG,
  strong: FLAG,
  copies: FLAG,
  onUnknown: ["error", "skip"],
  limit: [],
  signal: [],
  after: [],
  key: [],
  remove: [],
  timeout: [],
};
const LIMIT_MAX = 2 ** 31 - 1;

/** Refuses options of a call that say nothing, and those that there are not. */
export function checkOptions({ timeout }: ClientOptions, given: object): void {
  need(typeof given === "object" && given !== null && !Array.isArray(given), "options", "an object");
  for (const [name, value] of Object.entries({ timeout, ...given }) as [string, unknown][]) {
    if (value === undefined) continue;
    const values = Object.hasOwn(VALUES, name) ? VALUES[name] : undefined;
    if (values === undefined) {
      throw invalid(`there is no option \`${shownText(name)}\`; there are ${Object.keys(VALUES).join(", ")}`, name);
    }
    if (name === "timeout") boundOf(value, name);
    const isLimit = Number.isInteger(value) && (value as number) > 0 && (value as number) <= LIMIT_MAX;
    need(name !== "limit" || isLimit, name, `a whole number from 1 to ${LIMIT_MAX}`);
    need(name !== "signal" || isSignal(value), name, "an AbortSignal");
    need(values.length === 0 || values.includes(value), name, values.map((one) => JSON.stringify(one)).join(" or "));
  }
}

/** Whether a signal is absent, or can be heard. That of another realm is of another class. */
function isSignal(signal: unknown): boolean {
  const { aborted, addEventListener } = (signal ?? new AbortController().signal) as Partial<AbortSignal>;
  return typeof aborted === "boolean" && typeof addEventListener === "function";
}

// Bundlers then keep all that a program loads at once in one file.
export { Client } from "./client.js";

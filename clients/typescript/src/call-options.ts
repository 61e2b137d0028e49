/** Which options of calls say something: JSON and JavaScript give anything. A program loads this at the first call that
 * has options. */

import { boundOf, invalid, need } from "./error.js";
import type { ClientOptions } from "./options.js";
import { shownText } from "./value/text.js";

/** Refuses options of a call that say nothing, and those that there are not. `key`, `remove` and `after` are checked
 * where they are read. */
export function checkOptions({ timeout }: ClientOptions, given: object): void {
  need(typeof given === "object" && given !== null && !Array.isArray(given), "options", "an object");
  for (const [name, value] of Object.entries({ timeout, ...given }) as [string, unknown][]) {
    if (value === undefined || /^(?:after|key|remove)$/.test(name)) continue;
    if (name === "timeout") boundOf(value, name);
    else if (name === "signal") need(isSignal(value), name, "an AbortSignal");
    else if (name === "onUnknown") need(value === "error" || value === "skip", name, '"error" or "skip"');
    else if (name === "limit") need(isLimit(value), name, "a whole number from 1 to 2147483647");
    else if (/^(?:backward|strong|copies)$/.test(name)) need(typeof value === "boolean", name, "true or false");
    else throw invalid(`there is no option \`${shownText(name)}\``, name);
  }
}

function isLimit(value: unknown): boolean {
  return typeof value === "number" && value > 0 && (value | 0) === value;
}

/** Whether a signal is absent, or can be heard. That of another realm is of another class. */
function isSignal(value: unknown): boolean {
  return value === null || (typeof value === "object" && "aborted" in value && "addEventListener" in value);
}

// Bundlers then keep all that a program loads at once in one file.
export { Client } from "./client.js";

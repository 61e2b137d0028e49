/** Which options of calls say something: JSON and JavaScript give anything. A program loads this at the first call that
 * has options. */

import { boundOf, need, needOptions } from "./error.js";
import type { CallKind } from "./options.js";
import { shownText, spoken } from "./value/text.js";

/** The options of each kind of call. */
const OPTIONS: Readonly<Record<CallKind, readonly string[]>> = {
  read: ["signal", "timeout", "limit", "after", "backward", "strong"],
  many: ["signal", "timeout", "strong"],
  write: ["signal", "timeout"],
  update: ["signal", "timeout", "remove", "key"],
  event: ["onUnknown", "copies"],
};

/** The options of a call of a kind, each read once, so that what is checked is what is used. Refuses those that say
 * nothing, and those that such a call does not have. */
export function checkedOptions<T extends object>(kind: CallKind, given: T): T {
  const known = OPTIONS[kind];
  needOptions(given, known);
  const all = given as Readonly<Record<string, unknown>>;
  const checked: Record<string, unknown> = Object.create(null) as object as Record<string, unknown>;
  for (const name of known) {
    const value = all[name];
    if (value === undefined) continue;
    check(name, value);
    checked[name] = value;
  }
  return checked as T;
}

/** Refuses a value that says nothing. `key`, `remove` and `after` are checked where they are used. */
function check(name: string, value: unknown): void {
  if (name === "timeout") boundOf(value, name);
  else if (name === "signal") need(isSignal(value), name, "an AbortSignal");
  else if (name === "onUnknown") need(value === "error" || value === "skip", name, '"error" or "skip"');
  else if (name === "limit") need(isLimit(value), name, `a whole number from 1 to 2147483647, and not ${shownOption(value)}`);
  else if (/^(?:backward|strong|copies)$/.test(name)) need(typeof value === "boolean", name, "true or false");
}

/** Refuses what is no count of items. */
export function checkMost(most: unknown, pattern: string): void {
  const isCount = most === Number.POSITIVE_INFINITY || (Number.isInteger(most) && (most as number) >= 0);
  need(isCount, "most", `a whole number from 0 on, and not ${shownOption(most)}`, `the pattern ${pattern}`);
}

function isLimit(value: unknown): boolean {
  return typeof value === "number" && value > 0 && (value | 0) === value;
}

/** An option in a message; a text in quotes, without which "5" would read as a number. */
function shownOption(value: unknown): string {
  return typeof value === "string" ? `'${shownText(value)}'` : shownText(spoken(value));
}

/** Whether a signal is absent, or can be heard. That of another realm is of another class. */
function isSignal(value: unknown): boolean {
  if (typeof value !== "object" || value === null) return value === null;
  const { aborted, addEventListener, removeEventListener } = value as Partial<AbortSignal>;
  return [typeof aborted, typeof addEventListener, typeof removeEventListener].join() === "boolean,function,function";
}

// Bundlers then keep all that a program loads at once in one file.
export { Client } from "./client.js";

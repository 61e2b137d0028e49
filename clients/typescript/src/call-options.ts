/** Which options of calls say something: JSON and JavaScript give anything. A program loads this at the first call that
 * has options. */

import { need } from "./error.js";
import type { CallKind } from "./options.js";
import { A_BOUND, oneOf, optionsIn, type Taken, type Takes } from "./takes.js";
import { shownText, spoken } from "./value/text.js";

/** The options of each kind of call. */
const OPTIONS: Readonly<Record<CallKind, readonly string[]>> = {
  read: ["signal", "timeout", "limit", "after", "backward", "strong"],
  many: ["signal", "timeout", "strong"],
  write: ["signal", "timeout"],
  update: ["signal", "timeout", "remove", "key"],
  event: ["onUnknown", "copies"],
};

const A_CHOICE: Taken = ["true or false", (value) => typeof value === "boolean"];
/** What they take. `key`, `remove` and `after` are checked where they are used. */
const TAKES: Takes = {
  timeout: A_BOUND,
  signal: ["an AbortSignal", isSignal],
  onUnknown: oneOf("error", "skip"),
  limit: ["a whole number from 1 to 2147483647", isLimit, (value) => `, and not ${shownOption(value)}`],
  backward: A_CHOICE,
  strong: A_CHOICE,
  copies: A_CHOICE,
};

/** The options of a call of a kind. */
export function checkedOptions<T extends object>(kind: CallKind, given: T): T {
  return optionsIn(TAKES, given, OPTIONS[kind]);
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

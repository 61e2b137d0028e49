/** What options take: those of clients, and the members of endpoints; `call-options` has those of calls. JSON and
 * JavaScript give anything. */

import { invalid, looked, need } from "./error.js";
import { shownText } from "./value/text.js";

/** What one option takes: in words, and whether a value is that; and how another value is shown, where it is. */
export type Taken = readonly [words: string, is: (value: unknown) => boolean, shown?: (value: unknown) => string];
/** What options take, by their names. One that is not among them is looked at where it is used. */
export type Takes = Readonly<Record<string, Taken>>;

/** A number that bounds something. NaN, and what is no number, would bound nothing. */
export const A_BOUND: Taken = ["a number from 0 on", (value) => typeof value === "number" && value >= 0];
const A_FUNCTION: Taken = ["a function", (value) => typeof value === "function"];
const A_BOUND_OR_NULL: Taken = [A_BOUND[0], (value) => A_BOUND[1](value ?? 0)];

/** One of these words. */
export function oneOf(...words: readonly string[]): Taken {
  return [words.map((one) => `"${one}"`).join(" or "), (value) => words.includes(value as string)];
}

/** The options of a client. */
export const OF_CLIENT: Takes = {
  numbers: oneOf("number", "exact"),
  onUnknown: oneOf("error", "skip"),
  cursorSecret: ["a text of one character or more", (value) => typeof value === "string" && value !== ""],
  timeout: A_BOUND_OR_NULL,
  retries: A_BOUND_OR_NULL,
  onRequest: A_FUNCTION,
  tracing: ["a tracer", (value) => A_FUNCTION[1](Object(value).startActiveSpan)],
  now: A_FUNCTION,
  random: A_FUNCTION,
};

/** The members of an endpoint. Those of its address are texts of forms of their own. */
export const OF_ENDPOINT: Takes = {
  fetch: A_FUNCTION,
  credentials: [
    "{ accessKeyId, secretAccessKey } or a function",
    (value) => value === null || A_FUNCTION[1](value) || isCredentials(value),
  ],
};

/** Whether something is credentials, of which headers and signatures can be made. */
export function isCredentials(value: unknown): boolean {
  const { accessKeyId, secretAccessKey, sessionToken = "-" } = Object(value) as Readonly<Record<string, unknown>>;
  // Of what is no text, the match is another value.
  return [accessKeyId, secretAccessKey, sessionToken].every((one) => /^[!-~]+$/.exec(one as string)?.[0] === one);
}

/** Refuses an option that is not what it takes. `as` is what the error names instead. */
export function needTaken(takes: Takes, name: string, value: unknown, as: string = name): void {
  const [words, is, shown] = takes[name] ?? [];
  if (value !== undefined && is?.(value) === false) throw invalid(`\`${name}\` is ${words}${shown?.(value) ?? ""}`, as);
}

/** Options of these names, each read once, so that what is checked is what is used. Refuses what is no object of
 * options, one that there is not, and one that is not what it takes. Inherited ones are given, too. */
export function optionsIn<T extends object>(takes: Takes, given: T, known: readonly string[] = Object.keys(takes)): T {
  return looked("options", () => {
    need(typeof given === "object" && given !== null && !(Symbol.iterator in given), "options", "an object");
    const all = given as Readonly<Record<string, unknown>>;
    for (const name in all) {
      if (!known.includes(name) && all[name] !== undefined) throw invalid(`there is no option \`${shownText(name)}\``, name);
    }
    const own = known.map((name) => [name, all[name]] as const).filter(([, value]) => value !== undefined);
    for (const [name, value] of own) needTaken(takes, name, value);
    return Object.fromEntries(own) as T;
  });
}

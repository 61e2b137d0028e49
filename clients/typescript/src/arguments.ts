/** What callers give for patterns, as values of their types. */

import { invalid, KeyfoldError, looked } from "./error.js";
import type { Model } from "./model.js";
import type { PatternPlan, Type } from "./plan.js";
import { shownText } from "./value/text.js";
import { typed } from "./value/typed.js";
import type { Values } from "./value/value.js";

/** Values by name, as callers give them. `undefined` is the same as an absent one. */
export type Given = Readonly<Record<string, unknown>>;

interface Named {
  readonly name: string;
  readonly type: Type;
}

/** Refuses what has no values by name: JSON gives anything. */
export function checked(given: Given, of: string): Given {
  if (typeof given !== "object" || given === null || Array.isArray(given)) {
    throw invalid(`${of}: values by name are given as an object`, undefined, of);
  }
  return given;
}

/** Types values of known names. `of` names the owner in messages. */
export function typedAll(model: Model, given: Given, known: readonly Named[], of: string): Values {
  const values: Values = new Map();
  for (const [name, value] of Object.entries(checked(given, of))) {
    if (value === undefined) continue;
    const found = known.find((one) => one.name === name);
    if (found === undefined) {
      const list = known.length === 0 ? "it takes none" : `it has ${known.map((one) => one.name).join(", ")}`;
      throw invalid(`${of} has no \`${shownText(name)}\`; ${list}`, name, of);
    }
    values.set(name, valueOf(model, name, found.type, value, of));
  }
  return values;
}

function valueOf(model: Model, name: string, type: Type, value: unknown, of: string): ReturnType<typeof typed> {
  try {
    return typed(model, name, type, value);
  } catch (error) {
    if (!(error instanceof KeyfoldError)) throw error;
    throw invalid(`${of}: ${error.message}`, error.detail.code === "invalid" ? error.detail.name : name, of);
  }
}

/** Refuses values that lack one of the names. */
export function requireAll(values: Values, names: readonly string[], what: string, of: string = what): void {
  const missing = names.filter((name) => !values.has(name));
  if (missing.length > 0) throw invalid(`${what} needs ${missing.join(", ")}`, missing[0], of);
}

/** The arguments of a pattern. Only optional parameters and `now` may be left out. */
export async function argumentsOfPattern(model: Model, pattern: PatternPlan, given: Given): Promise<Values> {
  const parameters = pattern.parameters ?? [];
  const of = `the pattern ${pattern.name}`;
  const isLimited = parameters.some(({ limit = "equal" }) => limit !== "equal");
  const { limited } = isLimited ? await import("./read/range.js") : { limited: undefined };
  const values = looked("args", () => {
    const cut = limited?.(parameters, checked(given, of)) ?? given;
    return typedAll(model, cut, parameters, of);
  }, of);
  const needed = parameters.filter((one) => one.optional !== true && one.now !== true);
  requireAll(values, needed.map((one) => one.name), of);
  // An optional parameter needs those before it: only these combinations have a proved plan.
  let absent: string | undefined;
  for (const { name } of parameters.filter((one) => one.optional === true)) {
    if (values.has(name) && absent !== undefined) {
      throw invalid(`${of}: ${name} is given, and ${absent} before it is not`, name, of);
    }
    if (!values.has(name)) absent ??= name;
  }
  return values;
}

/** Parts of the runtime that few models need: a program loads them before the first call that does. What uses them
 * is not asynchronous, and finds them here. */

import type { Model } from "./model.js";
import type { PatternPlan } from "./plan.js";

/** The formats of keys. */
export let formats: typeof import("./key/formats.js");
/** The types of values. */
export let types: typeof import("./value/types.js");

/** A part of a key that `key/formats.ts` makes, and a type that `value/types.ts` knows, in the JSON of a plan. */
const FORMATS = /"(?:format|shards|part)":(?!"bare")/;
const TYPES = /"(?:list|map|set|record)":|"(?:binary|date|ulid|uuid|hour|day|month|year)"/;
/** A parameter that is a time: what a program gives is read by `value/types.ts`, also the present moment. */
const TIMES = /"type":"time/;
/** What patterns need. */
const NEEDS: WeakMap<PatternPlan, readonly (() => Promise<void>)[]> = /* @__PURE__ */ new WeakMap();

async function loadFormats(): Promise<void> {
  formats ??= await import("./key/formats.js");
}

async function loadTypes(): Promise<void> {
  types ??= await import("./value/types.js");
}

/** Loads what a pattern needs, and the items that it returns: attributes are read back from their keys. */
export async function loadFor(model: Model, pattern: PatternPlan): Promise<void> {
  let needs = NEEDS.get(pattern);
  if (needs === undefined) {
    // The guards of unique values are not among what is read.
    const items = pattern.returns.map((one) => ({ ...model.entity(one.entity), uniques: [] }));
    const text = JSON.stringify([pattern, items]);
    const hasTypes = TYPES.test(text) || TIMES.test(JSON.stringify(pattern.parameters));
    needs = [...(FORMATS.test(text) ? [loadFormats] : []), ...(hasTypes ? [loadTypes] : [])];
    NEEDS.set(pattern, needs);
  }
  await Promise.all(needs.map((load) => load()));
}

/** Loads all: a write follows keys and values that no pattern reads. */
export async function loadAll(): Promise<void> {
  await Promise.all([loadFormats(), loadTypes()]);
}

/** Forgets what is loaded, for tests of what a call loads. */
export function unload(): void {
  formats = undefined as never;
  types = undefined as never;
}

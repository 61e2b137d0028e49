/** Conditions of the model with the values of their parameters. */

import { invalid } from "./error.js";
import type { AttributeValue, Condition } from "./plan.js";
import type { Values } from "./value/value.js";

/** The right side of a comparison. */
export type Other = { readonly value: AttributeValue } | { readonly path: Path };

/** An attribute, and the way to a field inside it. */
export type Path = readonly string[];

/** A comparison whose parameters have values. It is no range: `bind` makes two of one. */
export interface Test {
  readonly measure: "size" | "kind" | undefined;
  readonly path: Path;
  readonly is: string;
  readonly operands: readonly Other[];
}

/** A condition whose parameters have values. */
export type Bound =
  | { readonly test: Test }
  | { readonly not: Bound }
  | { readonly all: readonly Bound[] }
  | { readonly any: readonly Bound[] };

/** Gives the parameters of a condition their values. */
export function bind(condition: Condition, values: Values): Bound {
  if (condition.not !== undefined) return { not: bind(condition.not, values) };
  if (condition.all !== undefined) return { all: condition.all.map((member) => bind(member, values)) };
  if (condition.any !== undefined) return { any: condition.any.map((member) => bind(member, values)) };
  const operands = (condition.operands ?? []).map(({ attribute, fields = [], parameter, value }): Other => {
    if (attribute !== undefined) return { path: [attribute, ...fields] };
    if (value !== undefined) return { value };
    const given = values.get(parameter ?? "");
    if (given === undefined) throw invalid(`the condition needs ${parameter}`, parameter);
    return { value: given };
  });
  const test: Test = {
    measure: condition.measure,
    path: [condition.attribute ?? "", ...(condition.fields ?? [])],
    is: condition.is ?? "=",
    operands,
  };
  if (test.is !== "within") return { test };
  // BETWEEN refuses a range whose upper end is below the lower one.
  return {
    all: [
      { test: { ...test, is: ">=", operands: operands.slice(0, 1) } },
      { test: { ...test, is: "<=", operands: operands.slice(1, 2) } },
    ],
  };
}

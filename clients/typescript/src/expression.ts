/** Changes as values, and their expressions with placeholders. */

import type { Path } from "./bound.js";
import type { AttributeValue } from "./plan.js";
import { type Term, Terms } from "./terms.js";
import { isEqual } from "./value/compare.js";

export type { Term } from "./terms.js";

/** The new value of an attribute. `add` is a stored number plus this one, `first` the stored value or this
 * one, `include` and `exclude` change a set, `field` sets a field of a record or map. */
export type Change =
  | { readonly is: "set" | "first" | "append" | "prepend" | "include" | "exclude"; readonly value: AttributeValue }
  | { readonly is: "add"; readonly number: string }
  | { readonly is: "attribute"; readonly path: Path }
  | { readonly is: "sum" | "difference"; readonly left: Change; readonly right: Change }
  | { readonly is: "field"; readonly fields: readonly string[]; readonly change: Change };

/** An attribute that goes, or the path of a field inside it. */
export type Removed = string | Path;

/** An attribute and its change. */
export type Changed = [string, Change];

/** Whether two terms are equal. */
export function isSameTerm(one: Term, other: Term): boolean {
  if ("exists" in one) return "exists" in other && one.exists === other.exists;
  if ("missing" in one) return "missing" in other && one.missing === other.missing;
  if ("condition" in one) {
    return "condition" in other && JSON.stringify(one.condition) === JSON.stringify(other.condition);
  }
  return "equal" in other && one.equal === other.equal && isEqual(one.value, other.value);
}

/** The placeholders of one request, with the conditions and changes that use them. */
export class Expressions extends Terms {
  /** The update expression. */
  changes(changes: readonly Changed[], removed: readonly Removed[]): string {
    const clauses: Record<"SET" | "REMOVE" | "ADD" | "DELETE", string[]> = { SET: [], REMOVE: [], ADD: [], DELETE: [] };
    for (const [attribute, change] of changes) {
      const name = this.path([attribute, ...(change.is === "field" ? change.fields : [])]);
      const made = this.#change(name, change);
      if (change.is === "include") clauses.ADD.push(`${name} ${made}`);
      else if (change.is === "exclude") clauses.DELETE.push(`${name} ${made}`);
      else clauses.SET.push(`${name} = ${made}`);
    }
    clauses.REMOVE.push(...removed.map((one) => this.path(typeof one === "string" ? [one] : one)));
    const said = Object.entries(clauses).filter(([, all]) => all.length > 0);
    return said.map(([word, all]) => `${word} ${all.join(", ")}`).join(" ");
  }

  /** The new value of what lies at `target`, the placeholders of its path. */
  #change(target: string, change: Change): string {
    switch (change.is) {
      case "set":
      case "include":
      case "exclude":
        return this.value(change.value);
      case "field":
        return this.#change(target, change.change);
      case "attribute":
        return this.path(change.path);
      case "sum":
      case "difference": {
        const left = this.#change(target, change.left);
        return `${left} ${change.is === "sum" ? "+" : "-"} ${this.#change(target, change.right)}`;
      }
      case "first":
        return `if_not_exists(${target}, ${this.value(change.value)})`;
      case "add": {
        const zero = this.value({ N: "0" });
        return `if_not_exists(${target}, ${zero}) + ${this.value({ N: change.number })}`;
      }
      case "append":
      case "prepend": {
        const stored = `if_not_exists(${target}, ${this.value({ L: [] })})`;
        const one = this.value({ L: [change.value] });
        return `list_append(${change.is === "append" ? `${stored}, ${one}` : `${one}, ${stored}`})`;
      }
    }
  }
}

/** Conditions, filters and changes as values, and their expressions with placeholders. */

import type { Bound, Path, Test } from "./bound.js";
import { Placeholders } from "./placeholders.js";
import type { AttributeValue } from "./plan.js";
import { isEqual } from "./value/compare.js";

/** A condition on an item. */
export type Term =
  | { readonly exists: string }
  | { readonly missing: string }
  | { readonly equal: string; readonly value: AttributeValue }
  | { readonly condition: Bound };

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
export class Expressions extends Placeholders {
  /** The terms joined by AND; `undefined` for no terms. */
  terms(terms: readonly Term[]): string | undefined {
    const written = terms.map((term) => this.#term(term));
    return written.length === 0 ? undefined : written.join(" AND ");
  }

  #term(term: Term): string {
    if ("exists" in term) return `attribute_exists(${this.name(term.exists)})`;
    if ("missing" in term) return `attribute_not_exists(${this.name(term.missing)})`;
    if ("equal" in term) {
      const name = this.name(term.equal);
      return `${name} = ${this.value(term.value)}`;
    }
    const written = this.#condition(term.condition);
    return "any" in term.condition ? `(${written})` : written;
  }

  #condition(bound: Bound): string {
    if ("not" in bound) return `NOT (${this.#condition(bound.not)})`;
    if ("all" in bound) return this.#joined(bound.all, " AND ");
    if ("any" in bound) return this.#joined(bound.any, " OR ");
    return this.#test(bound.test);
  }

  #joined(members: readonly Bound[], word: string): string {
    const one = (member: Bound): string => {
      const written = this.#condition(member);
      return "all" in member || "any" in member ? `(${written})` : written;
    };
    return members.map(one).join(word);
  }

  #test(test: Test): string {
    const path = this.#path(test.path);
    const left = test.measure === "size" ? `size(${path})` : path;
    const right = test.operands.map((one) => ("value" in one ? this.value(one.value) : this.#path(one.path)));
    switch (test.is) {
      case "contains":
        return `contains(${left}, ${right.join("")})`;
      case "starts":
        return `begins_with(${left}, ${right.join("")})`;
      case "exists":
        return `attribute_exists(${left})`;
      case "missing":
        return `attribute_not_exists(${left})`;
      case "in":
        return `${left} IN (${right.join(", ")})`;
      default:
        return `${left} ${test.is} ${right.join("")}`;
    }
  }

  /** The update expression. */
  changes(changes: readonly Changed[], removed: readonly Removed[]): string {
    const clauses: Record<"SET" | "REMOVE" | "ADD" | "DELETE", string[]> = { SET: [], REMOVE: [], ADD: [], DELETE: [] };
    for (const [attribute, change] of changes) {
      const name = this.#path([attribute, ...(change.is === "field" ? change.fields : [])]);
      const made = this.#change(name, change);
      if (change.is === "include") clauses.ADD.push(`${name} ${made}`);
      else if (change.is === "exclude") clauses.DELETE.push(`${name} ${made}`);
      else clauses.SET.push(`${name} = ${made}`);
    }
    clauses.REMOVE.push(...removed.map((one) => this.#path(typeof one === "string" ? [one] : one)));
    const said = Object.entries(clauses).filter(([, all]) => all.length > 0);
    return said.map(([word, all]) => `${word} ${all.join(", ")}`).join(" ");
  }

  /** The placeholders of a path. */
  #path(path: Path): string {
    return path.map((name) => this.name(name)).join(".");
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
        return this.#path(change.path);
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

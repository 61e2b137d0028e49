/** Conditions and filters as values, and their expressions with placeholders. */

import type { Bound, Path, Test } from "./bound.js";
import { Placeholders } from "./placeholders.js";
import type { AttributeValue } from "./plan.js";

/** A condition on an item. */
export type Term =
  | { readonly exists: string }
  | { readonly missing: string }
  | { readonly equal: string; readonly value: AttributeValue }
  | { readonly condition: Bound };

/** The placeholders of one request, with the conditions that use them. */
export class Terms extends Placeholders {
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
    const path = this.path(test.path);
    const left = test.measure === "size" ? `size(${path})` : path;
    const right = test.operands.map((one) => ("value" in one ? this.value(one.value) : this.path(one.path)));
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

  /** The placeholders of a path. */
  protected path(path: Path): string {
    return path.map((name) => this.name(name)).join(".");
  }
}

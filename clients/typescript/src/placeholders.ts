/** The placeholders of names and values in a request. */

import type { AttributeValue } from "./plan.js";

/** The placeholders of the expressions of one request. */
export class Placeholders {
  readonly #names: string[] = [];
  readonly #values: AttributeValue[] = [];

  /** The placeholder of a name, the same for the same name. */
  name(attribute: string): string {
    const known = this.#names.indexOf(attribute);
    return `#n${known < 0 ? this.#names.push(attribute) - 1 : known}`;
  }

  /** A new placeholder of a value. */
  value(value: AttributeValue): string {
    return `:v${this.#values.push(value) - 1}`;
  }

  /** The members of a request that hold the placeholders. */
  members(): object {
    const byPlace = <T>(all: readonly T[], mark: string): Record<string, T> =>
      Object.fromEntries(all.map((one, at) => [`${mark}${at}`, one]));
    return {
      ...(this.#names.length > 0 && { ExpressionAttributeNames: byPlace(this.#names, "#n") }),
      ...(this.#values.length > 0 && { ExpressionAttributeValues: byPlace(this.#values, ":v") }),
    };
  }
}

/** The filters of a plan. */

import { bind, type Bound } from "../bound.js";
import { Terms } from "../terms.js";
import type { Condition } from "../plan.js";
import type { Values } from "../value/value.js";

/** The placeholders of a request with filters. */
export class Filters extends Terms {
  readonly #filters: readonly Bound[];

  constructor(filters: readonly Condition[], args: Values) {
    super();
    this.#filters = filters.map((one) => bind(one, args));
  }

  /** The filter expression. */
  filtered(): object {
    const expression = this.terms(this.#filters.map((condition) => ({ condition })));
    return expression === undefined ? {} : { FilterExpression: expression };
  }
}

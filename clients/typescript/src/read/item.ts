/** Items as a program sees them, and those that are none of the model's. */

import { kindName, type Model } from "../model.js";
import type { FoundItem } from "../options.js";
import type { CopyPlan, EntityPlan } from "../plan.js";
import { type Numbers, plainItem } from "../value/plain.js";
import type { Values } from "../value/value.js";

/** What is read of an item. */
interface Wanted {
  readonly entity: EntityPlan;
  readonly copy: CopyPlan | undefined;
  readonly attributes: readonly string[];
  /** The optional attributes that each item has. */
  readonly present?: readonly string[];
  /** The index that is read. */
  readonly index?: string | undefined;
}

/** The item of these values. Refuses one without an attribute that every item of its kind has, and values of
 * other types. */
export async function checkedItem(
  model: Model,
  numbers: Numbers,
  { entity, copy, attributes, present = [], index }: Wanted,
  values: Values,
): Promise<FoundItem> {
  for (const name of attributes) {
    const attribute = model.attribute(entity, name);
    // The rows of a view are written whole; elsewhere what the model keeps may not have been written yet.
    const mayLack = attribute?.kept === true && entity.view === undefined;
    const isCertain = attribute?.optional !== true && !mayLack;
    const isRequired = attribute !== undefined && (isCertain || present.includes(name));
    if (isRequired && !values.has(name)) {
      throw (await import("./unknown.js")).lacking(entity, name, index);
    }
  }
  return plainItem(model, numbers, kindName(entity, copy), entity, values);
}

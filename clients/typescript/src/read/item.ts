/** Items as a program sees them, and those that are none of the model's. */

import { KeyfoldError, unknownAttribute } from "../error.js";
import { columnsOf, kindName, type Model } from "../model.js";
import type { FoundItem } from "../options.js";
import type { CopyPlan, EntityPlan, Item, TablePlan } from "../plan.js";
import { type Numbers, plainItem } from "../value/plain.js";
import { held, type Values } from "../value/value.js";
import { print } from "./condition.js";
import { display } from "../value/text.js";

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
export function checkedItem(
  model: Model,
  numbers: Numbers,
  { entity, copy, attributes, present = [], index }: Wanted,
  values: Values,
): FoundItem {
  for (const name of attributes) {
    const attribute = model.attribute(entity, name);
    const isCertain = attribute?.optional !== true && attribute?.kept !== true;
    const isRequired = attribute !== undefined && (isCertain || present.includes(name));
    if (isRequired && !values.has(name)) {
      const place = index === undefined ? "is neither stored nor" : `is held by ${index} neither as an attribute nor`;
      throw unknownAttribute(`\`${name}\` ${place} in a key; it was not written through the model`, name);
    }
  }
  return plainItem(model, numbers, kindName(entity, copy), entity, values);
}

/** The error of an item whose attributes are not the model's, with its entity and its key; throws any other
 * error. */
export function unknownOf(
  error: unknown,
  { table, entity }: { readonly table: TablePlan; readonly entity: EntityPlan },
  item: Item,
  found: string,
): KeyfoldError {
  const detail = error instanceof KeyfoldError ? error.detail : undefined;
  if (detail?.code !== "unknown_item") throw error;
  const { text, key } = keyOf(table, item);
  const message = `${found} (${text}): ${(error as KeyfoldError).message}`;
  return new KeyfoldError(message, { ...detail, entity: entity.name, key }, undefined, error);
}

/** The error about an item of no kind of the model, with its key. */
export function unknownItem(found: string, table: TablePlan | undefined, item: Item): KeyfoldError {
  const { text, key } = keyOf(table, item);
  const message = `${found} an item that the model does not know (${text}): it was not written through the model`;
  return new KeyfoldError(message, { code: "unknown_item", key });
}

/** The key attributes of an item: for people, and by their names. Without its table, all attributes. */
function keyOf(table: TablePlan | undefined, item: Item): { text: string; key: Record<string, string> } {
  const names = table === undefined ? Object.keys(item) : columnsOf(table).map(({ name }) => name);
  const columns = names.map((name): [string, Item[string]] => [name, held(item, name) ?? {}]);
  return {
    text: columns.map(([name, value]) => print(name, " = ", value)).join(", "),
    key: Object.fromEntries(columns.map(([name, value]) => [name, display(value)])),
  };
}

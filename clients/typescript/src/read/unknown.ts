/** The errors of items that the model does not know, which a program loads when it finds one. */

import { KeyfoldError } from "../error.js";
import { columnsOf, saysKind } from "../model.js";
import type { EntityPlan, Item, TablePlan } from "../plan.js";
import { display } from "../value/text.js";
import { held } from "../value/value.js";
import { print } from "./question.js";

/** The error of an item whose attributes are not the model's, with its entity and its key, or as it is where it has
 * the key; throws any other error. */
export function unknownOf(
  error: unknown,
  { table, entity }: { readonly table: TablePlan; readonly entity: EntityPlan },
  item: Item,
  found: string,
): KeyfoldError {
  const detail = error instanceof KeyfoldError ? error.detail : undefined;
  if (detail?.code !== "unknown_item") throw error;
  if (detail.key !== undefined) return error as KeyfoldError;
  const { text, key } = keyOf(table, item);
  const message = `${found} (${text}): ${(error as KeyfoldError).message}`;
  return new KeyfoldError(message, { ...detail, entity: entity.name, key }, undefined, error);
}

/** The error about an item that is of no kind that it can be, with its key: no kind has it, or the item says that it
 * is of another one. */
export function unknownItem(found: string, table: TablePlan | undefined, item: Item): KeyfoldError {
  const { text, key } = keyOf(table, item);
  const type = table?.typeAttribute ?? "";
  const value = held(item, type);
  const said = value ? print(`; ${type}`, " = ", value) : "";
  const message = `${found} an item that the model does not know (${text}${said}): it was not written through the model`;
  return new KeyfoldError(message, { code: "unknown_item", key });
}

/** Refuses an item that was found by a key of a kind and says another one. */
export function requireKind(table: TablePlan, { name }: { readonly name: string }, item: Item): void {
  if (!saysKind(table, name, item)) throw unknownItem("a key has", table, item);
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

// Bundlers then keep all that a program loads at once in one file.
export { Client } from "../client.js";

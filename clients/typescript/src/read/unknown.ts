/** The errors of items that the model does not know, which a program loads when it finds one. */

import { detailOf, KeyfoldError, retold, unknownAttribute } from "../error.js";
import { columnsOf, kindName, saysKind } from "../model.js";
import type { CopyPlan, EntityPlan, Item, TablePlan } from "../plan.js";
import { display } from "../value/text.js";
import { held } from "../value/value.js";
import { print } from "./question.js";

/** How an item comes to be that the model does not know. */
const STRANGE = "it was not written through the model, or by an earlier version of it";

/** The error of an item whose attributes are not the model's, with its entity or copy and its key, or as it is where
 * it has the key; throws any other error. */
export function unknownOf(
  error: unknown,
  { table, entity, copy }: { readonly table: TablePlan; readonly entity: EntityPlan; readonly copy?: CopyPlan | undefined },
  item: Item,
  found: string,
): KeyfoldError {
  const detail = detailOf(error);
  if (detail?.code !== "unknown_item") throw error;
  if (detail.key !== undefined) return error as KeyfoldError;
  const { text, key } = keyOf(table, item);
  const message = `${found} (${text}): ${withoutSum(item, detail.attribute) ?? (error as KeyfoldError).message}`;
  return retold(error as KeyfoldError, { message, detail: { ...detail, entity: kindName(entity, copy), key } });
}

/** Why a row of a view has no number in the attribute of a sum; `undefined` for other attributes and items. */
function withoutSum(item: Item, attribute: string | undefined): string | undefined {
  const exact = held(item, `${attribute}:exact`)?.S;
  return exact && `${attribute}, the sum of its items, is ${exact}, which is no number of DynamoDB`;
}

/** The error about an item that is of no kind that it can be, with its key: no kind has it, or the item says that it
 * is of another one. */
export function unknownItem(found: string, table: TablePlan | undefined, item: Item): KeyfoldError {
  const { text, key } = keyOf(table, item);
  const type = table?.typeAttribute ?? "";
  const value = held(item, type);
  const said = value ? print(`; ${type}`, " = ", value) : "";
  const message = `${found} an item that the model does not know (${text}${said}): ${STRANGE}`;
  return new KeyfoldError(message, { code: "unknown_item", key });
}

/** The error about an item without an attribute that every item of its kind has. */
export function lacking(entity: EntityPlan, name: string, index: string | undefined): KeyfoldError {
  const place = index === undefined ? "is neither stored nor" : `is held by ${index} neither as an attribute nor`;
  const why = entity.view === undefined ? STRANGE : "`keyfold verify` says why";
  return unknownAttribute(`\`${name}\` ${place} in a key; ${why}`, name);
}

/** Refuses an item that was found by a key of a kind and says another one. */
export function requireKind(table: TablePlan, { name }: { readonly name: string }, item: Item): void {
  if (!saysKind(table, name, item)) throw unknownItem("a key has", table, item);
}

/** The key attributes of an item: for people, and by their names. Without its table, all attributes. */
function keyOf(table: TablePlan | undefined, item: Item): { text: string; key: Record<string, string> } {
  const names = table === undefined ? Object.keys(item) : columnsOf(table).map(({ name }) => name);
  const all = names.filter((name) => Object.hasOwn(item, name)).map((name) => [name, item[name] ?? {}] as const);
  return {
    text: all.map(([name, value]) => print(name, " = ", value)).join(", "),
    key: Object.fromEntries(all.map(([name, value]) => [name, display(value)])),
  };
}

// Bundlers then keep all that a program loads at once in one file.
export { Client } from "../client.js";

/** Updates that the engine evaluates on items which are not read before. The service finds one invalid whose
 * path leads through what an item lacks, and does not say which: the item is read after such an answer. */

import type { Path } from "../bound.js";
import { KeyfoldError } from "../error.js";
import { exceptionOf, reasonCodes } from "../io.js";
import { valueAt } from "../judge.js";
import { isNumber } from "../key/make.js";
import type { Model } from "../model.js";
import type { ActionPlan, EntityPlan, Item } from "../plan.js";
import type { Values } from "../value/value.js";
import { typeAt } from "./assignment.js";
import { type Context, get } from "./context.js";
import { operandsOf } from "./direct.js";
import { nameOf } from "./inputs.js";
import { lacks, noPlace } from "./lacking.js";
import { itemText, placeOfItem, subject } from "./refusal.js";

/** An update of an item that is not read before. */
export interface Unread {
  readonly table: string;
  readonly key: Item;
  /** The action, as the model writes it: `update Account as from`. */
  readonly label: string;
  readonly entity: EntityPlan;
  /** The attributes that identify the item. */
  readonly values: Values;
  /** The paths that it changes or removes. */
  readonly changed: readonly Path[];
  /** The paths whose values it takes. An operand that is a missing list or set counts as empty. */
  readonly taken: readonly Path[];
}

/** The update of an action on the item at a place; `values` hold the attributes that identify it. */
export function unreadOf(
  model: Model,
  entity: EntityPlan,
  action: ActionPlan,
  values: Values,
  { table, key }: { readonly table: string; readonly key: Item },
): Unread {
  const { set = [], remove = [], removeFields = [] } = action;
  const pathOf = (one: { readonly attribute: string; readonly fields?: readonly string[] }): Path => [
    one.attribute,
    ...(one.fields ?? []),
  ];
  const taken = set.flatMap((one) =>
    operandsOf(one).flatMap(({ attribute, fields = [] }): Path[] => {
      if (attribute === undefined) return [];
      const path = [attribute, ...fields];
      return one.right === undefined || isNumber(typeAt(model, entity, path) ?? "") ? [path] : [];
    }),
  );
  const changed = [...set.map(pathOf), ...remove.map((name) => [name]), ...removeFields.map(pathOf)];
  return { table, key, label: nameOf(action), entity, values, changed, taken };
}

/** The sentence about an item that lacks what an update needs, after the error of a request; `undefined` where
 * nothing is missing. */
export async function lackingOf(context: Context, error: unknown, unread: readonly Unread[]): Promise<Error | undefined> {
  const isInvalid = exceptionOf(error) === "ValidationException" || reasonCodes(error).includes("ValidationError");
  if (!isInvalid || failedActions(error).length > 0) return undefined;
  for (const one of unread) {
    const item = await get(context, one.table, one.key).catch(() => undefined);
    const refusal = item && refusalOf(one, new Map(Object.entries(item)));
    if (refusal !== undefined) return refusal;
  }
  return undefined;
}

function refusalOf(unread: Unread, stored: Values): Error | undefined {
  const error = lackOf(unread, stored);
  if (error === undefined) return undefined;
  const place = { ...placeOfItem(unread), ...subject(unread.entity, unread.values) };
  return new KeyfoldError(error.message, error.detail, place);
}

function lackOf({ entity, values, changed, taken }: Unread, stored: Values): KeyfoldError | undefined {
  const item = itemText(entity, values);
  for (const path of changed) {
    const error = noPlace(item, path, stored);
    if (error !== undefined) return error;
  }
  const missing = taken.find((path) => valueAt(stored, path) === undefined);
  return missing && lacks(item, missing);
}

/** Whether the condition of an action failed on an item that is stored. */
export function hasFound({ detail }: KeyfoldError, action: number): boolean {
  return detail.code === "service" && detail.found?.includes(action) === true;
}

/** The indexes of the actions whose condition failed; none when the failure is no condition. */
export function failedActions(error: unknown): number[] {
  const exception = exceptionOf(error);
  if (exception === "ConditionalCheckFailedException") return [0];
  if (exception !== "TransactionCanceledException") return [];
  return reasonCodes(error).flatMap((code, at) => (code === "ConditionalCheckFailed" ? [at] : []));
}

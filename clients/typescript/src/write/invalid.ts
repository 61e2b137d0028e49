/** Requests that the service finds invalid: a value is too large, or not what an operator or an index takes. The
 * error names the change at fault and its item, in one sentence for a request of its own, a transaction and a batch,
 * whose exceptions differ. */

import { KeyfoldError, retold } from "../error.js";
import { reasonCodes } from "../io.js";
import { sizeOfItem } from "../value/size.js";
import { display, sortedNames } from "../value/text.js";
import { placeOfItem } from "./refusal.js";
import type { Step } from "./step.js";

/** The most bytes of an item, with the names of its attributes. */
const ITEM_BYTES_MAX = 400 * 1024;
/** How the service's sentences about an item that is too large begin. */
const TOO_LARGE = /^Item size /;
const INVALID = "ValidationException";

/** One change of a request, as far as an error needs it. */
export type Sent = Pick<Step, "label" | "table" | "key" | "action">;

/** The bytes of the item that a change puts. The size of one that is updated is not known. */
export function putBytes({ action }: Sent): number {
  return action.is === "put" ? sizeOfItem(action.item) : 0;
}

/** A table and a key in it, for people: `Shop (pk = USER#1, sk = A)`. */
export function placeText({ table, key }: Pick<Sent, "table" | "key">): string {
  const columns = sortedNames(Object.keys(key)).map((name) => `${name} = ${display(key[name] ?? {})}`);
  return `${table} (${columns.join(", ")})`;
}

/** The error of a request with these changes. One that the service finds invalid names the change and says why,
 * where that is known. */
export function explained(error: unknown, sent: readonly Sent[]): unknown {
  if (!(error instanceof KeyfoldError) || error.detail.code !== "service") return error;
  const { message, detail } = error;
  const at = reasonCodes(error).indexOf("ValidationError");
  const said = detail.reasons[at]?.message ?? message.slice(message.indexOf(":") + 2);
  const isTooLarge = TOO_LARGE.test(said);
  const isAtFault = (one: Sent): boolean => !sent[1] || (isTooLarge && putBytes(one) > ITEM_BYTES_MAX);
  const one = detail.exception === INVALID ? sent.find(isAtFault) : sent[at];
  if (one === undefined) return error;
  const limit = isTooLarge ? `; an item has at most ${ITEM_BYTES_MAX} bytes: give it less` : "";
  const text = `${INVALID}: ${one.label} of ${placeText(one)}: ${said}${limit}`;
  return retold(error, { message: text, detail: { ...detail, exception: INVALID }, place: placeOfItem(one) });
}

// The error about an item that is not where it should be: it is made where such items are found, and loaded then.

import { KeyfoldError } from "../error.js";

/** Makes the error of items that are not where, or not as, the model writes them. */
export function strayItem(message: string): KeyfoldError {
  return new KeyfoldError(message, { code: "unknown_item" });
}

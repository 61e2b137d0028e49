/** The sentences about items that lack what the model requires: another program wrote them. */

import type { Path } from "../bound.js";
import { failure, type KeyfoldError } from "../error.js";
import { valueAt } from "../judge.js";
import type { Values } from "../value/value.js";

/** The refusal of a write that takes the value of a path which an item lacks. */
export function lacks(item: string, path: Path): KeyfoldError {
  return failure(
    "refused",
    `${item} has no \`${pathText(path)}\`, which the model requires; \`keyfold verify\` finds such items`,
  );
}

/** The refusal of a change of a field whose record or map an item lacks; `undefined` where it is there. */
export function noPlace(item: string, path: Path, values: Values): KeyfoldError | undefined {
  const way = path.slice(1).map((_, at) => path.slice(0, at + 1));
  const wrong = way.find((one) => valueAt(values, one)?.M === undefined);
  if (wrong === undefined) return undefined;
  const text = pathText(wrong);
  const what = valueAt(values, wrong) === undefined ? `${item} has no \`${text}\`` : `\`${text}\` of ${item} has no fields`;
  return failure("refused", `${what}, in which \`${pathText(path)}\` lies; \`keyfold verify\` finds such items`);
}

/** A path as the model writes it: a name that is no word stands in quotes. */
export function pathText(path: Path): string {
  return path.map((name) => (/^[A-Za-z_][A-Za-z0-9_]*$/.test(name) ? name : JSON.stringify(name))).join(".");
}

/** Errors of requests, which a program loads when there is one: of a table or credentials that are not there, and of
 * a write whose answer was lost. */

import { invalid, KeyfoldError, retold } from "./error.js";
import { exceptionOf } from "./io.js";
import type { Failed, Lost } from "./transport/retry.js";
import { sortedNames } from "./value/text.js";

// Bundlers then keep all that a program loads at once in one file.
export { Client } from "./client.js";

/** The error of a connection without credentials. */
export function noCredentials(): Error {
  return invalid(
    "there are no credentials: set AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY, install @aws-sdk/credential-providers, or give `credentials`",
    "credentials",
  );
}

/** Makes the error of a write whose answer was lost. */
export function outcomeUnknown(why: string, check: string, cause?: unknown): KeyfoldError {
  const message = `whether it was done is not known: ${why}; look at ${check} before you do it again`;
  return new KeyfoldError(message, { code: "outcome_unknown", why, check }, undefined, cause);
}

/** Makes the error of an operation that changes something, whose answer was lost. */
export function lostAnswer(operation: string, why: string, cause?: unknown): KeyfoldError {
  return outcomeUnknown(why, `what the ${operation} was to change`, cause);
}

/** The error of a write whose answer was lost before its last attempt. The service compares tokens: it cancels no
 * transaction that an earlier attempt has carried out. Any other refusal may come before it compares them. */
export function afterLoss(operation: string, attempt: Failed, lost: Lost, mayRepeat: boolean): KeyfoldError {
  const refused = attempt.is === "refused" ? attempt.error : undefined;
  const isDefinite = exceptionOf(refused) === "TransactionCanceledException" && !mayRepeat;
  if (refused === undefined) return lostAnswer(operation, lost.why, lost.cause);
  return isDefinite ? refused : lostAnswer(operation, `${lost.why}; sent again, it was refused: ${refused.message}`, refused);
}

/** The error of a transaction whose answer was lost, and whose token the service may have forgotten: sent again, it
 * could be carried out twice. */
export function outlived(operation: string, { why, cause }: Lost, milliseconds: number): KeyfoldError {
  const seconds = Math.round(milliseconds / 1000);
  const known = `it was not sent again ${seconds} s after its start, since the service knows its token for ten minutes`;
  return lostAnswer(operation, `${why}; ${known}`, cause);
}

/** The service's error about a table that does not exist, which does not say which one. */
export function missingTable(error: unknown, operation: string, input: object): unknown {
  const names = tablesOf(operation, input);
  const isNamed = names.some((name) => String(error).includes(name));
  if (!(error instanceof KeyfoldError) || names.length === 0 || isNamed) return error;
  const what = names.length === 1 ? `the table ${names[0]} does not` : `one of the tables ${names.join(", ")} does not`;
  const message = `${error.message}: ${what} exist there; create it by \`ensureTables()\`, or check the address, the region and the account of the connection`;
  return retold(error, { message });
}

interface Tables {
  readonly TableName?: string;
  readonly RequestItems?: object;
  readonly TransactItems?: readonly Readonly<Record<string, { readonly TableName?: string }>>[];
}

/** The tables of a request. */
export function tablesOf(operation: string, input: Tables): string[] {
  if (operation.startsWith("Batch")) return sortedNames(Object.keys(input.RequestItems ?? {}));
  const actions = (input.TransactItems ?? []).flatMap((one) => Object.values(one));
  return sortedNames([input, ...actions].flatMap((one) => one.TableName ?? []));
}

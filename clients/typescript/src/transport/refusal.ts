/** Errors of refusals: the service's exceptions as the codes of this package. */

import { KeyfoldError, type Reason } from "../error.js";
import { parsed, shownText } from "../value/text.js";
import type { Exception, isAnswer } from "./answer.js";

/** The exceptions of a service that is asked too much, and the reasons of a cancelled transaction: nothing was done. */
const THROTTLED = /^(?:LimitExceeded|ProvisionedThroughputExceeded|RequestLimitExceeded|Throttling)(?:Error|Exception)?$/;

/** The error of a service's refusal, by the name of its exception without the namespace. */
export function refusal(
  name: string,
  { Message = "", message = Message, CancellationReasons: reasons = [], Item: item }: Omit<Exception, "__type">,
  cause?: unknown,
): KeyfoldError {
  const text = `${name}: ${message}`;
  const all = reasons.map(({ Code: code = "None", Message: said }): Reason =>
    said === undefined ? { code } : { code, message: said },
  );
  // A transaction that was cancelled for nothing but throttling can be sent again.
  const isOnlyThrottled =
    all.some(({ code }) => code !== "None") && all.every(({ code }) => code === "None" || THROTTLED.test(code));
  if (THROTTLED.test(name) || isOnlyThrottled) {
    return new KeyfoldError(text, { code: "throttled", exception: name }, undefined, cause);
  }
  const found = item === undefined ? reasons.flatMap(({ Item }, at) => (Item === undefined ? [] : [at])) : [0];
  const detail = { code: "service", exception: name, reasons: all, ...(found.length > 0 && { found }) } as const;
  return new KeyfoldError(text, detail, undefined, cause);
}

/** The members of a request that name keys. */
interface Asked {
  readonly Key?: object;
  readonly RequestItems?: object;
  readonly TransactItems?: readonly Readonly<Record<string, { readonly TableName?: string }>>[];
}

/** What is wrong with an answer that is not DynamoDB's, or is none to its request. */
export function whyLost(
  isOne: typeof isAnswer,
  operation: string,
  input: object,
  status: number,
  text: string,
): string {
  const { Key, RequestItems = {}, TransactItems = [], ...others }: Asked = input;
  const tables = Object.fromEntries(Object.keys(RequestItems).map((table) => [table, {}]));
  const actions = TransactItems.map((one) =>
    Object.fromEntries(Object.entries(one).map(([name, { TableName }]) => [name, { TableName }])),
  );
  const withoutKeys = { ...others, RequestItems: tables, TransactItems: actions };
  const isOfOthers = status === 200 && isOne(operation, withoutKeys, parsed(text));
  const why = isOfOthers ? ", which has an item of a key that was not asked for" : "";
  return `answered with ${status}: ${shownText(text)}${why}`;
}

// Bundlers then keep all that a program loads at once in one file.
export { Client } from "../client.js";

/** Errors of refusals: the service's exceptions as the codes of this package. */

import { KeyfoldError, type Reason } from "../error.js";
import { shownText, spoken } from "../value/text.js";
import type { Form, isAnswer, MAKERS } from "./answer.js";
import type { Answered, Attempt } from "./retry.js";

/** An error of DynamoDB's. */
interface Exception {
  readonly __type: string;
  readonly message?: string;
  readonly Message?: string;
  readonly CancellationReasons?: readonly ExceptionReason[];
  /** The item on which the condition of a single operation failed. */
  readonly Item?: unknown;
}

/** The outcome of one action of a cancelled transaction. */
export interface ExceptionReason {
  readonly Code?: string;
  readonly Message?: string;
  readonly Item?: unknown;
}

const isText: Form = (value) => typeof value === "string";

/** Whether an answer to a request is an error of DynamoDB's. It has a reason for each action of a transaction. */
function isException(
  { isItem, listOf, objectOf }: typeof MAKERS,
  { TransactItems = [] }: Asked,
  answer: unknown,
): answer is Exception {
  const isReason = objectOf({ Code: isText, Message: isText, Item: isItem });
  const forms = {
    __type: (type: unknown) => typeof type === "string" && /[^#]$/.test(type),
    message: isText,
    Message: isText,
    CancellationReasons: listOf(isReason, TransactItems.length),
    Item: isItem,
  };
  return objectOf(forms, "__type")(answer);
}

/** What became of a request whose answer has another status than 200. What is no error of DynamoDB's may come from
 * something before the service, which gave up on it or sends it elsewhere, perhaps after the service had it. A transaction
 * that is under way with this token may be carried out. */
export function refused(makers: typeof MAKERS, input: object, status: number, { by, answer, text = "" }: Answered): Attempt {
  if (status < 400 || status >= 500 || !isException(makers, input, answer) || /\bTransactionInP/.test(answer.__type)) {
    return { is: "lost", why: `${by}: ${shownText(text)}` };
  }
  return { is: "refused", error: refusal(answer.__type.replace(/.*#/, ""), answer) };
}

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
  readonly KeyConditionExpression?: string;
  readonly RequestItems?: object;
  readonly TransactItems?: readonly Readonly<Record<string, { readonly TableName?: string }>>[];
}

/** What is wrong with an answer that is not DynamoDB's, or is none to its request. */
export function whyLost(
  isOne: typeof isAnswer,
  operation: string,
  input: object,
  { by, answer, text = JSON.stringify(answer) ?? spoken(answer) }: Answered,
): string {
  const { Key, KeyConditionExpression, RequestItems = {}, TransactItems = [], ...others }: Asked = input;
  const tables = Object.fromEntries(Object.keys(RequestItems).map((table) => [table, {}]));
  const actions = TransactItems.map((one) =>
    Object.fromEntries(Object.entries(one).map(([name, { TableName }]) => [name, { TableName }])),
  );
  const withoutKeys = { ...others, RequestItems: tables, TransactItems: actions };
  const why = isOne(operation, withoutKeys, answer) ? ", which has an item of a key that was not asked for" : "";
  return `${by}: ${shownText(text)}${why}`;
}

// Bundlers then keep all that a program loads at once in one file.
export { Client } from "../client.js";

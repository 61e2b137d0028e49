/** Errors of answers: the service's exceptions as the codes of this package. */

import { KeyfoldError, type Reason } from "../error.js";
import { parsed } from "../value/text.js";

/** Exceptions of a service that is asked too much: nothing was done. */
const THROTTLES: readonly string[] = [
  "LimitExceededException",
  "ProvisionedThroughputExceededException",
  "RequestLimitExceeded",
  "ThrottlingException",
];
const THROTTLED_REASONS: readonly string[] = ["None", "ProvisionedThroughputExceeded", "ThrottlingError"];

/** The members of an exception. */
export interface Exception {
  readonly name: string;
  readonly message: string;
  readonly reasons: readonly ExceptionReason[];
  /** The item on which the condition of a single operation failed. */
  readonly item?: unknown;
}

/** The outcome of one action of a cancelled transaction. */
export interface ExceptionReason {
  readonly Code?: string;
  readonly Message?: string;
  readonly Item?: unknown;
}

/** Operations whose answers say that a write is done, or that there is no item: some have no member. */
const SILENT = /^(?:Get|Put|Update|Delete|TransactWrite)Item/;
const SAID = /^(?:Attributes|ConsumedCapacity|Item)/;
/** Any other operation, and a member that its answer has also where nothing was found or is left. */
const ALWAYS =
  /^(?:(?:Query|Scan) (?:Count|Items)|BatchW\w+ UnprocessedItems|\w+GetItems? Responses|\w+ (?:Table|Tags|TimeToLive|ContinuousB)\w*)$/;

/** Whether an object is an answer of DynamoDB's to an operation. */
export function isAnswer(operation: string, answer: unknown): answer is object {
  if (typeof answer !== "object" || answer === null || Array.isArray(answer)) return false;
  const names = Object.keys(answer);
  if (SILENT.test(operation)) return !names.length || names.some((name) => SAID.test(name));
  return names.some((name) => ALWAYS.test(`${operation} ${name}`));
}

/** The exception in the body of an answer; `undefined` for a body that is none of DynamoDB's. */
export function exceptionIn(body: string): Exception | undefined {
  const json = parsed(body) as Readonly<Record<string, unknown>> | null | undefined;
  if (typeof json?.["__type"] !== "string") return undefined;
  const { message = json["Message"], CancellationReasons: reasons, Item: item } = json;
  return {
    name: json["__type"].slice(json["__type"].lastIndexOf("#") + 1),
    message: typeof message === "string" ? message : "",
    reasons: Array.isArray(reasons) ? (reasons as ExceptionReason[]) : [],
    item,
  };
}

/** The error of a service's refusal. */
export function refusal({ name, message, reasons, item }: Exception, cause?: unknown): KeyfoldError {
  const text = `${name}: ${message}`;
  const all = reasons.map(({ Code: code = "None", Message: said }): Reason =>
    said === undefined ? { code } : { code, message: said },
  );
  // A transaction that was cancelled for nothing but throttling can be sent again.
  const isOnlyThrottled =
    all.some(({ code }) => code !== "None") && all.every(({ code }) => THROTTLED_REASONS.includes(code));
  if (THROTTLES.includes(name) || isOnlyThrottled) {
    return new KeyfoldError(text, { code: "throttled", exception: name }, undefined, cause);
  }
  const found = item === undefined ? reasons.flatMap(({ Item }, at) => (Item === undefined ? [] : [at])) : [0];
  const detail = { code: "service", exception: name, reasons: all, ...(found.length > 0 && { found }) } as const;
  return new KeyfoldError(text, detail, undefined, cause);
}

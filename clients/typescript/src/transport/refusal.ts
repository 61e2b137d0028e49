/** Errors of refusals: the service's exceptions as the codes of this package. */

import { KeyfoldError, type Reason } from "../error.js";
import type { Exception } from "./answer.js";

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

// Bundlers then keep all that a program loads at once in one file.
export { Client } from "../client.js";

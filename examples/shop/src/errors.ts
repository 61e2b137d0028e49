/** Errors as answers of HTTP. */

import { type ErrorCode, KeyfoldError } from "@keyfold/client";

/** An answer, whatever carries it. */
export interface Answer {
  readonly status: number;
  readonly body: unknown;
}

/** What a caller sent that cannot be read. */
export class BadRequest extends Error {}

/** The answer to an error. Only what concerns the caller's request is said; all else is for the log. */
export function answerTo(error: unknown): Answer {
  if (error instanceof BadRequest) return { status: 400, body: { error: "invalid", message: error.message } };
  if (!(error instanceof KeyfoldError)) throw error;
  const { code, message } = error;
  const status = statusOf(code);
  if (status < 500) return { status, body: { error: code, message } };
  console.error(error);
  return { status, body: { error: code, message: excuse(status) } };
}

/** The sentence about an error that is none of the caller's; what it was is in the log. */
export function excuse(status: number): string {
  if (status === 500) return "something is wrong with the shop itself: its log says what";
  if (status === 503) return "the table is busy, and nothing was changed: try again";
  return "the table did not answer as it should, or did not say what it did: look before you send it again";
}

/** A code that the client gets later is an error of the compiler here. */
function statusOf(code: ErrorCode): number {
  switch (code) {
    case "invalid":
      return 400;
    case "not_found":
      return 404;
    case "exists":
    case "taken":
    case "refused":
    case "stale_version":
      return 409;
    case "overtaken":
    case "throttled":
      return 503;
    case "aborted":
      return 504;
    case "incomplete":
    case "outcome_unknown":
    case "service":
    case "transport":
      return 502;
    case "unknown_item":
    case "table_differs":
    case "too_many":
      return 500;
  }
}

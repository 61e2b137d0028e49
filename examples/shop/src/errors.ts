/** Errors as answers of HTTP. */

import { type ErrorCode, KeyfoldError } from "@keyfold/client";

/** An answer, whatever carries it. */
export interface Answer {
  readonly status: number;
  readonly body: unknown;
}

/** The media type of an answer in JSON: that of problems (RFC 9457), or that of all else. */
export function typeOf(status: number): string {
  return status < 400 ? "application/json" : "application/problem+json";
}

/** What stands in the way: the word that programs compare, and the sentence that people read. What belongs to the
 * word, such as the product that is sold out, stands beside it. */
export function problem(status: number, code: string, detail: string, more: object = {}): Answer {
  return { status, body: { status, code, detail, ...more } };
}

/** What a caller sent that cannot be read. */
export class BadRequest extends Error {
  /** The member of the request that is wrong, where one is. */
  readonly field: string | undefined;

  constructor(message: string, field?: string) {
    super(message);
    this.field = field;
  }
}

/** The answer to an error. Only what concerns the caller's request is said; all else is for the log. */
export function answerTo(error: unknown): Answer {
  if (error instanceof BadRequest) return invalid(error.message, error.field);
  if (!(error instanceof KeyfoldError)) throw error;
  const { code, detail, message } = error;
  if (detail.code === "invalid" && detail.name !== undefined) return refusedValue(detail.name, message);
  const status = statusOf(code);
  if (status < 500) return problem(status, code, sentence(message));
  console.error(error);
  return problem(status, code, excuse(status));
}

function invalid(detail: string, field: string | undefined): Answer {
  return problem(400, "invalid", detail, { ...(field !== undefined && { field }) });
}

/** A value that the model does not take. The name of its pattern or write is the program's own. */
function refusedValue(field: string, message: string): Answer {
  if (field === "after") return invalid("This after is of another list. Begin at the first page.", field);
  const mark = `${field}: `;
  const at = message.lastIndexOf(mark);
  const why = at < 0 ? message : message.slice(at + mark.length);
  return invalid(`${field} is not taken: ${why}.`, field);
}

/** A message as a sentence. */
function sentence(message: string): string {
  return `${message.slice(0, 1).toUpperCase()}${message.slice(1).replace(/\.$/, "")}.`;
}

/** The sentence about an error that is none of the caller's; what it was is in the log. */
export function excuse(status: number): string {
  if (status === 500) return "Something is wrong with the shop itself. Its log says what.";
  if (status === 503) return "The table is busy, and nothing was changed. Try again.";
  return "The table did not answer as it should, or did not say what it did. Look before you send it again.";
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

/** Errors as answers of HTTP. */

import { type ErrorCode, KeyfoldError } from "@keyfold/client";
import { type Given, refusal } from "./said.js";

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

const NOTHING: Given = { parts: {}, query: {} };

/** The answer to an error of a request. Only what concerns it is said; all else is for the log. */
export function answerTo(
  error: unknown,
  given: Given = NOTHING,
  called: Readonly<Record<string, string>> = {},
): Answer {
  if (error instanceof BadRequest) return invalid(error.message, error.field);
  if (!(error instanceof KeyfoldError)) throw error;
  const { code, detail, message } = error;
  if (detail.code === "invalid" && detail.name !== undefined) {
    const { field, detail: said } = refusal(called[detail.name] ?? detail.name, message, given);
    return invalid(said, field);
  }
  const status = statusOf(code);
  if (status < 500) return problem(status, code, REFUSED[status] ?? NOT_TAKEN);
  console.error(error);
  return problem(status, code, excuse(status));
}

function invalid(detail: string, field: string | undefined): Answer {
  return problem(400, "invalid", detail, { ...(field !== undefined && { field }) });
}

const NOT_TAKEN = "It cannot be asked or stored so. /api/openapi.json says what it has to be.";

/** The sentences about errors of which there is no more to say. */
const REFUSED: Readonly<Record<number, string>> = {
  404: "It is not there. Look for it in the lists.",
  409: "It is there already, or is not as it was. Look at it as it is now.",
};

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

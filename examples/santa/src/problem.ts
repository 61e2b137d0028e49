/** Problems as people and programs hear of them: what is wrong, and what to do. */

import { type ErrorCode, KeyfoldError } from "@keyfold/client";
import { refusal } from "./said.js";

export type ProblemCode =
  | "invalid"
  | "not_found"
  | "exists"
  | "price_changed"
  | "changed_meanwhile"
  | "forbidden"
  | "too_large"
  | "busy"
  | "unavailable"
  | "unknown_outcome"
  | "fault";

/** The media type of problems (RFC 9457). */
export const PROBLEM_JSON = "application/problem+json";

/** What stands in the way of a request. Its message is a sentence with what to do. */
export class Problem extends Error {
  readonly code: ProblemCode;
  /** The field of a form or of a body that is wrong, where one is. */
  readonly field: string | undefined;

  constructor(code: ProblemCode, message: string, field?: string) {
    super(message);
    this.name = "Problem";
    this.code = code;
    this.field = field;
  }

  /** The status of HTTP. */
  get status(): number {
    return STATUS[this.code];
  }
}

const STATUS: Readonly<Record<ProblemCode, number>> = {
  invalid: 400,
  forbidden: 403,
  not_found: 404,
  exists: 409,
  price_changed: 409,
  changed_meanwhile: 409,
  too_large: 413,
  fault: 500,
  unknown_outcome: 502,
  busy: 503,
  unavailable: 503,
};

/** Any error as a problem. One that is the service's own is also written to the log. */
export function problemOf(error: unknown): Problem {
  if (error instanceof Problem) return error;
  const problem = error instanceof KeyfoldError ? ofKeyfold(error) : fault();
  if (problem.status >= 500) console.error(error);
  return problem;
}

/** A code that the client gets later is an error of the compiler here. */
function ofKeyfold({ code, message, detail }: KeyfoldError): Problem {
  const table: Readonly<Record<ErrorCode, () => Problem>> = {
    invalid: () => {
      const field = detail.code === "invalid" ? detail.name : undefined;
      if (field === "after") {
        return new Problem(
          "invalid",
          "This page's address is of another list or time. Start at its first page.",
          "after",
        );
      }
      if (field === undefined) {
        return new Problem("invalid", "It cannot be asked or stored so. Correct it and send it again.");
      }
      const said = refusal(field, message, { parts: {}, query: {} });
      return new Problem("invalid", said.detail, said.field);
    },
    not_found: () => new Problem("not_found", "It is not there. Look for it in the lists."),
    exists: () => new Problem("exists", "It is there already. Open it, or choose another name."),
    taken: () => new Problem("exists", "It is there already. Open it, or choose another name."),
    refused: changedMeanwhile,
    stale_version: changedMeanwhile,
    overtaken: () =>
      new Problem("busy", "Many elves are at it right now. Nothing was changed: send it again."),
    throttled: () =>
      new Problem("busy", "The workshop is very busy. Nothing was changed: try again in a minute."),
    transport: () =>
      new Problem("unavailable", "The table cannot be reached. Nothing was changed: try again in a minute."),
    aborted: () => new Problem("unavailable", "The table took too long to answer. Try again in a minute."),
    outcome_unknown: () =>
      new Problem(
        "unknown_outcome",
        "The table did not say whether it was done. Look before you send it again.",
      ),
    incomplete: () => new Problem("unknown_outcome", "Only a part was done. Look before you send it again."),
    service: fault,
    unknown_item: fault,
    table_differs: fault,
    too_many: fault,
  };
  return table[code]();
}

/** Somebody else changed what a change rests on. */
export function changedMeanwhile(): Problem {
  return new Problem(
    "changed_meanwhile",
    "Another elf has changed it since you opened it. Nothing of yours was saved: look at it as it is now, and send again.",
  );
}

function fault(): Problem {
  return new Problem(
    "fault",
    "Something is wrong with the workshop itself. Its log says what: tell whoever runs it.",
  );
}

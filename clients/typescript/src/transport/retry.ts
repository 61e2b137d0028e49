/** Attempts: whether what came of one is an answer, and which requests may be sent again after which outcome. All
 * transports, also that of a program, go this way.
 *
 * A request is sent again after a refusal that says that nothing was done, and after a lost answer if it is
 * idempotent: reads, and transactions, which carry a token. The lost answer of another write is
 * `outcome_unknown`; that of a transaction, too, unless a later attempt is carried out or cancelled. */

import { failure, KeyfoldError, transportError } from "../error.js";
import { isConflict, isRead } from "../io.js";
import { pause } from "../until.js";
import { isAnswer, loadForms } from "./answer.js";
import { whyOf } from "./fault.js";

/** The retry from which on delays do not grow any more. */
const DELAYS_GROW = 8;
/** The milliseconds from the start of a transaction after which it is not sent again, if it may have been carried out.
 * DynamoDB knows a token for ten minutes: the same transaction is then a new one. The rest is for the way of the
 * request. */
const TOKEN_MS = 540_000;
/** What became of a request that was sent once. */
export type Attempt =
  /** It was answered: whether that is an answer of DynamoDB's is looked at here. */
  | ({ readonly is: "answered" } & Answered)
  /** The service refused it: nothing was done. */
  | { readonly is: "refused"; readonly error: KeyfoldError }
  /** It was not sent. */
  | { readonly is: "unsent"; readonly why: string; readonly cause?: unknown; readonly isFinal?: boolean }
  /** It may have been carried out, or may still be. */
  | { readonly is: "lost"; readonly why: string; readonly cause?: unknown };

/** What was answered, and by what: `http://127.0.0.1:8000 answered with 200`. */
export interface Answered {
  readonly by: string;
  readonly answer: unknown;
  /** The body, where it was one. */
  readonly text?: string;
}

export type Failed = Exclude<Attempt, { readonly is: "answered" }>;
export type Lost = Extract<Attempt, { readonly is: "lost" }>;

/** How requests are sent again. */
export interface Retries {
  /** How often at most. */
  readonly count: number;
  /** Waits; replaced by tests. */
  readonly wait?: (milliseconds: number, signal: AbortSignal | undefined) => Promise<void>;
}

/** The request with a token that all of its attempts have, where the operation takes one. */
export function withToken(operation: string, input: object): object {
  if (operation !== "TransactWriteItems") return input;
  const digits = Array.from(crypto.getRandomValues(new Uint8Array(16)), (one) => one.toString(16).padStart(2, "0"));
  return { ClientRequestToken: digits.join(""), ...input };
}

/** What became of a request that is sent once. Of one that has no answer of DynamoDB's, or an error of others, that is
 * not known. */
async function once(
  operation: string,
  input: object,
  send: () => Promise<Attempt>,
): Promise<Failed | { readonly is: "done"; readonly answer: object }> {
  try {
    const attempt = await send();
    if (attempt.is !== "answered") return attempt;
    const { answer } = attempt;
    if (isAnswer(operation, input, answer)) return { is: "done", answer };
    return { is: "lost", why: (await import("./refusal.js")).whyLost(isAnswer, operation, input, attempt) };
  } catch (error) {
    return error instanceof KeyfoldError ? { is: "refused", error } : { is: "lost", why: whyOf(error), cause: error };
  }
}

/** Carries out a request at most once. `send` sends it and classifies the outcome. */
export async function repeated(
  operation: string,
  input: object,
  { count, wait = pause }: Retries,
  signal: AbortSignal | undefined,
  send: () => Promise<Attempt>,
): Promise<object> {
  await loadForms(operation);
  const reads = isRead(operation);
  const isIdempotent = reads || operation === "TransactWriteItems";
  let lost: Lost | undefined;
  const began = Date.now();
  const isOver = (): boolean => signal?.aborted === true;
  /** The error of a call that its caller ended. What a write did whose answer was not awaited is not known. */
  const ended = async (): Promise<KeyfoldError> => {
    const reason: unknown = signal?.reason;
    const isOwn = reason instanceof KeyfoldError;
    const error = isOwn ? reason : failure("aborted", `the ${operation} was ended by its caller`);
    return reads || lost === undefined ? error : (await import("../request-errors.js")).lostAnswer(operation, error.message, error);
  };
  for (let tried = 1; ; tried += 1) {
    if (isOver()) throw await ended();
    const passed = Date.now() - began;
    if (lost !== undefined && !reads && passed >= TOKEN_MS) throw (await import("../request-errors.js")).outlived(operation, lost, passed);
    const attempt = await once(operation, input, send);
    if (attempt.is === "done") return attempt.answer;
    if (attempt.is === "lost") lost = attempt;
    if (isOver()) throw await ended();
    const mayRepeat = isPassing(attempt, isIdempotent, lost !== undefined);
    if (!mayRepeat || tried > count) throw await errorOf(operation, attempt, reads ? undefined : lost, mayRepeat);
    // The delay is random, so that many clients do not send again at the same moment.
    await wait((25 + 25 * Math.random()) * 2 ** Math.min(tried, DELAYS_GROW), signal);
  }
}

/** Whether nothing was done and the same request may succeed later, or another execution has no effect. After
 * a lost attempt, a conflict may be one with that attempt: only the same token shows what became of it. */
function isPassing(attempt: Failed, isIdempotent: boolean, wasLost: boolean): boolean {
  if (attempt.is === "lost") return isIdempotent;
  if (attempt.is === "unsent") return attempt.isFinal !== true;
  const { detail } = attempt.error;
  if (detail.code === "throttled" || (wasLost && isConflict(attempt.error))) return true;
  return detail.code === "service" && detail.exception === "ExpiredTokenException";
}

/** The error of a request that is not sent again. `lost` is the attempt of a write whose answer was lost. */
async function errorOf(
  operation: string,
  attempt: Failed,
  lost: Lost | undefined,
  mayRepeat: boolean,
): Promise<KeyfoldError> {
  if (lost !== undefined) return (await import("../request-errors.js")).afterLoss(operation, attempt, lost, mayRepeat);
  return attempt.is === "refused" ? attempt.error : transportError(attempt.why, attempt.cause);
}

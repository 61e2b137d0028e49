/** Retries: which requests may be sent again after which outcome.
 *
 * A request is sent again after a refusal that says that nothing was done, and after a lost answer if it is
 * idempotent: reads, and transactions, which carry a token. The lost answer of another write is
 * `outcome_unknown`; that of a transaction, too, unless a later attempt is carried out or cancelled. */

import { failure, KeyfoldError, transportError } from "../error.js";
import { exceptionOf, isConflict, isRead } from "../io.js";
import { pause } from "../until.js";

/** The retry from which on delays do not grow any more. */
const DELAYS_GROW = 8;
/** What became of a request that was sent once. */
export type Attempt =
  | { readonly is: "answered"; readonly answer: object }
  /** The service refused it: nothing was done. */
  | { readonly is: "refused"; readonly error: KeyfoldError }
  /** It was not sent. */
  | { readonly is: "unsent"; readonly why: string; readonly cause?: unknown; readonly isFinal?: boolean }
  /** It may have been carried out, or may still be. */
  | { readonly is: "lost"; readonly why: string; readonly cause?: unknown };

type Failed = Exclude<Attempt, { readonly is: "answered" }>;
type Lost = Extract<Attempt, { readonly is: "lost" }>;

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

/** Carries out a request at most once. `send` sends it and classifies the outcome. */
export async function repeated(
  operation: string,
  { count, wait = pause }: Retries,
  signal: AbortSignal | undefined,
  send: () => Promise<Attempt>,
): Promise<object> {
  const reads = isRead(operation);
  const isIdempotent = reads || operation === "TransactWriteItems";
  let lost: Lost | undefined;
  const isOver = (): boolean => signal?.aborted === true;
  /** The error of a call that its caller ended. What a write did whose answer was not awaited is not known. */
  const ended = async (): Promise<KeyfoldError> => {
    const reason: unknown = signal?.reason;
    const isOwn = reason instanceof KeyfoldError;
    const error = isOwn ? reason : failure("aborted", `the ${operation} was ended by its caller`);
    return reads || lost === undefined ? error : lostAnswer(operation, error.message, error);
  };
  for (let tried = 1; ; tried += 1) {
    if (isOver()) throw await ended();
    const attempt = await send();
    if (attempt.is === "answered") return attempt.answer;
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
  const refused = attempt.is === "refused" ? attempt.error : undefined;
  // The service compares tokens: it cancels no transaction that an earlier attempt has carried out. Any other
  // refusal may come before it compares them.
  const isDefinite = exceptionOf(refused) === "TransactionCanceledException" && !mayRepeat;
  if (lost !== undefined && !isDefinite) {
    const why = refused === undefined ? lost.why : `${lost.why}; sent again, it was refused: ${refused.message}`;
    return lostAnswer(operation, why, refused ?? lost.cause);
  }
  return attempt.is === "refused" ? attempt.error : transportError(attempt.why, attempt.cause);
}

/** The error of a write whose answer was lost. */
async function lostAnswer(operation: string, why: string, cause: unknown): Promise<KeyfoldError> {
  return (await import("../request-errors.js")).lostAnswer(operation, why, cause);
}

/** The errors of reads and writes. */

/** What is wrong, by code. */
export type ErrorDetail =
  /** A condition of a write does not hold, or what is stored contradicts the model. `conditions` are those
   * of the write, with the values of their parameters. */
  | { readonly code: "refused"; readonly conditions?: string }
  /** An item with this key exists already. */
  | { readonly code: "exists" }
  /** A unique value belongs to another item. `place.id` is the item that was to get the value, not its owner;
   * `place.key` is that of the guard, which holds the value for the owner. */
  | { readonly code: "taken"; readonly attributes: readonly string[] }
  /** A required item does not exist. */
  | { readonly code: "not_found" }
  /** An answer has more items than `all` was to take. */
  | { readonly code: "too_many"; readonly pattern: string; readonly most: number }
  /** The given version is not the stored one. */
  | { readonly code: "stale_version" }
  /** The call contradicts the model: `name` is the attribute or argument, `of` the entity, pattern or write, `item`
   * the position in a batch, from 0. Nothing was sent. */
  | { readonly code: "invalid"; readonly name?: string; readonly of?: string; readonly item?: number }
  /** An item that the model does not know. `attribute` is missing, or has a value of another type. */
  | {
      readonly code: "unknown_item";
      readonly entity?: string;
      readonly key?: Readonly<Record<string, unknown>>;
      readonly attribute?: string;
    }
  /** Others were faster at every attempt. */
  | { readonly code: "overtaken" }
  /** The service refuses because it is asked too much. */
  | { readonly code: "throttled"; readonly exception: string }
  /** A write was sent and its answer was lost: `why` says how, `check` what to look at. */
  | { readonly code: "outcome_unknown"; readonly why: string; readonly check: string }
  /** A batch was written in part: the positions of the items that were written, that were not, and of which it is
   * not known. */
  | {
      readonly code: "incomplete";
      readonly written: readonly number[];
      readonly unwritten: readonly number[];
      readonly unknown: readonly number[];
    }
  /** The service refuses the request. */
  | {
      readonly code: "service";
      readonly exception: string;
      readonly reasons: readonly Reason[];
      /** The indexes of the actions whose condition failed on an item that the error shows. */
      readonly found?: readonly number[];
    }
  /** The service cannot be reached, there are no credentials, or its answer is not DynamoDB's. */
  | { readonly code: "transport" }
  /** The caller's signal or timeout ended the call. */
  | { readonly code: "aborted" }
  /** An existing table contradicts the model. */
  | {
      readonly code: "table_differs";
      readonly table: string;
      readonly differences: readonly string[];
    };

/** The codes of errors. */
export type ErrorCode = ErrorDetail["code"];

/** Why one action of a transaction was cancelled. */
export interface Reason {
  readonly code: string;
  readonly message?: string;
}

/** Where a write was refused. */
export interface Place {
  /** The entity or item in words: `put Order`, `update Account as from`. */
  readonly action: string;
  /** The table of the item. */
  readonly table: string;
  /** The key of the item. */
  readonly key: Readonly<Record<string, unknown>>;
  /** The entity that the refusal is about, where it is about one. */
  readonly entity?: string;
  /** The attributes that identify it; numbers as texts. Of `taken`: of the item that was to get the value. */
  readonly id?: Readonly<Record<string, unknown>>;
}

/** What the errors of each copy of this package have: a program may load it as a module of both kinds. */
const OWN = Symbol.for("@keyfold/client");

/** The one class of errors. `detail.code` can be switched on exhaustively. */
export class KeyfoldError extends Error {
  /** Whether something is an error of this package, of whichever copy. */
  static override [Symbol.hasInstance](one: unknown): boolean {
    return this === KeyfoldError ? OWN in Object(one) : super[Symbol.hasInstance](one);
  }

  /** What is wrong. */
  readonly detail: ErrorDetail;
  /** The item and the action of the write that was refused, where one is at fault. */
  readonly place: Place | undefined;

  /** The number of the write of a transaction, from 0, where one is at fault. */
  readonly write: number | undefined;

  constructor(message: string, detail: ErrorDetail, place?: Place, cause?: unknown, write?: number) {
    super(message, cause === undefined ? undefined : { cause });
    this.name = "KeyfoldError";
    this.detail = detail;
    this.place = place;
    this.write = write;
  }

  /** The code of the error. */
  get code(): ErrorCode {
    return this.detail.code;
  }
}

(KeyfoldError.prototype as { [OWN]?: boolean })[OWN] = true;

/** An error whose detail is nothing but its code. */
export type PlainCode =
  | "refused"
  | "exists"
  | "not_found"
  | "stale_version"
  | "overtaken"
  | "transport"
  | "aborted";

/** Makes an error whose detail is nothing but its code. */
export function failure(code: PlainCode, message: string, place?: Place, cause?: unknown): KeyfoldError {
  return new KeyfoldError(message, { code }, place, cause);
}

/** Makes an error about the call itself. */
export function invalid(message: string, name?: string, of?: string, cause?: unknown): KeyfoldError {
  const detail = { code: "invalid", ...(name !== undefined && { name }), ...(of !== undefined && { of }) } as const;
  return new KeyfoldError(message, detail, undefined, cause);
}

/** Refuses an option that is not what is wanted. */
export function need(holds: boolean, name: string, wanted: string, of?: string): void {
  if (!holds) throw invalid(`\`${name}\` is ${wanted}`, name, of);
}

/** The result of a look at what a caller gives by this name, where getters and proxies may throw anything. */
export function looked<T>(name: string, look: () => T, of?: string): T {
  try {
    return look();
  } catch (error) {
    if (error instanceof KeyfoldError) throw error;
    throw invalid(`\`${name}\` cannot be read`, name, of, error);
  }
}

/** An error with other words, another detail, or more of where it is. */
export function retold(
  error: KeyfoldError,
  {
    message = error.message,
    detail = error.detail,
    place = error.place,
    write = error.write,
  }: Partial<Pick<KeyfoldError, "message" | "detail" | "place" | "write">>,
): KeyfoldError {
  return new KeyfoldError(message, detail, place, error, write);
}

/** Makes the error of an attribute that is missing, or has a value of another type. */
export function unknownAttribute(message: string, attribute: string): KeyfoldError {
  return new KeyfoldError(message, { code: "unknown_item", attribute });
}

/** The detail of an error of this package; `undefined` for any other error. */
export function detailOf(error: unknown): ErrorDetail | undefined {
  return error instanceof KeyfoldError ? error.detail : undefined;
}

/** The result of a task; `undefined` where it finds something invalid. */
export function unlessInvalid<T>(task: () => T): T | undefined {
  try {
    return task();
  } catch (error) {
    if (error instanceof KeyfoldError) return undefined;
    throw error;
  }
}

/** The result of a call. What is invalid in it is so of this entity, pattern or write. */
export async function owned<T>(of: string, call: Promise<T>): Promise<T> {
  try {
    return await call;
  } catch (error) {
    const detail = detailOf(error);
    if (detail?.code !== "invalid" || detail.of !== undefined || detail.name === "connection") throw error;
    throw retold(error as KeyfoldError, { detail: { ...detail, of } });
  }
}

/** The error of a service that cannot be reached. */
export function transportError(why: string, cause?: unknown): KeyfoldError {
  return new KeyfoldError(why, { code: "transport" }, undefined, cause);
}

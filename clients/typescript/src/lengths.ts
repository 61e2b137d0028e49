/** The lengths of keys. DynamoDB refuses a longer key without a word about where it came from, so it is
 * refused before it is sent. */

import { invalid } from "./error.js";
import { fieldsOf } from "./key/make.js";
import type { AttributeValue, KeyColumn } from "./plan.js";

/** The most bytes of the parts of a key. */
export const MOST = { partition: 2048, sort: 1024 } as const;

/** A part of a key. */
export type KeyPart = keyof typeof MOST;

/** The bytes that a value has in a key. */
export function bytesIn({ S, B, N }: AttributeValue): number {
  if (S !== undefined) return new TextEncoder().encode(S).length;
  return B === undefined ? (N ?? "").length : atob(B).length;
}

/** Checks one attribute of a key. `of` names the entity or pattern that it is a key of. */
export function checkLength(of: string, part: KeyPart, { attribute, parts }: KeyColumn, held: AttributeValue): void {
  const bytes = bytesIn(held);
  if (bytes > MOST[part]) throw tooLong(of, part, attribute, fieldsOf(parts), bytes);
}

/** The error of a key that is too long. */
export function tooLong(of: string, part: KeyPart, column: string, fields: readonly string[], bytes: number): Error {
  const names = [...new Set(fields)];
  const name = names.length === 0 ? column : names.join(", ");
  return invalid(
    `${of}: ${name} makes ${column} ${bytes} bytes long, and a ${part} key has at most ${MOST[part]} bytes`,
    name,
  );
}

/** The lengths of keys. DynamoDB refuses a longer key without a word about where it came from, so it is
 * refused before it is sent. */

import { invalid } from "./error.js";
import { fieldsOf } from "./key/make.js";
import type { AttributeValue, Item, KeyColumn, TablePlan } from "./plan.js";
import { held } from "./value/value.js";

/** The most bytes of the parts of a key. */
const MOST = { partition: 2048, sort: 1024 } as const;

/** A part of a key. */
export type KeyPart = keyof typeof MOST;

/** The bytes that a value has in a key. */
function bytesIn({ S, B, N }: AttributeValue): number {
  if (S !== undefined) return new TextEncoder().encode(S).length;
  return B === undefined ? (N ?? "").length : atob(B).length;
}

/** Checks one attribute of a key. `of` names the entity or pattern that it is a key of. */
export function checkLength(of: string, part: KeyPart, { attribute, parts }: KeyColumn, held: AttributeValue): void {
  const bytes = bytesIn(held);
  if (bytes > MOST[part]) throw tooLong(of, part, attribute, fieldsOf(parts), bytes);
}

function tooLong(of: string, part: KeyPart, column: string, fields: readonly string[], bytes: number): Error {
  const names = [...new Set(fields)];
  const name = names.length === 0 ? column : names.join(", ");
  return invalid(
    `${of}: ${name} makes ${column} ${bytes} bytes long, and a ${part} key has at most ${MOST[part]} bytes`,
    name,
  );
}

/** Checks the keys of an item in the indexes that it is in. `columns` make its keys. */
export function checkIndexes(table: TablePlan, of: string, columns: readonly KeyColumn[], item: Item): void {
  for (const { name, partition, sort = [] } of table.indexes ?? []) {
    if (![...partition, ...sort].every((one) => Object.hasOwn(item, one.name))) continue;
    for (const [part, members] of [
      ["partition", partition],
      ["sort", sort],
    ] as const) {
      const bytes = members.reduce((sum, one) => sum + bytesIn(held(item, one.name) ?? {}), 0);
      if (bytes <= MOST[part]) continue;
      const names = members.map((one) => one.name);
      const fields = names.flatMap((own) => {
        const found = columns.find((one) => one.attribute === own);
        return found === undefined ? [own] : fieldsOf(found.parts);
      });
      throw tooLong(of, part, `${names.join(" and ")} of ${name}`, fields, bytes);
    }
  }
}

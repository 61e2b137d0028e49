/** The lengths of keys in indexes, of which several attributes together may be one. */

import { fieldsOf } from "./key/make.js";
import { bytesIn, MOST, tooLong } from "./lengths.js";
import type { Item, KeyColumn, TablePlan } from "./plan.js";
import { held } from "./value/value.js";

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

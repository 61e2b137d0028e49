/** What a program loads for entities that are not stored plainly: compressed attributes, split lists, and what only
 * keys hold. */

import { givesBack } from "./key/formats.js";
import { inverse } from "./key/inverse.js";
import { indexColumns, indexOf } from "./model.js";
import type { AttributeValue, CopyPlan, EntityPlan, Item, Part, TablePlan } from "./plan.js";
import { held } from "./value/value.js";

export { compress, expand } from "./compressed.js";
export { joined } from "./split.js";
// Bundlers then keep all that a program loads at once in one file.
export { Client } from "./client.js";

/** The key attributes of an item, each with its parts. */
function keysOf(table: TablePlan, entity: EntityPlan, copy: CopyPlan | undefined): [string, readonly Part[]][] {
  const own = (copy ?? entity).key.map((one): [string, readonly Part[]] => [one.attribute, one.parts]);
  const indexes = copy === undefined ? (entity.indexes ?? []) : [];
  const inIndexes = indexes.flatMap((key) => {
    const columns = indexColumns(indexOf(table, key.index) ?? { name: "", partition: [], projection: "all" });
    return columns.map((column, at): [string, readonly Part[]] => [column.name, key.key[at]?.parts ?? []]);
  });
  return [...own, ...inIndexes];
}

/** The value of an attribute that an item holds only inside its keys. */
export function inKeys(
  table: TablePlan,
  entity: EntityPlan,
  copy: CopyPlan | undefined,
  item: Item,
  name: string,
): AttributeValue | undefined {
  for (const [column, parts] of keysOf(table, entity, copy)) {
    const key = held(item, column);
    if (key === undefined || !givesBack(parts, name)) continue;
    const value = inverse(parts, key)?.get(name);
    if (value !== undefined) return value;
  }
  return undefined;
}

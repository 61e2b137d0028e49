/** Index keys that another program left in an item: the item lacks an attribute of the key, so that the model
 * makes none of its attributes, and yet it has some of the key's attributes. */

import { columnsMade } from "../derive.js";
import { failure } from "../error.js";
import { fieldsOf } from "../key/make.js";
import { columnsOf, indexColumns, indexOf, type Model } from "../model.js";
import type { EntityPlan, Item } from "../plan.js";
import { isEqual, type Values } from "../value/value.js";
import { itemText } from "./lacking.js";
import type { StoredEntity } from "./stored-entity.js";

/** The attributes of index keys that go with the change to the new values, which make the new item. */
export function leftBehind(
  model: Model,
  entity: EntityPlan,
  old: StoredEntity,
  [after, item]: readonly [Values, Item],
  isWhole: boolean,
): string[] {
  const table = model.table(entity.table);
  const own = columnsOf(table).map((one) => one.name);
  const isLeft = (name: string): boolean =>
    Object.hasOwn(old.item, name) &&
    !Object.hasOwn(item, name) &&
    model.attribute(entity, name) === undefined &&
    !own.includes(name);
  return (entity.indexes ?? []).flatMap((key) => {
    const index = indexOf(table, key.index);
    const columns = index === undefined ? [] : indexColumns(index).map((one) => one.name).filter(isLeft);
    const isMade = (values: Values): boolean => columnsMade(table, key, values).length > 0;
    if (columns.length === 0 || isMade(old.values) || isMade(after)) return [];
    const fields = key.key.flatMap((one) => fieldsOf(one.parts));
    const deciding = key.sparse === undefined ? [] : [key.sparse.attribute];
    const isChanged = [...fields, ...deciding].some((name) => !isEqual(old.values.get(name), after.get(name)));
    if (!isWhole && !isChanged) return [];
    const missing = fields.find((name) => !after.has(name) && model.attribute(entity, name)?.optional !== true);
    if (missing === undefined) return columns;
    throw failure(
      "refused",
      `${itemText(entity, old.values)} has no \`${missing}\`, of which its key in ${key.index} is made: give \`${missing}\`, too; \`keyfold verify\` finds such items`,
    );
  });
}

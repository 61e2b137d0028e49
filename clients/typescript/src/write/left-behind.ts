/** Index keys that another program left in an item: the item is not in the index, so that the model makes none
 * of the key's attributes, and yet it has some of them. Each write of the item takes them out. A write that reads
 * nothing knows the key of the item only: it takes out those of the sparse indexes for which an attribute of the key
 * decides. */

import { columnsMade, isChosen } from "../derive.js";
import { failure } from "../error.js";
import type { Removed } from "../expression.js";
import { givesBack } from "../key/formats.js";
import { fieldsOf } from "../key/make.js";
import { columnsOf, indexColumns, indexOf, type Model } from "../model.js";
import type { EntityPlan, IndexKeyPlan, Item } from "../plan.js";
import { isEqual } from "../value/compare.js";
import type { Values } from "../value/value.js";
import { itemText } from "./refusal.js";
import type { StoredEntity } from "./stored-entity.js";

/** The attributes of index keys that go with the change to the new values, which make the new item. A key of which
 * a required attribute is absent stays: whether the item is in the index is not known. So does one that holds what
 * the model cannot read, and nothing of which changes: it may be the only place of a value. */
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
  const kept: string[] = [];
  const left = (entity.indexes ?? []).flatMap((key) => {
    const index = indexOf(table, key.index);
    const columns = index === undefined ? [] : indexColumns(index).map((one) => one.name).filter(isLeft);
    const isMade = (values: Values): boolean => columnsMade(table, key, values).length > 0;
    if (columns.length === 0 || isMade(old.values) || isMade(after)) return [];
    const missing = unknown(model, entity, key, after);
    const stays = !isWhole && namesOf(key).every((name) => isEqual(old.values.get(name), after.get(name)));
    if (stays && (missing !== undefined || isUnread(key, old))) {
      kept.push(...columns);
      return [];
    }
    if (missing === undefined) return columns;
    throw failure(
      "refused",
      `${itemText(entity, old.values)} has no \`${missing}\`, of which its key in ${key.index} is made: give \`${missing}\`, too; \`keyfold verify\` finds such items`,
    );
  });
  // Indexes share columns: what one of them keeps, the other does not take out.
  return left.filter((name) => !kept.includes(name));
}

/** The keys of the sparse indexes that an item is not in, as its own key says, whose attributes are among the values.
 * An update that reads nothing, and removes what is known, removes them, too. */
export function withOutside(model: Model, entity: EntityPlan, values: Values, known: readonly Removed[]): Removed[] {
  const own = columnsOf(model.table(entity.table)).map((one) => one.name);
  const isInKey = (name: string): boolean => entity.key.some(({ parts }) => givesBack(parts, name));
  const isOutside = (key: IndexKeyPlan): boolean =>
    key.sparse !== undefined && isInKey(key.sparse.attribute) && !isChosen(key, values);
  const indexes = entity.indexes ?? [];
  const others = indexes.filter((key) => !isOutside(key)).flatMap(({ key }) => key.map((one) => one.attribute));
  const outside = indexes.filter(isOutside).flatMap(({ key }) => key.map((one) => one.attribute));
  const isGone = (name: string): boolean =>
    ![...own, ...others].includes(name) && model.attribute(entity, name) === undefined;
  return [...new Set([...known, ...outside.filter(isGone)])];
}

/** The required attribute that an item lacks, so that it is not known whether it is in an index. An absent optional
 * attribute leaves no doubt, nor does another value of the one that decides about a sparse index. */
function unknown(model: Model, entity: EntityPlan, key: IndexKeyPlan, values: Values): string | undefined {
  if (isDecided(key, values)) return undefined;
  const absent = namesOf(key).filter((name) => !values.has(name));
  return absent.some((name) => model.attribute(entity, name)?.optional === true) ? undefined : absent[0];
}

/** Whether the attribute of a sparse index says that an item is not in it. */
function isDecided(key: IndexKeyPlan, values: Values): boolean {
  return key.sparse !== undefined && values.has(key.sparse.attribute) && !isChosen(key, values);
}

/** Whether an item has attributes of a key from which the model reads no value, although they would give it back. */
function isUnread(key: IndexKeyPlan, old: StoredEntity): boolean {
  const absent = key.key.flatMap((one) => fieldsOf(one.parts)).filter((name) => !old.values.has(name));
  const held = key.key.filter((one) => Object.hasOwn(old.item, one.attribute));
  return !isDecided(key, old.values) && held.some((one) => absent.some((name) => givesBack(one.parts, name)));
}

/** The attributes of which the key of an index is made, and the one that puts an item into a sparse index. */
function namesOf({ key, sparse }: IndexKeyPlan): string[] {
  const fields = key.flatMap((one) => fieldsOf(one.parts));
  return sparse === undefined ? fields : [...fields, sparse.attribute];
}

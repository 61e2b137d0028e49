/** Keys and changes as the caller gives them, with what the model knows of them. */

import { checked, type Given } from "../arguments.js";
import { invalid, looked, need } from "../error.js";
import type { Model } from "../model.js";
import type { EntityPlan } from "../plan.js";
import { shownText } from "../value/text.js";
import type { Values } from "../value/value.js";
import { identityOf, isGiven, isRead, someOfEntity, withoutKind } from "./arguments.js";

/** The changes of an update, and the attributes that it removes: an attribute with the value `null`, too. */
export function changesOf(
  model: Model,
  entity: EntityPlan,
  values: Given,
  remove: readonly string[] = [],
): [Values, string[]] {
  return looked("values", () => {
    need(Array.isArray(remove) && remove.every((one) => typeof one === "string"), "remove", "an array of names", entity.name);
    const all = Object.entries(withoutKind(model, entity, values));
    const given = Object.fromEntries(all.filter(([, value]) => value !== null));
    const removed = [...remove, ...all.flatMap(([name, value]) => (value === null ? [name] : []))];
    return [someOfEntity(model, entity, given), [...new Set(removed)]];
  }, entity.name);
}

/** The attributes that identify an item, and no other: a key from JSON changes nothing else. The version that
 * the item must have may stand among them. */
export function keyOfEntity(model: Model, entity: EntityPlan, given: Given): Values {
  return looked("key", () => someOfEntity(model, entity, ownKey(model, entity, given)), entity.name);
}

/** What a caller gives as a key. An item that was read, or its copy, is the key of itself: what is no part of a key
 * is left out there, and its version is the one that the item must have. */
function ownKey(model: Model, entity: EntityPlan, given: Given): Given {
  const { name: of, version } = entity;
  const identity = identityOf(entity);
  const isOther = (name: string): boolean => !identity.includes(name) && name !== version;
  const isItem = isRead(model, entity, given, entity.copies);
  const other = Object.keys(given).find((name) => isOther(name) && isGiven(given, name));
  if (!isItem && other !== undefined) {
    const more = version === undefined ? "" : `; it may have ${version}, too`;
    throw invalid(`${shownText(other)} is no part of the key of ${of}, which is ${identity.join(", ")}${more}`, other, of);
  }
  return Object.fromEntries(Object.entries(given).filter(([name, value]) => !isOther(name) && value !== undefined));
}

/** The changes with the key that is given apart from them. */
export function withKey(model: Model, entity: EntityPlan, changes: Given, key: Given): Given {
  return looked("key", () => {
    const own = ownKey(model, entity, key);
    const both = [...identityOf(entity), ...Object.keys(own)].find((name) => isGiven(checked(changes, entity.name), name));
    if (both === undefined) return Object.fromEntries([...Object.entries(changes), ...Object.entries(own)]);
    throw invalid(`${both} is part of the key of ${entity.name}, which an update does not change`, both, entity.name);
  }, entity.name);
}

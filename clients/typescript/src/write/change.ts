/** Creates, replaces, changes and deletes one entity, with everything that follows from it: keys, index keys,
 * copies, guards, parts and aggregates, in one transaction where more than one item changes.
 *
 * A change of an existing entity is optimistic. It reads the entity, compares the items that follow from its
 * old and its new attributes, and requires in the transaction that the attributes it rests on are still the
 * same. When another writer was faster, the change starts over. */

import { failure, invalid, type Place } from "../error.js";
import type { Model } from "../model.js";
import type { EntityPlan } from "../plan.js";
import { whole } from "../value/arithmetic.js";
import { isEqual } from "../value/compare.js";
import { shown, sortedNames } from "../value/text.js";
import type { Values } from "../value/value.js";
import type { Context } from "./context.js";
import { addDelete, addPutOver, addReplace } from "./entity.js";
import { itemText, notFound, notFoundText, placeOfEntity } from "./refusal.js";
import type { Draft } from "./step.js";
import { read, type StoredEntity } from "./stored-entity.js";

/** Adds the steps that write a whole entity, whether it exists or not. `values` are those given, with their
 * defaults. */
export async function addPut(
  context: Context,
  entity: EntityPlan,
  given: Values,
  values: Values,
  draft: Draft,
): Promise<void> {
  const old = await read(context, entity, values);
  if (old === undefined) checkAbsent(context, entity, given);
  else checkVersion(context, "put", entity, old, given);
  await addPutOver(context, entity, values, old, [], draft);
}

/** Adds the steps that change an entity which exists. `isPart`: other writes may happen together with it. */
export async function addUpdate(
  context: Context,
  entity: EntityPlan,
  changes: Values,
  removed: readonly string[],
  isPart: boolean,
  draft: Draft,
): Promise<void> {
  const old = await existing(context, "update", entity, changes);
  const given = [...sortedNames(changes.keys()), ...removed];
  const after = new Map([...old.values, ...changes]);
  for (const name of removed) after.delete(name);
  await addReplace(context, { entity, old, after, given, watched: [], isPart }, draft);
}

/** Adds the steps that delete an entity which exists. */
export async function addDeletion(context: Context, entity: EntityPlan, key: Values, draft: Draft): Promise<void> {
  const old = await existing(context, "delete", entity, key);
  await addDelete(context, entity, old, entity.version === undefined ? [] : [entity.version], draft);
}

/** Reads an entity that must exist, and compares the given version. */
async function existing(context: Context, verb: string, entity: EntityPlan, given: Values): Promise<StoredEntity> {
  const old = await read(context, entity, given);
  if (old === undefined) throw notFound(entity, given, placeFor(context, verb, entity, given));
  checkVersion(context, verb, entity, old, given);
  return old;
}

function placeFor({ model }: Context, verb: string, entity: EntityPlan, values: Values): Place {
  return placeOfEntity(model, `${verb} ${entity.name}`, entity, values);
}

/** Refuses to remove attributes that the entity does not have, requires, or is given. */
export function checkRemovable(model: Model, entity: EntityPlan, changes: Values, removed: readonly string[]): void {
  for (const name of removed) {
    const attribute = model.attribute(entity, name);
    if (attribute === undefined) throw invalid(`${entity.name} has no \`${name}\``, name, entity.name);
    if (changes.has(name)) throw invalid(`\`${name}\` is both set and removed`, name, entity.name);
    if (attribute.optional !== true || attribute.kept === true) {
      throw invalid(`${name} is required and cannot be removed`, name, entity.name);
    }
  }
}

/** Refuses a given version that is not the stored one. */
function checkVersion(context: Context, verb: string, entity: EntityPlan, old: StoredEntity, given: Values): void {
  const { version } = entity;
  const wanted = version === undefined ? undefined : given.get(version);
  if (version === undefined || wanted === undefined) return;
  const stored = old.values.get(version);
  if (isEqual(stored, wanted)) return;
  const is = stored === undefined ? "missing" : shown(stored);
  throw failure(
    "stale_version",
    `${itemText(entity, old.values)} has been changed: its ${version} is ${is}, and ${shown(wanted)} was expected; read it again`,
    placeFor(context, verb, entity, old.values),
  );
}

/** Refuses a given version, other than 0, of an entity that does not exist. */
function checkAbsent(context: Context, entity: EntityPlan, given: Values): void {
  const wanted = entity.version === undefined ? undefined : given.get(entity.version);
  if (wanted === undefined || isEqual(wanted, whole(0))) return;
  throw failure(
    "stale_version",
    `${notFoundText(entity, given)}, and its version ${shown(wanted)} was expected: it has been deleted`,
    placeFor(context, "put", entity, given),
  );
}

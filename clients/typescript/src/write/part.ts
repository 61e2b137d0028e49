/** The writes of a transaction as the caller gives them, with what the model knows of them. */

import { checked, type Given } from "../arguments.js";
import { invalid, need } from "../error.js";
import type { Model } from "../model.js";
import type { TransactionWrite } from "../options.js";
import type { EntityPlan } from "../plan.js";
import type { Values } from "../value/value.js";
import { argumentsOfWrite, identityOf, isGiven, someOfEntity, wholeEntity } from "./arguments.js";
import { written } from "./refusal.js";
import type { Part } from "./transact.js";

/** One write of a transaction. */
export function partOf(model: Model, one: TransactionWrite): Part {
  checked(one as unknown as Given, "a write of a transaction");
  if ("write" in one) {
    const write = model.write(one.write);
    return { verb: "run", write, values: argumentsOfWrite(model, write, one.args ?? {}) };
  }
  if ("delete" in one) {
    const entity = written(model.entity(one.delete));
    return { verb: "delete", entity, values: keyOfEntity(model, entity, one.key), removed: [] };
  }
  if ("update" in one) {
    const entity = written(model.entity(one.update));
    const all = one.key === undefined ? one.values : withKey(model, entity, one.values, one.key);
    const [values, removed] = changesOf(model, entity, all, one.remove);
    return { verb: "update", entity, values, removed };
  }
  const verb = "create" in one ? "create" : "put";
  const entity = written(model.entity("create" in one ? one.create : one.put));
  return { verb, entity, values: wholeEntity(model, entity, one.values), removed: [] };
}

/** The changes of an update, and the attributes that it removes: an attribute with the value `null`, too. */
export function changesOf(
  model: Model,
  entity: EntityPlan,
  values: Given,
  remove: readonly string[] = [],
): [Values, string[]] {
  need(Array.isArray(remove) && remove.every((one) => typeof one === "string"), "remove", "an array of names", entity.name);
  const given = Object.fromEntries(Object.entries(checked(values, entity.name)).filter(([, value]) => value !== null));
  const removed = [...remove, ...Object.keys(values).filter((name) => values[name] === null)];
  return [someOfEntity(model, entity, given), [...new Set(removed)]];
}

/** The attributes that identify an item, and no other: a key from JSON changes nothing else. The version that
 * the item must have may stand among them. */
export function keyOfEntity(model: Model, entity: EntityPlan, given: Given): Values {
  const values = someOfEntity(model, entity, given);
  const identity = identityOf(entity);
  for (const name of values.keys()) {
    if (identity.includes(name) || name === entity.version) continue;
    throw invalid(`${name} is no part of the key of ${entity.name}, which is ${identity.join(", ")}`, name, entity.name);
  }
  return values;
}

/** The changes with the key that is given apart from them. */
export function withKey(model: Model, entity: EntityPlan, changes: Given, key: Given): Given {
  const names = [...identityOf(entity), ...keyOfEntity(model, entity, key).keys()];
  const both = names.find((name) => isGiven(checked(changes, entity.name), name));
  if (both === undefined) return Object.fromEntries([...Object.entries(changes), ...Object.entries(key)]);
  throw invalid(`${both} is part of the key of ${entity.name}, which an update does not change`, both, entity.name);
}

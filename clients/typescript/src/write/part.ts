/** The writes of a transaction as the caller gives them, with what the model knows of them. */

import { argumentsOfWrite, type Given, someOfEntity, wholeEntity } from "../arguments.js";
import type { Model } from "../model.js";
import type { TransactionWrite } from "../options.js";
import type { EntityPlan } from "../plan.js";
import type { Values } from "../value/value.js";
import type { Part } from "./transact.js";

/** One write of a transaction. */
export function partOf(model: Model, one: TransactionWrite): Part {
  if ("write" in one) {
    const write = model.write(one.write);
    return { verb: "run", write, values: argumentsOfWrite(model, write, one.args ?? {}) };
  }
  if ("delete" in one) {
    const entity = model.entity(one.delete);
    return { verb: "delete", entity, values: someOfEntity(model, entity, one.key), removed: [] };
  }
  if ("update" in one) {
    const entity = model.entity(one.update);
    const [values, removed] = changesOf(model, entity, one.values, one.remove);
    return { verb: "update", entity, values, removed };
  }
  const verb = "create" in one ? "create" : "put";
  const entity = model.entity("create" in one ? one.create : one.put);
  return { verb, entity, values: wholeEntity(model, entity, one.values), removed: [] };
}

/** The changes of an update, and the attributes that it removes: an attribute with the value `null`, too. */
export function changesOf(
  model: Model,
  entity: EntityPlan,
  values: Given,
  remove: readonly string[] = [],
): [Values, string[]] {
  const given = Object.fromEntries(Object.entries(values).filter(([, value]) => value !== null));
  const removed = [...remove, ...Object.keys(values).filter((name) => values[name] === null)];
  return [someOfEntity(model, entity, given), [...new Set(removed)]];
}

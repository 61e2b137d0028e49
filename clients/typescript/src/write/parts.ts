/** The writes of a transaction as the caller gives them, with what the model knows of them. */

import { KeyfoldError, looked } from "../error.js";
import type { Model } from "../model.js";
import type { TransactionWrite } from "../options.js";
import { inWrite } from "../positions.js";
import { shownText, spoken } from "../value/text.js";
import { argumentsOfWrite, wholeEntity } from "./arguments.js";
import { changesOf, keyOfEntity, withKey } from "./keys.js";
import { written } from "./refusal.js";
import type { Part } from "./part.js";

/** What a write says that it is. */
const VERBS = ["write", "delete", "update", "create", "put"] as const;
const FORMS = "{ create, values }, { put, values }, { update, values }, { delete, key } or { write, args }";

/** The writes of a transaction. What is wrong in one names its number. */
export function partsOf(model: Model, writes: readonly TransactionWrite[]): Part[] {
  return writes.map((one, number) => looked("writes", () => {
    const verb = typeof one === "object" && one !== null ? VERBS.find((verb) => verb in one) : undefined;
    if (verb === undefined) throw noWrite(one, number);
    try {
      return partOf(model, one);
    } catch (error) {
      const of = shownText(spoken((one as Readonly<Record<string, unknown>>)[verb]));
      throw inWrite(error, `write ${number} (${verb === "write" ? of : `${verb} ${of}`})`, number);
    }
  }));
}

export function partOf(model: Model, one: TransactionWrite): Part {
  if ("write" in one) {
    const write = model.write(one.write);
    return { verb: "run", write, values: argumentsOfWrite(model, write, one.args === undefined ? {} : one.args) };
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

/** The error of what is no write: a promise is that of a call, which does its write by itself. */
function noWrite(one: unknown, number: number): KeyfoldError {
  const isObject = typeof one === "object" && one !== null && !Array.isArray(one);
  const kind = one instanceof Promise ? "a promise" : isObject ? "an object" : shownText(spoken(one));
  const message = `write ${number} of the transaction: ${kind} is no write; give \`.part\` of a generated client, like shop.Order.part.create(..), or ${FORMS}`;
  return new KeyfoldError(message, { code: "invalid", of: "a write of a transaction" }, undefined, undefined, number);
}

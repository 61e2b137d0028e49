/** One write, alone or in a transaction: an entity's, or a named one. */

import { complete, type MadeValue, touch } from "../complete.js";
import type { EntityPlan, WritePlan } from "../plan.js";
import type { Values } from "../value/value.js";
import { addDeletion, addPut, addUpdate, checkRemovable } from "./change.js";
import type { Context } from "./context.js";
import { addCreate } from "./entity.js";
import { type Outcome, sent, untilSent } from "./execute.js";
import { GivenItems } from "./inputs.js";
import { type Composed, composeWrite, withNow } from "./named.js";
import { exists } from "./refusal.js";
import { emptyDraft } from "./step.js";

/** A write with the values that are given. */
export type Part =
  | {
      readonly verb: "create" | "put" | "update" | "delete";
      readonly entity: EntityPlan;
      readonly values: Values;
      readonly removed: readonly string[];
    }
  | { readonly verb: "run"; readonly write: WritePlan; readonly values: Values };

/** The name of a write: `create Order`, or that of a named one. */
export function nameOf(part: Part): string {
  return part.verb === "run" ? part.write.name : `${part.verb} ${part.entity.name}`;
}

/** What has the attributes or parameters that are given. */
export function ownerOf(part: Part): string {
  return part.verb === "run" ? `the write ${part.write.name}` : part.entity.name;
}

/** The values of a write, with their defaults. What is made for them is added to `made`. */
export function prepared({ io, model }: Context, part: Part, made: MadeValue[]): Values {
  switch (part.verb) {
    case "create":
    case "put":
      return complete(io, part.entity, part.values, made);
    case "update":
      checkRemovable(model, part.entity, part.values, part.removed);
      return touch(io, part.entity, part.values, made);
    case "delete":
      return part.values;
    case "run":
      return withNow(io, part.write, part.values);
  }
}

/** Adds the steps of a write to those of an attempt. `isPart`: other writes may happen together with it. */
export async function addPart(
  context: Context,
  part: Part,
  values: Values,
  isPart: boolean,
  into: Composed,
): Promise<void> {
  if (part.verb === "run") return composeWrite(context, part.write, [part.values, values], into);
  const { entity, verb, removed } = part;
  if (isPart) into.given.addChanged(context.model, entity, verb, values);
  switch (verb) {
    case "create":
      return addCreate(context, entity, values, exists(entity, values), into.draft);
    case "put":
      return addPut(context, entity, part.values, values, into.draft);
    case "update":
      return addUpdate(context, entity, values, removed, isPart, into.draft);
    case "delete":
      return addDeletion(context, entity, values, into.draft);
  }
}

/** Carries one write out. It makes its steps and sends them, again and again while other writers are faster. */
export async function writeAlone(context: Context, part: Part): Promise<Outcome> {
  const made: MadeValue[] = [];
  const values = prepared(context, part, made);
  const [of, advice] = part.verb === "run" ? [`${part.write.name}: the items were`, ""] : [`${part.entity.name} was`];
  const attempt = async (): Promise<Outcome | undefined> => {
    const into = { draft: emptyDraft(), given: new GivenItems(), made: [...made] };
    await addPart(context, part, values, false, into);
    return sent(context, into.draft, into.made);
  };
  return untilSent(context.io, of, attempt, advice);
}

/** Changes of an entity by a named write's assignments: of one that was read, or that may not exist. */

import { complete, type MadeValue } from "../complete.js";
import type { ActionPlan, AssignmentPlan, EntityPlan } from "../plan.js";
import type { Values } from "../value/value.js";
import { apply, removeAt } from "./assignment.js";
import { blindUpsert } from "./blind.js";
import { judged, termsOf, unfulfilled } from "./conditions.js";
import type { Context } from "./context.js";
import { type Fate, operandsOf, writtenAttributes } from "./direct.js";
import { addCreate, addReplace } from "./entity.js";
import type { Inputs } from "./inputs.js";
import type { Draft } from "./step.js";
import { read, requireReadable, type StoredEntity } from "./stored-entity.js";

/** Adds the steps of an upsert: one update where that has the outcome of both, a change or a creation of what
 * was read otherwise. Returns what was made for a new item. */
export async function addUpsert(
  context: Context,
  entity: EntityPlan,
  action: ActionPlan,
  fates: readonly [string, Fate][] | undefined,
  inputs: Inputs,
  draft: Draft,
): Promise<MadeValue[]> {
  const made: MadeValue[] = [];
  if (fates !== undefined) {
    // Whether a new item takes what is made here is not known.
    const values = newValues(context, entity, action, inputs, []);
    const step = await blindUpsert(context, entity, action, inputs.args, values, fates);
    if (step !== undefined) {
      step.conditions = termsOf(action, inputs.args);
      step.refusal = unfulfilled(entity, action, inputs);
      draft.steps.push(step);
      return made;
    }
  }
  const old = await read(context, entity, inputs.own);
  if (old !== undefined) {
    await addChange(context, entity, action, inputs, old, draft);
    return made;
  }
  judged(context, entity, action, inputs, undefined);
  await addCreate(context, entity, newValues(context, entity, action, inputs, made), "stale", draft);
  return made;
}

/** The attributes of a new item: its parameters, what stands behind `else`, assignments that need no stored
 * item, and defaults. What is made for them is added to `made`. */
export function newValues(
  { io, model }: Context,
  entity: EntityPlan,
  action: ActionPlan,
  inputs: Inputs,
  made: MadeValue[],
): Values {
  const { set = [], otherwise = [], verb } = action;
  const said = new Set(otherwise.map((one) => one.attribute));
  const assigned = new Set([...said, ...set.map((one) => one.attribute)]);
  // An optional attribute that the upsert does not name is no parameter of it.
  const isGiven = (name: string): boolean => {
    const found = model.attribute(entity, name);
    const isOwn = verb !== "upsert" || ((found?.optional !== true || found.default !== undefined) && !assigned.has(name));
    return found !== undefined && isOwn;
  };
  const values: Values = new Map([...inputs.own].filter(([name]) => isGiven(name)));
  const nothing: Values = new Map();
  for (const one of [...set.filter(({ attribute }) => !said.has(attribute)), ...otherwise]) {
    apply(model, entity, one, inputs.args, [nothing, values]);
  }
  return complete(io, entity, values, made);
}

/** Whether an action takes the old value of an attribute, or changes a part of it. */
function isTaken({ set = [], removeFields = [] }: ActionPlan, name: string): boolean {
  const takes = (one: AssignmentPlan): boolean => operandsOf(one).some(({ attribute }) => attribute === name);
  return (
    set.some((one) => takes(one) || (one.fields !== undefined && one.attribute === name)) ||
    removeFields.some(({ attribute }) => attribute === name)
  );
}

/** Adds the steps that change an entity that was read. */
export async function addChange(
  context: Context,
  entity: EntityPlan,
  action: ActionPlan,
  inputs: Inputs,
  old: StoredEntity,
  draft: Draft,
): Promise<void> {
  const watched = [...judged(context, entity, action, inputs, old), ...inputs.lent];
  requireReadable(context, entity, old, (name) => inputs.lent.includes(name) || isTaken(action, name));
  const after: Values = new Map(old.values);
  for (const one of action.set ?? []) {
    apply(context.model, entity, one, inputs.args, [old.values, after]);
    // The whole of an attribute whose field is set is written.
    if (one.fields !== undefined) watched.push(one.attribute);
    watched.push(...operandsOf(one).flatMap((operand) => operand.attribute ?? []));
  }
  for (const name of action.remove ?? []) after.delete(name);
  for (const { attribute, fields } of action.removeFields ?? []) {
    removeAt(entity, [attribute, ...fields], after);
    watched.push(attribute);
  }
  const given = writtenAttributes(action);
  await addReplace(context, { entity, old, after, given, watched, isPart: true }, draft);
}

/** The conditions of a named write's actions: judged by the engine, or on an entity that was read. */

import { bind } from "../bound.js";
import type { Term } from "../expression.js";
import { attributesOf, conditionText, holds, parametersOf } from "../judge.js";
import type { ActionPlan, Condition, EntityPlan } from "../plan.js";
import { shown } from "../value/text.js";
import type { Values } from "../value/value.js";
import type { Context } from "./context.js";
import { type Inputs, nameOf } from "./inputs.js";
import { errorOf, itemText, notFoundText, placeOfEntity, type Reason, type Refusal, subject } from "./refusal.js";
import type { Step } from "./step.js";
import { requireOwn, requireReadable, type StoredEntity } from "./stored-entity.js";

/** Judges the conditions of an action on an entity that was read; an entity that does not exist has no
 * attributes. Returns the attributes that they rest on: these must not change before the write. */
export function judged(
  context: Context,
  entity: EntityPlan,
  action: ActionPlan,
  inputs: Inputs,
  old: StoredEntity | undefined,
): string[] {
  const compared = (action.when ?? []).flatMap(attributesOf);
  if (old !== undefined) {
    if (action.verb === "check" || [...compared, ...inputs.lent].length > 0) requireOwn(context, entity, old);
    requireReadable(context, entity, old, (name) => compared.includes(name));
  }
  const values: Values = old?.values ?? new Map();
  for (const condition of action.when ?? []) {
    if (!holds(bind(condition, inputs.args), values)) {
      const refusal = refused(entity, action, [condition], inputs, old === undefined ? "absent" : "stored");
      throw errorOf(refusal, placeOfEntity(context.model, nameOf(action), entity, inputs.own), old !== undefined);
    }
  }
  return compared;
}

/** The refusal of an action whose conditions do not hold, where the engine judges them. */
export function unfulfilled(entity: EntityPlan, action: ActionPlan, inputs: Inputs): Refusal {
  const conditions = action.when ?? [];
  // Where a missing item fulfils them, the item is stored.
  const fitsNew = conditions.every((one) => holds(bind(one, inputs.args), new Map()));
  const stored = refused(entity, action, conditions, inputs, "stored");
  return fitsNew ? stored : { absent: refused(entity, action, conditions, inputs, "absent"), stored };
}

/** `found` is what is known of the item whose conditions do not hold. */
function refused(
  entity: EntityPlan,
  action: ActionPlan,
  conditions: readonly Condition[],
  inputs: Inputs,
  found: "stored" | "absent",
): Reason {
  const absent = notFoundText(entity, inputs.own);
  const items = {
    stored: itemText(entity, inputs.own),
    absent: `${absent}, and a new one`,
  };
  const written = show(conditions, inputs.args);
  const message = `${nameOf(action)}: ${items[found]} does not meet the condition ${written}`;
  return { code: "refused", message, conditions: written, of: subject(entity, inputs.own) };
}

/** Conditions as they are written, with the values of their parameters. */
function show(conditions: readonly Condition[], args: Values): string {
  const [first] = conditions;
  const written = conditionText(first !== undefined && conditions.length === 1 ? first : { all: conditions });
  const names = [...new Set(conditions.flatMap(parametersOf))].filter((name) => args.has(name));
  const given = names.map((name) => `${name} = ${shown(args.get(name))}`);
  return given.length === 0 ? written : `${written} (${given.join(", ")})`;
}

/** The conditions of an action as the engine judges them. */
export function termsOf({ when = [] }: ActionPlan, args: Values): Term[] {
  return when.map((condition) => ({ condition: bind(condition, args) }));
}

/** Adds the conditions of an action to a step, for the engine to judge. */
export function addConditions(
  step: Step,
  action: ActionPlan,
  args: Values,
  of: { readonly entity: EntityPlan; readonly own: Values },
): void {
  const terms = termsOf(action, args);
  if (terms.length === 0) return;
  step.conditions = [...step.conditions, ...terms];
  const { refusal } = step;
  if (typeof refusal === "object" && "code" in refusal && refusal.code === "not_found") {
    const { entity, own } = of;
    const conditions = show(action.when ?? [], args);
    const message = `${step.label}: ${itemText(entity, own)} does not meet the condition ${conditions}`;
    step.refusal = { absent: refusal, stored: { ...refusal, code: "refused", message, conditions } };
  }
}

/** The contributions of items to an aggregate of another entity, before and after a change. */

import type { Place } from "../derive.js";
import type { AggregatePlan, AttributeValue, EntityPlan } from "../plan.js";
import { display, shown, sortedNames } from "../value/text.js";
import type { Values } from "../value/value.js";
import type { Step } from "./step.js";

/** The contribution of an item to an aggregate. */
export interface Contribution {
  /** The key attributes of the parent, which keeps the aggregate. */
  readonly parent: Values;
  /** The number that is added, or the value that may be the greatest. */
  readonly value: AttributeValue;
}

/** The contribution of an item with these values; `undefined` when it is not in the aggregate. */
export function contributionOf(aggregate: AggregatePlan, values: Values | undefined): Contribution | undefined {
  const { where, of, link } = aggregate;
  if (values === undefined) return undefined;
  if (where !== undefined) {
    const held = values.get(where.attribute);
    if (held === undefined || display(held) !== where.text) return undefined;
  }
  const value = of === undefined ? { N: "1" } : values.get(of);
  if (value === undefined) return undefined;
  const parent: Values = new Map();
  for (const { own, other } of link) {
    const held = values.get(other);
    if (held === undefined) return undefined;
    parent.set(own, held);
  }
  return { parent, value };
}

/** The change of one aggregate of one parent, which follows from the change of one item. */
export interface AggregateChange {
  /** The entity that keeps the aggregate. */
  readonly parent: EntityPlan;
  readonly aggregate: AggregatePlan;
  /** The entity of the item that changes. */
  readonly child: EntityPlan;
  /** The attributes of the item before and after the change. */
  readonly before: Values | undefined;
  readonly after: Values | undefined;
  /** The contribution that this parent loses. */
  readonly old: Contribution | undefined;
  /** The contribution that this parent gains. */
  readonly new: Contribution | undefined;
}

/** The difference in the number of items: -1, 0 or 1. */
export function itemsAdded(change: AggregateChange): string {
  return String(Number(change.new !== undefined) - Number(change.old !== undefined));
}

/** The item that keeps an aggregate. */
export interface Target {
  readonly place: Place;
  /** The step of the same write that changes this item. */
  readonly step: Step | undefined;
}

/** The sentence about a parent that does not exist. */
export function noParentText(parent: EntityPlan, key: Values): string {
  const held = sortedNames(key.keys()).map((name) => `${name} = ${shown(key.get(name))}`);
  return `there is no ${parent.name} with ${held.join(", ")}`;
}

/** What follows from an entity: the aggregates of its items, and the attributes that decide it. */

import { attributesOf } from "../judge.js";
import { fieldsOf } from "../key/make.js";
import type { Model } from "../model.js";
import type { AggregatePlan, EntityPlan, KeyColumn } from "../plan.js";

/** Whether an attribute decides which other items follow from an entity, where they lie and what aggregates count.
 * Copies may hold other attributes, and parts the split list. */
export function decides(model: Model, entity: EntityPlan, name: string): boolean {
  const fields = (key: readonly KeyColumn[]): string[] => key.flatMap(({ parts = [] }) => fieldsOf(parts));
  return [
    ...(entity.uniques ?? []).flatMap((one) => one.attributes),
    ...(entity.copies ?? []).flatMap((one) => [...fields(one.key), ...(one.when ?? []).flatMap(attributesOf)]),
    ...(entity.indexes ?? []).flatMap((one) => [...fields(one.key), one.sparse?.attribute]),
    ...aggregatesOf(model, entity).flatMap(([, one]) => [
      ...[one.of, one.where?.attribute],
      ...one.link.map(({ other }) => other),
    ]),
    entity.ttl,
  ].includes(name);
}

/** The aggregates that follow the items of an entity, each with the entity that keeps it. */
export function aggregatesOf({ plan }: Model, { name }: EntityPlan): [EntityPlan, AggregatePlan][] {
  return plan.entities.flatMap((parent) =>
    (parent.aggregates ?? []).flatMap((one): [EntityPlan, AggregatePlan][] => (one.entity === name ? [[parent, one]] : [])),
  );
}

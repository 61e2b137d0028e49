/** The steps of one entity: its creation, its change from old to new attributes, its deletion. They include
 * its copies, guards and parts; the aggregates of other entities follow in `aggregate`. */

import { derive, type Derived, guardKey, idGuard, isSameDerived, placeOf } from "../derive.js";
import { invalid } from "../error.js";
import type { Term } from "../expression.js";
import type { AggregatePlan, EntityPlan } from "../plan.js";
import { digestAttribute } from "../split.js";
import { addNumbers } from "../value/arithmetic.js";
import { isSameItem } from "../value/compare.js";
import { sortedNames } from "../value/text.js";
import { held, type Values } from "../value/value.js";
import type { Context } from "./context.js";
import { decides } from "./decides.js";
import { leftBehind } from "./left-behind.js";
import { type GivenNames, mainStep } from "./main-item.js";
import { move, movedGuard, watchedOf } from "./moved.js";
import { itemText, occupied, type Refusal, subject, taken } from "./refusal.js";
import { type Draft, put, putNew, type RemainingItems, remove, type Step, step, unlessStale } from "./step.js";
import {
  derivedOf,
  explained,
  requireOwn,
  requireReadable,
  requireReplaceable,
  type StoredEntity,
  withKept,
} from "./stored-entity.js";

/** Adds the puts of all items that follow from the values. `refusal` is that of a main item that exists. */
export async function addCreate(
  context: Context,
  entity: EntityPlan,
  values: Values,
  refusal: Refusal,
  draft: Draft,
): Promise<void> {
  const table = context.model.table(entity.table);
  const isOver = refusal === "stale" && entity.id !== undefined;
  for (const one of await derive(context.io, context.model, entity, values)) {
    const { role } = one;
    if (role === "main") draft.steps.push(putNew(table, entity, one, isOver ? occupied(entity, values) : refusal));
    else if (role === "idGuard") draft.steps.push(putNew(table, entity, one, refusal));
    else if ("guard" in role) draft.steps.push(putNew(table, entity, one, taken(entity, role.guard, values)));
    else draft.steps.push(put(entity, one));
  }
  draft.changes.push({ entity, before: undefined, after: values });
}

/** Adds the steps that put a whole entity over what was read: nothing, or the stored entity, whose `watched`
 * attributes must still be as they were read. */
export async function addPutOver(
  context: Context,
  entity: EntityPlan,
  values: Values,
  old: StoredEntity | undefined,
  watched: readonly string[],
  draft: Draft,
): Promise<void> {
  if (old === undefined) return addCreate(context, entity, values, "stale", draft);
  const after = withKept(entity, old, values);
  await addReplace(context, { entity, old, after, given: "all", watched, isPart: false }, draft);
}

/** Adds the deletion of everything that follows from an entity. */
export async function addDelete(
  context: Context,
  entity: EntityPlan,
  old: StoredEntity,
  watched: readonly string[],
  draft: Draft,
): Promise<void> {
  requireOwn(context, entity, old);
  requireReadable(context, entity, old, (name) => decides(context.model, entity, name));
  const aggregates = entity.aggregates ?? [];
  draft.remaining.push(...aggregates.flatMap((one) => remainingItems(context, entity, old, one, watched) ?? []));
  const counters = aggregates.map((one) => one.items);
  const conditions = unchanged(context, entity, old, [...watched, ...counters, ...identityOf(entity, old)]);
  for (const [at, one] of (await derivedOf(context, entity, old)).entries()) {
    const made = remove(entity, one);
    draft.steps.push(at === 0 ? unlessStale(made, conditions) : made);
  }
  if (old.lacksGuard) draft.steps.push(guardIsAbsent(context, entity, old));
  draft.changes.push({ entity, before: old.values, after: undefined });
}

/** The items that an aggregate of a deleted entity counts. The entity cannot be deleted while there are any,
 * except those that the same write deletes. */
function remainingItems(
  { model }: Context,
  entity: EntityPlan,
  old: StoredEntity,
  { items: counter, entity: child }: AggregatePlan,
  watched: readonly string[],
): RemainingItems | undefined {
  const items = held(old.item, counter)?.N;
  if (items === undefined) return undefined;
  const { tableName: table, key } = placeOf(model, entity, old.values);
  const reason = `${itemText(entity, old.values)} still has ${child} items; delete them first`;
  return { table, key, counter, items, isJudged: watched.includes(counter), reason, of: subject(entity, old.values) };
}

/** The conditions that everything a write rests on is as it was read. */
export function unchanged(
  { model }: Context,
  entity: EntityPlan,
  old: StoredEntity,
  watched: readonly string[],
): Term[] {
  // A split list is compared by its digest.
  const names = [...(entity.followed ?? []), ...watched].map((name) =>
    name === entity.split?.attribute ? digestAttribute(name) : name,
  );
  const terms = sortedNames(names).map((name): Term => {
    const value = held(old.item, name);
    return value === undefined ? { missing: name } : { equal: name, value };
  });
  return [{ exists: model.table(entity.table).partition.name }, ...terms];
}

/** The change of an entity from its old to its new attributes. */
export interface Replacement {
  readonly entity: EntityPlan;
  readonly old: StoredEntity;
  readonly after: Values;
  /** The attributes that the caller gives. */
  readonly given: GivenNames;
  /** Attributes that must still be as they were read. */
  readonly watched: readonly string[];
  /** Whether other actions may happen together with it: then the entity must be as it was read even where
   * nothing differs. */
  readonly isPart: boolean;
}

/** Adds the steps that turn an entity's old attributes into its new ones. When nothing differs, also no
 * version, it adds none, or a check in a write of several actions. */
export async function addReplace(context: Context, replacement: Replacement, draft: Draft): Promise<void> {
  const { entity, old, given } = replacement;
  requireReplaceable(context, entity, old, given);
  const values = withNextVersion(replacement);
  const [mainBefore, ...before] = await derivedOf(context, entity, old);
  const made = derive(context.io, context.model, entity, values);
  const [mainAfter, ...after] = await made.catch((error: unknown) => {
    throw explained(context, entity, old, given, error);
  });
  const left = leftBehind(context.model, entity, old, [values, mainAfter.item], given === "all");
  const follow = (): void => {
    replaceFollowers(context, entity, before, after, values, draft);
    draft.changes.push({ entity, before: old.values, after: values });
  };
  if (!isSameItem(mainBefore.key, mainAfter.key) || mainBefore.table !== mainAfter.table) {
    if (entity.id === undefined) {
      const message = `the key of ${entity.name} cannot change; delete it and put it again`;
      throw invalid(message, undefined, entity.name);
    }
    const watched = watchedOf(context.model.table(entity.table), entity, old);
    const conditions = unchanged(context, entity, old, watched);
    move(context.model, entity, old, [mainBefore, mainAfter], { conditions, left }, draft);
    follow();
    return;
  }
  const isSame = areSame([mainBefore, ...before], [mainAfter, ...after]);
  const version = entity.version === undefined ? [] : [entity.version];
  const again = given !== "all" && isSame ? given : [];
  const identity = identityOf(entity, old);
  const conditions = unchanged(context, entity, old, [...replacement.watched, ...version, ...again, ...identity]);
  const main = { entity, stored: old.item, before: mainBefore, after: mainAfter, given, left };
  const changed = mainStep(context.model, main, conditions);
  if (changed === undefined && isSame && !replacement.isPart) return;
  // Copies or guards may differ. They rest on the entity being as it was read.
  draft.steps.push(changed ?? unlessStale(step(`check ${entity.name}`, mainAfter, { is: "check" }), conditions));
  follow();
}

/** The attributes by which an item without a guard is told from others. */
function identityOf(entity: EntityPlan, old: StoredEntity): readonly string[] {
  return old.lacksGuard ? (entity.id ?? []) : [];
}

/** The check that another writer has not made the guard of an item that lacks it. */
function guardIsAbsent({ model }: Context, entity: EntityPlan, old: StoredEntity): Step {
  const table = model.table(entity.table);
  const unique = idGuard(entity);
  if (unique === undefined) throw invalid(`${entity.name} has no id`);
  const place = { table: table.name, key: guardKey(table, entity, unique, old.values) };
  const check = step(`check the guard of ${entity.id?.join(", ") ?? ""}`, place, { is: "check" });
  return unlessStale(check, [{ missing: table.partition.name }]);
}

function areSame(one: readonly Derived[], other: readonly Derived[]): boolean {
  return one.length === other.length && one.every((item, at) => isSameDerived(item, other[at] ?? item));
}

/** The new values with the next version: it counts writes, also those that change nothing else. */
function withNextVersion({ entity, old, after }: Replacement): Values {
  const { version } = entity;
  if (version === undefined) return after;
  const held = old.values.get(version)?.N;
  const next = held === undefined ? undefined : addNumbers(held, "1");
  return new Map(after).set(version, { N: next ?? "1" });
}

/** Deletes the followers of the main item that no longer follow, and puts those that are new or differ. */
function replaceFollowers(
  context: Context,
  entity: EntityPlan,
  before: readonly Derived[],
  after: readonly Derived[],
  values: Values,
  draft: Draft,
): void {
  const at = (all: readonly Derived[], one: Derived): Derived | undefined =>
    all.find((other) => isSameItem(other.key, one.key));
  draft.steps.push(...before.filter((one) => at(after, one) === undefined).map((one) => remove(entity, one)));
  for (const one of after) {
    if (before.some((other) => isSameDerived(one, other))) continue;
    const { role } = one;
    const known = at(before, one);
    if (role === "idGuard") {
      const { partition } = context.model.table(entity.table);
      draft.steps.push(movedGuard(entity, known, one, partition.name));
    } else if (typeof role === "object" && "guard" in role && known === undefined) {
      const table = context.model.table(entity.table);
      draft.steps.push(putNew(table, entity, one, taken(entity, role.guard, values)));
    } else {
      draft.steps.push(put(entity, one));
    }
  }
}

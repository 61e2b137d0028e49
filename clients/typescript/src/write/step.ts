/** The steps of a write: one changed item each, with its action, its conditions and the refusal when they
 * fail. */

import type { Derived, Role } from "../derive.js";
import { type Changed, Expressions, type Removed, type Term } from "../expression.js";
import type { AttributeValue, EntityPlan, Item, TablePlan } from "../plan.js";
import { isSameItem } from "../value/compare.js";
import type { Values } from "../value/value.js";
import { isByItem, type Refusal, type Subject } from "./refusal.js";
import type { Unread } from "./unread.js";

/** What a step does with its item. */
export type StepAction =
  | { readonly is: "put"; readonly item: Item }
  | { readonly is: "update"; readonly changes: Changed[]; readonly removed: Removed[] }
  | { readonly is: "delete" }
  | { readonly is: "check" };

/** The changes of one write among the items of a maximum. */
export interface MaximumChange {
  /** The keys of changed and deleted items: the search for the next maximum skips them. */
  readonly removed: readonly Item[];
  /** The values of the items after the write. */
  readonly added: readonly AttributeValue[];
  /** Whether one of the removed items held the maximum. */
  readonly lostMaximum: boolean;
}

/** One action of a write. */
export interface Step {
  /** The step for people: `put Order`. */
  label: string;
  readonly table: string;
  readonly key: Item;
  action: StepAction;
  conditions: readonly Term[];
  refusal: Refusal;
  /** By attribute of a maximum that this item keeps: the changes of this write among its items. */
  readonly maxima: Map<string, MaximumChange>;
}

/** The change of an entity; `before` or `after` is absent when it is created or deleted. */
export interface EntityChange {
  readonly entity: EntityPlan;
  readonly before: Values | undefined;
  readonly after: Values | undefined;
}

/** The items that one aggregate of a deleted entity counts. The same write must delete them, too. */
export interface RemainingItems {
  readonly table: string;
  readonly key: Item;
  /** The attribute that holds the number of items. */
  readonly counter: string;
  items: string;
  /** Whether a condition of the deletion is judged on the counter. */
  readonly isJudged: boolean;
  /** The sentence of the refusal, and the deleted entity. */
  readonly reason: string;
  readonly of: Subject;
}

/** A write that is being composed. Aggregates follow once all of its steps are known. */
export interface Draft {
  steps: Step[];
  /** The entities that the steps change. */
  changes: EntityChange[];
  /** The items that aggregates of deleted entities still count. */
  remaining: RemainingItems[];
  /** The updates of items that are not read before. */
  readonly unread: Unread[];
}

/** A write without a step. */
export function emptyDraft(): Draft {
  return { steps: [], changes: [], remaining: [], unread: [] };
}

/** A step without conditions. */
export function step(label: string, at: { readonly table: string; readonly key: Item }, action: StepAction): Step {
  return { label, table: at.table, key: at.key, action, conditions: [], refusal: "none", maxima: new Map() };
}

/** Puts an item, whether one exists or not. */
export function put(entity: EntityPlan, derived: Derived): Step {
  return step(`put ${described(entity, derived.role)}`, derived, { is: "put", item: { ...derived.item } });
}

/** Puts an item that must not exist. */
export function putNew(table: TablePlan, entity: EntityPlan, derived: Derived, refusal: Refusal): Step {
  return { ...put(entity, derived), conditions: [{ missing: table.partition.name }], refusal };
}

/** Deletes an item. */
export function remove(entity: EntityPlan, derived: Derived): Step {
  return step(`delete ${described(entity, derived.role)}`, derived, { is: "delete" });
}

/** The step under conditions that fail when another writer was faster. */
export function unlessStale(one: Step, conditions: readonly Term[]): Step {
  return { ...one, conditions, refusal: "stale" };
}

/** Whether a step changes the item with this key. */
export function isAt(one: Step, table: string, key: Item): boolean {
  return one.table === table && isSameItem(one.key, key);
}

/** The step as an action of a transaction. */
export function lowered({ action, table, key, conditions, refusal }: Step): [string, object] {
  const made = new Expressions();
  const update = action.is === "update" ? made.changes(action.changes, action.removed) : undefined;
  const condition = made.terms(conditions);
  const members = {
    TableName: table,
    ...(action.is === "put" ? { Item: action.item } : { Key: key }),
    ...(update !== undefined && { UpdateExpression: update }),
    ...(condition !== undefined && { ConditionExpression: condition }),
    ...made.members(),
    // The error then shows whether the item is stored.
    ...(isByItem(refusal) && { ReturnValuesOnConditionCheckFailure: "ALL_OLD" }),
  };
  return [NAMES[action.is], members];
}

const NAMES = { put: "Put", update: "Update", delete: "Delete", check: "ConditionCheck" } as const;

function described(entity: EntityPlan, role: Role): string {
  if (role === "main") return entity.name;
  if (role === "idGuard") return `the guard of ${(entity.id ?? []).join(", ")}`;
  if ("part" in role) return `part ${role.part} of ${entity.name}`;
  if ("copy" in role) return `${entity.name}.${role.copy}`;
  return `the guard of ${role.guard.join(", ")}`;
}

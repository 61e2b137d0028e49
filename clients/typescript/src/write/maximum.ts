/** Maxima that a parent keeps of an entity's items.
 *
 * The maximum is read and set. When its item goes, the next one is searched. Every change of the items
 * increments a counter beside the maximum, and the write requires that the counter is as it was read: the
 * search never misses an item that another writer adds in the meantime. */

import { derive, tableName } from "../derive.js";
import { failure } from "../error.js";
import { type Changed, isSameTerm, type Removed, type Term } from "../expression.js";
import { kindName } from "../model.js";
import type { AggregatePlan, AttributeValue, Item } from "../plan.js";
import { questionOf } from "../read/items.js";
import { query } from "../read/request.js";
import { requireKind } from "../read/unknown.js";
import { valuesOf } from "../stored.js";
import { addNumbers } from "../value/arithmetic.js";
import { hasKey, isEqual, order } from "../value/compare.js";
import { typed } from "../value/typed.js";
import { held, setOwn, type Values } from "../value/value.js";
import { type Context, get } from "./context.js";
import { type AggregateChange, itemsAdded, noParentText, type Target } from "./contribution.js";
import { placeOfItem, subject } from "./refusal.js";
import { isAt, type MaximumChange, type Step, step, type StepAction } from "./step.js";

/** Adds the step of the parent that keeps the maximum, or changes the step that it has already. */
export async function followMaximum(
  context: Context,
  change: AggregateChange,
  target: Target,
  steps: Step[],
): Promise<void> {
  const { attribute } = change.aggregate;
  const { place, step: own } = target;
  const { tableName: table, key } = place;
  if (own?.action.is === "put") {
    addToNewParent(change, own.action.item);
    return;
  }
  const parent = await get(context, table, key);
  if (parent === undefined) {
    if (change.new === undefined) return;
    const label = `max ${change.parent.name}.${attribute}`;
    throw failure("not_found", noParentText(change.parent, change.new.parent), {
      ...placeOfItem({ label, table, key }),
      ...subject(change.parent, change.new.parent),
    });
  }
  const stored = held(parent, attribute);
  const items = await changedItems(context, change, stored, own?.maxima.get(attribute));
  const next = await nextMaximum(context, change, stored, items);
  addUpdate(parentUpdate(change, target, parent, next), change, target, steps);
  steps.find((one) => isAt(one, table, key))?.maxima.set(attribute, items);
}

/** Sets the maximum of a parent that the same write creates: all of its items are in that write. */
function addToNewParent(change: AggregateChange, parent: Item): void {
  const { attribute, changes, items } = change.aggregate;
  const known = held(parent, attribute);
  if (change.new !== undefined && (known === undefined || isGreater(change.new.value, known))) {
    setOwn(parent, attribute, change.new.value);
  }
  setOwn(parent, changes, { N: "1" });
  const count = held(parent, items)?.N ?? "0";
  setOwn(parent, items, { N: addNumbers(count, itemsAdded(change)) ?? count });
}

function isGreater(one: AttributeValue, other: AttributeValue): boolean {
  return (order(one, other) ?? 0) > 0;
}

/** The changes of the write among the items of the maximum: earlier ones and this one. */
async function changedItems(
  { io, model }: Context,
  { child, before, old, new: next }: AggregateChange,
  stored: AttributeValue | undefined,
  earlier: MaximumChange = { removed: [], added: [], lostMaximum: false },
): Promise<MaximumChange> {
  const added = next === undefined ? earlier.added : [...earlier.added, next.value];
  if (old === undefined || before === undefined) return { ...earlier, added };
  const keys = (await derive(io, model, child, before, {})).map((one) => one.key);
  return {
    added,
    removed: [...earlier.removed, ...keys],
    lostMaximum: earlier.lostMaximum || isEqual(old.value, stored),
  };
}

/** The maximum after the write; `undefined` when no item remains. */
async function nextMaximum(
  context: Context,
  change: AggregateChange,
  stored: AttributeValue | undefined,
  items: MaximumChange,
): Promise<AttributeValue | undefined> {
  let next = items.lostMaximum ? await search(context, change, items.removed) : stored;
  for (const value of items.added) {
    if (next === undefined || isGreater(value, next)) next = value;
  }
  return next;
}

/** The maximum of the stored items that this write does not change. */
async function search(
  { io, model }: Context,
  change: AggregateChange,
  removed: readonly Item[],
): Promise<AttributeValue | undefined> {
  const { aggregate, child } = change;
  const { of, next: plan, where } = aggregate;
  // The item at hand links to the parent before the change if it was counted there, after the change
  // otherwise.
  const linked = change.old === undefined ? change.after : change.before;
  if (plan === undefined || linked === undefined || of === undefined) return undefined;
  const args: Values = new Map(linked);
  const type = where && model.attribute(child, where.attribute)?.type;
  if (where !== undefined && type !== undefined) {
    const given = type === "bool" ? where.text === "true" : where.text;
    args.set(where.attribute, typed(model, where.attribute, type, given));
  }
  const table = model.table(child.table);
  const copy = child.copies?.find((one) => one.name === aggregate.nextCopy);
  const origin = { io, table, entity: child, copy };
  const name = tableName(table, child, linked);
  const question = questionOf(io, model, plan, args);
  // The first items may be removed ones, or parts of a list, which lack the attribute.
  const limit = removed.length + 1;
  const read = (after: Item | undefined): ReturnType<typeof query> => query(question, name, args, after, limit);
  const { pagesFrom } = await import("../paging.js");
  for await (const raw of pagesFrom(question.name, undefined, read)) {
    for (const item of raw.items) {
      if (removed.some((key) => hasKey(item, key))) continue;
      const value = (await valuesOf(origin, [of], [item])).get(of);
      if (value === undefined) continue;
      requireKind(table, { name: kindName(child, copy) }, item);
      return value;
    }
  }
  return undefined;
}

/** The update of the parent's item. */
interface ParentUpdate {
  readonly changes: Changed[];
  readonly removed: readonly string[];
  readonly conditions: readonly Term[];
}

/** The update that sets the next maximum. It requires that the counter of changes is as it was read with the
 * parent. */
function parentUpdate(
  change: AggregateChange,
  target: Target,
  parent: Item,
  next: AttributeValue | undefined,
): ParentUpdate {
  const { attribute, changes: counter, items } = change.aggregate;
  const changes: Changed[] = [
    [counter, { is: "add", number: "1" }],
    [items, { is: "add", number: itemsAdded(change) }],
  ];
  if (next !== undefined) changes.push([attribute, { is: "set", value: next }]);
  const counted = held(parent, counter);
  const asRead: Term = counted === undefined ? { missing: counter } : { equal: counter, value: counted };
  return {
    changes,
    removed: next === undefined ? [attribute] : [],
    conditions: [{ exists: target.place.table.partition.name }, asRead],
  };
}

/** Adds the update as a step, or to the step of the same item. */
function addUpdate(update: ParentUpdate, change: AggregateChange, target: Target, steps: Step[]): void {
  const { changes, removed, conditions } = update;
  const action: StepAction = { is: "update", changes, removed: [...removed] };
  const own = target.step;
  const label = `max ${change.parent.name}.${change.aggregate.attribute}`;
  if (own === undefined) {
    const at = { table: target.place.tableName, key: target.place.key };
    steps.push({ ...step(label, at, action), conditions, refusal: "stale" });
    return;
  }
  if (own.action.is === "put" || own.action.is === "delete") return;
  if (own.action.is === "check") own.label = `${own.label}, ${label}`;
  own.action = own.action.is === "check" ? action : merged(own.action, update, change.aggregate);
  const isKnown = (one: Term): boolean => own.conditions.some((known) => isSameTerm(known, one));
  own.conditions = [...own.conditions, ...conditions.filter((one) => !isKnown(one))];
  // A failed condition of the step itself is judged again after the item has been read again.
  own.refusal = "stale";
}

/** Two updates of one item. A later change takes the place of an earlier one of the same attribute; the number
 * of items adds up, and the counter of changes goes up once. */
function merged(
  own: { readonly changes: readonly Changed[]; readonly removed: readonly Removed[] },
  update: ParentUpdate,
  aggregate: AggregatePlan,
): StepAction {
  const changes = [...own.changes];
  for (const [name, change] of update.changes) {
    const at = changes.findIndex(([known]) => known === name);
    const known = changes[at]?.[1];
    if (known === undefined) {
      changes.push([name, change]);
    } else if (known.is !== "add") {
      changes[at] = [name, change];
    } else if (change.is === "add" && name !== aggregate.changes) {
      changes[at] = [name, { is: "add", number: addNumbers(known.number, change.number) ?? known.number }];
    }
  }
  const set = update.changes.map(([name]) => name);
  const others = own.removed.filter((one) => !set.includes((typeof one === "string" ? one : one[0]) ?? ""));
  const removed = new Set<Removed>([...others, ...update.removed]);
  return {
    is: "update",
    changes: changes.filter(([name]) => !update.removed.includes(name)),
    removed: [...removed],
  };
}

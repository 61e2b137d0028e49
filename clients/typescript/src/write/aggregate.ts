/** Aggregates follow the items of a write: counts, sums and maxima that a parent keeps of an entity's items
 * change in the same transaction.
 *
 * A count or a sum is added to, without reading it. A maximum is read and set: `maximum` searches for the next
 * one when its item goes. */

import { type Place, placeOf } from "../derive.js";
import { failure } from "../error.js";
import type { Change, Changed } from "../expression.js";
import { addNumbers, negatedNumber } from "../value/arithmetic.js";
import { areEqual, isEqual, isSameItem } from "../value/compare.js";
import { held, setOwn } from "../value/value.js";
import { type Context, get } from "./context.js";
import { type AggregateChange, contributionOf, itemsAdded, noParentText, type Target } from "./contribution.js";
import { aggregatesOf } from "./decides.js";
import { followMaximum } from "./maximum.js";
import { placeOfItem, subject } from "./refusal.js";
import { type Draft, type EntityChange, isAt, type Step, step } from "./step.js";

/** All steps of a write: those of its items, and those of the aggregates that follow them. */
export async function withAggregates(context: Context, draft: Draft): Promise<Step[]> {
  await addAggregates(context, draft);
  return draft.steps;
}

/** Adds the steps of the aggregates that follow the changes so far. */
export async function addAggregates(context: Context, draft: Draft): Promise<void> {
  const { changes } = draft;
  draft.changes = [];
  for (const change of changes) await follow(context, change, draft);
  const remaining = draft.remaining.find((one) => one.items !== "0");
  draft.remaining = [];
  if (remaining !== undefined) {
    const { table, key, reason, of } = remaining;
    const { label = "delete" } = draft.steps.find((one) => isAt(one, table, key)) ?? {};
    throw failure("refused", reason, { ...placeOfItem({ label, table, key }), ...of });
  }
}

/** Adds the steps of the aggregates that follow the change of one entity. */
async function follow(context: Context, { entity, before, after }: EntityChange, draft: Draft): Promise<void> {
  for (const [parent, aggregate] of aggregatesOf(context.model, entity)) {
    const [old, next] = [contributionOf(aggregate, before), contributionOf(aggregate, after)];
    const of = { parent, aggregate, child: entity, before, after };
    if (old !== undefined && next !== undefined && areEqual(old.parent, next.parent)) {
      if (!isEqual(old.value, next.value)) await apply(context, { ...of, old, new: next }, draft);
      continue;
    }
    if (old !== undefined) await apply(context, { ...of, old, new: undefined }, draft);
    if (next !== undefined) await apply(context, { ...of, old: undefined, new: next }, draft);
  }
}

/** Adds the step of one parent, or changes the step that the parent has already. */
async function apply(context: Context, change: AggregateChange, draft: Draft): Promise<void> {
  const key = (change.old ?? change.new)?.parent;
  if (key === undefined) return;
  const place = placeOf(context.model, change.parent, key);
  const own = draft.steps.find((one) => isAt(one, place.tableName, place.key));
  if (own?.action.is === "delete") {
    subtractRemaining(change, place, own.label, draft);
    return;
  }
  const target = { place, step: own };
  if (change.aggregate.kind === "max") await followMaximum(context, change, target, draft.steps);
  else await add(context, change, target, draft.steps);
}

/** Subtracts an item that is deleted together with its parent from the parent's remaining items. */
function subtractRemaining(change: AggregateChange, place: Place, label: string, { remaining }: Draft): void {
  const added = itemsAdded(change);
  if (added === "1") {
    throw failure(
      "refused",
      `\`${label}\` in the same write: ${change.aggregate.attribute} cannot follow`,
      placeOfItem({ label, table: place.tableName, key: place.key }),
    );
  }
  const of = remaining.find(
    (one) =>
      one.table === place.tableName && isSameItem(one.key, place.key) && one.counter === change.aggregate.items,
  );
  if (of !== undefined) of.items = addNumbers(of.items, added) ?? of.items;
}

/** Adds the difference to a count or a sum. */
async function add(context: Context, change: AggregateChange, target: Target, steps: Step[]): Promise<void> {
  const { parent, aggregate } = change;
  const { place, step: own } = target;
  const added: [string, string][] = [[aggregate.attribute, difference(change)]];
  if (aggregate.kind === "sum") added.push([aggregate.items, itemsAdded(change)]);
  const label = `${aggregate.kind} ${parent.name}.${aggregate.attribute}`;
  if (own !== undefined) {
    if (own.action.is === "check") own.label = `${own.label}, ${label}`;
    for (const [attribute, number] of added) addToStep(own, attribute, number);
    return;
  }
  // The parent may be deleted before the items that it counts.
  if (change.new === undefined && (await get(context, place.tableName, place.key)) === undefined) return;
  const changes = added.map(([name, number]): Changed => [name, { is: "add", number }]);
  steps.push({
    ...step(label, { table: place.tableName, key: place.key }, { is: "update", changes, removed: [] }),
    conditions: [{ exists: place.table.partition.name }],
    refusal:
      change.new === undefined
        ? "stale"
        : { code: "not_found", message: noParentText(parent, change.new.parent), of: subject(parent, change.new.parent) },
  });
}

/** The new contribution minus the old one. */
function difference({ parent, aggregate, old, new: next }: AggregateChange): string {
  return sum(`${parent.name}.${aggregate.attribute}`, next?.value.N ?? "0", negatedNumber(old?.value.N ?? "0"));
}

function sum(name: string, one: string, other: string): string {
  const made = addNumbers(one, other);
  if (made === undefined) throw failure("refused", `${name} would leave DynamoDB's numbers`);
  return made;
}

/** Adds to a number that another step of the same write sets or changes. */
function addToStep(own: Step, attribute: string, number: string): void {
  const { action } = own;
  const added: Change = { is: "add", number };
  if (action.is === "put") {
    setOwn(action.item, attribute, { N: sum(attribute, held(action.item, attribute)?.N ?? "0", number) });
  } else if (action.is === "check") {
    own.action = { is: "update", changes: [[attribute, added]], removed: [] };
  } else if (action.is === "update") {
    const known = action.changes.find(([name]) => name === attribute);
    const change = known?.[1];
    if (known !== undefined && change?.is === "add") {
      known[1] = { is: "add", number: sum(attribute, change.number, number) };
    } else if (known !== undefined && change?.is === "set" && change.value.N !== undefined) {
      known[1] = { is: "set", value: { N: sum(attribute, change.value.N, number) } };
    } else {
      action.changes.push([attribute, added]);
    }
  }
}

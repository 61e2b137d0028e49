/** Two steps of one item, of two writes in one transaction: DynamoDB takes one action for each item. They become
 * one where that has the outcome of the first write and then the second; otherwise they cannot be in one
 * transaction.
 *
 * A later step sees the item as it was before the transaction. That is the same as behind the earlier step where
 * it reads nothing that the earlier one writes. Both may add to the same number.
 *
 * The guard of a unique value that one item gives away and another takes is put over: of the deletion and the put
 * that must find no guard, the outcome is the put. */

import type { Bound } from "../bound.js";
import { type Change, type Changed, isSameTerm, type Removed, type Term } from "../expression.js";
import { addNumbers } from "../value/arithmetic.js";
import { errorOf, isByItem, joined, placeOfItem, type Refusal } from "./refusal.js";
import { isAt, type RemainingItems, type Step, type StepAction } from "./step.js";

type Update = Extract<StepAction, { readonly is: "update" }>;

/** Puts a later step of the same item into an earlier one. `remaining` are the items that the later write leaves
 * counted. Returns whether that is possible; if not, the earlier step may be changed in part. */
export function join(earlier: Step, later: Step, remaining: readonly RemainingItems[]): boolean {
  if (isGivenGuard(earlier) && isTakenGuard(later)) {
    Object.assign(earlier, over(later));
    return true;
  }
  const refusal = refusalOf(earlier, later);
  if (refusal === undefined || !isPossible(earlier.action, later, remaining)) return false;
  const more = later.conditions.filter((one) => !earlier.conditions.some((known) => isSameTerm(known, one)));
  earlier.conditions = [...earlier.conditions, ...more];
  const isMerged = earlier.action.is === "update" && later.action.is === "update";
  if (!isMerged && later.action.is !== "check") {
    earlier.label = earlier.action.is === "check" ? `${earlier.label}, ${later.label}` : later.label;
    earlier.action = later.action;
  }
  earlier.refusal = refusal;
  return true;
}

/** Makes one step of the deletion and the put of each guard whose value one item of a write gives away and another
 * takes, in whichever order: the actions of a write happen together. An item that takes a value which another takes,
 * too, is refused. */
export function handOver(steps: readonly Step[]): Step[] {
  const takers = steps.filter(isTakenGuard);
  const given = takers.length === 0 ? [] : steps.filter(isGivenGuard);
  const isSame = (one: Step, other: Step): boolean => isAt(one, other.table, other.key);
  for (const [at, taker] of takers.entries()) {
    const earlier = takers.slice(0, at).find((one) => isSame(one, taker));
    const error = earlier && takenTwice(earlier, taker);
    if (error !== undefined) throw error;
  }
  const met = given.filter((one) => takers.some((taker) => isSame(one, taker)));
  const left = steps.filter((one) => !met.includes(one));
  return left.map((one) => (takers.includes(one) && met.some((gone) => isSame(gone, one)) ? over(one) : one));
}

/** The error of an item that takes a unique value which another one takes in the same transaction. */
export function takenTwice(earlier: Step, later: Step): Error | undefined {
  if (earlier.action.is !== "put" || !isTakenGuard(later)) return undefined;
  return errorOf(later.refusal, placeOfItem(later), true);
}

/** Whether a step deletes an item without a condition of its own, as the guard of a value that its item gives away.
 * The deletion rests on the item being as it was read. */
function isGivenGuard({ action, conditions }: Step): boolean {
  return action.is === "delete" && conditions.length === 0;
}

/** Whether a step puts the guard of a value that an item takes. */
function isTakenGuard({ action, refusal }: Step): boolean {
  return action.is === "put" && typeof refusal === "object" && !isByItem(refusal) && refusal.code === "taken";
}

/** The put of a guard over the one that is given away. It holds nothing of its item, so that it is the same one; it is
 * put, and not checked, since an item of another program may lack it. */
function over(taken: Step): Step {
  return { ...taken, conditions: [], refusal: "none" };
}

function isPossible(action: StepAction, later: Step, remaining: readonly RemainingItems[]): boolean {
  if (action.is === "check") return true;
  if (action.is !== "update" || later.action.is === "put") return false;
  const reads = readsOf(later);
  if (later.action.is !== "delete") {
    const isApart = reads.every((name) => !isWritten(action, name));
    return isApart && (later.action.is === "check" || addChanges(action, later.action));
  }
  const own = remaining.filter((one) => isAt(later, one.table, one.key));
  const isCounter = (name: string): boolean => own.some((one) => one.counter === name && !one.isJudged);
  return subtract(action, own) && reads.every((name) => isCounter(name) || !isWritten(action, name));
}

/** The meaning of a failed condition of both steps; `undefined` where it is not known which of the two it has. */
function refusalOf(earlier: Step, later: Step): Refusal | undefined {
  const [one, other] = [earlier.refusal, later.refusal];
  const needsExistenceOnly = (step: Step): boolean => step.conditions.every((term) => "exists" in term);
  if (one === "none") return other;
  if (other === "none") return one;
  if (one === "stale" && other === "stale") return "stale";
  // Both steps find an item that has gone, and the other one says so.
  if (one === "stale" && needsExistenceOnly(earlier)) return other;
  if (other === "stale" && needsExistenceOnly(later)) return one;
  // The write that read the item reads it again, and says that it has gone.
  if (one === "stale") return needsExistenceOnly(later) ? "stale" : undefined;
  if (other === "stale") return needsExistenceOnly(earlier) ? "stale" : undefined;
  return joined(one, other);
}

/** The attributes that a step reads. */
function readsOf({ conditions, action }: Step): string[] {
  const operands = action.is === "update" ? action.changes.flatMap(([, change]) => operandsOf(change)) : [];
  return [...conditions.flatMap(namesOf), ...operands];
}

function namesOf(term: Term): string[] {
  if ("exists" in term) return [term.exists];
  if ("missing" in term) return [term.missing];
  return "equal" in term ? [term.equal] : attributesOfBound(term.condition);
}

/** The attributes whose values a change takes, beside the one that it writes. */
function operandsOf(change: Change): string[] {
  switch (change.is) {
    case "attribute":
      return change.path.slice(0, 1);
    case "sum":
    case "difference":
      return [...operandsOf(change.left), ...operandsOf(change.right)];
    case "field":
      return operandsOf(change.change);
    case "set":
    case "first":
    case "append":
    case "prepend":
    case "include":
    case "exclude":
    case "add":
      return [];
  }
}

function attributeOf(removed: Removed): string | undefined {
  return typeof removed === "string" ? removed : removed[0];
}

function isWritten({ changes, removed }: Update, name: string): boolean {
  return changes.some(([written]) => written === name) || removed.some((one) => attributeOf(one) === name);
}

/** Adds the changes of a later update to those of an earlier one. Returns whether they write different attributes,
 * or add to the same ones. */
function addChanges(earlier: Update, later: Update): boolean {
  if (later.removed.some((one) => isWritten(earlier, attributeOf(one) ?? ""))) return false;
  for (const [name, change] of later.changes) {
    const at = earlier.changes.findIndex(([written]) => written === name);
    const known = earlier.changes[at]?.[1];
    if (known === undefined) {
      if (earlier.removed.some((one) => attributeOf(one) === name)) return false;
      earlier.changes.push([name, change]);
      continue;
    }
    const sum = known.is === "add" && change.is === "add" ? addNumbers(known.number, change.number) : undefined;
    if (sum === undefined) return false;
    earlier.changes[at] = [name, { is: "add", number: sum }] satisfies Changed;
  }
  earlier.removed.push(...later.removed);
  return true;
}

/** Adds what an earlier write adds to the counters of a deleted item. Returns whether it does nothing else with
 * them. */
function subtract({ changes }: Update, remaining: readonly RemainingItems[]): boolean {
  return remaining.every((one) => {
    const change = changes.find(([name]) => name === one.counter)?.[1];
    if (change === undefined) return true;
    const sum = change.is === "add" ? addNumbers(one.items, change.number) : undefined;
    if (sum === undefined) return false;
    one.items = sum;
    return true;
  });
}

/** The attributes that a condition looks at. */
function attributesOfBound(bound: Bound): string[] {
  if ("not" in bound) return attributesOfBound(bound.not);
  if ("all" in bound) return bound.all.flatMap(attributesOfBound);
  if ("any" in bound) return bound.any.flatMap(attributesOfBound);
  const { path, operands } = bound.test;
  return [path, ...operands.flatMap((one) => ("path" in one ? [one.path] : []))].flatMap((one) => one.slice(0, 1));
}

/** Conditions judged on attributes, and what they look at: only writes need it. */

import type { Bound, Path, Test } from "./bound.js";
import type { AttributeValue, Condition } from "./plan.js";
import { whole } from "./value/arithmetic.js";
import { isEqual, order } from "./value/compare.js";
import { held, type Values } from "./value/value.js";

/** Whether a condition holds for these attributes. */
export function holds(bound: Bound, values: Values): boolean {
  if ("not" in bound) return !holds(bound.not, values);
  if ("all" in bound) return bound.all.every((member) => holds(member, values));
  if ("any" in bound) return bound.any.some((member) => holds(member, values));
  return passes(bound.test, values);
}

/** The value at the end of a path; `undefined` where anything on the way is missing. */
export function valueAt(values: Values, [attribute = "", ...fields]: Path): AttributeValue | undefined {
  let found = values.get(attribute);
  for (const field of fields) {
    found = found?.M === undefined ? undefined : held(found.M, field);
  }
  return found;
}

/** The value at the left; `undefined` where it is absent, or has no size. */
function leftOf(test: Test, values: Values): AttributeValue | undefined {
  const found = valueAt(values, test.path);
  return test.measure === "size" && found !== undefined ? sizeOf(found) : found;
}

/** The size of a value as DynamoDB counts it. */
function sizeOf(value: AttributeValue): AttributeValue | undefined {
  if (value.S !== undefined) return whole(value.S.length);
  if (value.B !== undefined) return whole(atob(value.B).length);
  const elements = value.L ?? value.SS ?? value.NS ?? value.BS ?? (value.M && Object.keys(value.M));
  return elements === undefined ? undefined : whole(elements.length);
}

function passes(test: Test, values: Values): boolean {
  const left = leftOf(test, values);
  if (test.is === "exists") return left !== undefined;
  if (test.is === "missing") return left === undefined;
  const right = test.operands.map((one) => ("value" in one ? one.value : valueAt(values, one.path)));
  if (test.is === "in") return right.some((one) => compares(left, "=", one));
  return compares(left, test.is, right[0]);
}

/** Whether two values compare. A comparison with an absent one is false, except that it differs. */
function compares(left: AttributeValue | undefined, is: string, right: AttributeValue | undefined): boolean {
  if (left === undefined || right === undefined) return is === "<>";
  const by = order(left, right);
  switch (is) {
    case "=":
      return isEqual(left, right);
    case "<>":
      return !isEqual(left, right);
    case "<":
      return by !== undefined && by < 0;
    case "<=":
      return by !== undefined && by <= 0;
    case ">":
      return by !== undefined && by > 0;
    case ">=":
      return by !== undefined && by >= 0;
    case "contains":
      return contains(left, right);
    default:
      return left.S !== undefined && right.S !== undefined && left.S.startsWith(right.S);
  }
}

function contains(all: AttributeValue, part: AttributeValue): boolean {
  if (all.S !== undefined) return part.S !== undefined && all.S.includes(part.S);
  const elements: readonly AttributeValue[] =
    all.L ?? all.SS?.map((S) => ({ S })) ?? all.NS?.map((N) => ({ N })) ?? all.BS?.map((B) => ({ B })) ?? [];
  return elements.some((one) => isEqual(one, part));
}

/** The attributes that a condition looks at. */
export function attributesOf(condition: Condition): string[] {
  const members = [...(condition.all ?? []), ...(condition.any ?? []), ...(condition.not ? [condition.not] : [])];
  const compared = (condition.operands ?? []).flatMap((one) => one.attribute ?? []);
  const own = condition.attribute === undefined ? [] : [condition.attribute];
  return [...own, ...compared, ...members.flatMap(attributesOf)];
}

/** The parameters that a condition compares with. */
export function parametersOf(condition: Condition): string[] {
  const members = [...(condition.all ?? []), ...(condition.any ?? []), ...(condition.not ? [condition.not] : [])];
  return [...(condition.operands ?? []).flatMap((one) => one.parameter ?? []), ...members.flatMap(parametersOf)];
}

/** The condition without comparisons whose parameters are absent; `undefined` where none is left. */
export function without(condition: Condition, absent: ReadonlySet<string>): Condition | undefined {
  if (condition.not !== undefined) {
    const not = without(condition.not, absent);
    return not && { not };
  }
  const members = condition.all ?? condition.any;
  if (members === undefined) {
    return parametersOf(condition).some((name) => absent.has(name)) ? undefined : condition;
  }
  const kept = members.flatMap((member) => without(member, absent) ?? []);
  if (kept.length < 2) return kept[0];
  return condition.all === undefined ? { any: kept } : { all: kept };
}

/** A condition as the model writes it. */
export function conditionText(condition: Condition): string {
  const members = (all: readonly Condition[], word: string): string =>
    all
      .map((one) => (one.all ?? one.any ? `(${conditionText(one)})` : conditionText(one)))
      .join(word);
  if (condition.not !== undefined) return `not (${conditionText(condition.not)})`;
  if (condition.all !== undefined) return members(condition.all, " and ");
  if (condition.any !== undefined) return members(condition.any, " or ");
  return condition.text ?? "";
}

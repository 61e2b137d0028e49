/** Ranges of sort keys in a key condition, and the arguments that limit them, which a program loads for a pattern that
 * has such parameters. */

import type { Given } from "../arguments.js";
import { failure } from "../error.js";
import { types } from "../features.js";
import { type End, end } from "../key/end.js";
import { fittedEnd, isLongerThanKeys } from "../key/fitted.js";
import { isField, text } from "../key/make.js";
import type { Placeholders } from "../placeholders.js";
import type { AttributeValue, Limit, ParameterPlan, Part, RangePlan } from "../plan.js";
import { order } from "../value/compare.js";
import { digitsOf } from "../value/time.js";
import type { Values } from "../value/value.js";
import type { Written } from "./condition.js";
import { print, type Question } from "./question.js";

/** Arguments as the limits of their parameters take them. */
export function limited(parameters: readonly ParameterPlan[], given: Given): Given {
  const cut = Object.entries(given).map(([name, value]) => {
    const parameter = parameters.find((one) => one.name === name);
    return [name, parameter ? asLimit(parameter, value) : value];
  });
  return Object.fromEntries(cut) as Given;
}

/** The argument of a parameter as its limit takes it: one of several ids is a list, and a time with more digits than
 * keys hold is cut where no key lies between it and the cut one. */
function asLimit({ type, limit }: ParameterPlan, given: unknown): unknown {
  if (limit === "among" && given !== undefined && !Array.isArray(given)) {
    return given instanceof Set ? [...given] : [given];
  }
  const digits = digitsOf(type);
  if (digits === undefined || (limit !== "atMost" && limit !== "above")) return given;
  const text = given instanceof Date && !Number.isNaN(given.getTime()) ? given.toISOString() : given;
  return typeof text === "string" ? (types.canonicalTime(text, digits) ?? text) : text;
}

/** The end of a range that a parameter gives; `undefined` for other parameters. */
function rangeEnd(question: Question, parameter: string): Limit | undefined {
  const limit = question.parameters.find((one) => one.name === parameter)?.limit;
  return limit === "atLeast" || limit === "above" || limit === "atMost" || limit === "below" ? limit : undefined;
}

/** A range that is more than one key. */
type Span = RangePlan & { readonly is: Exclude<RangePlan["is"], "equal"> };

/** The bounds of a range: a comparison with one value, or two ends. */
interface Bounds {
  readonly is: "starts" | ">=" | "<=" | "<" | "between";
  readonly values: readonly [AttributeValue] | readonly [AttributeValue, AttributeValue];
}

/** The term of a range of sort keys that begins with these parts; "all" and "nothing" where it has all or no keys. */
export function rangeTerm(
  question: Question,
  sort: Span,
  first: readonly Part[],
  made: Placeholders,
): Written | "all" | "nothing" {
  const bounds = boundsOf(question, sort, first);
  return typeof bounds === "string" ? bounds : written(sort.attribute, bounds, made);
}

function boundsOf(question: Question, sort: Span, first: readonly Part[]): Bounds | "all" | "nothing" {
  const at = (parts: readonly Part[], side: "low" | "high"): End =>
    fittedEnd(end(parts, question.args, (name) => rangeEnd(question, name)), side);
  switch (sort.is) {
    case "beginsWith": {
      const text = prefix(first, question.args);
      if (text === "") return "all";
      return isLongerThanKeys(text) ? "nothing" : { is: "starts", values: [{ S: text }] };
    }
    case "atLeast":
      return between(at(first, "low"), "open");
    case "atMost":
      return between("open", at(first, "high"));
    case "between":
      return between(at(first, "low"), at(sort.to ?? [], "high"));
  }
}

function between(low: End, high: End): Bounds | "all" | "nothing" {
  if (low === "nothing" || high === "nothing") return "nothing";
  if (low === "open") {
    if (high === "open") return "all";
    return "at" in high ? { is: "<=", values: [high.at] } : { is: "<", values: [high.before] };
  }
  if ("at" in low && high === "open") return { is: ">=", values: [low.at] };
  if ("at" in low && high !== "open" && "at" in high) {
    // DynamoDB refuses a range that ends before it starts.
    const isEmpty = (order(low.at, high.at) ?? 0) > 0;
    return isEmpty ? "nothing" : { is: "between", values: [low.at, high.at] };
  }
  throw failure("refused", "a range with two ends includes its upper end");
}

function written(attribute: string, { is, values }: Bounds, made: Placeholders): Written {
  const name = made.name(attribute);
  const [first, second = first] = values;
  if (is === "starts") {
    return [`begins_with(${name}, ${made.value(first)})`, `begins_with(${print(attribute, ", ", first)})`];
  }
  if (is === "between") {
    const low = made.value(first);
    return [
      `${name} BETWEEN ${low} AND ${made.value(second)}`,
      `${print(attribute, " BETWEEN ", first)}${print("", " AND ", second)}`,
    ];
  }
  return [`${name} ${is} ${made.value(first)}`, print(attribute, ` ${is} `, first)];
}

/** The text that a range of keys starts with. A last field with an empty text is left out. */
function prefix(parts: readonly Part[], values: Values): string {
  const last = parts.at(-1);
  const isEmpty = isField(last) && values.get(last.field)?.S === "";
  return text(isEmpty ? parts.slice(0, -1) : parts, values);
}

// Bundlers then keep all that a program loads at once in one file.
export { Client } from "../client.js";

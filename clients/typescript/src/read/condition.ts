/** The key condition of a query: the partition, and the range of sort keys. */

import { failure } from "../error.js";
import type { End } from "../key/end.js";
import { column, LAST, prefix } from "../key/make.js";
import { checkLength } from "../lengths.js";
import type { Placeholders } from "../placeholders.js";
import type { AttributeValue, Part, RangePlan } from "../plan.js";
import { shown } from "../value/text.js";
import { order, type Values } from "../value/value.js";
import { keyValue, type Question, rangeEnd } from "./question.js";

/** A term of a key condition: its expression, and its text for people. */
type Written = readonly [string, string];

/** The terms of a key condition; `undefined` where no key can fulfil it. `args` give the partition, with the
 * period or shard to read; the question's own arguments give the ends of the range. */
export async function keyCondition(
  question: Question,
  args: Values,
  made: Placeholders,
): Promise<Written[] | undefined> {
  const { partition = [], sort } = question.plan;
  const terms = partition.map((one) => equal(one.attribute, keyValue(question, "partition", one, args), made));
  if (sort === undefined) return terms;
  for (const one of sort.before ?? []) {
    terms.push(equal(one.attribute, keyValue(question, "sort", one, question.args), made));
  }
  if ((sort.at ?? []).length === 0) return terms;
  const range = await rangeOf(question, sort, sort.at ?? []);
  if (range === "nothing") return undefined;
  if (range === "all") return terms;
  if (range.is === "=") {
    const column = { attribute: sort.attribute, parts: sort.at ?? [] };
    checkLength(`the pattern ${question.name}`, "sort", column, range.values[0]);
  }
  terms.push(written(sort.attribute, range, made));
  return terms;
}

function equal(attribute: string, value: AttributeValue, made: Placeholders): Written {
  const name = made.name(attribute);
  return [`${name} = ${made.value(value)}`, print(attribute, " = ", value)];
}

/** The bounds of a range: a comparison with one value, or two ends. */
interface Bounds {
  readonly is: "=" | "starts" | ">=" | "<=" | "<" | "between";
  readonly values: readonly [AttributeValue] | readonly [AttributeValue, AttributeValue];
}

/** The bounds of a range. What makes its ends is loaded for a pattern that has them. */
async function rangeOf(
  question: Question,
  sort: RangePlan,
  first: readonly Part[],
): Promise<Bounds | "all" | "nothing"> {
  if (sort.is === "equal") return { is: "=", values: [column(first, question.args)] };
  const { end, fittedEnd, isLongerThanKeys } = await import("../key/range.js");
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

/** A comparison for people. */
export function print(attribute: string, comparison: string, value: AttributeValue): string {
  const text = value.S === undefined ? shown(value) : `"${value.S.replaceAll(LAST, "…")}"`;
  return `${attribute}${comparison}${text}`;
}

/** A key for people. */
export function printKey(key: Readonly<Record<string, AttributeValue>>): string {
  return Object.keys(key)
    .sort()
    .map((name) => print(name, " = ", key[name] ?? {}))
    .join(" AND ");
}

/** The key condition of a query: the partition, and the range of sort keys. */

import type { Placeholders } from "../placeholders.js";
import type { AttributeValue } from "../plan.js";
import type { Values } from "../value/value.js";
import { keyValue, print, type Question } from "./question.js";

/** A term of a key condition: its expression, and its text for people. */
export type Written = readonly [string, string];

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
  const { is, attribute, at = [] } = sort;
  if (at.length === 0) return terms;
  if (is === "equal") {
    terms.push(equal(attribute, keyValue(question, "sort", { attribute, parts: at }, question.args), made));
    return terms;
  }
  const { rangeTerm } = await import("./range.js");
  const term = rangeTerm(question, { ...sort, is }, at, made);
  if (term === "nothing") return undefined;
  return term === "all" ? terms : [...terms, term];
}

function equal(attribute: string, value: AttributeValue, made: Placeholders): Written {
  const name = made.name(attribute);
  return [`${name} = ${made.value(value)}`, print(attribute, " = ", value)];
}

/** A plan with everything that its requests need. */

import type { Io } from "../io.js";
import { column } from "../key/make.js";
import { checkLength, type KeyPart } from "../lengths.js";
import type { Model } from "../model.js";
import type { AttributeValue, Item, KeyColumn, Limit, ParameterPlan, ReadPlan, TablePlan } from "../plan.js";
import { held, order, type Values } from "../value/value.js";

/** A plan with everything that its requests need. */
export interface Question {
  readonly io: Io;
  /** The pattern, for messages. */
  readonly name: string;
  readonly model: Model;
  readonly table: TablePlan;
  readonly plan: ReadPlan;
  /** The caller's arguments, and the values that the pattern fixes. */
  readonly args: Values;
  readonly parameters: readonly ParameterPlan[];
  /** The digest attributes of lists that are joined from parts. */
  readonly digests: readonly string[];
  readonly limit: number | undefined;
  readonly backward: boolean;
  readonly isStrong: boolean;
}

/** A plan with its arguments: without parameters that end a range, and without a limit. */
export function questionOf(io: Io, model: Model, plan: ReadPlan, args: Values, name: string = plan.table): Question {
  return {
    io,
    name,
    model,
    table: model.table(plan.table),
    plan,
    args,
    parameters: [],
    digests: [],
    limit: undefined,
    backward: false,
    isStrong: plan.strong === true,
  };
}

/** The question that reads an item of a key of its own. */
export function itemQuestion(question: Question, plan: ReadPlan): Question {
  return { ...question, plan, digests: [], limit: undefined, backward: false };
}

/** An attribute of a key that the pattern asks for. It is refused where it is longer than a key can be. */
export function keyValue(question: Question, part: KeyPart, one: KeyColumn, args: Values): AttributeValue {
  const made = column(one.parts, args);
  checkLength(`the pattern ${question.name}`, part, one, made);
  return made;
}

/** Whether the requests read in descending order of sort keys. */
export function isDescending({ plan, backward }: Question): boolean {
  return (plan.descending === true) !== backward;
}

/** The order in which the answer has two items, by their sort keys. Absent attributes are equal to all. */
export function compareItems(question: Question, one: Item, other: Item): number {
  for (const name of question.plan.sortAttributes ?? []) {
    const [left, right] = [held(one, name), held(other, name)];
    const by = left && right ? (order(left, right) ?? 0) : 0;
    if (by !== 0) return isDescending(question) ? -by : by;
  }
  return 0;
}

/** The end of a range that a parameter gives; `undefined` for other parameters. */
export function rangeEnd(question: Question, parameter: string): Limit | undefined {
  const limit = question.parameters.find((one) => one.name === parameter)?.limit;
  return limit === "atLeast" || limit === "above" || limit === "atMost" || limit === "below" ? limit : undefined;
}

/** Items as they are stored, before their kinds are known, and the cost of reading them. */
export interface Raw {
  items: Item[];
  /** The key condition with its values, for messages. */
  asked: string;
  requests: number;
  units: number;
  next: Item | undefined;
}

/** A reading that found nothing and cost nothing. */
export function emptyRaw(asked = ""): Raw {
  return { items: [], asked, requests: 0, units: 0, next: undefined };
}

/** Adds the items and the cost of another reading. */
export function addRaw(raw: Raw, other: Raw): void {
  if (raw.requests === 0) raw.asked = other.asked;
  raw.requests += other.requests;
  raw.units += other.units;
  raw.items.push(...other.items);
}

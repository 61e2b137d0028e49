/** A plan with everything that its requests need. */

import type { Io } from "../io.js";
import { column, LAST } from "../key/make.js";
import { checkLength, type KeyPart } from "../lengths.js";
import type { Model } from "../model.js";
import type { AttributeValue, Item, KeyColumn, ParameterPlan, ReadPlan, TablePlan } from "../plan.js";
import { shown } from "../value/text.js";
import type { Values } from "../value/value.js";

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

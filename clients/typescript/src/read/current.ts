/** Unique items in an index that is late: it may still show an item that had the value before. The table
 * decides. */

import { attempts, TRIES } from "../attempts.js";
import { failure } from "../error.js";
import { isConflict, REPORTED, unitsOf } from "../io.js";
import { lower } from "../key/formats.js";
import { isField } from "../key/make.js";
import { columnsOf } from "../model.js";
import type { AttributeValue, EntityPlan, Item, PatternPlan, UniquePlan } from "../plan.js";
import { valuesOf } from "../stored.js";
import { hasKey, isEqual } from "../value/compare.js";
import { someOf } from "./items.js";
import type { Kinds } from "./kinds.js";
import { groups, ordered } from "./parts.js";
import type { Question, Raw } from "./question.js";
import { tableOf } from "./request.js";

const TRANSACTION_ACTIONS_MAX = 100;

/** Keeps the entries of a single item's index whose item in the table has the unique values that the pattern
 * gives. The guard allows one at each moment, and the items are read as they are at one moment. */
export async function keepCurrent(question: Question, pattern: PatternPlan, kinds: Kinds, raw: Raw): Promise<void> {
  const [kind, other] = kinds.kinds;
  const unique = kind && uniqueOf(question, pattern, kind.entity);
  if (kind === undefined || other !== undefined || unique === undefined) return;
  if (question.plan.index === undefined && kind.entity.id === undefined) return;
  const all = groups(kinds, raw.items);
  // All parts are of one item.
  if (all.length < 2) return;
  const owners: { readonly key: Item; readonly members: readonly Item[] }[] = [];
  for (const members of all) {
    const main = ordered(kinds, members)[0];
    const key = main && someOf(main, columnsOf(question.table).map((one) => one.name));
    if (key !== undefined && !owners.some((one) => hasKey(one.key, key))) owners.push({ key, members });
  }
  // So many former owners there are not: the check of the whole answer refuses it.
  if (owners.length > TRANSACTION_ACTIONS_MAX) return;
  const origin = { io: question.io, table: question.table, entity: kind.entity, copy: kind.copy };
  const stored = await readAll(question, owners.map((one) => one.key), raw);
  const kept: Item[] = [];
  for (const [at, { members }] of owners.entries()) {
    const item = stored[at];
    if (item === undefined) continue;
    const values = await valuesOf(origin, unique.attributes, [item]).catch(async (error: unknown) => {
      const { unknownOf } = await import("./unknown.js");
      throw unknownOf(error, origin, item, `${pattern.name} found a ${kind.name}`);
    });
    const has = (name: string): boolean => isOwned(question, name, values.get(name));
    if (unique.attributes.every(has)) kept.push(...members);
  }
  raw.items = kept;
}

/** Whether a stored unique value is the one that the pattern gives. */
function isOwned(question: Question, name: string, stored: AttributeValue | undefined): boolean {
  const given = question.args.get(name);
  if (isEqual(stored, given)) return true;
  if (stored?.S === undefined || given?.S === undefined || !isInSmallLetters(question, name)) return false;
  return lower(stored.S) === lower(given.S);
}

/** Whether the key that is read holds an attribute in small letters only. */
function isInSmallLetters({ plan }: Question, name: string): boolean {
  const columns = [...(plan.partition ?? []), ...(plan.sort?.before ?? [])].map((one) => one.parts);
  const fields = [...columns, plan.sort?.at ?? []].flat().filter((part) => isField(part) && part.field === name);
  return fields.length > 0 && fields.every((part) => isField(part) && part.format === "lower");
}

/** The unique attributes that a pattern gives. */
function uniqueOf({ args }: Question, pattern: PatternPlan, entity: EntityPlan): UniquePlan | undefined {
  const isGiven = (name: string): boolean =>
    args.has(name) &&
    ((pattern.parameters ?? []).some((one) => one.limit === "equal" && one.attribute === name) ||
      (pattern.fixed ?? []).some((one) => one.name === name));
  return entity.uniques?.find((unique) => unique.attributes.every(isGiven));
}

/** Reads the items with these keys as they are at one moment. */
async function readAll(question: Question, keys: readonly Item[], raw: Raw): Promise<(Item | undefined)[]> {
  const name = tableOf(question, question.args);
  const input = { TransactItems: keys.map((Key) => ({ Get: { Key, TableName: name } })), ...REPORTED };
  return readAtOnce(question, input, raw, `the items of ${question.table.name}`);
}

/** Reads items as they are at one moment. A transaction that writes one of them at this moment cancels the
 * request, which is sent again. */
export async function readAtOnce(
  { io }: Question,
  input: object,
  raw: Raw,
  what: string,
): Promise<(Item | undefined)[]> {
  for await (const _ of attempts(io)) {
    raw.requests += 1;
    try {
      const answer = await io.ask("TransactGetItems", input);
      raw.units += unitsOf(answer);
      const all = (answer.Responses ?? []) as readonly { readonly Item?: Item }[];
      return all.map((one) => one.Item);
    } catch (error) {
      if (!isConflict(error)) throw error;
    }
  }
  throw failure("overtaken", `${what} were written ${TRIES} times in a row while they were read; try again`);
}

/** The requests of a plan: GetItem, Query and Scan. */

import { invalid } from "../error.js";
import { type Answer, isNoTable, REPORTED, unitsOf } from "../io.js";
import { columnsOf, indexColumns, indexOf, physicalName } from "../model.js";
import { Placeholders } from "../placeholders.js";
import type { Item } from "../plan.js";
import { sortedNames } from "../value/text.js";
import { periodOf } from "../value/time.js";
import type { Values } from "../value/value.js";
import { keyCondition } from "./condition.js";
import { emptyRaw, isDescending, keyValue, printKey, type Question, type Raw } from "./question.js";

/** The name of the table that a request goes to; with periods, of the table of the given time. */
export function tableOf({ plan, table }: Question, args: Values): string {
  if (plan.period === undefined) return table.name;
  const time = args.get(plan.period.from)?.S;
  if (time === undefined) throw invalid(`the table's name needs ${plan.period.from}`, plan.period.from);
  return physicalName(table, periodOf(plan.period.unit, time));
}

/** The key of a plan that reads items by their whole key. */
export function wholeKey(question: Question, args: Values): Item {
  const { plan, table } = question;
  const key: Item = {};
  const [partition] = plan.partition ?? [];
  if (partition !== undefined) key[table.partition.name] = keyValue(question, "partition", partition, args);
  if (table.sort !== undefined && plan.sort?.is === "equal") {
    const own = { attribute: table.sort.name, parts: plan.sort.at ?? [] };
    key[own.attribute] = keyValue(question, "sort", own, args);
  }
  return key;
}

/** The projection of a plan: the attributes that it returns, and the keys that distinguish kinds of items. */
export function projection(question: Question, made: Placeholders): object {
  const { plan, table } = question;
  if (plan.only === undefined) return {};
  const index = indexOf(table, plan.index);
  const columns = columnsOf(table).map((one) => one.name);
  // What an index lacks is read back from keys, or fetched.
  const isHeld = (name: string): boolean =>
    index === undefined ||
    index.projection === "all" ||
    (index.projection !== "keys" && index.projection.includes(name)) ||
    [...columns, ...indexColumns(index).map((one) => one.name)].includes(name) ||
    plan.fetched?.includes(name) === true;
  const names = sortedNames([
    ...plan.only.filter(isHeld),
    ...question.digests,
    ...columns,
    // The cursor of a page that is merged from several is the key of one of its items in the index.
    ...(plan.partition ?? []).map((one) => one.attribute),
    ...(plan.sortAttributes ?? []),
  ]);
  return { ProjectionExpression: names.map((name) => made.name(name)).join(", ") };
}

/** Whether an error says that the table of a period does not exist: nothing has been written in it. */
export function isAbsent({ table }: Question, error: unknown): boolean {
  return table.period !== undefined && isNoTable(error);
}

/** Sends a request; the answer of the absent table of a period is empty. */
async function ask(question: Question, operation: string, input: object): Promise<Answer> {
  try {
    return await question.io.ask(operation, input);
  } catch (error) {
    if (isAbsent(question, error)) return {};
    throw error;
  }
}

/** Reads one item by its key. */
export async function getItem(question: Question): Promise<Raw> {
  const name = tableOf(question, question.args);
  const key = wholeKey(question, question.args);
  const made = new Placeholders();
  const input = {
    TableName: name,
    Key: key,
    ...(question.isStrong && { ConsistentRead: true }),
    ...projection(question, made),
    ...made.members(),
    ...REPORTED,
  };
  const answer = await ask(question, "GetItem", input);
  const items = answer.Item === undefined ? [] : [answer.Item];
  return { items, asked: printKey(key), requests: 1, units: unitsOf(answer), next: undefined };
}

/** Reads one page of a query or scan, of the partition and table that the arguments give. */
export function onePage(
  question: Question,
  args: Values,
  after: Item | undefined,
  limit: number | undefined,
): Promise<Raw> {
  return query(question, tableOf(question, args), args, after, limit);
}

/** Reads one page of a query or scan of a table. */
export async function query(
  question: Question,
  name: string,
  args: Values,
  after: Item | undefined,
  limit: number | undefined,
): Promise<Raw> {
  const { plan, isStrong } = question;
  const isQuery = plan.request !== "Scan";
  const { made, filtered } = await withFilter(question);
  const terms = isQuery ? await keyCondition(question, args, made) : [];
  if (terms === undefined) return emptyRaw("nothing: no key lies in the range");
  const filter = filtered();
  const projected = projection(question, made);
  const fetchesAll = plan.fetched !== undefined && plan.only === undefined;
  const input = {
    TableName: name,
    ...(plan.index !== undefined && { IndexName: plan.index }),
    ...(limit !== undefined && { Limit: limit }),
    ...(isStrong && { ConsistentRead: true }),
    ...(isQuery && isDescending(question) && { ScanIndexForward: false }),
    ...(after !== undefined && { ExclusiveStartKey: after }),
    ...(isQuery && { KeyConditionExpression: terms.map(([expression]) => expression).join(" AND ") }),
    ...filter,
    ...(fetchesAll && { Select: "ALL_ATTRIBUTES" }),
    ...projected,
    ...made.members(),
    ...REPORTED,
  };
  const answer = await ask(question, isQuery ? "Query" : "Scan", input);
  const next = answer.LastEvaluatedKey;
  if (next !== undefined) await (await import("../paging.js")).checkEnd(question, args, next);
  const asked = isQuery ? terms.map(([, printed]) => printed).join(" AND ") : "every item";
  return { items: [...(answer.Items ?? [])], asked, requests: 1, units: unitsOf(answer), next };
}

/** The placeholders of a request of a plan, and its filter. Few plans have one. */
async function withFilter({ plan, args }: Question): Promise<{ made: Placeholders; filtered(): object }> {
  const { filters } = plan;
  if (filters === undefined) return { made: new Placeholders(), filtered: () => ({}) };
  const { Filters } = await import("./rare.js");
  const made = new Filters(filters, args);
  return { made, filtered: () => made.filtered() };
}

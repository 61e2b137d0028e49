/** Which answers are DynamoDB's: each of their members has its form, and they fit their request. */

import type { Item } from "../plan.js";
import { canonicalNumber } from "../value/number.js";
import { held, isPlain } from "../value/value.js";

/** Whether a value has a form, with its name or place. */
export type Form = (value: unknown, at?: string | number) => boolean;
/** The forms of members, by their names. */
export type Forms = Readonly<Record<string, Form>>;

const isText = (value: unknown): value is string => typeof value === "string";
const listOf =
  (one: Form, length?: number) =>
  (value: unknown): value is readonly unknown[] =>
    Array.isArray(value) && value.every(one) && (length ?? value.length) === value.length;
const mapOf =
  (one: Form, isName: Form = isText): Form =>
  (value) =>
    isPlain(value) && Object.entries(value).every(([name, held]) => isName(name) && one(held, name));
/** An object: members without a form may be anything. One with a form that is `null` or `undefined` is absent, and
 * removed. */
const objectOf =
  (forms: Forms, needed?: string): Form =>
  (value) =>
    isPlain(value) &&
    Object.entries(value).every(([name, one]) =>
      held(forms, name)?.(one) !== false || ((one ?? null) === null && Reflect.deleteProperty(value, name)),
    ) &&
    (needed === undefined || held(value, needed) !== undefined);
/** An object that has one of these members. */
const oneOf =
  (forms: Forms): Form =>
  (value) =>
    objectOf(forms)(value) && Object.keys(value as object).filter((name) => held(forms, name)).length === 1;
const setOf =
  (one: Form): Form =>
  (value) =>
    listOf(one)(value) && value.length > 0 && new Set(value).size === value.length;
const isNumber: Form = (value) => typeof value === "number";
const isCount: Form = (value) => Number.isInteger(value) && (value as number) >= 0;
const isItem = mapOf(isValue);
const isKey: Form = (value) => isItem(value) && Object.keys(value as object).length > 0;
const isDigits: Form = (value) => isText(value) && canonicalNumber(value) !== undefined;
const isBase64: Form = (value) => isText(value) && value.length % 4 === 0 && /^[a-z\d+/]*={0,2}$/i.test(value);
/** The values of attributes, by their types. */
const VALUES: Forms = {
  S: isText,
  N: isDigits,
  B: isBase64,
  BOOL: (value) => typeof value === "boolean",
  NULL: (value) => value === true,
  SS: setOf(isText),
  NS: setOf(isDigits),
  BS: setOf(isBase64),
  L: listOf(isValue),
  M: isItem,
};

/** Whether something is the value of an attribute: of one type. */
function isValue(value: unknown): boolean {
  return oneOf(VALUES)(value);
}

/** What forms are made of, for those of modules that are loaded later. */
export const MAKERS: {
  readonly isItem: Form;
  readonly listOf: (one: Form, length?: number) => (value: unknown) => boolean;
  readonly mapOf: (one: Form, isName?: Form) => Form;
  readonly objectOf: (forms: Forms, needed?: string) => Form;
} = { isItem, listOf, mapOf, objectOf };

/** What an answer is checked by: the members of a request. */
interface Input {
  readonly TableName?: string;
  readonly Key?: Item;
  readonly KeyConditionExpression?: string;
  readonly ExpressionAttributeNames?: Readonly<Record<string, string>>;
  readonly ExpressionAttributeValues?: Item;
  readonly Limit?: number;
  readonly RequestItems?: Readonly<Record<string, { readonly Keys?: readonly Item[] }>>;
  readonly TransactItems?: readonly Readonly<Record<string, Input>>[];
}

/** The form of items of these keys, which may have been read without attributes of them; or of the keys themselves. */
function itemOf(keys?: readonly Item[], isWhole?: boolean): Form {
  if (!keys) return isItem;
  const names = Object.keys(keys[0] ?? {});
  const known: Record<string, Set<string>> = {};
  return (item) => {
    if (!isItem(item)) return false;
    const read = names.filter((name) => Object.hasOwn(item as Item, name));
    if (isWhole && names.length + Object.keys(item as Item).length > 2 * read.length) return false;
    const text = (one: Item): string =>
      JSON.stringify(read.map((name) => [one[name]?.S, one[name]?.N && canonicalNumber(one[name].N), one[name]?.B]));
    return (known[`of ${read}`] ??= new Set(keys.map(text))).has(text(item as Item));
  };
}

/** What a query asks of the keys of all its items: what its key condition says to be equal. */
function askedOf({ KeyConditionExpression = "", ExpressionAttributeNames: names, ExpressionAttributeValues: values }: Input): Item {
  const asked: Item = {};
  for (const [, name = "", value = ""] of KeyConditionExpression.matchAll(/(\S+) = (:\w+)/g)) {
    asked[names?.[name] ?? name] = values?.[value] ?? {};
  }
  return asked;
}

/** The forms of the answers to writes, and to operations on tables. */
let others: typeof import("./other-answers.js");

/** Loads what the answers to an operation are checked by, where it reads no items. */
export async function loadForms(operation: string): Promise<void> {
  if (!/^(?:(?:Batch|Transact)?GetI|Query|Scan)/.test(operation)) others ??= await import("./other-answers.js");
}

/** The forms of the members of an answer. The first member is in every answer of an operation whose answers say what
 * was found or is left. */
function formsOf(operation: string, input: Input, { Items }: { readonly Items?: readonly unknown[] }): Forms {
  const { TableName, Key, Limit, RequestItems = {}, TransactItems = [] } = input;
  const actions = TransactItems.flatMap(Object.values<Input>);
  const inside = actions.map((one) => one.TableName);
  const keys = actions.map(({ Key }) => Key && [Key]);
  const isTable: Form = (name) => [TableName, ...Object.keys(RequestItems), ...inside].includes(name as string);
  const capacity = objectOf({ TableName: isTable, CapacityUnits: isNumber });
  const one = { ConsumedCapacity: capacity };
  const several = { ConsumedCapacity: listOf(capacity) };
  const isAsked = itemOf([askedOf(input)]);
  const page = {
    Items: (all: unknown) => listOf(isAsked)(all) && !(all.length > (Limit as number)),
    Count: (count: unknown) => count === Items?.length,
    ScannedCount: isCount,
    LastEvaluatedKey: (key: unknown) => isKey(key) && isAsked(key),
    ...one,
  };
  const ofKeys = (table?: string | number, isWhole?: boolean): Form => listOf(itemOf(RequestItems[table ?? ""]?.Keys, isWhole));
  const all = {
    GetItem: { Item: itemOf(Key && [Key]), ...one },
    Query: page,
    Scan: page,
    BatchGetItem: {
      Responses: mapOf((items, table) => ofKeys(table)(items), isTable),
      UnprocessedKeys: mapOf((left, table) => objectOf({ Keys: ofKeys(table, true) }, "Keys")(left), isTable),
      ...several,
    },
    TransactGetItems: {
      Responses: listOf((found, at) => objectOf({ Item: itemOf(keys[at as number]) })(found), keys.length),
      ...several,
    },
  };
  return held<Forms>(all, operation) ?? others.formsOf(operation, isTable, { one, several, ...MAKERS });
}

/** Whether something is an answer of DynamoDB's to a request: each member has its form, it fits the request, and one
 * says something. One of a write, and that there is no item, may have no member. */
export function isAnswer(operation: string, input: object, answer: unknown): answer is object {
  if (!isPlain(answer)) return false;
  const forms = formsOf(operation, input, answer);
  const needed = /^(?:[QSB]|TransactG)/.test(operation) ? Object.keys(forms)[0] : undefined;
  if (!objectOf(forms, needed)(answer)) return false;
  const names = Object.keys(answer);
  return names.length === 0 ? !("Table" in forms) : names.some((name) => held(forms, name));
}

/** Errors of answers: the service's exceptions as the codes of this package. */

import { KeyfoldError, type Reason } from "../error.js";
import { held, isPlain } from "../value/value.js";

/** The exceptions of a service that is asked too much, and the reasons of a cancelled transaction: nothing was done. */
const THROTTLED = /^(?:LimitExceeded|ProvisionedThroughputExceeded|RequestLimitExceeded|Throttling)(?:Error|Exception)?$/;

/** The members of an exception. */
export interface Exception {
  readonly name: string;
  readonly message: string;
  readonly reasons: readonly ExceptionReason[];
  /** The item on which the condition of a single operation failed. */
  readonly item?: unknown;
}

/** The outcome of one action of a cancelled transaction. */
export interface ExceptionReason {
  readonly Code?: string;
  readonly Message?: string;
  readonly Item?: unknown;
}

/** Whether a value has a form. */
type Form = (value: unknown) => boolean;
/** The forms of members, by their names. */
type Forms = Readonly<Record<string, Form>>;

const isText = (value: unknown): value is string => typeof value === "string";
const listOf = (one: Form): Form => (value) => Array.isArray(value) && value.every(one);
const mapOf = (one: Form): Form => (value) => isPlain(value) && Object.values(value).every(one);
const isNumber: Form = (value) => typeof value === "number";
const isFlag: Form = (value) => typeof value === "boolean";
const isItem = mapOf(isValue);
const isDigits: Form = (value) => isText(value) && /^[-+.\de]+$/i.test(value);
const isBase64: Form = (value) => isText(value) && value.length % 4 === 0 && /^[a-z\d+/]*={0,2}$/i.test(value);
/** The values of attributes, by their types. */
const VALUES: Forms = {
  S: isText,
  N: isDigits,
  B: isBase64,
  BOOL: isFlag,
  NULL: isFlag,
  SS: listOf(isText),
  NS: listOf(isDigits),
  BS: listOf(isBase64),
  L: listOf(isValue),
  M: isItem,
};

/** Whether something is the value of an attribute: an object of one member, whose name is the type. */
function isValue(value: unknown): boolean {
  const [[type, one] = ["", 0], other] = isPlain(value) ? Object.entries(value) : [];
  return other === undefined && held(VALUES, type)?.(one) === true;
}

const isCapacity: Form = (value) =>
  [value].flat().every((row) => isPlain(row) && isNumber(row["CapacityUnits"] ?? 0));

/** The members of answers that say that a write is done, or which item there is: they may have none. */
const DONE: Forms = { Item: isItem, Attributes: isItem, ConsumedCapacity: isCapacity };
/** Operations, and the members of which an answer has one, also where nothing was found or is left. */
const ANSWERS: readonly (readonly [RegExp, Forms])[] = [
  [/^(?:Get|Put|Update|Delete|TransactWrite)Item/, DONE],
  [/^(?:Query|Scan)$/, { Items: listOf(isItem), Count: isNumber }],
  [/^BatchG/, { Responses: mapOf(listOf(isItem)) }],
  [/^TransactG/, { Responses: listOf(mapOf(isItem)) }],
  [/^BatchW/, { UnprocessedItems: mapOf(listOf(isPlain)) }],
];
/** Members that say nothing by themselves. */
const OTHERS: Forms = {
  ConsumedCapacity: isCapacity,
  LastEvaluatedKey: isItem,
  UnprocessedKeys: mapOf(isPlain),
  Tags: listOf(isPlain),
};

/** Whether a member is what any other operation is answered with: a list, or what describes a table. */
function isOfTable([name, value]: readonly [string, unknown]): boolean {
  if (/^(?:TableNames|Tags)$/.test(name)) return Array.isArray(value);
  return /^(?:Table|TimeToLive|ContinuousB)/.test(name) && (isPlain(value) || name.endsWith("Units"));
}

/** Whether something is an answer of DynamoDB's to an operation: each member has its form. */
export function isAnswer(operation: string, answer: unknown): answer is object {
  if (!isPlain(answer)) return false;
  const entries = Object.entries(answer);
  const [, forms] = ANSWERS.find(([operations]) => operations.test(operation)) ?? [];
  const isSaid =
    entries.some(forms === undefined ? isOfTable : ([name]) => Object.hasOwn(forms, name)) ||
    (forms === DONE && entries.length === 0);
  return isSaid && entries.every(([name, value]) => held({ ...OTHERS, ...forms }, name)?.(value) !== false);
}

/** The exception that an answer is; `undefined` for an answer that is none of DynamoDB's. */
export function exceptionIn(answer: unknown): Exception | undefined {
  if (!isPlain(answer)) return undefined;
  const { __type: type, Message, message = Message, CancellationReasons: reasons = [], Item: item } = answer;
  if (!isText(type) || !listOf(isPlain)(reasons)) return undefined;
  return {
    name: type.slice(type.lastIndexOf("#") + 1),
    message: isText(message) ? message : "",
    reasons: reasons as readonly ExceptionReason[],
    item,
  };
}

/** The error of a service's refusal. */
export function refusal({ name, message, reasons, item }: Exception, cause?: unknown): KeyfoldError {
  const text = `${name}: ${message}`;
  const all = reasons.map(({ Code: code = "None", Message: said }): Reason =>
    said === undefined ? { code } : { code, message: said },
  );
  // A transaction that was cancelled for nothing but throttling can be sent again.
  const isOnlyThrottled =
    all.some(({ code }) => code !== "None") && all.every(({ code }) => code === "None" || THROTTLED.test(code));
  if (THROTTLED.test(name) || isOnlyThrottled) {
    return new KeyfoldError(text, { code: "throttled", exception: name }, undefined, cause);
  }
  const found = item === undefined ? reasons.flatMap(({ Item }, at) => (Item === undefined ? [] : [at])) : [0];
  const detail = { code: "service", exception: name, reasons: all, ...(found.length > 0 && { found }) } as const;
  return new KeyfoldError(text, detail, undefined, cause);
}

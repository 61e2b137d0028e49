/** Sends the steps of a write: a single step as a plain operation, several as a transaction. */

import { attempts, TRIES } from "../attempts.js";
import type { MadeValue } from "../complete.js";
import { failure, KeyfoldError } from "../error.js";
import { type Answer, type Io, isConflict, isNoTable, REPORTED } from "../io.js";
import { outcomeUnknown } from "../request-errors.js";
import { ensurePeriods } from "../tables.js";
import { compareTexts, sortedNames } from "../value/text.js";
import { withAggregates } from "./aggregate.js";
import type { Context } from "./context.js";
import { explained, placeText, putBytes } from "./invalid.js";
import { errorOf, placeOfItem } from "./refusal.js";
import { type Draft, isAt, lowered, type Step } from "./step.js";
import { failedActions, hasFound, lackingOf, type Unread } from "./unread.js";

/** The most actions of one transaction. */
const ACTIONS_MAX = 100;
/** The most bytes of one transaction. */
const BYTES_MAX = 4 * 1024 * 1024;
/** The most kinds of changes that a refusal of too many lists. */
const LABELS_SHOWN_MAX = 4;

/** The outcome of a write, with values as they are stored. */
export interface Outcome {
  /** `PutItem`, `UpdateItem`, `DeleteItem` or `TransactWriteItems`; `GetItem` when nothing had to be
   * written. */
  readonly operation: string;
  /** The change of each item: `put Order`, `delete the guard of email`. */
  readonly changes: string[];
  /** The units of capacity that the answers to all requests of the write report, those that read included. */
  readonly capacity: number;
  /** Attributes that were not given and have the present moment or a new identifier. */
  readonly made: readonly MadeValue[];
}

/** Tries a write again and again while other writers are faster, with pauses: then an attempt has no outcome. */
export async function untilSent<T>(
  io: Io,
  of: string,
  attempt: () => Promise<T | undefined>,
  advice = "; try again",
): Promise<T> {
  for await (const _ of attempts(io)) {
    const outcome = await attempt();
    if (outcome !== undefined) return outcome;
  }
  throw failure("overtaken", `${of} changed by others ${TRIES} times in a row${advice}`);
}

/** Sends the steps of one try of a write. Returns `undefined` when another writer was faster: the write then
 * reads again and makes its steps again. */
export async function sent(
  context: Context,
  draft: Draft,
  made: readonly MadeValue[] = [],
): Promise<Outcome | undefined> {
  const outcome = await sentSteps(context, await withAggregates(context, draft), draft.unread);
  return outcome && { ...outcome, made };
}

/** Sends all steps of one try of a write, as `sent`. */
export async function sentSteps(
  context: Context,
  steps: readonly Step[],
  unread: readonly Unread[],
): Promise<Omit<Outcome, "made"> | undefined> {
  if (steps.length === 0 || isJudged(steps)) {
    return { operation: "GetItem", changes: [], capacity: context.io.spent() };
  }
  return execute(context, steps, unread);
}

/** Whether the steps are one check of an item as it was read: reading it has judged it. */
function isJudged(steps: readonly Step[]): boolean {
  return steps.length === 1 && steps[0]?.action.is === "check" && steps[0].refusal === "stale";
}

async function execute(
  context: Context,
  steps: readonly Step[],
  unread: readonly Unread[],
): Promise<Omit<Outcome, "made"> | undefined> {
  checkDistinct(steps);
  checkCount(steps);
  checkSize(steps);
  const [operation, input] = requestOf(steps);
  try {
    await askOrCreate(context, operation, input, steps);
    return { operation, changes: steps.map((one) => one.label), capacity: context.io.spent() };
  } catch (error) {
    const lacking = await lackingOf(context, error, unread);
    if (lacking !== undefined) throw lacking;
    judge(error, steps);
    return undefined;
  }
}

/** Asks a request. The table of a new period is created when its first item is written. */
async function askOrCreate(
  { io, model }: Context,
  operation: string,
  input: object,
  steps: readonly Step[],
): Promise<Answer> {
  try {
    return await io.ask(operation, input);
  } catch (error) {
    const names = sortedNames(steps.map((one) => one.table));
    if (!isNoTable(error) || !(await ensurePeriods(io, model, names))) throw error;
    return io.ask(operation, input);
  }
}

/** Throws the caller's error; returns when another writer was faster. */
function judge(error: unknown, steps: readonly Step[]): void {
  if (!(error instanceof KeyfoldError)) throw error;
  if (isConflict(error)) return;
  if (error.detail.code === "outcome_unknown") {
    const check = `${steps.map((one) => one.label).join(", ")} of ${steps.map(placeText).join(", ")}`;
    throw outcomeUnknown(error.detail.why, check, error);
  }
  const failed = failedActions(error).flatMap((at) => (steps[at] === undefined ? [] : { at, ...steps[at] }));
  // A stale step decides before a refusal: the other writer may have changed the same entity, so the write
  // reads it again.
  if (failed.some((one) => one.refusal === "stale")) return;
  for (const one of failed) {
    const refused = errorOf(one.refusal, placeOfItem(one), hasFound(error, one.at));
    if (refused !== undefined) throw refused;
  }
  throw explained(error, steps);
}

/** Refuses two steps of one item: a transaction allows one action per item. */
function checkDistinct(steps: readonly Step[]): void {
  for (const [at, step] of steps.entries()) {
    const first = steps.slice(0, at).find((other) => isAt(other, step.table, step.key));
    if (first !== undefined) {
      throw failure(
        "refused",
        `\`${first.label}\` and \`${step.label}\` meet the same item, and a transaction has one action for each; put them together`,
        placeOfItem(step),
      );
    }
  }
}

/** Refuses more steps than a transaction has actions, before anything is written. */
function checkCount(steps: readonly Step[]): void {
  if (steps.length <= ACTIONS_MAX) return;
  const counts = new Map<string, number>();
  for (const { label } of steps) counts.set(label, (counts.get(label) ?? 0) + 1);
  const all = [...counts].sort(([one, few], [other, many]) => many - few || compareTexts(one, other));
  const shown = all.slice(0, LABELS_SHOWN_MAX).map(([label, count]) => `${label}: ${count}`);
  const others = all.length > LABELS_SHOWN_MAX ? ", others" : "";
  throw failure(
    "refused",
    `the write would change ${steps.length} items (${shown.join(", ")}${others}), and a transaction changes at most ${ACTIONS_MAX}; nothing was written: give it less at a time`,
  );
}

/** Refuses more bytes than a transaction has, before anything is written. */
function checkSize(steps: readonly Step[]): void {
  const bytes = steps.reduce((sum, one) => sum + putBytes(one), 0);
  if (steps.length < 2 || bytes <= BYTES_MAX) return;
  throw failure(
    "refused",
    `the write would put ${bytes} bytes, and a transaction has at most ${BYTES_MAX}; nothing was written: give it less at a time`,
  );
}

/** The request that carries out the steps. */
function requestOf(steps: readonly Step[]): [string, object] {
  const actions = steps.map(lowered);
  const [first] = actions;
  if (first !== undefined && actions.length === 1 && first[0] !== "ConditionCheck") {
    const [name, members] = first;
    return [`${name}Item`, { ...members, ...REPORTED }];
  }
  const items = actions.map(([name, members]) => ({ [name]: members }));
  return ["TransactWriteItems", { TransactItems: items, ...REPORTED }];
}

/** Several writes in one transaction: all of them happen at one moment, or none does.
 *
 * The outcome is that of the writes one after the other. All of them read at the same time, the items as they are
 * before the transaction. Then the steps of each write are put together in order, with the aggregates that follow
 * them; where two writes meet in an item and the order would make a difference, the transaction is refused before
 * it is sent. */

import { together } from "../attempts.js";
import type { MadeValue } from "../complete.js";
import { failure, invalid, KeyfoldError, owned, retold } from "../error.js";
import type { Io } from "../io.js";
import type { Model } from "../model.js";
import { inWrite } from "../positions.js";
import type { Values } from "../value/value.js";
import { addAggregates } from "./aggregate.js";
import type { Context } from "./context.js";
import { sentSteps, untilSent } from "./execute.js";
import { GivenItems } from "./inputs.js";
import { placeText } from "./invalid.js";
import { join, takenTwice } from "./meeting.js";
import type { Composed } from "./named.js";
import { addPart, nameOf, ownerOf, type Part, prepared } from "./part.js";
import { isByItem, placeOfItem, type Reason, reasonsOf } from "./refusal.js";
import { type Draft, emptyDraft, isAt, type Step } from "./step.js";

/** The outcome of a transaction, with values as they are stored. */
export interface Transaction {
  readonly operation: string;
  readonly capacity: number;
  readonly writes: readonly { readonly changes: readonly string[]; readonly made: readonly MadeValue[] }[];
}

/** A write whose values have their defaults. */
interface Ready {
  readonly part: Part;
  readonly number: number;
  /** The write, for people, by its number from 0: `write 1 (create Order)`. */
  readonly name: string;
  readonly context: Context;
  readonly values: Values;
  readonly made: readonly MadeValue[];
}

/** The steps of one write. */
interface ComposedPart extends Composed {
  readonly of: Ready;
  readonly error?: unknown;
}

/** Carries several writes out in one transaction, as if one happened after the other. */
export async function transact(io: Io, model: Model, parts: readonly Part[]): Promise<Transaction> {
  if (parts.length === 0) throw invalid("a transaction has at least one write");
  const context = { io, model };
  const ready = parts.map((part, number) => readyOf(context, part, number));
  return untilSent(io, "the transaction: its items were", async () => {
    const composed = await together(ready.map(compose));
    checkGiven(composed);
    const merged = new Merged(context);
    for (const one of composed) await merged.add(one);
    const { draft, owners } = merged;
    const labels = draft.steps.map((one) => one.label);
    const sent = await sentSteps(context, draft.steps, draft.unread).catch((error: unknown) => {
      throw ofFailedStep(error, draft.steps, owners);
    });
    if (sent === undefined) return undefined;
    const { operation, capacity, changes } = sent;
    const writes = composed.map(({ of: { number }, made }) => {
      const own = changes.length === 0 ? [] : labels.filter((_, at) => owners[at] === number);
      return { changes: own, made };
    });
    return { operation, capacity, writes };
  });
}

function readyOf({ io: whole, model }: Context, part: Part, number: number): Ready {
  const context = { io: whole.ofPart(number), model };
  const name = `write ${number} (${nameOf(part)})`;
  const made: MadeValue[] = [];
  const values = ofWrite(name, number, () => prepared(context, part, made));
  return { part, number, name, context, values, made };
}

/** Reads what a write rests on, and makes its steps. */
async function compose(of: Ready): Promise<ComposedPart> {
  const { part, context, values } = of;
  const into = { draft: emptyDraft(), given: new GivenItems(), made: [...of.made] };
  try {
    await owned(ownerOf(part), addPart(context, part, values, true, into));
    return { ...into, of };
  } catch (error) {
    return { ...into, of, error };
  }
}

/** The steps of all writes. */
class Merged {
  readonly draft: Draft = emptyDraft();
  /** The number of the write that each step is of. */
  readonly owners: number[] = [];
  readonly #names: string[] = [];
  readonly #context: Context;

  constructor(context: Context) {
    this.#context = context;
  }

  /** Adds the steps of the next write, and the aggregates that follow it. */
  async add({ of: { name, number }, draft, error }: ComposedPart): Promise<void> {
    this.#names[number] = name;
    try {
      if (error !== undefined) throw error;
      for (const step of draft.steps) this.#addStep(named(step, name), number, draft);
      this.draft.changes = draft.changes;
      this.draft.remaining = draft.remaining;
      this.draft.unread.push(...draft.unread);
      await addAggregates(this.#context, this.draft);
    } catch (cause) {
      throw inWrite(cause, name, number);
    }
    for (let at = this.owners.length; at < this.draft.steps.length; at += 1) {
      const step = this.draft.steps[at];
      if (step !== undefined) this.draft.steps[at] = named(step, name);
      this.owners.push(number);
    }
  }

  #addStep(step: Step, number: number, { remaining }: Draft): void {
    const at = this.draft.steps.findIndex(
      (known, place) => this.owners[place] !== number && isAt(known, step.table, step.key),
    );
    const earlier = this.draft.steps[at];
    if (earlier === undefined) {
      this.draft.steps.push(step);
      this.owners.push(number);
      return;
    }
    const first = earlier.label;
    const second = step.label;
    const taken = takenTwice(earlier, step);
    if (taken !== undefined) throw taken;
    if (join(earlier, step, remaining)) return;
    const item = placeText(step);
    const place = placeOfItem(step);
    throw failure("refused", meeting(this.#names[this.owners[at] ?? 0] ?? "", { first, second, item }), place);
  }
}

/** A step whose refusal is in the words of its write. */
function named(step: Step, write: string): Step {
  const { refusal } = step;
  if (refusal === "none" || refusal === "stale") return step;
  const of = (one: Reason): Reason => ({ ...one, message: `${write}: ${one.message}` });
  const { absent, stored } = isByItem(refusal) ? refusal : { absent: undefined, stored: refusal };
  return { ...step, refusal: absent === undefined ? of(stored) : { absent: of(absent), stored: of(stored) } };
}

/** Refuses a write that is given an item which an earlier one changes. */
function checkGiven(parts: readonly ComposedPart[]): void {
  for (const [at, later] of parts.entries()) {
    for (const earlier of parts.slice(0, at)) {
      const both = later.given.changedBefore(earlier.given);
      if (both !== undefined) {
        throw inWrite(failure("refused", meeting(earlier.of.name, both)), later.of.name, later.of.number);
      }
    }
  }
}

/** The refusal of two writes of one item whose order would make a difference. */
function meeting(write: string, { first, second, item }: { first: string; second: string; item: string }): string {
  return `${write} uses the same item, ${item}: first \`${first}\`, then \`${second}\`; a transaction takes one action for an item: put both into one write, or into transactions of their own`;
}

function ofWrite<T>(name: string, number: number, make: () => T): T {
  try {
    return make();
  } catch (error) {
    throw inWrite(error, name, number);
  }
}

/** A refusal of the sent steps, with the number of the write whose step was refused. */
function ofFailedStep(error: unknown, steps: readonly Step[], owners: readonly number[]): unknown {
  if (!(error instanceof KeyfoldError) || error.place === undefined) return error;
  const at = steps.findIndex(({ refusal }) => reasonsOf(refusal).some(({ message }) => message === error.message));
  const write = owners[at];
  return write === undefined ? error : retold(error, { write });
}

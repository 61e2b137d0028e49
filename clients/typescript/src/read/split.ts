/** Entities that are stored as several items: a page has all parts of each. */

import { attempts } from "../attempts.js";
import type { Item } from "../plan.js";
import { positionOf } from "./cursor.js";
import { addRaw } from "./items.js";
import type { Kinds } from "./kinds.js";
import { groups } from "./parts.js";
import { emptyRaw, type Question, type Raw } from "./question.js";
import { onePage } from "./request.js";
import { strayItem } from "./stray.js";

/** The pages of a reading from a place on. */
export async function* pagesOf(
  { name }: Question,
  start: Item | undefined,
  read: (after: Item | undefined) => Promise<Raw>,
): AsyncGenerator<Raw, void, undefined> {
  yield* (await import("../paging.js")).pagesFrom(name, start, read);
}

/** Reads until the page has its limit of entities with all their parts. */
export async function readSplit(question: Question, kinds: Kinds, start: Item | undefined): Promise<Raw> {
  const raw = emptyRaw();
  const { limit } = question;
  const read = (after: Item | undefined): Promise<Raw> => onePage(question, question.args, after, undefined);
  for await (const page of pagesOf(question, start, read)) {
    addRaw(raw, page);
    const all = groups(kinds, raw.items);
    const complete = page.next === undefined ? all.length : Math.max(all.length - 1, 0);
    if (limit !== undefined && (complete > limit || (complete === limit && page.next !== undefined))) {
      raw.items = all.slice(0, limit).flat();
      const last = raw.items.at(-1);
      raw.next = last && positionOf(question, last);
      break;
    }
  }
  return raw;
}

/** Reads a page again whose parts did not belong together at the first attempt. */
export async function readAgain<T>({ io, name }: Question, read: () => Promise<T | undefined>): Promise<T> {
  for await (const tried of attempts(io)) {
    const found = tried === 0 ? undefined : await read();
    if (found !== undefined) return found;
  }
  throw strayItem(
    `${name}: the parts of a list do not belong together: they were not written through the model, or are written without end`,
  );
}

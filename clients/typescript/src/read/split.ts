/** Entities that are stored as several items: a page has all parts of each. */

import type { Item } from "../plan.js";
import { positionOf } from "./cursor.js";
import type { Kinds } from "./kinds.js";
import { groups } from "./parts.js";
import { addRaw, emptyRaw, type Question, type Raw } from "./question.js";
import { onePage } from "./request.js";

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

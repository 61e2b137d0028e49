/** Entities that are stored as several items: a page has all parts of each. */

import type { Item } from "../plan.js";
import { positionOf } from "./cursor.js";
import type { Kinds } from "./kinds.js";
import { groups } from "./parts.js";
import { addRaw, emptyRaw, type Question, type Raw } from "./question.js";
import { onePage } from "./request.js";

/** Reads until the page has its limit of entities with all their parts. */
export async function readSplit(question: Question, kinds: Kinds, start: Item | undefined): Promise<Raw> {
  const raw = emptyRaw();
  const { limit } = question;
  let after = start;
  for (;;) {
    const page = await onePage(question, question.args, after, undefined);
    addRaw(raw, page);
    after = page.next;
    const all = groups(kinds, raw.items);
    const complete = after === undefined ? all.length : Math.max(all.length - 1, 0);
    if (limit !== undefined && (complete > limit || (complete === limit && after !== undefined))) {
      raw.items = all.slice(0, limit).flat();
      const last = raw.items.at(-1);
      raw.next = last && positionOf(question, last);
      return raw;
    }
    if (after === undefined) return raw;
  }
}

/** The pages of an answer, one after the other. */

import type { Item, PatternPlan } from "../plan.js";
import { type FoundPage, isSingle, type PageStart } from "./page.js";

/** The pages of a reading from a place on. None begins where one has begun before, or they would have no end: each place
 * is compared with one before it, which is kept after 1, 2, 4, 8 pages. */
export async function* pagesFrom<P extends { readonly next: Item | undefined }>(
  reading: string,
  start: Item | undefined,
  read: (after: Item | undefined) => Promise<P>,
): AsyncGenerator<P, void, undefined> {
  let after = start;
  let kept: string | undefined;
  let count = 0;
  do {
    const page = await read(after);
    after = page.next;
    const place = JSON.stringify(after);
    if (after && place === kept) throw (await import("./refused.js")).hadBefore(reading);
    if ((count & ++count) === 0) kept = place;
    yield page;
  } while (after);
}

/** Reads one page after the other. The answer from its beginning to its end has all required items. */
export async function* allPages(
  pattern: PatternPlan,
  begin: PageStart,
  read: (start: PageStart) => Promise<FoundPage>,
): AsyncGenerator<FoundPage, void, undefined> {
  const required = pattern.returns.length > 1 ? await import("./collection.js") : undefined;
  const left = new Set(required?.missing(pattern, []));
  let { now } = begin;
  for await (const page of pagesFrom(pattern.name, begin.after, (after) => read({ ...begin, after, now }))) {
    now = page.now;
    for (const one of left) if (page.items.some((item) => item.name === one.name)) left.delete(one);
    yield page;
    const [lost] = left;
    const isWhole = page.next === undefined && begin.after === undefined;
    if (isWhole && lost !== undefined && pattern.together === undefined) {
      throw required?.notFound(pattern, lost, page.asked);
    }
  }
}

/** The items of an answer, of which there are no more than `most`. */
export async function allItems<T>(pattern: string, most: number, items: AsyncIterable<T>): Promise<T[]> {
  if (!Number.isInteger(most) || most < 0) (await import("../call-options.js")).checkMost(most, pattern);
  const all: T[] = [];
  for await (const item of items) {
    all.push(item);
    if (all.length > most) throw (await import("./refused.js")).tooMany(pattern, most);
  }
  return all;
}

/** The start of pages that are read for the first item of an answer. What follows it does not matter: a page of one
 * item is read where there is one, and of any other page nothing behind its first item is looked at. */
export function firstStart(pattern: PatternPlan, start: PageStart): PageStart {
  const { filters, beside, gets, request } = pattern.plan;
  // A filter may drop the one item of a page.
  const limit = filters === undefined ? 1 : start.limit;
  const hasMore = (filters ?? beside ?? gets) !== undefined || request === "BatchGetItem";
  return { ...start, limit, isFirst: hasMore && !isSingle(pattern) };
}

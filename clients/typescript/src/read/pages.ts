/** The pages of an answer, one after the other. */

import { failure, need } from "../error.js";
import type { PatternPlan } from "../plan.js";
import { type FoundPage, isSingle, type PageStart } from "./page.js";

/** Reads one page after the other. The answer from its beginning to its end has all required items, and no place at
 * which a page begins comes again: each is compared with one before it, which is kept after 1, 2, 4, 8 pages. */
export async function* allPages(
  pattern: PatternPlan,
  begin: PageStart,
  read: (start: PageStart) => Promise<FoundPage>,
): AsyncGenerator<FoundPage, void, undefined> {
  const required = pattern.returns.length > 1 ? await import("./collection.js") : undefined;
  const left = new Set(required?.missing(pattern, []));
  let start = begin;
  let [kept, count]: [string | undefined, number] = ["", 0];
  do {
    const page = await read(start);
    for (const one of left) if (page.items.some((item) => item.name === one.name)) left.delete(one);
    yield page;
    const [lost] = left;
    const isWhole = page.next === undefined && begin.after === undefined;
    if (isWhole && lost !== undefined && pattern.together === undefined) {
      throw required?.notFound(pattern, lost, page.asked);
    }
    start = { ...start, after: page.next, now: page.now };
    const place = JSON.stringify(page.next);
    if (place === kept) throw failure("transport", `${pattern.name} has a page again that it had before`);
    if ((count & ++count) === 0) kept = place;
  } while (start.after !== undefined);
}

/** The items of an answer, of which there are no more than `most`. */
export async function allItems<T>(pattern: string, most: number, items: AsyncIterable<T>): Promise<T[]> {
  const isCount = Number.isInteger(most) || most === Number.POSITIVE_INFINITY;
  need(isCount && most >= 0, "most", "a whole number from 0 on", `the pattern ${pattern}`);
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

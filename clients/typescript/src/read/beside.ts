/** The single kinds of a collection that its range does not hold: each comes by a GetItem, beside the first
 * page. */

import { together } from "../attempts.js";
import type { PatternPlan } from "../plan.js";
import { addRaw, itemQuestion } from "./items.js";
import type { Found, Kinds } from "./kinds.js";
import { emptyRaw, type Question, type Raw } from "./question.js";
import { getItem } from "./request.js";
import { notFound } from "./required.js";

/** Reads the single kinds for the first page, and its range at the same time. The single kinds come first: where
 * nothing behind the first item is looked at, the range is read only if there is none of them. */
export async function withBeside(
  question: Question,
  pattern: PatternPlan,
  kinds: Kinds,
  readRange: () => Promise<[Raw, Found[]]>,
): Promise<[Raw, Found[]]> {
  const foundBeside = async (): Promise<[Raw, Found[]]> => {
    const raw = await readBeside(question, pattern);
    return [raw, (await kinds.found(raw.items)) ?? []];
  };
  const beside = foundBeside();
  if (kinds.shown.isFirst === true) {
    const first = await beside;
    if (first[1].length > 0) return first;
  }
  const both = (await together([beside, readRange()])) as [[Raw, Found[]], [Raw, Found[]]];
  const [[own, ahead], [raw, items]] = both;
  return [{ ...raw, requests: raw.requests + own.requests, units: raw.units + own.units }, [...ahead, ...items]];
}

/** Reads the single kinds. */
async function readBeside(question: Question, pattern: PatternPlan): Promise<Raw> {
  const raw = emptyRaw();
  const beside = question.plan.beside ?? [];
  const found = await together(
    beside.map(({ plan }) => {
      const own = itemQuestion(question, plan);
      return getItem({ ...own, isStrong: plan.strong === true || question.isStrong });
    }),
  );
  for (const [at, one] of found.entries()) {
    const returned = pattern.returns[beside[at]?.returns ?? -1];
    if (returned !== undefined && one.items.length === 0 && returned.optional !== true) {
      throw notFound(pattern, returned, one.asked);
    }
    addRaw(raw, one);
  }
  return raw;
}

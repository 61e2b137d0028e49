/** The single kinds of a collection that its range does not hold: each comes by a GetItem, beside the first
 * page. */

import { together } from "../io.js";
import type { PatternPlan } from "../plan.js";
import { itemQuestion } from "./items.js";
import { addRaw, emptyRaw, type Question, type Raw } from "./question.js";
import { getItem } from "./request.js";
import { notFound } from "./required.js";

/** Reads the single kinds for the first page. */
export async function readBeside(question: Question, pattern: PatternPlan): Promise<Raw> {
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

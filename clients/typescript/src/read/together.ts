/** Several items by keys of their own: one TransactGetItems, or one BatchGetItem. */

import { failure, invalid } from "../error.js";
import { type Io, REPORTED } from "../io.js";
import type { Model } from "../model.js";
import { Placeholders } from "../placeholders.js";
import type { Item, PatternPlan, ReadPlan, ReturnedPlan } from "../plan.js";
import type { Values } from "../value/value.js";
import { askAll, atKey, byTable, distinct, type Keyed } from "./batch.js";
import { readAtOnce } from "./current.js";
import { type Found, Kinds, type Shown } from "./kinds.js";
import { questionOf } from "./items.js";
import { emptyRaw, printKey, type Question, type Raw } from "./question.js";
import { projection, wholeKey } from "./request.js";

/** One item to read. */
interface Wanted {
  readonly name: string;
  readonly plan: ReadPlan;
  readonly returned: ReturnedPlan;
  readonly place: Keyed;
}

/** Reads the items of a pattern by their keys. */
export async function readTogether(
  io: Io,
  model: Model,
  pattern: PatternPlan,
  plan: ReadPlan,
  args: Values,
  start: Shown & { readonly strong?: boolean | undefined },
): Promise<[Raw, Found[]]> {
  const all = (plan.gets ?? []).flatMap((get, at): Wanted[] => {
    const returned = pattern.returns[at];
    if (returned === undefined) return [];
    const key = wholeKey(questionOf(io, model, get.plan, args, pattern.name), args);
    return [{ ...get, returned, place: [model.table(get.plan.table).name, key] }];
  });
  const [first] = all;
  if (first === undefined) throw invalid(`${pattern.name} reads nothing`);
  const isStrong = plan.strong === true || start.strong === true;
  const question = { ...questionOf(io, model, plan, args), table: model.table(first.plan.table), isStrong };
  const raw = emptyRaw(all.map((one) => printKey(one.place[1])).join("; "));
  const places = distinct(all.map((one) => one.place));
  const read =
    plan.request === "TransactGetItems"
      ? await snapshot(question, model, pattern, places, raw)
      : await askAll(question, [byTable(question, places)], raw);
  const items: Found[] = [];
  for (const one of all) {
    if (start.isFirst === true && items.length > 0) break;
    const stored = atKey(read, ...one.place);
    const kinds = new Kinds(io, model, pattern, one.plan, start, [one.returned]);
    const found = (await kinds.found(stored ? [stored] : [])) ?? [];
    if (found.length === 0 && one.returned.optional !== true) {
      throw failure("not_found", `${pattern.name}: there is no ${one.name} for ${printKey(one.place[1])}`);
    }
    items.push(...found);
  }
  return [raw, items];
}

/** Reads all items as they are at one moment. */
async function snapshot(
  question: Question,
  model: Model,
  pattern: PatternPlan,
  places: readonly Keyed[],
  raw: Raw,
): Promise<Keyed[]> {
  const gets = places.map(([name, key]) => {
    const made = new Placeholders();
    const projected = projection({ ...question, table: model.table(name) }, made);
    return { Get: { TableName: name, Key: key, ...projected, ...made.members() } };
  });
  const input = { TransactItems: gets, ...REPORTED };
  const found: readonly (Item | undefined)[] = await readAtOnce(question, input, raw, `the items of ${pattern.name}`);
  return places.flatMap(([table], at): Keyed[] => {
    const item = found[at];
    return item === undefined ? [] : [[table, item]];
  });
}

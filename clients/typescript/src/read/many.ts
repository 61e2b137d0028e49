/** Entities by their keys: BatchGetItem, in the order of the keys, absent ones as absent. */

import { attempts, together } from "../attempts.js";
import { strayItem } from "./stray.js";
import { heldPlace, identifyingPlace, idGuard, placeOf } from "../derive.js";
import { invalid } from "../error.js";
import type { Io } from "../io.js";
import type { Model } from "../model.js";
import type { FoundItem } from "../options.js";
import type { EntityPlan, Item } from "../plan.js";
import { eachOf } from "../positions.js";
import { valuesOf } from "../stored.js";
import type { Values } from "../value/value.js";
import { atKey, distinct, fetchAll, type Keyed, requestsOf } from "./batch.js";
import { requireKind, unknownOf } from "./unknown.js";
import { checkedItem } from "./item.js";
import type { Shown } from "./kinds.js";

/** How the items are read and shown. */
export type ManyShown = Shown & { readonly isStrong: boolean };

/** Reads entities by the attributes that identify them, 100 of them in a request. A key that is given twice is read
 * once. The items are not of one moment. */
export async function readMany(
  io: Io,
  model: Model,
  entity: EntityPlan,
  keys: readonly Values[],
  shown: ManyShown,
): Promise<(FoundItem | undefined)[]> {
  const { name, split } = entity;
  if (split !== undefined) {
    throw invalid(`${name} is stored as several items, which one key does not read; read each by a pattern`, undefined, name);
  }
  const moves = idGuard(entity) !== undefined;
  const question = { io, model, entity, shown, isStrong: shown.isStrong || moves };
  const places = eachOf(keys, name, (key): Keyed => identifyingPlace(model, entity, key));
  const items: (FoundItem | undefined)[] = keys.map(() => undefined);
  let left = keys.map((_, at) => at);
  for await (const _ of attempts(io)) {
    let wanted = left.flatMap((at): Placed[] => { const place = places[at]; return place === undefined ? [] : [[at, place]]; });
    let found = await read(question, wanted);
    if (moves) {
      wanted = moved(question, keys, wanted, found);
      found = await read(question, wanted);
    }
    left = [];
    for (const [at, [table, key]] of wanted) {
      const item = atKey(found, table, key);
      // An item that moves was there when its guard was read.
      if (item === undefined) left.push(...(moves ? [at] : []));
      else items[at] = await foundOf(question, item);
    }
    if (left.length === 0) return items;
  }
  throw strayItem(
    `items of ${name} are not where the guards of their ids say: they were not written through the model, or move without end`,
  );
}

interface Question {
  readonly io: Io;
  readonly model: Model;
  readonly entity: EntityPlan;
  readonly shown: Shown;
  readonly isStrong: boolean;
}

/** The position of a key, and where its item is. */
type Placed = readonly [number, Keyed];

/** An item as a program sees it; `undefined` for one of another kind that is skipped. */
async function foundOf({ io, model, entity, shown }: Question, item: Item): Promise<FoundItem | undefined> {
  const origin = { io, model, entity, table: model.table(entity.table), copy: undefined };
  const attributes = entity.attributes.map((one) => one.name);
  try {
    requireKind(origin.table, entity, item);
    const values = await valuesOf(origin, attributes, [item]);
    return await checkedItem(model, shown.numbers ?? "number", { entity, copy: undefined, attributes }, values);
  } catch (error) {
    const unknown = unknownOf(error, origin, item, `a key has an item of ${entity.name}`);
    if (shown.onUnknown === "skip") return undefined;
    throw unknown;
  }
}

/** Where the guards say that items are. A key without a guard has no item. */
function moved({ model, entity }: Question, keys: readonly Values[], guards: readonly Placed[], found: readonly Keyed[]): Placed[] {
  return guards.flatMap(([at, [table, key]]): Placed[] => {
    const guard = atKey(found, table, key);
    const id = keys[at];
    if (guard === undefined || id === undefined) return [];
    const place = placeOf(model, entity, heldPlace(entity, id, guard));
    return [[at, [place.tableName, place.key]]];
  });
}

/** Reads the items at these places, each once. */
async function read(question: Question, places: readonly Placed[]): Promise<Keyed[]> {
  const { io, model, entity, isStrong } = question;
  const hasPeriods = model.table(entity.table).period !== undefined;
  const of = (Keys: readonly Item[]): object => ({ Keys, ...(isStrong && { ConsistentRead: true }) });
  const wanted = requestsOf(distinct(places.map(([, one]) => one)), hasPeriods, of);
  const parts = await together(wanted.map((one) => fetchAll(io, hasPeriods, one)));
  return parts.flatMap(([items]) => items);
}

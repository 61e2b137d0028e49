/** Entities that are stored as several items: which belong together, and whether they are complete. */

import type { AttributeValue, Item } from "../plan.js";
import { digestAttribute, isAsWritten } from "../split.js";
import { isEqual } from "../value/compare.js";
import { compareTexts } from "../value/text.js";
import { held, type Values } from "../value/value.js";
import type { Kind, Kinds } from "./kinds.js";

/** The list of a split entity, if the pattern returns it. */
function listOf(kind: Kind): string | undefined {
  return kind.attributes.find((name) => name === kind.entity.split?.attribute);
}

/** The digest attributes of the split lists, which show whether all parts belong together. */
export function digests({ kinds }: Kinds): string[] {
  return kinds.flatMap((kind) => {
    const list = kind.isSplit ? listOf(kind) : undefined;
    return list === undefined ? [] : [digestAttribute(list)];
  });
}

/** The sort key without the number of the part, and that number; `undefined` for an item that is none. */
function partOf(kinds: Kinds, item: Item): [string, string] | undefined {
  const kind = kinds.of(item);
  const text = kind?.isSplit === true ? held(item, kinds.table.sort?.name ?? "")?.S : undefined;
  const last = kind?.key[1]?.parts.at(-1);
  if (text === undefined || typeof last !== "object" || !("part" in last)) return undefined;
  return [text.slice(0, -last.part), text.slice(-last.part)];
}

/** What an item of a kind holds in the table's attribute of types: the further parts of a list have a name of their
 * own. */
export function typeOf(kinds: Kinds, { type }: Kind, item: Item): string {
  return isFirst(partOf(kinds, item)?.[1] ?? "") ? type : `${type}.part`;
}

/** Whether the number of a part is that of the first one, the main item. */
function isFirst(number: string): boolean {
  return /^0*$/.test(number);
}

/** The items that belong together. The parts of one entity lie side by side. */
export function groups(kinds: Kinds, items: readonly Item[]): Item[][] {
  const groups: Item[][] = [];
  let open: [AttributeValue | undefined, string] | undefined;
  for (const item of items) {
    const start = partOf(kinds, item)?.[0];
    const partition = held(item, kinds.table.partition.name);
    const last = groups.at(-1);
    if (last !== undefined && start !== undefined && open?.[1] === start && isEqual(open[0], partition)) last.push(item);
    else groups.push([item]);
    open = start === undefined ? undefined : [partition, start];
  }
  return groups;
}

/** The parts of an entity in order: the first is its main item. */
export function ordered(kinds: Kinds, members: readonly Item[]): Item[] {
  const number = (item: Item): string => partOf(kinds, item)?.[1] ?? "";
  return [...members].sort((one, other) => compareTexts(number(one), number(other)));
}

/** Whether the parts of an entity are complete: they begin with the first, and where the pattern returns
 * the list, its digest is the stored one. */
export function isComplete(kinds: Kinds, kind: Kind, parts: readonly Item[], values: Values): boolean {
  const first = parts[0] as Item;
  const begins = isFirst(partOf(kinds, first)?.[1] ?? "x");
  return begins && (listOf(kind) === undefined || isAsWritten(kind.entity, first, values));
}

/** From stored items to the model's: keys distinguish the kinds, split lists are joined. */

import type { Io } from "../io.js";
import { isBare } from "../key/make.js";
import { kindName, type Model } from "../model.js";
import type { FoundItem } from "../options.js";
import type { AttributeValue, CopyPlan, EntityPlan, Item, KeyColumn, PatternPlan, ReadPlan, ReturnedPlan, TablePlan } from "../plan.js";
import { digestAttribute, isAsWritten, valuesOf } from "../stored.js";
import type { Numbers } from "../value/plain.js";
import { compareTexts } from "../value/text.js";
import { held, isEqual, type Values } from "../value/value.js";
import { checkedItem, unknownItem, unknownOf } from "./item.js";

/** An item and its kind. */
export interface Found {
  /** The name that the pattern gives it: its kind, or an alias. */
  readonly name: string;
  /** The entity, or `Entity.copy`. */
  readonly kind: string;
  readonly entity: EntityPlan;
  /** Its attributes and kind as a program sees them. */
  readonly item: FoundItem;
}

/** A kind of items, with what distinguishes it. */
export interface Kind {
  readonly name: string;
  readonly entity: EntityPlan;
  readonly copy: CopyPlan | undefined;
  readonly attributes: readonly string[];
  /** The optional attributes that each item has. */
  readonly present: readonly string[];
  readonly key: readonly KeyColumn[];
  /** Whether the sort key ends with the number of a part. */
  readonly isSplit: boolean;
  /** The index that is read; `undefined` for the table. */
  readonly index: string | undefined;
}

/** What becomes of an item that the model does not know. */
export type OnUnknown = "error" | "skip";

/** How a program sees what is found. */
export interface Shown {
  readonly onUnknown?: OnUnknown | undefined;
  readonly numbers?: Numbers | undefined;
}

const MATCHERS: WeakMap<KeyColumn, RegExp> = /* @__PURE__ */ new WeakMap();

/** Whether a value can be the one of a key attribute. */
export function fitsColumn(one: KeyColumn, value: AttributeValue | undefined): boolean {
  if (value === undefined) return false;
  if (one.matches === undefined || isBare(one.parts)) return true;
  let matcher = MATCHERS.get(one);
  if (matcher === undefined) {
    matcher = new RegExp(`^(?:${one.matches})$`, "su");
    MATCHERS.set(one, matcher);
  }
  return value.S !== undefined && matcher.test(value.S);
}

function kindOf(model: Model, returned: ReturnedPlan, pattern: PatternPlan, plan: ReadPlan): Kind {
  const entity = model.entity(returned.entity);
  const copy = entity.copies?.find((one) => one.name === returned.copy);
  const attributes = copy?.attributes ?? entity.attributes.map((one) => one.name);
  const key = (copy ?? entity).key;
  const last = key[1]?.parts.at(-1);
  const endsWithPart = typeof last === "object" && "part" in last;
  return {
    name: returned.name,
    entity,
    copy,
    attributes: attributes.filter((name) => pattern.only === undefined || pattern.only.includes(name)),
    present: returned.present ?? [],
    key,
    isSplit: copy === undefined && endsWithPart && plan.index === undefined,
    index: plan.index,
  };
}

/** The list of a split entity, if the pattern returns it. */
function listOf(kind: Kind): string | undefined {
  return kind.attributes.find((name) => name === kind.entity.split?.attribute);
}

/** The kinds of items that a pattern returns. */
export class Kinds {
  readonly #io: Io;
  readonly #pattern: PatternPlan;
  readonly #table: TablePlan;
  readonly #kinds: readonly Kind[];
  readonly #onUnknown: OnUnknown;
  readonly #numbers: Numbers;
  readonly #model: Model;

  constructor(
    io: Io,
    model: Model,
    pattern: PatternPlan,
    plan: ReadPlan,
    { onUnknown = "error", numbers = "number" }: Shown,
    returns: readonly ReturnedPlan[] = pattern.returns,
  ) {
    this.#io = io;
    this.#model = model;
    this.#pattern = pattern;
    this.#table = model.table(plan.table);
    this.#kinds = returns.map((one) => kindOf(model, one, pattern, plan));
    this.#numbers = numbers;
    this.#onUnknown = plan.request === "Scan" ? "skip" : onUnknown;
  }

  /** The kind, where the pattern returns only one. */
  only(): Kind | undefined {
    return this.#kinds.length === 1 ? this.#kinds[0] : undefined;
  }

  /** Whether an entity may be stored as several items. */
  isSplit(): boolean {
    return this.#kinds.some((kind) => kind.isSplit);
  }

  /** The digest attributes of the split lists, which show whether all parts belong together. */
  digests(): string[] {
    return this.#kinds.flatMap((kind) => {
      const list = kind.isSplit ? listOf(kind) : undefined;
      return list === undefined ? [] : [digestAttribute(list)];
    });
  }

  #kindOf(item: Item): Kind | undefined {
    return this.#kinds.find((kind) => kind.key.every((one) => fitsColumn(one, held(item, one.attribute))));
  }

  /** The sort key without the number of the part, and that number; `undefined` for an item that is none. */
  #partOf(item: Item): [string, string] | undefined {
    const kind = this.#kindOf(item);
    const text = kind?.isSplit === true ? held(item, this.#table.sort?.name ?? "")?.S : undefined;
    const last = kind?.key[1]?.parts.at(-1);
    if (text === undefined || typeof last !== "object" || !("part" in last)) return undefined;
    return [text.slice(0, -last.part), text.slice(-last.part)];
  }

  /** The items that belong together. The parts of one entity lie side by side. */
  groups(items: readonly Item[]): Item[][] {
    const groups: Item[][] = [];
    let open: [AttributeValue | undefined, string] | undefined;
    for (const item of items) {
      const start = this.#partOf(item)?.[0];
      const partition = held(item, this.#table.partition.name);
      const last = groups.at(-1);
      if (last !== undefined && start !== undefined && open?.[1] === start && isEqual(open[0], partition)) last.push(item);
      else groups.push([item]);
      open = start === undefined ? undefined : [partition, start];
    }
    return groups;
  }

  /** The main item of an entity among its parts. */
  mainOf(members: readonly Item[]): Item | undefined {
    return this.#ordered(members)[0];
  }

  /** The parts of an entity in order. */
  #ordered(members: readonly Item[]): Item[] {
    const number = (item: Item): string => this.#partOf(item)?.[1] ?? "";
    return [...members].sort((one, other) => compareTexts(number(one), number(other)));
  }

  /** The items with their kinds; `undefined` when parts of a list do not belong together. */
  async found(items: readonly Item[]): Promise<Found[] | undefined> {
    const found: Found[] = [];
    for (const group of this.groups(items)) {
      const first = group[0] as Item;
      const kind = this.#kindOf(first);
      if (kind === undefined) {
        if (this.#onUnknown === "skip") continue;
        throw unknownItem(`${this.#pattern.name} found`, this.#table, first);
      }
      const { entity, copy, name } = kind;
      const origin = { io: this.#io, table: this.#table, entity, copy };
      try {
        const ordered = this.#ordered(group);
        const values = await valuesOf(origin, kind.attributes, ordered);
        if (kind.isSplit && !this.#isComplete(kind, ordered, values)) return undefined;
        found.push({ name, kind: kindName(entity, copy), entity, item: this.#item(kind, values) });
      } catch (error) {
        const unknown = unknownOf(error, origin, first, `${this.#pattern.name} found an item of ${name}`);
        if (this.#onUnknown === "error") throw unknown;
      }
    }
    return found;
  }

  #item(kind: Kind, values: Values): FoundItem {
    return checkedItem(this.#model, this.#numbers, kind, values);
  }

  /** Whether the parts of an entity are complete: they begin with the first, and where the pattern returns
   * the list, its digest is the stored one. */
  #isComplete(kind: Kind, parts: readonly Item[], values: Values): boolean {
    const first = parts[0] as Item;
    const begins = /^0*$/.test(this.#partOf(first)?.[1] ?? "x");
    return begins && (listOf(kind) === undefined || isAsWritten(kind.entity, first, values));
  }
}

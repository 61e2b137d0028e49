/** From stored items to the model's: keys distinguish the kinds, of which an item may say another name. */

import type { Io } from "../io.js";
import { isBare } from "../key/make.js";
import { kindName, type Model, saysKind } from "../model.js";
import type { FoundItem } from "../options.js";
import type {
  AttributeValue,
  CopyPlan,
  EntityPlan,
  Item,
  KeyColumn,
  PatternPlan,
  ReadPlan,
  ReturnedPlan,
  TablePlan,
} from "../plan.js";
import { valuesOf } from "../stored.js";
import type { Numbers } from "../value/plain.js";
import { held } from "../value/value.js";
import { checkedItem } from "./item.js";

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
  /** What its items hold in the table's attribute of types: the entity, or `Entity.copy`. */
  readonly type: string;
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

/** What a program sees of what is found. */
export interface Shown {
  /** Whether nothing behind the first item is looked at. */
  readonly isFirst?: boolean | undefined;
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
    type: kindName(entity, copy),
    entity,
    copy,
    attributes: attributes.filter((name) => pattern.only === undefined || pattern.only.includes(name)),
    present: returned.present ?? [],
    key,
    isSplit: copy === undefined && endsWithPart && plan.index === undefined,
    index: plan.index,
  };
}

/** The kinds of items that a pattern returns. */
export class Kinds {
  /** The table that is read. */
  readonly table: TablePlan;
  readonly kinds: readonly Kind[];
  /** Whether an entity may be stored as several items. */
  readonly isSplit: boolean;
  readonly shown: Shown;
  readonly #io: Io;
  readonly #pattern: PatternPlan;
  /** Whether items of other kinds are skipped: a scan reads those of all. */
  readonly #skipsOthers: boolean;
  readonly #model: Model;

  constructor(
    io: Io,
    model: Model,
    pattern: PatternPlan,
    plan: ReadPlan,
    shown: Shown,
    returns: readonly ReturnedPlan[] = pattern.returns,
  ) {
    this.#io = io;
    this.#model = model;
    this.#pattern = pattern;
    this.table = model.table(plan.table);
    this.kinds = returns.map((one) => kindOf(model, one, pattern, plan));
    this.isSplit = this.kinds.some((kind) => kind.isSplit);
    this.shown = shown;
    this.#skipsOthers = shown.onUnknown === "skip" || plan.request === "Scan";
  }

  /** The kind that has the key of an item. */
  of(item: Item): Kind | undefined {
    return this.kinds.find((kind) => kind.key.every((one) => fitsColumn(one, held(item, one.attribute))));
  }

  /** The items with their kinds; `undefined` when parts of a list do not belong together. An item of another kind, and
   * one of these kinds that is not as the model writes it, is an error, or is skipped. */
  async found(items: readonly Item[]): Promise<Found[] | undefined> {
    const found: Found[] = [];
    const { isFirst, onUnknown, numbers = "number" } = this.shown;
    const parts = this.isSplit ? await import("./rare.js") : undefined;
    for (const group of parts?.groups(this, items) ?? items.map((item) => [item])) {
      if (isFirst === true && found.length > 0) break;
      const first = group[0] as Item;
      const kind = this.of(first);
      // An item of no kind, or one that says another kind.
      const stranger = group.find(
        (one) => kind === undefined || !saysKind(this.table, parts?.typeOf(this, kind, one) ?? kind.type, one),
      );
      if (kind === undefined || stranger !== undefined) {
        if (this.#skipsOthers) continue;
        throw (await import("./unknown.js")).unknownItem(`${this.#pattern.name} found`, this.table, stranger as Item);
      }
      const { entity, copy, name, type } = kind;
      const origin = { io: this.#io, table: this.table, entity, copy };
      try {
        const ordered = parts?.ordered(this, group) ?? group;
        const values = await valuesOf(origin, kind.attributes, ordered);
        if (kind.isSplit && parts?.isComplete(this, kind, ordered, values) === false) return undefined;
        const item = await checkedItem(this.#model, numbers, kind, values);
        found.push({ name, kind: type, entity, item });
      } catch (error) {
        const { unknownOf } = await import("./unknown.js");
        const unknown = unknownOf(error, origin, first, `${this.#pattern.name} found an item of ${name}`);
        if (onUnknown !== "skip") throw unknown;
      }
    }
    return found;
  }
}

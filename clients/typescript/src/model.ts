/** A plan document with what is looked up in it by name. */

import { invalid } from "./error.js";
import type {
  AttributePlan,
  Column,
  CopyPlan,
  EntityPlan,
  IndexPlan,
  Item,
  PatternPlan,
  Plan,
  TablePlan,
  Type,
  WritePlan,
} from "./plan.js";
import { shownText, spoken } from "./value/text.js";
import { inName } from "./value/time.js";
import { held } from "./value/value.js";

/** The version of the form of plan documents that this runtime knows. */
const VERSION = 1;

/** A field of a record. */
export interface RecordField {
  readonly name: string;
  readonly type: Type;
  readonly optional?: true;
}

/** A model. */
export class Model {
  readonly plan: Plan;
  readonly records: Map<string, readonly RecordField[]>;
  readonly tables: Map<string, TablePlan>;
  readonly entities: Map<string, EntityPlan>;
  /** The member of items that holds their kind: `kind`, with as many `$` before it as no attribute has. */
  readonly kindMember: string;
  readonly #patterns: Map<string, PatternPlan>;
  readonly #writes: Map<string, WritePlan>;
  readonly #attributes: Map<string, Map<string, AttributePlan>>;

  constructor(plan: Plan) {
    const version = (plan as Partial<Plan> | undefined)?.keyfoldPlan;
    if (version !== VERSION) {
      throw invalid(
        version === undefined
          ? "this is no plan: give the JSON of `keyfold plan`, parsed"
          : `this is a plan of version ${version}, and this runtime knows ${VERSION}; update it`,
      );
    }
    const byName = <T extends { readonly name: string }>(all: readonly T[] = []): Map<string, T> =>
      new Map(all.map((one) => [one.name, one]));
    this.plan = plan;
    this.records = new Map((plan.records ?? []).map((one) => [one.name, one.fields]));
    this.tables = byName(plan.tables);
    this.entities = byName(plan.entities);
    this.#patterns = byName(plan.patterns);
    this.#writes = byName(plan.writes);
    this.#attributes = new Map(plan.entities.map((one) => [one.name, byName(one.attributes)]));
    let member = "kind";
    while ([...this.#attributes.values()].some((own) => own.has(member))) member = `$${member}`;
    this.kindMember = member;
  }

  /** The entity with this name. */
  entity(name: string): EntityPlan {
    return found(this.entities, name, "entity");
  }

  /** The pattern with this name. */
  pattern(name: string): PatternPlan {
    return found(this.#patterns, name, "pattern");
  }

  /** The named write. */
  write(name: string): WritePlan {
    return found(this.#writes, name, "write");
  }

  /** The table with this name. */
  table(name: string): TablePlan {
    return found(this.tables, name, "table");
  }

  /** An attribute of an entity. */
  attribute(entity: EntityPlan, name: string): AttributePlan | undefined {
    return this.#attributes.get(entity.name)?.get(name);
  }
}

function found<T>(all: Map<string, T>, name: string, what: string): T {
  const one = all.get(name);
  if (one === undefined) {
    const asked = shownText(spoken(name));
    const of = what === "entity" ? asked : `the ${what} ${asked}`;
    throw invalid(`the model has no ${what} \`${asked}\`; it has ${[...all.keys()].join(", ")}`, undefined, of);
  }
  return one;
}

/** The name of a kind: the entity, or `Entity.copy`. */
export function kindName(entity: EntityPlan, copy: CopyPlan | undefined): string {
  return copy === undefined ? entity.name : `${entity.name}.${copy.name}`;
}

/** Whether an item says that it is of a kind, by the name of the kind in its table's attribute of types, or says
 * nothing: another program wrote it, or the attribute was not read. One that says another kind is none of it. */
export function saysKind({ typeAttribute }: TablePlan, kind: string, item: Item): boolean {
  const said = typeAttribute === undefined ? undefined : held(item, typeAttribute);
  return said === undefined || said.S === kind;
}

/** The name of the table of a period. */
export function physicalName(table: TablePlan, period: string): string {
  return `${table.name}_${inName(period)}`;
}

/** The key attributes of a table. */
export function columnsOf(table: TablePlan): readonly Column[] {
  return table.sort === undefined ? [table.partition] : [table.partition, table.sort];
}

/** The key attributes of an index. */
export function indexColumns(index: IndexPlan): readonly Column[] {
  return [...index.partition, ...(index.sort ?? [])];
}

/** The index of a table with this name. */
export function indexOf(table: TablePlan, name: string | undefined): IndexPlan | undefined {
  return table.indexes?.find((index) => index.name === name);
}

/** The plan document of a model (`docs/plan.md`), as `keyfold plan` prints it. */

/** A value in DynamoDB's JSON: one member, named for its type. Binary is base64. */
export type AttributeValue = {
  readonly S?: string;
  readonly N?: string;
  readonly B?: string;
  readonly BOOL?: boolean;
  readonly NULL?: true;
  readonly L?: readonly AttributeValue[];
  readonly M?: Readonly<Record<string, AttributeValue>>;
  readonly SS?: readonly string[];
  readonly NS?: readonly string[];
  readonly BS?: readonly string[];
};

/** The attributes of an item, or values by name. */
export type Item = Record<string, AttributeValue>;

/** A unit of time. */
export type Unit = "hour" | "day" | "month" | "year";

/** The type of a value. */
export type Type =
  | string
  | {
      readonly words?: readonly string[];
      readonly list?: Type;
      readonly map?: Type;
      readonly set?: Type;
      readonly record?: string;
    };

/** The form that a value has in a key. */
export type Format =
  | string
  | {
      readonly cut?: Unit;
      readonly padded?: {
        readonly whole: number;
        readonly decimals?: number;
        readonly reversed?: true;
        readonly signed?: true;
      };
    };

/** A part of a key's text that is a value. */
export interface FieldPart {
  readonly field: string;
  readonly type: Type;
  readonly format?: Format;
  readonly not?: string;
}

/** A part of a key's text. */
export type Part =
  | string
  | FieldPart
  | { readonly shards: number; readonly of: readonly Part[] }
  | { readonly part: number }
  | { readonly break: true };

/** An attribute of a key, and the parts that it is made of. */
export interface KeyColumn {
  readonly attribute: string;
  readonly parts: readonly Part[];
  readonly matches?: string;
}

/** A side of a comparison or an assignment. */
export interface Operand {
  readonly parameter?: string;
  readonly attribute?: string;
  /** The way to a field inside the attribute. */
  readonly fields?: readonly string[];
  readonly value?: AttributeValue;
  readonly lent?: LentPlan;
}

/** An attribute of the entity of an earlier action of the write. */
export interface LentPlan {
  readonly action: number;
  readonly attribute: string;
}

/** A field inside an attribute. */
export interface FieldPlan {
  readonly attribute: string;
  readonly fields: readonly string[];
}

/** A condition of the model: a comparison, or others together. */
export interface Condition {
  readonly not?: Condition;
  readonly all?: readonly Condition[];
  readonly any?: readonly Condition[];
  readonly measure?: "size" | "kind";
  readonly attribute?: string;
  readonly fields?: readonly string[];
  readonly operands?: readonly Operand[];
  readonly text?: string;
  readonly is?: string;
}

/** A key attribute of a table or index. */
export interface Column {
  readonly name: string;
  readonly type: string;
}

/** An index of a table. */
export interface IndexPlan {
  readonly name: string;
  readonly local?: true;
  readonly partition: readonly Column[];
  readonly sort?: readonly Column[];
  readonly projection: "all" | "keys" | readonly string[];
}

/** A table. */
export interface TablePlan {
  readonly name: string;
  readonly partition: Column;
  readonly sort?: Column;
  readonly typeAttribute?: string;
  readonly ttlAttribute?: string;
  readonly period?: Unit;
  readonly indexes?: readonly IndexPlan[];
  readonly create: Readonly<Record<string, unknown>>;
  readonly createPast?: Readonly<Record<string, unknown>>;
  readonly recovery?: true;
}

/** An attribute of an entity. */
export interface AttributePlan {
  readonly name: string;
  readonly type: Type;
  readonly optional?: true;
  readonly default?: "now" | "always" | "new" | { readonly value: AttributeValue };
  readonly refers?: { readonly entity: string; readonly attribute: string };
  readonly kept?: true;
  /** A quotient, which was rounded when it was computed. */
  readonly average?: true;
}

/** The key that an item has in an index. */
export interface IndexKeyPlan {
  readonly index: string;
  readonly key: readonly KeyColumn[];
  readonly sparse?: { readonly attribute: string; readonly value?: string };
}

/** A copy of an entity. */
export interface CopyPlan {
  readonly name: string;
  readonly key: readonly KeyColumn[];
  readonly attributes: readonly string[];
  readonly when?: readonly Condition[];
  readonly leftOut?: readonly string[];
}

/** An attribute of a moving item's key in the guard of its `id`. */
export interface HeldPlan {
  readonly attribute: string;
  readonly as: string;
}

/** The guard of unique attributes. */
export interface UniquePlan {
  readonly attributes: readonly string[];
  readonly lower?: readonly string[];
  readonly key: readonly Part[];
  readonly sort: string;
  readonly holds?: readonly HeldPlan[];
}

/** An attribute that changes with the items of another entity. */
export interface AggregatePlan {
  readonly kind: "count" | "sum" | "max";
  readonly attribute: string;
  readonly entity: string;
  readonly of?: string;
  readonly where?: { readonly attribute: string; readonly text: string };
  readonly link: readonly { readonly own: string; readonly other: string }[];
  readonly items: string;
  readonly changes: string;
  readonly next?: ReadPlan;
  readonly nextCopy?: string;
}

/** An entity. */
export interface EntityPlan {
  readonly name: string;
  readonly table: string;
  readonly attributes: readonly AttributePlan[];
  readonly key: readonly KeyColumn[];
  /** What identifies an item whose other key attributes may change. Its guard is the first of `uniques`. */
  readonly id?: readonly string[];
  readonly leftOut?: readonly string[];
  readonly indexes?: readonly IndexKeyPlan[];
  readonly copies?: readonly CopyPlan[];
  readonly uniques?: readonly UniquePlan[];
  readonly ttl?: string;
  /** The entity from which the rows of a view follow. */
  readonly view?: string;
  readonly version?: string;
  readonly aggregates?: readonly AggregatePlan[];
  readonly split?: { readonly attribute: string; readonly size: number };
  readonly compressed?: readonly string[];
  readonly periodAttribute?: string;
  readonly followed?: readonly string[];
  readonly alone?: true;
}

/** How an argument limits its attribute. */
export type Limit =
  | "equal"
  | "atLeast"
  | "atMost"
  | "above"
  | "below"
  | "starts"
  | "among"
  | "free"
  | { readonly in: Unit };

/** A parameter of a pattern or a write. */
export interface ParameterPlan {
  readonly name: string;
  readonly attribute?: string;
  readonly type: Type;
  readonly limit?: Limit;
  readonly optional?: true;
  readonly now?: true;
}

/** A kind of items that a pattern returns. */
export interface ReturnedPlan {
  readonly name: string;
  readonly entity: string;
  readonly copy?: string;
  readonly many?: true;
  readonly optional?: true;
  readonly alias?: true;
  readonly bound?: readonly { readonly attribute: string; readonly parameter: string }[];
  /** The optional attributes that each item has. */
  readonly present?: readonly string[];
}

/** A range of sort keys. */
export interface RangePlan {
  readonly is: "equal" | "beginsWith" | "between" | "atLeast" | "atMost";
  readonly before?: readonly KeyColumn[];
  readonly attribute: string;
  readonly at?: readonly Part[];
  readonly to?: readonly Part[];
}

/** Several partitions or tables that one pattern reads. */
export interface FanPlan {
  readonly shards?: number | null;
  readonly periods?: Unit;
  readonly attribute?: string;
  readonly type?: Type;
  readonly low?: string;
  readonly high?: string | null;
}

/** The requests of a pattern. */
export interface ReadPlan {
  readonly request: "GetItem" | "Query" | "BatchGetItem" | "Scan" | "TransactGetItems";
  readonly table: string;
  readonly index?: string;
  readonly partition?: readonly KeyColumn[];
  readonly sort?: RangePlan;
  readonly sortAttributes?: readonly string[];
  readonly fan?: FanPlan;
  readonly period?: { readonly unit: Unit; readonly from: string };
  readonly descending?: true;
  readonly orderedBy?: string;
  readonly reversed?: true;
  readonly page?: number;
  readonly strong?: true;
  readonly only?: readonly string[];
  readonly filters?: readonly Condition[];
  readonly gets?: readonly { readonly name: string; readonly plan: ReadPlan }[];
  readonly beside?: readonly { readonly returns: number; readonly plan: ReadPlan }[];
  readonly fetched?: readonly string[];
  /** The guard that is read first. It holds the attributes of the key that are no arguments. */
  readonly guard?: { readonly key: readonly KeyColumn[]; readonly holds: readonly HeldPlan[] };
}

/** An access pattern. */
export interface PatternPlan {
  readonly name: string;
  readonly parameters?: readonly ParameterPlan[];
  readonly fixed?: readonly { readonly name: string; readonly value: AttributeValue }[];
  readonly returns: readonly ReturnedPlan[];
  readonly together?: "snapshot" | "batch";
  readonly only?: readonly string[];
  readonly plan: ReadPlan;
  readonly variants?: readonly { readonly without: readonly string[]; readonly plan: ReadPlan }[];
}

/** The new value of an attribute. */
export interface AssignmentPlan {
  readonly attribute: string;
  readonly fields?: readonly string[];
  readonly left: Operand;
  readonly joint?: "plus" | "minus" | "before";
  readonly right?: Operand;
}

/** The source of an attribute of an action's entity. */
export interface TakenPlan {
  readonly attribute: string;
  readonly declared?: true;
  readonly from: {
    readonly parameter?: string;
    readonly value?: AttributeValue;
    readonly action?: number;
    readonly attribute?: string;
  };
}

/** An action of a named write. */
export interface ActionPlan {
  readonly verb: "create" | "put" | "update" | "upsert" | "delete" | "check";
  readonly entity: string;
  readonly as?: string;
  readonly taken?: readonly TakenPlan[];
  readonly each?: string;
  readonly set?: readonly AssignmentPlan[];
  readonly otherwise?: readonly AssignmentPlan[];
  readonly remove?: readonly string[];
  readonly removeFields?: readonly FieldPlan[];
  readonly when?: readonly Condition[];
  readonly upserts?: readonly {
    readonly without?: readonly string[];
    readonly attributes: Readonly<Record<string, "same" | "first" | "moved" | "added">>;
  }[];
}

/** A named write. */
export interface WritePlan {
  readonly name: string;
  readonly parameters?: readonly ParameterPlan[];
  readonly actions: readonly ActionPlan[];
}

/** The plan document of a model. */
export interface Plan {
  readonly keyfoldPlan: number;
  readonly model: { readonly name: string; readonly version: number; readonly hash: string };
  readonly records?: readonly {
    readonly name: string;
    readonly fields: readonly {
      readonly name: string;
      readonly type: Type;
      readonly optional?: true;
    }[];
  }[];
  readonly tables: readonly TablePlan[];
  readonly entities: readonly EntityPlan[];
  readonly patterns?: readonly PatternPlan[];
  readonly writes?: readonly WritePlan[];
}

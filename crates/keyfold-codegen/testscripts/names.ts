// Made by keyfold (test) of the model names, version 1.
// The plan document's hash: 06a5877e505c4742944929542d1b841b.
// Changes here are lost: change the model, and run `keyfold generate`.

import * as keyfold from "@keyfold/client";

declare const of: unique symbol;

/**
 * A value of `class.id`. Other values are none until `ClassId` makes them
 * one.
 */
export type ClassId = string & { readonly [of]: "class.id" };

/** Makes a value one of `class.id`. */
export function ClassId(value: string): ClassId {
  return value as ClassId;
}

/**
 * A value of `Promise.id`. Other values are none until `PromiseId` makes
 * them one.
 */
export type PromiseId = string & { readonly [of]: "Promise.id" };

/** Makes a value one of `Promise.id`. */
export function PromiseId(value: string): PromiseId {
  return value as PromiseId;
}

/**
 * A value of `order_item.itemId`. Other values are none until `ItemId`
 * makes them one.
 */
export type ItemId = string & { readonly [of]: "order_item.itemId" };

/** Makes a value one of `order_item.itemId`. */
export function ItemId(value: string): ItemId {
  return value as ItemId;
}

/** The words of `class.state`. */
export type ClassState = "in-progress" | "done" | "it's";

/** The words of `Promise.note`. */
export type PromiseNote = "*/" | "other";

/** The record `new`. */
export interface New {
  readonly "a-b": string;
  readonly of: ClassId;
  readonly next?: readonly string[] | undefined;
}

/** The entity `class` as it is stored, under `"CLASS#{id}" "C"`. */
export interface Class {
  readonly kind: "class";
  readonly id: ClassId;
  readonly "user id": string;
  readonly "in-progress": boolean;
  readonly "`tick ${x}`"?: string;
  readonly state: ClassState;
}

/** The attributes of a `class` that is created or put. */
export interface NewClass {
  readonly id: ClassId;
  readonly "user id": string;
  /** Default: `false`. */
  readonly "in-progress"?: boolean | undefined;
  readonly "`tick ${x}`"?: string | undefined;
  readonly state: ClassState;
}

/** The key of a `class`. */
export interface ClassKey {
  readonly id: ClassId;
}

/**
 * Changes of a `class`: what is not named stays as it is, and `null`
 * removes an optional attribute.
 */
export interface ClassPatch {
  readonly "user id"?: string | undefined;
  readonly "in-progress"?: boolean | undefined;
  readonly "`tick ${x}`"?: string | null | undefined;
  readonly state?: ClassState | undefined;
}

/**
 * The entity `Promise` as it is stored, under `"PROMISE#{id}"
 * "P#{classId}"`.
 */
export interface Promise_ {
  readonly kind: "Promise";
  readonly id: PromiseId;
  readonly classId: ClassId;
  readonly note: PromiseNote;
}

/** The attributes of a `Promise` that is created or put. */
export interface NewPromise_ {
  readonly id: PromiseId;
  readonly classId: ClassId;
  /** Default: `other`. */
  readonly note?: PromiseNote | undefined;
}

/** The key of a `Promise`. */
export interface Promise_Key {
  readonly id: PromiseId;
  readonly classId: ClassId;
}

/** Changes of a `Promise`: what is not named stays as it is. */
export interface Promise_Patch {
  readonly note?: PromiseNote | undefined;
}

/** The entity `order_item` as it is stored, under `"ITEM#{itemId}" "I"`. */
export interface OrderItem {
  readonly kind: "order_item";
  readonly itemId: ItemId;
  readonly _?: string;
}

/** The attributes of an `order_item` that is created or put. */
export interface NewOrderItem {
  /** Default: `new`. */
  readonly itemId?: ItemId | undefined;
  readonly _?: string | undefined;
}

/** The key of an `order_item`. */
export interface OrderItemKey {
  readonly itemId: ItemId;
}

/**
 * Changes of an `order_item`: what is not named stays as it is, and `null`
 * removes an optional attribute.
 */
export interface OrderItemPatch {
  readonly _?: string | null | undefined;
}

/** What an `order_item` gets that is created or put: as given, or made. */
export interface OrderItemMade {
  readonly itemId: ItemId;
}

/** The entity `OrderItem` as it is stored, under `"N#{n:08}" "N"`. */
export interface OrderItem_ {
  readonly kind: "OrderItem";
  readonly n: number;
  readonly then?: string;
}

/** The attributes of an `OrderItem` that is created or put. */
export interface NewOrderItem_ {
  readonly n: number;
  readonly then?: string | undefined;
}

/** The key of an `OrderItem`. */
export interface OrderItem_Key {
  readonly n: number;
}

/**
 * Changes of an `OrderItem`: what is not named stays as it is, and `null`
 * removes an optional attribute.
 */
export interface OrderItem_Patch {
  readonly then?: string | null | undefined;
}

/** The arguments of `event`. */
export type EventArguments = {
  readonly id: ClassId;
};

/** The arguments of `then`. */
export type ThenArguments = {
  readonly id: PromiseId;
};

/** The arguments of `constructor`. */
export type ConstructorArguments = {
  readonly state: ClassState;
};

/** The arguments of `order_item`. */
export type OrderItemArguments = {
  readonly itemId: ItemId;
};

/** The arguments of `orderItem`. */
export type OrderItemArguments_ = {
  readonly itemId: ItemId;
};

/** The arguments of `delete`. */
export type DeleteArguments = {
  readonly n: number;
};

/** The arguments of `x`. */
export type XArguments = {
  readonly id: PromiseId;
  readonly classId: ClassId;
};

/** The arguments of `toString`. */
export type ToStringArguments = {
  readonly lines: readonly New[];
  readonly n: number;
  readonly then?: string | undefined;
};

/** The arguments of `order_item`. */
export type OrderItemArguments__ = {
  readonly news: readonly New[];
  readonly itemId?: ItemId | undefined;
  readonly _?: string | undefined;
};

/** What `order_item` writes of itself: as given, or made. */
export interface OrderItemMade_ {
  readonly itemId: ItemId;
}

/** A change that a stream reports; `kind` says of what. */
export type NamesEvent =
  | keyfold.Change<"class", Class>
  | keyfold.Change<"Promise", Promise_>
  | keyfold.Change<"order_item", OrderItem>
  | keyfold.Change<"OrderItem", OrderItem_>;

/** The patterns, named writes and entities of the model `names`, version 1. */
export class NamesClient {
  /** The client that carries out the plans, for calls by name. */
  readonly client: keyfold.Client;
  /** Writes a `class` with all that follows from it. */
  readonly Class: keyfold.BatchWriter<
    NewClass,
    ClassKey,
    ClassPatch,
    NewClass,
    Class
  >;
  /** Writes a `Promise` with all that follows from it. */
  readonly Promise: keyfold.BatchWriter<
    NewPromise_,
    Promise_Key,
    Promise_Patch,
    NewPromise_,
    Promise_
  >;
  /** Writes an `order_item` with all that follows from it. */
  readonly OrderItem: keyfold.BatchWriter<
    NewOrderItem,
    OrderItemKey,
    OrderItemPatch,
    NewOrderItem,
    OrderItem,
    OrderItemMade
  >;
  /** Writes an `OrderItem` with all that follows from it. */
  readonly OrderItem_: keyfold.BatchWriter<
    NewOrderItem_,
    OrderItem_Key,
    OrderItem_Patch,
    NewOrderItem_,
    OrderItem_
  >;
  /** The named writes as parts of a transaction. */
  readonly part: NamesParts;

  /**
   * Takes `http://localhost:8000`, `dynamodb://eu-west-1`, an endpoint, a
   * transport, or what `connect` of `@keyfold/client/node` makes of
   * `keyfold:./data`.
   */
  constructor(connection: keyfold.Connection, options?: keyfold.TypedOptions) {
    this.client = new keyfold.Client(plan, connection, {
      ...options,
      numbers: "number",
    });
    this.Class = new keyfold.BatchWriter(this.client, "class");
    this.Promise = new keyfold.BatchWriter(this.client, "Promise");
    this.OrderItem = new keyfold.BatchWriter(this.client, "order_item", made);
    this.OrderItem_ = new keyfold.BatchWriter(this.client, "OrderItem");
    this.part = new NamesParts();
  }

  /**
   * `event(id) -> class?`
   *
   * GetItem of Main: `pk-id = "CLASS#{id}" AND State#Date = "C"`; 1
   * request, about 0.5 read units.
   * The name `event` means something else here, so it is `event_`.
   */
  event_(
    args: EventArguments,
    options?: keyfold.CallOptions & keyfold.Strong,
  ): Promise<Class | undefined> {
    return this.client.one<Class>("event", args, options);
  }

  /**
   * `then(id) -> Promise[]`
   *
   * Query of Main: `pk-id = "PROMISE#{id}" AND begins_with(State#Date,
   * "P#")`; 1 request a page.
   * The name `then` means something else here, so it is `then_`.
   */
  then_(
    args: ThenArguments,
  ): keyfold.Query<Promise_, keyfold.Ordered & keyfold.Strong> {
    return new keyfold.Query(this.client, "then", args);
  }

  /**
   * `constructor(state) -> class[]`
   *
   * Query of Main.GSI1-IX: `GSI1-PK = "STATE#{state}"`; 1 request a page.
   * The name `constructor` means something else here, so it is
   * `constructor_`.
   */
  constructor_(
    args: ConstructorArguments,
  ): keyfold.Query<Class, keyfold.Ordered> {
    return new keyfold.Query(this.client, "constructor", args);
  }

  /**
   * `order_item(itemId) -> order_item?`
   *
   * GetItem of Main: `pk-id = "ITEM#{itemId}" AND State#Date = "I"`; 1
   * request, about 0.5 read units.
   */
  orderItem(
    args: OrderItemArguments,
    options?: keyfold.CallOptions & keyfold.Strong,
  ): Promise<OrderItem | undefined> {
    return this.client.one<OrderItem>("order_item", args, options);
  }

  /**
   * `orderItem(itemId) -> order_item?`
   *
   * GetItem of Main: `pk-id = "ITEM#{itemId}" AND State#Date = "I"`; 1
   * request, about 0.5 read units.
   * The name `orderItem` means something else here, so it is `orderItem_`.
   */
  orderItem_(
    args: OrderItemArguments_,
    options?: keyfold.CallOptions & keyfold.Strong,
  ): Promise<OrderItem | undefined> {
    return this.client.one<OrderItem>("orderItem", args, options);
  }

  /**
   * `delete(n) -> OrderItem?`
   *
   * GetItem of Main: `pk-id = "N#{n:08}" AND State#Date = "N"`; 1 request,
   * about 0.5 read units.
   */
  delete(
    args: DeleteArguments,
    options?: keyfold.CallOptions & keyfold.Strong,
  ): Promise<OrderItem_ | undefined> {
    return this.client.one<OrderItem_>("delete", args, options);
  }

  /**
   * `x(id, classId) -> Promise?`
   *
   * GetItem of Main: `pk-id = "PROMISE#{id}" AND State#Date =
   * "P#{classId}"`; 1 request, about 0.5 read units.
   */
  x(
    args: XArguments,
    options?: keyfold.CallOptions & keyfold.Strong,
  ): Promise<Promise_ | undefined> {
    return this.client.one<Promise_>("x", args, options);
  }

  /**
   * The write `toString`:
   * - create OrderItem
   * Requests: PutItem.
   * The name `toString` means something else here, so it is `toString_`.
   */
  toString_(
    args: ToStringArguments,
    options?: keyfold.CallOptions,
  ): Promise<keyfold.Written<keyfold.NothingMade>> {
    return keyfold.run(this.client, this.part.toString_(args), options);
  }

  /**
   * The write `order_item`:
   * - create order_item
   * Requests: PutItem.
   * The name `orderItem` means something else here, so it is `orderItem__`.
   */
  orderItem__(
    args: OrderItemArguments__,
    options?: keyfold.CallOptions,
  ): Promise<keyfold.Written<OrderItemMade_>> {
    return keyfold.run(this.client, this.part.orderItem__(args), options);
  }

  /**
   * Carries several writes out in one transaction, as if one happened after
   * the other: all of them or none.
   */
  transact<Made extends readonly unknown[]>(
    writes: keyfold.Parted<Made>,
    options?: keyfold.CallOptions,
  ): Promise<keyfold.Done<Made>> {
    return keyfold.transact(this.client, writes, options);
  }

  /**
   * The change that a stream's record reports, of a reader or of Lambda;
   * `undefined` for an item that follows from an entity. `onUnknown` says
   * what becomes of an item that the model does not know.
   */
  event(
    record: keyfold.StreamRecord,
    options?: keyfold.EntityEventOptions,
  ): Promise<NamesEvent | undefined> {
    return keyfold.change(this.client, record, options);
  }

  /**
   * Creates the tables that do not exist, and compares the others with the
   * model.
   */
  ensureTables(options?: keyfold.CallOptions): Promise<keyfold.TableOutcome[]> {
    return this.client.ensureTables(options);
  }
}

/**
 * The named writes as parts of a transaction: nothing is sent before
 * `transact` takes them.
 */
export class NamesParts {
  /** The write `toString`. */
  toString_(args: ToStringArguments): keyfold.NamedPart<keyfold.NothingMade> {
    return keyfold.part("toString", args);
  }

  /** The write `order_item`. */
  orderItem__(args: OrderItemArguments__): keyfold.NamedPart<OrderItemMade_> {
    return keyfold.part("order_item", args, made);
  }
}

const made: keyfold.MadeTable = {
  "create order_item": {
    itemId: ["order_item", "itemId", "argument"],
  },
  order_item: {
    itemId: ["order_item", "itemId", "argument"],
  },
};

const plan: keyfold.Plan = JSON.parse(String.raw`
{
"entities": [
  {"alone":true,"attributes":[{"name":"id","type":"string"},{"name":"user id","type":"string"},{"default":{"value":{"BOOL":false}},"name":"in-progress","type":"bool"},{"name":"\u0060tick \u0024{x}\u0060","optional":true,"type":"string"},{"name":"state","type":{"words":["in-progress","done","it's"]}}],"followed":["state","user id"],"indexes":[{"index":"GSI1-IX","key":[{"attribute":"GSI1-PK","matches":"STATE#(?:in-progress|done|it's)","parts":["STATE#",{"field":"state","type":{"words":["in-progress","done","it's"]}}]},{"attribute":"GSI1-SK","matches":"[^\u0000]+","parts":[{"field":"user id","type":"string"}]}]}],"key":[{"attribute":"pk-id","matches":"CLASS#[^\u0000]+","parts":["CLASS#",{"field":"id","type":"string"}]},{"attribute":"State#Date","matches":"C","parts":["C"]}],"name":"class","table":"Main"},
  {"alone":true,"attributes":[{"name":"id","type":"string"},{"name":"classId","refers":{"attribute":"id","entity":"class"},"type":"string"},{"default":{"value":{"S":"other"}},"name":"note","type":{"words":["*/","other"]}}],"key":[{"attribute":"pk-id","matches":"PROMISE#[^\u0000]+","parts":["PROMISE#",{"field":"id","type":"string"}]},{"attribute":"State#Date","matches":"P#[^\u0000]+","parts":["P#",{"field":"classId","type":"string"}]}],"name":"Promise","table":"Main"},
  {"alone":true,"attributes":[{"default":"new","name":"itemId","type":"uuid"},{"name":"_","optional":true,"type":"string"}],"key":[{"attribute":"pk-id","matches":"ITEM#[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}","parts":["ITEM#",{"field":"itemId","type":"uuid"}]},{"attribute":"State#Date","matches":"I","parts":["I"]}],"name":"order_item","table":"Main"},
  {"alone":true,"attributes":[{"name":"n","type":"int"},{"name":"then","optional":true,"type":"string"}],"key":[{"attribute":"pk-id","matches":"N#[0-9]{8}","parts":["N#",{"field":"n","format":{"padded":{"whole":8}},"type":"int"}]},{"attribute":"State#Date","matches":"N","parts":["N"]}],"name":"OrderItem","table":"Main"}
],
"keyfoldPlan": 1,
"model": {"hash":"06a5877e505c4742944929542d1b841b","name":"names","version":1},
"patterns": [
  {"name":"event","parameters":[{"attribute":"id","limit":"equal","name":"id","type":"string"}],"plan":{"partition":[{"attribute":"pk-id","parts":["CLASS#",{"field":"id","type":"string"}]}],"request":"GetItem","sort":{"at":["C"],"attribute":"State#Date","is":"equal"},"sortAttributes":["State#Date"],"table":"Main"},"returns":[{"entity":"class","name":"class","optional":true}]},
  {"name":"then","parameters":[{"attribute":"id","limit":"equal","name":"id","type":"string"}],"plan":{"partition":[{"attribute":"pk-id","parts":["PROMISE#",{"field":"id","type":"string"}]}],"request":"Query","sort":{"at":["P#"],"attribute":"State#Date","is":"beginsWith"},"sortAttributes":["State#Date"],"table":"Main"},"returns":[{"entity":"Promise","many":true,"name":"Promise"}]},
  {"name":"constructor","parameters":[{"attribute":"state","limit":"equal","name":"state","type":{"words":["in-progress","done","it's"]}}],"plan":{"index":"GSI1-IX","partition":[{"attribute":"GSI1-PK","parts":["STATE#",{"field":"state","type":{"words":["in-progress","done","it's"]}}]}],"request":"Query","sortAttributes":["GSI1-SK"],"table":"Main"},"returns":[{"entity":"class","many":true,"name":"class"}]},
  {"name":"order_item","parameters":[{"attribute":"itemId","limit":"equal","name":"itemId","type":"uuid"}],"plan":{"partition":[{"attribute":"pk-id","parts":["ITEM#",{"field":"itemId","type":"uuid"}]}],"request":"GetItem","sort":{"at":["I"],"attribute":"State#Date","is":"equal"},"sortAttributes":["State#Date"],"table":"Main"},"returns":[{"entity":"order_item","name":"order_item","optional":true}]},
  {"name":"orderItem","parameters":[{"attribute":"itemId","limit":"equal","name":"itemId","type":"uuid"}],"plan":{"partition":[{"attribute":"pk-id","parts":["ITEM#",{"field":"itemId","type":"uuid"}]}],"request":"GetItem","sort":{"at":["I"],"attribute":"State#Date","is":"equal"},"sortAttributes":["State#Date"],"table":"Main"},"returns":[{"entity":"order_item","name":"order_item","optional":true}]},
  {"name":"delete","parameters":[{"attribute":"n","limit":"equal","name":"n","type":"int"}],"plan":{"partition":[{"attribute":"pk-id","parts":["N#",{"field":"n","format":{"padded":{"whole":8}},"type":"int"}]}],"request":"GetItem","sort":{"at":["N"],"attribute":"State#Date","is":"equal"},"sortAttributes":["State#Date"],"table":"Main"},"returns":[{"entity":"OrderItem","name":"OrderItem","optional":true}]},
  {"name":"x","parameters":[{"attribute":"id","limit":"equal","name":"id","type":"string"},{"attribute":"classId","limit":"equal","name":"classId","type":"string"}],"plan":{"partition":[{"attribute":"pk-id","parts":["PROMISE#",{"field":"id","type":"string"}]}],"request":"GetItem","sort":{"at":["P#",{"field":"classId","type":"string"}],"attribute":"State#Date","is":"equal"},"sortAttributes":["State#Date"],"table":"Main"},"returns":[{"entity":"Promise","name":"Promise","optional":true}]}
],
"records": [
  {"fields":[{"name":"a-b","type":"string"},{"name":"of","type":"string"},{"name":"next","optional":true,"type":{"list":"string"}}],"name":"new"}
],
"tables": [
  {"create":{"AttributeDefinitions":[{"AttributeName":"GSI1-PK","AttributeType":"S"},{"AttributeName":"GSI1-SK","AttributeType":"S"},{"AttributeName":"State#Date","AttributeType":"S"},{"AttributeName":"pk-id","AttributeType":"S"}],"BillingMode":"PAY_PER_REQUEST","GlobalSecondaryIndexes":[{"IndexName":"GSI1-IX","KeySchema":[{"AttributeName":"GSI1-PK","KeyType":"HASH"},{"AttributeName":"GSI1-SK","KeyType":"RANGE"}],"Projection":{"ProjectionType":"ALL"}}],"KeySchema":[{"AttributeName":"pk-id","KeyType":"HASH"},{"AttributeName":"State#Date","KeyType":"RANGE"}]},"indexes":[{"name":"GSI1-IX","partition":[{"name":"GSI1-PK","type":"S"}],"projection":"all","sort":[{"name":"GSI1-SK","type":"S"}]}],"name":"Main","partition":{"name":"pk-id","type":"S"},"sort":{"name":"State#Date","type":"S"}}
],
"writes": [
  {"actions":[{"entity":"OrderItem","verb":"create"}],"name":"toString","parameters":[{"name":"lines","type":{"list":{"record":"new"}}},{"name":"n","type":"int"},{"name":"then","optional":true,"type":"string"}]},
  {"actions":[{"entity":"order_item","verb":"create"}],"name":"order_item","parameters":[{"name":"news","type":{"list":{"record":"new"}}},{"name":"itemId","optional":true,"type":"uuid"},{"name":"_","optional":true,"type":"string"}]}
]
}
`) as keyfold.Plan;

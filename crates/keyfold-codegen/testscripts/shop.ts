// Made by keyfold (test) of the model shop, version 1.
// The plan document's hash: b1f878aa11640d3000c5a5e1d1b4187c.
// Changes here are lost: change the model, and run `keyfold generate`.

import * as keyfold from "@keyfold/client";

declare const of: unique symbol;

/**
 * A value of `User.userId`. Other values are none until `UserId` makes them
 * one.
 */
export type UserId = string & { readonly [of]: "User.userId" };

/** Makes a value one of `User.userId`. */
export function UserId(value: string): UserId {
  return value as UserId;
}

/**
 * A value of `Order.orderId`. Other values are none until `OrderId` makes
 * them one.
 */
export type OrderId = string & { readonly [of]: "Order.orderId" };

/** Makes a value one of `Order.orderId`. */
export function OrderId(value: string): OrderId {
  return value as OrderId;
}

/**
 * A value of `OrderItem.itemId`. Other values are none until `ItemId` makes
 * them one.
 */
export type ItemId = string & { readonly [of]: "OrderItem.itemId" };

/** Makes a value one of `OrderItem.itemId`. */
export function ItemId(value: string): ItemId {
  return value as ItemId;
}

/**
 * A value of `Product.productId`. Other values are none until `ProductId`
 * makes them one.
 */
export type ProductId = string & { readonly [of]: "Product.productId" };

/** Makes a value one of `Product.productId`. */
export function ProductId(value: string): ProductId {
  return value as ProductId;
}

/** The words of `Order.status`. */
export type OrderStatus = "pending" | "paid" | "shipped";

/** The record `Line`. */
export interface Line {
  readonly itemId: string;
  readonly productId: ProductId;
  readonly quantity: number;
  readonly price: number;
}

/** The entity `User` as it is stored, under `"USER#{userId}" "PROFILE"`. */
export interface User {
  readonly kind: "User";
  readonly userId: UserId;
  readonly email: string;
  readonly name: string;
  readonly createdAt: string;
}

/** The attributes of a `User` that is created or put. */
export interface NewUser {
  readonly userId: UserId;
  readonly email: string;
  readonly name: string;
  readonly createdAt: string;
}

/** The key of a `User`. */
export interface UserKey {
  readonly userId: UserId;
}

/** Changes of a `User`: what is not named stays as it is. */
export interface UserPatch {
  readonly email?: string | undefined;
  readonly name?: string | undefined;
  readonly createdAt?: string | undefined;
}

/** The entity `Order` as it is stored, under `"ORDER#{orderId}" "META"`. */
export interface Order {
  readonly kind: "Order";
  readonly orderId: OrderId;
  readonly userId: UserId;
  readonly createdAt: string;
  readonly total: number;
  readonly status: OrderStatus;
}

/** The attributes of an `Order` that is created or put. */
export interface NewOrder {
  readonly orderId: OrderId;
  readonly userId: UserId;
  readonly createdAt: string;
  readonly total: number;
  readonly status: OrderStatus;
}

/** The key of an `Order`. */
export interface OrderKey {
  readonly orderId: OrderId;
}

/** Changes of an `Order`: what is not named stays as it is. */
export interface OrderPatch {
  readonly userId?: UserId | undefined;
  readonly createdAt?: string | undefined;
  readonly total?: number | undefined;
  readonly status?: OrderStatus | undefined;
}

/** The copy `Order.summary`. */
export interface OrderSummary {
  readonly kind: "Order.summary";
  readonly orderId: OrderId;
  readonly createdAt: string;
  readonly total: number;
  readonly status: OrderStatus;
}

/**
 * The entity `OrderItem` as it is stored, under `"ORDER#{orderId}"
 * "ITEM#{itemId}"`.
 */
export interface OrderItem {
  readonly kind: "OrderItem";
  readonly orderId: OrderId;
  readonly itemId: ItemId;
  readonly productId: ProductId;
  readonly quantity: number;
  readonly price: number;
}

/** The attributes of an `OrderItem` that is created or put. */
export interface NewOrderItem {
  readonly orderId: OrderId;
  readonly itemId: ItemId;
  readonly productId: ProductId;
  readonly quantity: number;
  readonly price: number;
}

/** The key of an `OrderItem`. */
export interface OrderItemKey {
  readonly orderId: OrderId;
  readonly itemId: ItemId;
}

/** Changes of an `OrderItem`: what is not named stays as it is. */
export interface OrderItemPatch {
  readonly productId?: ProductId | undefined;
  readonly quantity?: number | undefined;
  readonly price?: number | undefined;
}

/**
 * The entity `Product` as it is stored, under `"PRODUCT#{productId}"
 * "INFO"`.
 */
export interface Product {
  readonly kind: "Product";
  readonly productId: ProductId;
  readonly name: string;
  readonly price: number;
  readonly stock: number;
}

/** The attributes of a `Product` that is created or put. */
export interface NewProduct {
  readonly productId: ProductId;
  readonly name: string;
  readonly price: number;
  readonly stock: number;
}

/** The key of a `Product`. */
export interface ProductKey {
  readonly productId: ProductId;
}

/** Changes of a `Product`: what is not named stays as it is. */
export interface ProductPatch {
  readonly name?: string | undefined;
  readonly price?: number | undefined;
  readonly stock?: number | undefined;
}

/** The arguments of `user`. */
export type UserArguments = {
  readonly userId: UserId;
};

/** The arguments of `user_by_email`. */
export type UserByEmailArguments = {
  readonly email: string;
};

/** The arguments of `orders_of_user`. */
export type OrdersOfUserArguments = {
  readonly userId: UserId;
};

/** The arguments of `order_with_items`. */
export type OrderWithItemsArguments = {
  readonly orderId: OrderId;
};

/** An item of `order_with_items`; `kind` says which. */
export type OrderWithItemsItem = Order | OrderItem;

/** The whole answer of `order_with_items`. */
export interface OrderWithItemsAnswer {
  readonly order: Order;
  readonly orderItems: readonly OrderItem[];
}

/** The kinds of `order_with_items`. */
export const OrderWithItemsAnswer = {
  order: "Order",
  orderItems: ["OrderItem"],
} as const;

/** The arguments of `items_of_order`. */
export type ItemsOfOrderArguments = {
  readonly orderId: OrderId;
};

/** The arguments of `product`. */
export type ProductArguments = {
  readonly productId: ProductId;
};

/** The arguments of `orders_by_status`. */
export type OrdersByStatusArguments = {
  readonly status: OrderStatus;
};

/** The arguments of `recent_orders`. */
export type RecentOrdersArguments = {
  readonly userId: UserId;
  /** `createdAt` is at least this. */
  readonly since: string;
};

/** The arguments of `recent_orders_by_status`. */
export type RecentOrdersByStatusArguments = {
  readonly status: OrderStatus;
  /** `createdAt` is at least this. */
  readonly since: string;
};

/** The arguments of `create_order`. */
export type CreateOrderArguments = {
  readonly lines: readonly Line[];
  readonly orderId: OrderId;
  readonly userId: UserId;
  readonly createdAt: string;
  readonly total: number;
  readonly status: OrderStatus;
};

/** The arguments of `set_status`. */
export type SetStatusArguments = {
  readonly status: OrderStatus;
  readonly orderId: OrderId;
};

/** The arguments of `create_user`. */
export type CreateUserArguments = {
  readonly userId: UserId;
  readonly email: string;
  readonly name: string;
  readonly createdAt: string;
};

/** A change that a stream reports; `kind` says of what. */
export type ShopEvent =
  | keyfold.Change<"User", User>
  | keyfold.Change<"Order", Order>
  | keyfold.Change<"OrderItem", OrderItem>
  | keyfold.Change<"Product", Product>;

/** A change of an entity or of a copy; `kind` says of what. */
export type ShopEventWithCopies =
  ShopEvent | keyfold.Change<"Order.summary", OrderSummary>;

/** The patterns, named writes and entities of the model `shop`, version 1. */
export class ShopClient {
  /** The client that carries out the plans, for calls by name. */
  readonly client: keyfold.Client;
  /** Writes a `User` with all that follows from it. */
  readonly User: keyfold.Writer<NewUser, UserKey, UserPatch, NewUser, User>;
  /** Writes an `Order` with all that follows from it. */
  readonly Order: keyfold.Writer<
    NewOrder,
    OrderKey,
    OrderPatch,
    NewOrder,
    Order
  >;
  /** Writes an `OrderItem` with all that follows from it. */
  readonly OrderItem: keyfold.BatchWriter<
    NewOrderItem,
    OrderItemKey,
    OrderItemPatch,
    NewOrderItem,
    OrderItem
  >;
  /** Writes a `Product` with all that follows from it. */
  readonly Product: keyfold.BatchWriter<
    NewProduct,
    ProductKey,
    ProductPatch,
    NewProduct,
    Product
  >;
  /** The named writes as parts of a transaction. */
  readonly part: ShopParts;

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
    this.User = new keyfold.Writer(this.client, "User");
    this.Order = new keyfold.Writer(this.client, "Order");
    this.OrderItem = new keyfold.BatchWriter(this.client, "OrderItem");
    this.Product = new keyfold.BatchWriter(this.client, "Product");
    this.part = new ShopParts();
  }

  /**
   * `user(userId) -> User?`
   *
   * GetItem of Shop: `PK = "USER#{userId}" AND SK = "PROFILE"`; 1 request,
   * about 0.5 read units.
   */
  user(
    args: UserArguments,
    options?: keyfold.CallOptions & keyfold.Strong,
  ): Promise<User | undefined> {
    return this.client.one<User>("user", args, options);
  }

  /**
   * `user_by_email(email) -> User?`
   *
   * Query of Shop.GSI1: `GSI1PK = "EMAIL#{email}" AND GSI1SK = "PROFILE"`;
   * 1 request, about 0.5 read units.
   */
  userByEmail(
    args: UserByEmailArguments,
    options?: keyfold.CallOptions,
  ): Promise<User | undefined> {
    return this.client.one<User>("user_by_email", args, options);
  }

  /**
   * `orders_of_user(userId) -> Order.summary[] newest page 20`
   *
   * Query of Shop: `PK = "USER#{userId}" AND begins_with(SK, "ORDER#")`,
   * descending, 20 items a page; 1 request a page, about 1 read units.
   */
  ordersOfUser(
    args: OrdersOfUserArguments,
  ): keyfold.Query<OrderSummary, keyfold.Ordered & keyfold.Strong> {
    return new keyfold.Query(this.client, "orders_of_user", args);
  }

  /**
   * `order_with_items(orderId) -> Order + OrderItem[]`
   *
   * Query of Shop: `PK = "ORDER#{orderId}"`; 1 request a page.
   */
  orderWithItems(
    args: OrderWithItemsArguments,
  ): keyfold.Collection<
    OrderWithItemsAnswer,
    keyfold.Ordered & keyfold.Strong
  > {
    return new keyfold.Collection(
      this.client,
      "order_with_items",
      args,
      OrderWithItemsAnswer,
    );
  }

  /**
   * `items_of_order(orderId) -> OrderItem[]`
   *
   * Query of Shop: `PK = "ORDER#{orderId}" AND begins_with(SK, "ITEM#")`; 1
   * request a page.
   */
  itemsOfOrder(
    args: ItemsOfOrderArguments,
  ): keyfold.Query<OrderItem, keyfold.Ordered & keyfold.Strong> {
    return new keyfold.Query(this.client, "items_of_order", args);
  }

  /**
   * `product(productId) -> Product?`
   *
   * GetItem of Shop: `PK = "PRODUCT#{productId}" AND SK = "INFO"`; 1
   * request, about 0.5 read units.
   */
  product(
    args: ProductArguments,
    options?: keyfold.CallOptions & keyfold.Strong,
  ): Promise<Product | undefined> {
    return this.client.one<Product>("product", args, options);
  }

  /**
   * `orders_by_status(status) -> Order[] newest page 50`
   *
   * Query of Shop.GSI1: `GSI1PK = "STATUS#{status}" AND begins_with(GSI1SK,
   * "ORDER#")`, descending, 50 items a page; 1 request a page, about 2 read
   * units.
   */
  ordersByStatus(
    args: OrdersByStatusArguments,
  ): keyfold.Query<Order, keyfold.Ordered> {
    return new keyfold.Query(this.client, "orders_by_status", args);
  }

  /**
   * `recent_orders(userId, since) -> Order.summary[] newest page 20`
   *
   * Query of Shop: `PK = "USER#{userId}" AND SK BETWEEN "ORDER#{since}" AND
   * "ORDER#…"`, descending, 20 items a page; 1 request a page, about 1 read
   * units.
   */
  recentOrders(
    args: RecentOrdersArguments,
  ): keyfold.Query<OrderSummary, keyfold.Ordered & keyfold.Strong> {
    return new keyfold.Query(this.client, "recent_orders", args);
  }

  /**
   * `recent_orders_by_status(status, since) -> Order[] newest page 50`
   *
   * Query of Shop.GSI1: `GSI1PK = "STATUS#{status}" AND GSI1SK BETWEEN
   * "ORDER#{since}" AND "ORDER#…"`, descending, 50 items a page; 1 request
   * a page, about 2 read units.
   */
  recentOrdersByStatus(
    args: RecentOrdersByStatusArguments,
  ): keyfold.Query<Order, keyfold.Ordered> {
    return new keyfold.Query(this.client, "recent_orders_by_status", args);
  }

  /**
   * The write `create_order`:
   * - create Order
   * - create OrderItem for each of lines
   * Requests: TransactWriteItems.
   */
  createOrder(
    args: CreateOrderArguments,
    options?: keyfold.CallOptions,
  ): Promise<keyfold.Written<keyfold.NothingMade>> {
    return keyfold.run(this.client, this.part.createOrder(args), options);
  }

  /**
   * The write `set_status`:
   * - update Order (status = status)
   * Requests: GetItem, then TransactWriteItems.
   */
  setStatus(
    args: SetStatusArguments,
    options?: keyfold.CallOptions,
  ): Promise<keyfold.Written<keyfold.NothingMade>> {
    return keyfold.run(this.client, this.part.setStatus(args), options);
  }

  /**
   * The write `create_user`:
   * - create User
   * Requests: TransactWriteItems.
   */
  createUser(
    args: CreateUserArguments,
    options?: keyfold.CallOptions,
  ): Promise<keyfold.Written<keyfold.NothingMade>> {
    return keyfold.run(this.client, this.part.createUser(args), options);
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
  ): Promise<ShopEvent | undefined>;
  /** With `copies`, changes of copies, too. */
  event(
    record: keyfold.StreamRecord,
    options?: keyfold.EventOptions,
  ): Promise<ShopEventWithCopies | undefined>;
  event(
    record: keyfold.StreamRecord,
    options?: keyfold.EventOptions,
  ): Promise<ShopEventWithCopies | undefined> {
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
export class ShopParts {
  /** The write `create_order`. */
  createOrder(
    args: CreateOrderArguments,
  ): keyfold.NamedPart<keyfold.NothingMade> {
    return keyfold.part("create_order", args);
  }

  /** The write `set_status`. */
  setStatus(args: SetStatusArguments): keyfold.NamedPart<keyfold.NothingMade> {
    return keyfold.part("set_status", args);
  }

  /** The write `create_user`. */
  createUser(
    args: CreateUserArguments,
  ): keyfold.NamedPart<keyfold.NothingMade> {
    return keyfold.part("create_user", args);
  }
}

const plan: keyfold.Plan = JSON.parse(String.raw`
{
"entities": [
  {"attributes":[{"name":"userId","type":"string"},{"name":"email","type":"string"},{"name":"name","type":"string"},{"name":"createdAt","type":"time.ms"}],"followed":["email"],"indexes":[{"index":"GSI1","key":[{"attribute":"GSI1PK","matches":"EMAIL#[^\u0000]+","parts":["EMAIL#",{"field":"email","type":"string"}]},{"attribute":"GSI1SK","matches":"PROFILE","parts":["PROFILE"]}]}],"key":[{"attribute":"PK","matches":"USER#[^\u0000]+","parts":["USER#",{"field":"userId","type":"string"}]},{"attribute":"SK","matches":"PROFILE","parts":["PROFILE"]}],"name":"User","table":"Shop","uniques":[{"attributes":["email"],"key":["UNIQUE#User#email#",{"field":"email","format":"escaped","not":"#","type":"string"}],"sort":"UNIQUE"}]},
  {"attributes":[{"name":"orderId","type":"string"},{"name":"userId","refers":{"attribute":"userId","entity":"User"},"type":"string"},{"name":"createdAt","type":"time.ms"},{"name":"total","type":"number"},{"name":"status","type":{"words":["pending","paid","shipped"]}}],"copies":[{"attributes":["orderId","total","status","createdAt"],"key":[{"attribute":"PK","matches":"USER#[^\u0000]+","parts":["USER#",{"field":"userId","type":"string"}]},{"attribute":"SK","matches":"ORDER#[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9]{2}:[0-9]{2}:[0-9]{2}\\.[0-9]{3}Z#[^\u0000]+","parts":["ORDER#",{"field":"createdAt","type":"time.ms"},"#",{"field":"orderId","type":"string"}]}],"name":"summary"}],"followed":["createdAt","orderId","status","total","userId"],"indexes":[{"index":"GSI1","key":[{"attribute":"GSI1PK","matches":"STATUS#(?:pending|paid|shipped)","parts":["STATUS#",{"field":"status","type":{"words":["pending","paid","shipped"]}}]},{"attribute":"GSI1SK","matches":"ORDER#[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9]{2}:[0-9]{2}:[0-9]{2}\\.[0-9]{3}Z#[^\u0000]+","parts":["ORDER#",{"field":"createdAt","type":"time.ms"},"#",{"field":"orderId","type":"string"}]}]}],"key":[{"attribute":"PK","matches":"ORDER#[^\u0000]+","parts":["ORDER#",{"field":"orderId","type":"string"}]},{"attribute":"SK","matches":"META","parts":["META"]}],"name":"Order","table":"Shop"},
  {"alone":true,"attributes":[{"name":"orderId","refers":{"attribute":"orderId","entity":"Order"},"type":"string"},{"name":"itemId","type":"string"},{"name":"productId","refers":{"attribute":"productId","entity":"Product"},"type":"string"},{"name":"quantity","type":"int"},{"name":"price","type":"number"}],"key":[{"attribute":"PK","matches":"ORDER#[^\u0000]+","parts":["ORDER#",{"field":"orderId","type":"string"}]},{"attribute":"SK","matches":"ITEM#[^\u0000]+","parts":["ITEM#",{"field":"itemId","type":"string"}]}],"name":"OrderItem","table":"Shop"},
  {"alone":true,"attributes":[{"name":"productId","type":"string"},{"name":"name","type":"string"},{"name":"price","type":"number"},{"name":"stock","type":"int"}],"key":[{"attribute":"PK","matches":"PRODUCT#[^\u0000]+","parts":["PRODUCT#",{"field":"productId","type":"string"}]},{"attribute":"SK","matches":"INFO","parts":["INFO"]}],"name":"Product","table":"Shop"}
],
"keyfoldPlan": 1,
"model": {"hash":"b1f878aa11640d3000c5a5e1d1b4187c","name":"shop","version":1},
"patterns": [
  {"name":"user","parameters":[{"attribute":"userId","limit":"equal","name":"userId","type":"string"}],"plan":{"partition":[{"attribute":"PK","parts":["USER#",{"field":"userId","type":"string"}]}],"request":"GetItem","sort":{"at":["PROFILE"],"attribute":"SK","is":"equal"},"sortAttributes":["SK"],"table":"Shop"},"returns":[{"entity":"User","name":"User","optional":true}]},
  {"name":"user_by_email","parameters":[{"attribute":"email","limit":"equal","name":"email","type":"string"}],"plan":{"index":"GSI1","partition":[{"attribute":"GSI1PK","parts":["EMAIL#",{"field":"email","type":"string"}]}],"request":"Query","sort":{"at":["PROFILE"],"attribute":"GSI1SK","is":"equal"},"sortAttributes":["GSI1SK"],"table":"Shop"},"returns":[{"entity":"User","name":"User","optional":true}]},
  {"name":"orders_of_user","parameters":[{"attribute":"userId","limit":"equal","name":"userId","type":"string"}],"plan":{"descending":true,"orderedBy":"createdAt","page":20,"partition":[{"attribute":"PK","parts":["USER#",{"field":"userId","type":"string"}]}],"request":"Query","sort":{"at":["ORDER#"],"attribute":"SK","is":"beginsWith"},"sortAttributes":["SK"],"table":"Shop"},"returns":[{"copy":"summary","entity":"Order","many":true,"name":"Order.summary"}]},
  {"name":"order_with_items","parameters":[{"attribute":"orderId","limit":"equal","name":"orderId","type":"string"}],"plan":{"partition":[{"attribute":"PK","parts":["ORDER#",{"field":"orderId","type":"string"}]}],"request":"Query","sortAttributes":["SK"],"table":"Shop"},"returns":[{"entity":"Order","name":"Order"},{"entity":"OrderItem","many":true,"name":"OrderItem"}]},
  {"name":"items_of_order","parameters":[{"attribute":"orderId","limit":"equal","name":"orderId","type":"string"}],"plan":{"partition":[{"attribute":"PK","parts":["ORDER#",{"field":"orderId","type":"string"}]}],"request":"Query","sort":{"at":["ITEM#"],"attribute":"SK","is":"beginsWith"},"sortAttributes":["SK"],"table":"Shop"},"returns":[{"entity":"OrderItem","many":true,"name":"OrderItem"}]},
  {"name":"product","parameters":[{"attribute":"productId","limit":"equal","name":"productId","type":"string"}],"plan":{"partition":[{"attribute":"PK","parts":["PRODUCT#",{"field":"productId","type":"string"}]}],"request":"GetItem","sort":{"at":["INFO"],"attribute":"SK","is":"equal"},"sortAttributes":["SK"],"table":"Shop"},"returns":[{"entity":"Product","name":"Product","optional":true}]},
  {"name":"orders_by_status","parameters":[{"attribute":"status","limit":"equal","name":"status","type":{"words":["pending","paid","shipped"]}}],"plan":{"descending":true,"index":"GSI1","orderedBy":"createdAt","page":50,"partition":[{"attribute":"GSI1PK","parts":["STATUS#",{"field":"status","type":{"words":["pending","paid","shipped"]}}]}],"request":"Query","sort":{"at":["ORDER#"],"attribute":"GSI1SK","is":"beginsWith"},"sortAttributes":["GSI1SK"],"table":"Shop"},"returns":[{"entity":"Order","many":true,"name":"Order"}]},
  {"name":"recent_orders","parameters":[{"attribute":"userId","limit":"equal","name":"userId","type":"string"},{"attribute":"createdAt","limit":"atLeast","name":"since","type":"time.ms"}],"plan":{"descending":true,"orderedBy":"createdAt","page":20,"partition":[{"attribute":"PK","parts":["USER#",{"field":"userId","type":"string"}]}],"request":"Query","sort":{"at":["ORDER#",{"field":"since","type":"time.ms"}],"attribute":"SK","is":"between","to":["ORDER#","\udbff\udfff"]},"sortAttributes":["SK"],"table":"Shop"},"returns":[{"copy":"summary","entity":"Order","many":true,"name":"Order.summary"}]},
  {"name":"recent_orders_by_status","parameters":[{"attribute":"status","limit":"equal","name":"status","type":{"words":["pending","paid","shipped"]}},{"attribute":"createdAt","limit":"atLeast","name":"since","type":"time.ms"}],"plan":{"descending":true,"index":"GSI1","orderedBy":"createdAt","page":50,"partition":[{"attribute":"GSI1PK","parts":["STATUS#",{"field":"status","type":{"words":["pending","paid","shipped"]}}]}],"request":"Query","sort":{"at":["ORDER#",{"field":"since","type":"time.ms"}],"attribute":"GSI1SK","is":"between","to":["ORDER#","\udbff\udfff"]},"sortAttributes":["GSI1SK"],"table":"Shop"},"returns":[{"entity":"Order","many":true,"name":"Order"}]}
],
"records": [
  {"fields":[{"name":"itemId","type":"string"},{"name":"productId","type":"string"},{"name":"quantity","type":"int"},{"name":"price","type":"number"}],"name":"Line"}
],
"tables": [
  {"create":{"AttributeDefinitions":[{"AttributeName":"GSI1PK","AttributeType":"S"},{"AttributeName":"GSI1SK","AttributeType":"S"},{"AttributeName":"PK","AttributeType":"S"},{"AttributeName":"SK","AttributeType":"S"}],"BillingMode":"PAY_PER_REQUEST","GlobalSecondaryIndexes":[{"IndexName":"GSI1","KeySchema":[{"AttributeName":"GSI1PK","KeyType":"HASH"},{"AttributeName":"GSI1SK","KeyType":"RANGE"}],"Projection":{"ProjectionType":"ALL"}}],"KeySchema":[{"AttributeName":"PK","KeyType":"HASH"},{"AttributeName":"SK","KeyType":"RANGE"}]},"indexes":[{"name":"GSI1","partition":[{"name":"GSI1PK","type":"S"}],"projection":"all","sort":[{"name":"GSI1SK","type":"S"}]}],"name":"Shop","partition":{"name":"PK","type":"S"},"sort":{"name":"SK","type":"S"},"typeAttribute":"entity"}
],
"writes": [
  {"actions":[{"entity":"Order","verb":"create"},{"each":"lines","entity":"OrderItem","verb":"create"}],"name":"create_order","parameters":[{"name":"lines","type":{"list":{"record":"Line"}}},{"name":"orderId","type":"string"},{"name":"userId","type":"string"},{"name":"createdAt","type":"time.ms"},{"name":"total","type":"number"},{"name":"status","type":{"words":["pending","paid","shipped"]}}]},
  {"actions":[{"entity":"Order","set":[{"attribute":"status","left":{"parameter":"status"}}],"verb":"update"}],"name":"set_status","parameters":[{"name":"status","type":{"words":["pending","paid","shipped"]}},{"name":"orderId","type":"string"}]},
  {"actions":[{"entity":"User","verb":"create"}],"name":"create_user","parameters":[{"name":"userId","type":"string"},{"name":"email","type":"string"},{"name":"name","type":"string"},{"name":"createdAt","type":"time.ms"}]}
]
}
`) as keyfold.Plan;

// Made by keyfold 0.1.0 of the model shop, version 1.
// The plan document's hash: deefdea69d467845412d2d2285c033b2.
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
 * A value of `Product.productId`. Other values are none until `ProductId`
 * makes them one.
 */
export type ProductId = string & { readonly [of]: "Product.productId" };

/** Makes a value one of `Product.productId`. */
export function ProductId(value: string): ProductId {
  return value as ProductId;
}

/**
 * A value of `Store.storeId`. Other values are none until `StoreId` makes
 * them one.
 */
export type StoreId = string & { readonly [of]: "Store.storeId" };

/** Makes a value one of `Store.storeId`. */
export function StoreId(value: string): StoreId {
  return value as StoreId;
}

/**
 * A value of `Organisation.orgId`. Other values are none until `OrgId`
 * makes them one.
 */
export type OrgId = string & { readonly [of]: "Organisation.orgId" };

/** Makes a value one of `Organisation.orgId`. */
export function OrgId(value: string): OrgId {
  return value as OrgId;
}

/**
 * A value of `View.viewId`. Other values are none until `ViewId` makes them
 * one.
 */
export type ViewId = string & { readonly [of]: "View.viewId" };

/** Makes a value one of `View.viewId`. */
export function ViewId(value: string): ViewId {
  return value as ViewId;
}

/** The words of `Order.status`. */
export type OrderStatus = "pending" | "paid" | "shipped";

/** The words of `Membership.role`. */
export type MembershipRole = "owner" | "admin" | "member";

/** The record `Line`. */
export interface Line {
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
  readonly active: boolean;
  readonly createdAt: string;
}

/** The attributes of a `User` that is created or put. */
export interface NewUser {
  /** Default: `new`. */
  readonly userId?: UserId | undefined;
  readonly email: string;
  readonly name: string;
  /** Default: `true`. */
  readonly active?: boolean | undefined;
  /** Default: `now`. */
  readonly createdAt?: string | undefined;
}

/** The key of a `User`. */
export interface UserKey {
  readonly userId: UserId;
}

/** Changes of a `User`: what is not named stays as it is. */
export interface UserPatch {
  readonly email?: string | undefined;
  readonly name?: string | undefined;
  readonly active?: boolean | undefined;
  readonly createdAt?: string | undefined;
}

/** What a `User` gets that is created or put: as given, or made. */
export interface UserMade {
  readonly userId: UserId;
  readonly createdAt: string;
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
  /** Default: `now`. */
  readonly createdAt?: string | undefined;
  readonly total: number;
  /** Default: `pending`. */
  readonly status?: OrderStatus | undefined;
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

/** What an `Order` gets that is created or put: as given, or made. */
export interface OrderMade {
  readonly createdAt: string;
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
 * "ITEM#{productId}"`.
 */
export interface OrderItem {
  readonly kind: "OrderItem";
  readonly orderId: OrderId;
  readonly productId: ProductId;
  readonly quantity: number;
  readonly price: number;
}

/** The attributes of an `OrderItem` that is created or put. */
export interface NewOrderItem {
  readonly orderId: OrderId;
  readonly productId: ProductId;
  readonly quantity: number;
  readonly price: number;
}

/** The key of an `OrderItem`. */
export interface OrderItemKey {
  readonly orderId: OrderId;
  readonly productId: ProductId;
}

/** Changes of an `OrderItem`: what is not named stays as it is. */
export interface OrderItemPatch {
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
  readonly category: string;
  readonly name: string;
  readonly price: number;
  readonly stock: number;
}

/** The attributes of a `Product` that is created or put. */
export interface NewProduct {
  readonly productId: ProductId;
  readonly category: string;
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
  readonly category?: string | undefined;
  readonly name?: string | undefined;
  readonly price?: number | undefined;
  readonly stock?: number | undefined;
}

/**
 * The entity `Store` as it is stored, under `"STORES"
 * "STORE#{region}#{city}#{street}#{storeId}"`.
 */
export interface Store {
  readonly kind: "Store";
  readonly storeId: StoreId;
  readonly region: string;
  readonly city: string;
  readonly street: string;
}

/** The attributes of a `Store` that is created or put. */
export interface NewStore {
  readonly storeId: StoreId;
  readonly region: string;
  readonly city: string;
  readonly street: string;
}

/** The key of a `Store`. */
export interface StoreKey {
  readonly storeId: StoreId;
  readonly region: string;
  readonly city: string;
  readonly street: string;
}

/** Changes of a `Store`: what is not named stays as it is. */
export interface StorePatch {}

/** The entity `Organisation` as it is stored, under `"ORG#{orgId}" "INFO"`. */
export interface Organisation {
  readonly kind: "Organisation";
  readonly orgId: OrgId;
  readonly name: string;
  /** Kept by the model: a count. */
  readonly members: number;
}

/** The attributes of an `Organisation` that is created or put. */
export interface NewOrganisation {
  readonly orgId: OrgId;
  readonly name: string;
}

/** The key of an `Organisation`. */
export interface OrganisationKey {
  readonly orgId: OrgId;
}

/** Changes of an `Organisation`: what is not named stays as it is. */
export interface OrganisationPatch {
  readonly name?: string | undefined;
}

/**
 * The entity `Membership` as it is stored, under `"USER#{userId}"
 * "MEMBER#{orgId}"`.
 */
export interface Membership {
  readonly kind: "Membership";
  readonly userId: UserId;
  readonly orgId: OrgId;
  readonly role: MembershipRole;
}

/** The attributes of a `Membership` that is created or put. */
export interface NewMembership {
  readonly userId: UserId;
  readonly orgId: OrgId;
  readonly role: MembershipRole;
}

/** The key of a `Membership`. */
export interface MembershipKey {
  readonly userId: UserId;
  readonly orgId: OrgId;
}

/** Changes of a `Membership`: what is not named stays as it is. */
export interface MembershipPatch {
  readonly role?: MembershipRole | undefined;
}

/** The entity `File` as it is stored, under `"FILES#{orgId}" "FILE#{path}"`. */
export interface File {
  readonly kind: "File";
  readonly orgId: OrgId;
  readonly path: string;
  readonly bytes: number;
}

/** The attributes of a `File` that is created or put. */
export interface NewFile {
  readonly orgId: OrgId;
  readonly path: string;
  readonly bytes: number;
}

/** The key of a `File`. */
export interface FileKey {
  readonly orgId: OrgId;
  readonly path: string;
}

/** Changes of a `File`: what is not named stays as it is. */
export interface FilePatch {
  readonly bytes?: number | undefined;
}

/**
 * The entity `View` as it is stored, under `"VIEWS#{productId}#{at:day}"
 * "AT#{at}#{viewId}"`.
 */
export interface View {
  readonly kind: "View";
  readonly productId: ProductId;
  readonly at: string;
  readonly viewId: ViewId;
  readonly expiresAt: string;
}

/** The attributes of a `View` that is created or put. */
export interface NewView {
  readonly productId: ProductId;
  readonly at: string;
  readonly viewId: ViewId;
  readonly expiresAt: string;
}

/** The key of a `View`. */
export interface ViewKey {
  readonly productId: ProductId;
  readonly at: string;
  readonly viewId: ViewId;
}

/** Changes of a `View`: what is not named stays as it is. */
export interface ViewPatch {
  readonly expiresAt?: string | undefined;
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

/** The arguments of `products`. */
export type ProductsArguments = {
  readonly productId: readonly ProductId[];
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

/** The arguments of `products_of_category`. */
export type ProductsOfCategoryArguments = {
  readonly category: string;
};

/** The arguments of `cheap_products`. */
export type CheapProductsArguments = {
  readonly category: string;
  /** `price` is at most this. */
  readonly most: number;
};

/** The arguments of `stores`. */
export type StoresArguments =
  | {
      readonly region: string;
      readonly city?: string | undefined;
      readonly street?: undefined;
    }
  | {
      readonly region: string;
      readonly city: string;
      readonly street?: string | undefined;
    };

/** The arguments of `organisation`. */
export type OrganisationArguments = {
  readonly orgId: OrgId;
};

/** The arguments of `organisations_of_user`. */
export type OrganisationsOfUserArguments = {
  readonly userId: UserId;
};

/** The arguments of `members`. */
export type MembersArguments = {
  readonly orgId: OrgId;
  readonly role?: MembershipRole | undefined;
};

/** The arguments of `file`. */
export type FileArguments = {
  readonly orgId: OrgId;
  readonly path: string;
};

/** The arguments of `files_below`. */
export type FilesBelowArguments = {
  readonly orgId: OrgId;
  /** `path` starts with this. */
  readonly folder: string;
};

/** The arguments of `views_of_day`. */
export type ViewsOfDayArguments = {
  readonly productId: ProductId;
  /** `at` lies in this day. */
  readonly day: string;
};

/** The arguments of `views_between`. */
export type ViewsBetweenArguments = {
  readonly productId: ProductId;
  /** `at` is at least this. */
  readonly from: string;
  /** `at` is at most this. */
  readonly to: string;
};

/** The arguments of `place_order`. */
export type PlaceOrderArguments = {
  readonly lines: readonly Line[];
  readonly userId: UserId;
  readonly orderId: OrderId;
  readonly createdAt?: string | undefined;
  readonly total: number;
  readonly status?: OrderStatus | undefined;
};

/** What `place_order` writes of itself: as given, or made. */
export interface PlaceOrderMade {
  readonly createdAt: string;
}

/** The arguments of `set_status`. */
export type SetStatusArguments = {
  readonly status: OrderStatus;
  readonly orderId: OrderId;
};

/** The arguments of `join`. */
export type JoinArguments = {
  readonly role: MembershipRole;
  readonly userId: UserId;
  readonly orgId: OrgId;
};

/** A change that a stream reports; `kind` says of what. */
export type ShopEvent =
  | keyfold.Change<"User", User>
  | keyfold.Change<"Order", Order>
  | keyfold.Change<"OrderItem", OrderItem>
  | keyfold.Change<"Product", Product>
  | keyfold.Change<"Store", Store>
  | keyfold.Change<"Organisation", Organisation>
  | keyfold.Change<"Membership", Membership>
  | keyfold.Change<"File", File>
  | keyfold.Change<"View", View>;

/** A change of an entity or of a copy; `kind` says of what. */
export type ShopEventWithCopies =
  ShopEvent | keyfold.Change<"Order.summary", OrderSummary>;

/** The patterns, named writes and entities of the model `shop`, version 1. */
export class ShopClient {
  /** The client that carries out the plans, for calls by name. */
  readonly client: keyfold.Client;
  /** Writes a `User` with all that follows from it. */
  readonly User: keyfold.Writer<
    NewUser,
    UserKey,
    UserPatch,
    NewUser,
    User,
    UserMade
  >;
  /** Writes an `Order` with all that follows from it. */
  readonly Order: keyfold.Writer<
    NewOrder,
    OrderKey,
    OrderPatch,
    NewOrder,
    Order,
    OrderMade
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
  /** Writes a `Store` with all that follows from it. */
  readonly Store: keyfold.BatchWriter<
    NewStore,
    StoreKey,
    StorePatch,
    NewStore,
    Store
  >;
  /** Writes an `Organisation` with all that follows from it. */
  readonly Organisation: keyfold.Writer<
    NewOrganisation,
    OrganisationKey,
    OrganisationPatch,
    NewOrganisation,
    Organisation
  >;
  /** Writes a `Membership` with all that follows from it. */
  readonly Membership: keyfold.Writer<
    NewMembership,
    MembershipKey,
    MembershipPatch,
    NewMembership,
    Membership
  >;
  /** Writes a `File` with all that follows from it. */
  readonly File: keyfold.BatchWriter<
    NewFile,
    FileKey,
    FilePatch,
    NewFile,
    File
  >;
  /** Writes a `View` with all that follows from it. */
  readonly View: keyfold.BatchWriter<
    NewView,
    ViewKey,
    ViewPatch,
    NewView,
    View
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
    this.User = new keyfold.Writer(this.client, "User", made);
    this.Order = new keyfold.Writer(this.client, "Order", made);
    this.OrderItem = new keyfold.BatchWriter(this.client, "OrderItem");
    this.Product = new keyfold.BatchWriter(this.client, "Product");
    this.Store = new keyfold.BatchWriter(this.client, "Store");
    this.Organisation = new keyfold.Writer(this.client, "Organisation");
    this.Membership = new keyfold.Writer(this.client, "Membership");
    this.File = new keyfold.BatchWriter(this.client, "File");
    this.View = new keyfold.BatchWriter(this.client, "View");
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
   * Query of Shop.GSI1: `GSI1PK = "EMAIL#{email:lower}" AND GSI1SK =
   * "PROFILE"`; 1 request, about 0.5 read units.
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
   * `products(productId) -> Product[]`
   *
   * BatchGetItem of Shop: `PK = "PRODUCT#{productId}" AND SK = "INFO"`;
   * requests: 1 per 100 ids.
   */
  products(args: ProductsArguments): keyfold.Query<Product, keyfold.Strong> {
    return new keyfold.Query(this.client, "products", args);
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
   * `active_users() -> User[] where active = true newest createdAt page 20`
   *
   * Query of Shop.Active: `ACTIVEPK = "ACTIVE" AND begins_with(ACTIVESK,
   * "USER#")`, descending, 20 items a page; 1 request a page, about 1 read
   * units.
   */
  activeUsers(
    args: keyfold.NoArguments = {},
  ): keyfold.Query<User, keyfold.Ordered> {
    return new keyfold.Query(this.client, "active_users", args);
  }

  /**
   * `products_of_category(category) -> Product[] lowest price page 50`
   *
   * Query of Shop.GSI1: `GSI1PK = "CATEGORY#{category}" AND
   * begins_with(GSI1SK, "PRODUCT#")`, 50 items a page; 1 request a page,
   * about 1.5 read units.
   */
  productsOfCategory(
    args: ProductsOfCategoryArguments,
  ): keyfold.Query<Product, keyfold.Ordered> {
    return new keyfold.Query(this.client, "products_of_category", args);
  }

  /**
   * `cheap_products(category, most) -> Product[] lowest price page 50`
   *
   * Query of Shop.GSI1: `GSI1PK = "CATEGORY#{category}" AND GSI1SK BETWEEN
   * "PRODUCT#" AND "PRODUCT#{most:08}…"`, 50 items a page; 1 request a
   * page, about 1.5 read units.
   */
  cheapProducts(
    args: CheapProductsArguments,
  ): keyfold.Query<Product, keyfold.Ordered> {
    return new keyfold.Query(this.client, "cheap_products", args);
  }

  /**
   * `stores(region, city?, street?) -> Store[] page 50`
   *
   * Query of Shop: `PK = "STORES" AND begins_with(SK,
   * "STORE#{region}#{city}#{street}#")`, 50 items a page; 1 request a page,
   * about 1.5 read units.
   * Without street: Query of Shop: `PK = "STORES" AND begins_with(SK,
   * "STORE#{region}#{city}#")`, 50 items a page; 1 request a page, about
   * 1.5 read units.
   * Without city, street: Query of Shop: `PK = "STORES" AND begins_with(SK,
   * "STORE#{region}#")`, 50 items a page; 1 request a page, about 1.5 read
   * units.
   */
  stores(
    args: StoresArguments,
  ): keyfold.Query<Store, keyfold.Ordered & keyfold.Strong> {
    return new keyfold.Query(this.client, "stores", args);
  }

  /**
   * `organisation(orgId) -> Organisation?`
   *
   * GetItem of Shop: `PK = "ORG#{orgId}" AND SK = "INFO"`; 1 request, about
   * 0.5 read units.
   */
  organisation(
    args: OrganisationArguments,
    options?: keyfold.CallOptions & keyfold.Strong,
  ): Promise<Organisation | undefined> {
    return this.client.one<Organisation>("organisation", args, options);
  }

  /**
   * `organisations_of_user(userId) -> Membership[] page 50`
   *
   * Query of Shop: `PK = "USER#{userId}" AND begins_with(SK, "MEMBER#")`,
   * 50 items a page; 1 request a page, about 1.5 read units.
   */
  organisationsOfUser(
    args: OrganisationsOfUserArguments,
  ): keyfold.Query<Membership, keyfold.Ordered & keyfold.Strong> {
    return new keyfold.Query(this.client, "organisations_of_user", args);
  }

  /**
   * `members(orgId, role?) -> Membership[] page 100`
   *
   * Query of Shop.GSI1: `GSI1PK = "ORG#{orgId}" AND begins_with(GSI1SK,
   * "MEMBER#{role}#")`, 100 items a page; 1 request a page, about 2.5 read
   * units.
   * Without role: Query of Shop.GSI1: `GSI1PK = "ORG#{orgId}" AND
   * begins_with(GSI1SK, "MEMBER#")`, 100 items a page; 1 request a page,
   * about 2.5 read units.
   */
  members(args: MembersArguments): keyfold.Query<Membership, keyfold.Ordered> {
    return new keyfold.Query(this.client, "members", args);
  }

  /**
   * `file(orgId, path) -> File?`
   *
   * GetItem of Shop: `PK = "FILES#{orgId}" AND SK = "FILE#{path}"`; 1
   * request, about 0.5 read units.
   */
  file(
    args: FileArguments,
    options?: keyfold.CallOptions & keyfold.Strong,
  ): Promise<File | undefined> {
    return this.client.one<File>("file", args, options);
  }

  /**
   * `files_below(orgId, folder) -> File[] page 100`
   *
   * Query of Shop: `PK = "FILES#{orgId}" AND begins_with(SK,
   * "FILE#{folder}")`, 100 items a page; 1 request a page, about 2 read
   * units.
   */
  filesBelow(
    args: FilesBelowArguments,
  ): keyfold.Query<File, keyfold.Ordered & keyfold.Strong> {
    return new keyfold.Query(this.client, "files_below", args);
  }

  /**
   * `views_of_day(productId, day) -> View[] newest page 100`
   *
   * Query of Shop: `PK = "VIEWS#{productId}#{day}" AND begins_with(SK,
   * "AT#")`, descending, 100 items a page; 1 request a page, about 2.5 read
   * units.
   */
  viewsOfDay(
    args: ViewsOfDayArguments,
  ): keyfold.Query<View, keyfold.Ordered & keyfold.Strong> {
    return new keyfold.Query(this.client, "views_of_day", args);
  }

  /**
   * `views_between(productId, from, to) -> View[] newest page 100`
   *
   * Query of Shop: `PK = "VIEWS#{productId}#{at:day}" AND SK BETWEEN
   * "AT#{from}" AND "AT#{to}…"`, descending, 100 items a page; requests a
   * page: 1 a day.
   */
  viewsBetween(
    args: ViewsBetweenArguments,
  ): keyfold.Query<View, keyfold.Ordered & keyfold.Strong> {
    return new keyfold.Query(this.client, "views_between", args);
  }

  /**
   * The write `place_order`:
   * - check User
   * - create Order
   * - create OrderItem for each of lines
   * - update Product for each of lines (stock = stock - quantity) if stock
   * >= quantity
   * Requests: TransactWriteItems.
   */
  placeOrder(
    args: PlaceOrderArguments,
    options?: keyfold.CallOptions,
  ): Promise<keyfold.Written<PlaceOrderMade>> {
    return keyfold.run(this.client, this.part.placeOrder(args), options);
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
   * The write `join`:
   * - check User
   * - create Membership
   * Requests: TransactWriteItems.
   */
  join(
    args: JoinArguments,
    options?: keyfold.CallOptions,
  ): Promise<keyfold.Written<keyfold.NothingMade>> {
    return keyfold.run(this.client, this.part.join(args), options);
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
  /** The write `place_order`. */
  placeOrder(args: PlaceOrderArguments): keyfold.NamedPart<PlaceOrderMade> {
    return keyfold.part("place_order", args, made);
  }

  /** The write `set_status`. */
  setStatus(args: SetStatusArguments): keyfold.NamedPart<keyfold.NothingMade> {
    return keyfold.part("set_status", args);
  }

  /** The write `join`. */
  join(args: JoinArguments): keyfold.NamedPart<keyfold.NothingMade> {
    return keyfold.part("join", args);
  }
}

const made: keyfold.MadeTable = {
  "create User": {
    userId: ["User", "userId", "argument"],
    createdAt: ["User", "createdAt", "argument"],
  },
  "create Order": {
    createdAt: ["Order", "createdAt", "argument"],
  },
  place_order: {
    createdAt: ["Order", "createdAt", "argument"],
  },
};

const plan: keyfold.Plan = JSON.parse(String.raw`
{
"entities": [
  {"attributes":[{"default":"new","name":"userId","type":"ulid"},{"name":"email","type":"string"},{"name":"name","type":"string"},{"default":{"value":{"BOOL":true}},"name":"active","type":"bool"},{"default":"now","name":"createdAt","type":"time.ms"}],"followed":["active","createdAt","email","userId"],"indexes":[{"index":"GSI1","key":[{"attribute":"GSI1PK","matches":"EMAIL#[^\u0000]+","parts":["EMAIL#",{"field":"email","format":"lower","type":"string"}]},{"attribute":"GSI1SK","matches":"PROFILE","parts":["PROFILE"]}]},{"index":"Active","key":[{"attribute":"ACTIVEPK","matches":"ACTIVE","parts":["ACTIVE"]},{"attribute":"ACTIVESK","matches":"USER#[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9]{2}:[0-9]{2}:[0-9]{2}\\.[0-9]{3}Z#[0-9A-HJ-KM-NP-TV-Z]{26}","parts":["USER#",{"field":"createdAt","type":"time.ms"},"#",{"field":"userId","type":"ulid"}]}],"sparse":{"attribute":"active","value":"true"}}],"key":[{"attribute":"PK","matches":"USER#[0-9A-HJ-KM-NP-TV-Z]{26}","parts":["USER#",{"field":"userId","type":"ulid"}]},{"attribute":"SK","matches":"PROFILE","parts":["PROFILE"]}],"name":"User","table":"Shop","uniques":[{"attributes":["email"],"key":["UNIQUE#User#lower(email)#",{"field":"email","format":"escaped","not":"#","type":"string"}],"lower":["email"],"sort":"UNIQUE"}]},
  {"attributes":[{"name":"orderId","type":"uuid"},{"name":"userId","refers":{"attribute":"userId","entity":"User"},"type":"ulid"},{"default":"now","name":"createdAt","type":"time.ms"},{"name":"total","type":"int"},{"default":{"value":{"S":"pending"}},"name":"status","type":{"words":["pending","paid","shipped"]}}],"copies":[{"attributes":["orderId","total","status","createdAt"],"key":[{"attribute":"PK","matches":"USER#[0-9A-HJ-KM-NP-TV-Z]{26}","parts":["USER#",{"field":"userId","type":"ulid"}]},{"attribute":"SK","matches":"ORDER#[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9]{2}:[0-9]{2}:[0-9]{2}\\.[0-9]{3}Z#[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}","parts":["ORDER#",{"field":"createdAt","type":"time.ms"},"#",{"field":"orderId","type":"uuid"}]}],"name":"summary"}],"followed":["createdAt","orderId","status","total","userId"],"indexes":[{"index":"GSI1","key":[{"attribute":"GSI1PK","matches":"STATUS#(?:pending|paid|shipped)","parts":["STATUS#",{"field":"status","type":{"words":["pending","paid","shipped"]}}]},{"attribute":"GSI1SK","matches":"ORDER#[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9]{2}:[0-9]{2}:[0-9]{2}\\.[0-9]{3}Z#[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}","parts":["ORDER#",{"field":"createdAt","type":"time.ms"},"#",{"field":"orderId","type":"uuid"}]}]}],"key":[{"attribute":"PK","matches":"ORDER#[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}","parts":["ORDER#",{"field":"orderId","type":"uuid"}]},{"attribute":"SK","matches":"META","parts":["META"]}],"name":"Order","table":"Shop"},
  {"alone":true,"attributes":[{"name":"orderId","refers":{"attribute":"orderId","entity":"Order"},"type":"uuid"},{"name":"productId","refers":{"attribute":"productId","entity":"Product"},"type":"string"},{"name":"quantity","type":"int"},{"name":"price","type":"int"}],"key":[{"attribute":"PK","matches":"ORDER#[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}","parts":["ORDER#",{"field":"orderId","type":"uuid"}]},{"attribute":"SK","matches":"ITEM#[^\u0000]+","parts":["ITEM#",{"field":"productId","type":"string"}]}],"name":"OrderItem","table":"Shop"},
  {"alone":true,"attributes":[{"name":"productId","type":"string"},{"name":"category","type":"string"},{"name":"name","type":"string"},{"name":"price","type":"int"},{"name":"stock","type":"int"}],"followed":["category","price","productId"],"indexes":[{"index":"GSI1","key":[{"attribute":"GSI1PK","matches":"CATEGORY#[^\u0000]+","parts":["CATEGORY#",{"field":"category","type":"string"}]},{"attribute":"GSI1SK","matches":"PRODUCT#[0-9]{8}#[^\u0000]+","parts":["PRODUCT#",{"field":"price","format":{"padded":{"whole":8}},"type":"int"},"#",{"field":"productId","type":"string"}]}]}],"key":[{"attribute":"PK","matches":"PRODUCT#[^\u0000]+","parts":["PRODUCT#",{"field":"productId","type":"string"}]},{"attribute":"SK","matches":"INFO","parts":["INFO"]}],"name":"Product","table":"Shop"},
  {"alone":true,"attributes":[{"name":"storeId","type":"string"},{"name":"region","type":"string"},{"name":"city","type":"string"},{"name":"street","type":"string"}],"key":[{"attribute":"PK","matches":"STORES","parts":["STORES"]},{"attribute":"SK","matches":"STORE#[^\u0000#]+#[^\u0000#]+#[^\u0000#]+#[^\u0000]+","parts":["STORE#",{"field":"region","not":"#","type":"string"},"#",{"field":"city","not":"#","type":"string"},"#",{"field":"street","not":"#","type":"string"},"#",{"field":"storeId","type":"string"}]}],"name":"Store","table":"Shop"},
  {"aggregates":[{"attribute":"members","changes":"members:changes","entity":"Membership","items":"members","kind":"count","link":[{"other":"orgId","own":"orgId"}]}],"alone":true,"attributes":[{"name":"orgId","type":"string"},{"name":"name","type":"string"},{"default":{"value":{"N":"0"}},"kept":true,"name":"members","type":"int"}],"key":[{"attribute":"PK","matches":"ORG#[^\u0000]+","parts":["ORG#",{"field":"orgId","type":"string"}]},{"attribute":"SK","matches":"INFO","parts":["INFO"]}],"name":"Organisation","table":"Shop"},
  {"attributes":[{"name":"userId","refers":{"attribute":"userId","entity":"User"},"type":"ulid"},{"name":"orgId","refers":{"attribute":"orgId","entity":"Organisation"},"type":"string"},{"name":"role","type":{"words":["owner","admin","member"]}}],"followed":["orgId","role","userId"],"indexes":[{"index":"GSI1","key":[{"attribute":"GSI1PK","matches":"ORG#[^\u0000]+","parts":["ORG#",{"field":"orgId","type":"string"}]},{"attribute":"GSI1SK","matches":"MEMBER#(?:owner|admin|member)#[0-9A-HJ-KM-NP-TV-Z]{26}","parts":["MEMBER#",{"field":"role","type":{"words":["owner","admin","member"]}},"#",{"field":"userId","type":"ulid"}]}]}],"key":[{"attribute":"PK","matches":"USER#[0-9A-HJ-KM-NP-TV-Z]{26}","parts":["USER#",{"field":"userId","type":"ulid"}]},{"attribute":"SK","matches":"MEMBER#[^\u0000]+","parts":["MEMBER#",{"field":"orgId","type":"string"}]}],"name":"Membership","table":"Shop"},
  {"alone":true,"attributes":[{"name":"orgId","refers":{"attribute":"orgId","entity":"Organisation"},"type":"string"},{"name":"path","type":"string"},{"name":"bytes","type":"int"}],"key":[{"attribute":"PK","matches":"FILES#[^\u0000]+","parts":["FILES#",{"field":"orgId","type":"string"}]},{"attribute":"SK","matches":"FILE#[^\u0000]+","parts":["FILE#",{"field":"path","type":"string"}]}],"name":"File","table":"Shop"},
  {"alone":true,"attributes":[{"name":"productId","refers":{"attribute":"productId","entity":"Product"},"type":"string"},{"name":"at","type":"time.ms"},{"name":"viewId","type":"uuid"},{"name":"expiresAt","type":"time.ms"}],"followed":["expiresAt"],"key":[{"attribute":"PK","matches":"VIEWS#[^\u0000#]+#[0-9]{4}-[0-9]{2}-[0-9]{2}","parts":["VIEWS#",{"field":"productId","not":"#","type":"string"},"#",{"field":"at","format":{"cut":"day"},"type":"time.ms"}]},{"attribute":"SK","matches":"AT#[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9]{2}:[0-9]{2}:[0-9]{2}\\.[0-9]{3}Z#[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}","parts":["AT#",{"field":"at","type":"time.ms"},"#",{"field":"viewId","type":"uuid"}]}],"name":"View","table":"Shop","ttl":"expiresAt"}
],
"keyfoldPlan": 1,
"model": {"hash":"deefdea69d467845412d2d2285c033b2","name":"shop","version":1},
"patterns": [
  {"name":"user","parameters":[{"attribute":"userId","limit":"equal","name":"userId","type":"ulid"}],"plan":{"partition":[{"attribute":"PK","parts":["USER#",{"field":"userId","type":"ulid"}]}],"request":"GetItem","sort":{"at":["PROFILE"],"attribute":"SK","is":"equal"},"sortAttributes":["SK"],"table":"Shop"},"returns":[{"entity":"User","name":"User","optional":true}]},
  {"name":"user_by_email","parameters":[{"attribute":"email","limit":"equal","name":"email","type":"string"}],"plan":{"index":"GSI1","partition":[{"attribute":"GSI1PK","parts":["EMAIL#",{"field":"email","format":"lower","type":"string"}]}],"request":"Query","sort":{"at":["PROFILE"],"attribute":"GSI1SK","is":"equal"},"sortAttributes":["GSI1SK"],"table":"Shop"},"returns":[{"entity":"User","name":"User","optional":true}]},
  {"name":"orders_of_user","parameters":[{"attribute":"userId","limit":"equal","name":"userId","type":"ulid"}],"plan":{"descending":true,"orderedBy":"createdAt","page":20,"partition":[{"attribute":"PK","parts":["USER#",{"field":"userId","type":"ulid"}]}],"request":"Query","sort":{"at":["ORDER#"],"attribute":"SK","is":"beginsWith"},"sortAttributes":["SK"],"table":"Shop"},"returns":[{"copy":"summary","entity":"Order","many":true,"name":"Order.summary"}]},
  {"name":"order_with_items","parameters":[{"attribute":"orderId","limit":"equal","name":"orderId","type":"uuid"}],"plan":{"partition":[{"attribute":"PK","parts":["ORDER#",{"field":"orderId","type":"uuid"}]}],"request":"Query","sortAttributes":["SK"],"table":"Shop"},"returns":[{"entity":"Order","name":"Order"},{"entity":"OrderItem","many":true,"name":"OrderItem"}]},
  {"name":"items_of_order","parameters":[{"attribute":"orderId","limit":"equal","name":"orderId","type":"uuid"}],"plan":{"partition":[{"attribute":"PK","parts":["ORDER#",{"field":"orderId","type":"uuid"}]}],"request":"Query","sort":{"at":["ITEM#"],"attribute":"SK","is":"beginsWith"},"sortAttributes":["SK"],"table":"Shop"},"returns":[{"entity":"OrderItem","many":true,"name":"OrderItem"}]},
  {"name":"product","parameters":[{"attribute":"productId","limit":"equal","name":"productId","type":"string"}],"plan":{"partition":[{"attribute":"PK","parts":["PRODUCT#",{"field":"productId","type":"string"}]}],"request":"GetItem","sort":{"at":["INFO"],"attribute":"SK","is":"equal"},"sortAttributes":["SK"],"table":"Shop"},"returns":[{"entity":"Product","name":"Product","optional":true}]},
  {"name":"products","parameters":[{"attribute":"productId","limit":"among","name":"productId","type":{"list":"string"}}],"plan":{"partition":[{"attribute":"PK","parts":["PRODUCT#",{"field":"productId","type":"string"}]}],"request":"BatchGetItem","sort":{"at":["INFO"],"attribute":"SK","is":"equal"},"sortAttributes":["SK"],"table":"Shop"},"returns":[{"entity":"Product","many":true,"name":"Product"}]},
  {"name":"orders_by_status","parameters":[{"attribute":"status","limit":"equal","name":"status","type":{"words":["pending","paid","shipped"]}}],"plan":{"descending":true,"index":"GSI1","orderedBy":"createdAt","page":50,"partition":[{"attribute":"GSI1PK","parts":["STATUS#",{"field":"status","type":{"words":["pending","paid","shipped"]}}]}],"request":"Query","sort":{"at":["ORDER#"],"attribute":"GSI1SK","is":"beginsWith"},"sortAttributes":["GSI1SK"],"table":"Shop"},"returns":[{"entity":"Order","many":true,"name":"Order"}]},
  {"name":"recent_orders","parameters":[{"attribute":"userId","limit":"equal","name":"userId","type":"ulid"},{"attribute":"createdAt","limit":"atLeast","name":"since","type":"time.ms"}],"plan":{"descending":true,"orderedBy":"createdAt","page":20,"partition":[{"attribute":"PK","parts":["USER#",{"field":"userId","type":"ulid"}]}],"request":"Query","sort":{"at":["ORDER#",{"field":"since","type":"time.ms"}],"attribute":"SK","is":"between","to":["ORDER#","\udbff\udfff"]},"sortAttributes":["SK"],"table":"Shop"},"returns":[{"copy":"summary","entity":"Order","many":true,"name":"Order.summary"}]},
  {"name":"recent_orders_by_status","parameters":[{"attribute":"status","limit":"equal","name":"status","type":{"words":["pending","paid","shipped"]}},{"attribute":"createdAt","limit":"atLeast","name":"since","type":"time.ms"}],"plan":{"descending":true,"index":"GSI1","orderedBy":"createdAt","page":50,"partition":[{"attribute":"GSI1PK","parts":["STATUS#",{"field":"status","type":{"words":["pending","paid","shipped"]}}]}],"request":"Query","sort":{"at":["ORDER#",{"field":"since","type":"time.ms"}],"attribute":"GSI1SK","is":"between","to":["ORDER#","\udbff\udfff"]},"sortAttributes":["GSI1SK"],"table":"Shop"},"returns":[{"entity":"Order","many":true,"name":"Order"}]},
  {"fixed":[{"name":"active","value":{"BOOL":true}}],"name":"active_users","plan":{"descending":true,"index":"Active","orderedBy":"createdAt","page":20,"partition":[{"attribute":"ACTIVEPK","parts":["ACTIVE"]}],"request":"Query","sort":{"at":["USER#"],"attribute":"ACTIVESK","is":"beginsWith"},"sortAttributes":["ACTIVESK"],"table":"Shop"},"returns":[{"entity":"User","many":true,"name":"User"}]},
  {"name":"products_of_category","parameters":[{"attribute":"category","limit":"equal","name":"category","type":"string"}],"plan":{"index":"GSI1","orderedBy":"price","page":50,"partition":[{"attribute":"GSI1PK","parts":["CATEGORY#",{"field":"category","type":"string"}]}],"request":"Query","sort":{"at":["PRODUCT#"],"attribute":"GSI1SK","is":"beginsWith"},"sortAttributes":["GSI1SK"],"table":"Shop"},"returns":[{"entity":"Product","many":true,"name":"Product"}]},
  {"name":"cheap_products","parameters":[{"attribute":"category","limit":"equal","name":"category","type":"string"},{"attribute":"price","limit":"atMost","name":"most","type":"int"}],"plan":{"index":"GSI1","orderedBy":"price","page":50,"partition":[{"attribute":"GSI1PK","parts":["CATEGORY#",{"field":"category","type":"string"}]}],"request":"Query","sort":{"at":["PRODUCT#",""],"attribute":"GSI1SK","is":"between","to":["PRODUCT#",{"field":"most","format":{"padded":{"whole":8}},"type":"int"},"\udbff\udfff"]},"sortAttributes":["GSI1SK"],"table":"Shop"},"returns":[{"entity":"Product","many":true,"name":"Product"}]},
  {"name":"stores","parameters":[{"attribute":"region","limit":"equal","name":"region","type":"string"},{"attribute":"city","limit":"equal","name":"city","optional":true,"type":"string"},{"attribute":"street","limit":"equal","name":"street","optional":true,"type":"string"}],"plan":{"page":50,"partition":[{"attribute":"PK","parts":["STORES"]}],"request":"Query","sort":{"at":["STORE#",{"field":"region","not":"#","type":"string"},"#",{"field":"city","not":"#","type":"string"},"#",{"field":"street","not":"#","type":"string"},"#"],"attribute":"SK","is":"beginsWith"},"sortAttributes":["SK"],"table":"Shop"},"returns":[{"entity":"Store","many":true,"name":"Store"}],"variants":[{"plan":{"page":50,"partition":[{"attribute":"PK","parts":["STORES"]}],"request":"Query","sort":{"at":["STORE#",{"field":"region","not":"#","type":"string"},"#",{"field":"city","not":"#","type":"string"},"#"],"attribute":"SK","is":"beginsWith"},"sortAttributes":["SK"],"table":"Shop"},"without":["street"]},{"plan":{"page":50,"partition":[{"attribute":"PK","parts":["STORES"]}],"request":"Query","sort":{"at":["STORE#",{"field":"region","not":"#","type":"string"},"#"],"attribute":"SK","is":"beginsWith"},"sortAttributes":["SK"],"table":"Shop"},"without":["city","street"]}]},
  {"name":"organisation","parameters":[{"attribute":"orgId","limit":"equal","name":"orgId","type":"string"}],"plan":{"partition":[{"attribute":"PK","parts":["ORG#",{"field":"orgId","type":"string"}]}],"request":"GetItem","sort":{"at":["INFO"],"attribute":"SK","is":"equal"},"sortAttributes":["SK"],"table":"Shop"},"returns":[{"entity":"Organisation","name":"Organisation","optional":true}]},
  {"name":"organisations_of_user","parameters":[{"attribute":"userId","limit":"equal","name":"userId","type":"ulid"}],"plan":{"page":50,"partition":[{"attribute":"PK","parts":["USER#",{"field":"userId","type":"ulid"}]}],"request":"Query","sort":{"at":["MEMBER#"],"attribute":"SK","is":"beginsWith"},"sortAttributes":["SK"],"table":"Shop"},"returns":[{"entity":"Membership","many":true,"name":"Membership"}]},
  {"name":"members","parameters":[{"attribute":"orgId","limit":"equal","name":"orgId","type":"string"},{"attribute":"role","limit":"equal","name":"role","optional":true,"type":{"words":["owner","admin","member"]}}],"plan":{"index":"GSI1","page":100,"partition":[{"attribute":"GSI1PK","parts":["ORG#",{"field":"orgId","type":"string"}]}],"request":"Query","sort":{"at":["MEMBER#",{"field":"role","type":{"words":["owner","admin","member"]}},"#"],"attribute":"GSI1SK","is":"beginsWith"},"sortAttributes":["GSI1SK"],"table":"Shop"},"returns":[{"entity":"Membership","many":true,"name":"Membership"}],"variants":[{"plan":{"index":"GSI1","page":100,"partition":[{"attribute":"GSI1PK","parts":["ORG#",{"field":"orgId","type":"string"}]}],"request":"Query","sort":{"at":["MEMBER#"],"attribute":"GSI1SK","is":"beginsWith"},"sortAttributes":["GSI1SK"],"table":"Shop"},"without":["role"]}]},
  {"name":"file","parameters":[{"attribute":"orgId","limit":"equal","name":"orgId","type":"string"},{"attribute":"path","limit":"equal","name":"path","type":"string"}],"plan":{"partition":[{"attribute":"PK","parts":["FILES#",{"field":"orgId","type":"string"}]}],"request":"GetItem","sort":{"at":["FILE#",{"field":"path","type":"string"}],"attribute":"SK","is":"equal"},"sortAttributes":["SK"],"table":"Shop"},"returns":[{"entity":"File","name":"File","optional":true}]},
  {"name":"files_below","parameters":[{"attribute":"orgId","limit":"equal","name":"orgId","type":"string"},{"attribute":"path","limit":"starts","name":"folder","type":"string"}],"plan":{"page":100,"partition":[{"attribute":"PK","parts":["FILES#",{"field":"orgId","type":"string"}]}],"request":"Query","sort":{"at":["FILE#",{"field":"folder","type":"string"}],"attribute":"SK","is":"beginsWith"},"sortAttributes":["SK"],"table":"Shop"},"returns":[{"entity":"File","many":true,"name":"File"}]},
  {"name":"views_of_day","parameters":[{"attribute":"productId","limit":"equal","name":"productId","type":"string"},{"attribute":"at","limit":{"in":"day"},"name":"day","type":"day"}],"plan":{"descending":true,"orderedBy":"at","page":100,"partition":[{"attribute":"PK","parts":["VIEWS#",{"field":"productId","not":"#","type":"string"},"#",{"field":"day","type":"day"}]}],"request":"Query","sort":{"at":["AT#"],"attribute":"SK","is":"beginsWith"},"sortAttributes":["SK"],"table":"Shop"},"returns":[{"entity":"View","many":true,"name":"View"}]},
  {"name":"views_between","parameters":[{"attribute":"productId","limit":"equal","name":"productId","type":"string"},{"attribute":"at","limit":"atLeast","name":"from","type":"time.ms"},{"attribute":"at","limit":"atMost","name":"to","type":"time.ms"}],"plan":{"descending":true,"fan":{"attribute":"at","high":"to","low":"from","periods":"day","type":"time.ms"},"orderedBy":"at","page":100,"partition":[{"attribute":"PK","parts":["VIEWS#",{"field":"productId","not":"#","type":"string"},"#",{"field":"at","format":{"cut":"day"},"type":"time.ms"}]}],"request":"Query","sort":{"at":["AT#",{"field":"from","type":"time.ms"}],"attribute":"SK","is":"between","to":["AT#",{"field":"to","type":"time.ms"},"\udbff\udfff"]},"sortAttributes":["SK"],"table":"Shop"},"returns":[{"entity":"View","many":true,"name":"View"}]}
],
"records": [
  {"fields":[{"name":"productId","type":"string"},{"name":"quantity","type":"int"},{"name":"price","type":"int"}],"name":"Line"}
],
"tables": [
  {"create":{"AttributeDefinitions":[{"AttributeName":"ACTIVEPK","AttributeType":"S"},{"AttributeName":"ACTIVESK","AttributeType":"S"},{"AttributeName":"GSI1PK","AttributeType":"S"},{"AttributeName":"GSI1SK","AttributeType":"S"},{"AttributeName":"PK","AttributeType":"S"},{"AttributeName":"SK","AttributeType":"S"}],"BillingMode":"PAY_PER_REQUEST","GlobalSecondaryIndexes":[{"IndexName":"GSI1","KeySchema":[{"AttributeName":"GSI1PK","KeyType":"HASH"},{"AttributeName":"GSI1SK","KeyType":"RANGE"}],"Projection":{"ProjectionType":"ALL"}},{"IndexName":"Active","KeySchema":[{"AttributeName":"ACTIVEPK","KeyType":"HASH"},{"AttributeName":"ACTIVESK","KeyType":"RANGE"}],"Projection":{"ProjectionType":"ALL"}}],"KeySchema":[{"AttributeName":"PK","KeyType":"HASH"},{"AttributeName":"SK","KeyType":"RANGE"}],"StreamSpecification":{"StreamEnabled":true,"StreamViewType":"NEW_AND_OLD_IMAGES"}},"indexes":[{"name":"GSI1","partition":[{"name":"GSI1PK","type":"S"}],"projection":"all","sort":[{"name":"GSI1SK","type":"S"}]},{"name":"Active","partition":[{"name":"ACTIVEPK","type":"S"}],"projection":"all","sort":[{"name":"ACTIVESK","type":"S"}]}],"name":"Shop","partition":{"name":"PK","type":"S"},"sort":{"name":"SK","type":"S"},"ttlAttribute":"expires","typeAttribute":"entity"}
],
"writes": [
  {"actions":[{"entity":"User","verb":"check"},{"entity":"Order","verb":"create"},{"each":"lines","entity":"OrderItem","verb":"create"},{"each":"lines","entity":"Product","set":[{"attribute":"stock","joint":"minus","left":{"attribute":"stock"},"right":{"parameter":"quantity"}}],"verb":"update","when":[{"attribute":"stock","is":">=","operands":[{"parameter":"quantity"}],"text":"stock >= quantity"}]}],"name":"place_order","parameters":[{"name":"lines","type":{"list":{"record":"Line"}}},{"name":"userId","type":"ulid"},{"name":"orderId","type":"uuid"},{"name":"createdAt","optional":true,"type":"time.ms"},{"name":"total","type":"int"},{"name":"status","optional":true,"type":{"words":["pending","paid","shipped"]}}]},
  {"actions":[{"entity":"Order","set":[{"attribute":"status","left":{"parameter":"status"}}],"verb":"update"}],"name":"set_status","parameters":[{"name":"status","type":{"words":["pending","paid","shipped"]}},{"name":"orderId","type":"uuid"}]},
  {"actions":[{"entity":"User","verb":"check"},{"entity":"Membership","verb":"create"}],"name":"join","parameters":[{"name":"role","type":{"words":["owner","admin","member"]}},{"name":"userId","type":"ulid"},{"name":"orgId","type":"string"}]}
]
}
`) as keyfold.Plan;

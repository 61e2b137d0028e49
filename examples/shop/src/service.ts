/** What the shop does, however it is called. What a caller should expect is a result, all else an error. */

import { KeyfoldError, type Page } from "@keyfold/client";
import {
  type NewProduct,
  type Order,
  type OrderId,
  type OrderItem,
  type OrderStatus,
  type OrderSummary,
  ProductId,
  type ShopClient,
  type UserId,
} from "./shop.js";

/** The most products of an order: a transaction has 100 actions, two for each product. */
const PRODUCTS_MAX = 48;
/** The most pieces of a product in an order. */
export const PIECES_MAX = 1000;
const PIECES = PIECES_MAX.toLocaleString("en");

/** Which page of a list is read. */
export interface PageAsked {
  readonly limit?: number | undefined;
  /** The `next` of the page before. */
  readonly after?: string | undefined;
}

export type UserCreated =
  | { readonly outcome: "created"; readonly userId: UserId }
  | { readonly outcome: "email_taken" };

/** Creates a user. An e-mail belongs to one user, whatever its capitals. */
export async function createUser(
  shop: ShopClient,
  user: { readonly email: string; readonly name: string },
): Promise<UserCreated> {
  try {
    const { made } = await shop.User.create(user);
    return { outcome: "created", userId: made.userId };
  } catch (error) {
    if (error instanceof KeyfoldError && error.code === "taken") return { outcome: "email_taken" };
    throw error;
  }
}

/** A line of a basket. */
export interface BasketLine {
  readonly productId: ProductId;
  readonly quantity: number;
}

export interface Basket {
  /** Made by the caller: the same basket sent again is the same order. */
  readonly orderId: OrderId;
  readonly userId: UserId;
  readonly lines: readonly BasketLine[];
}

export type OrderPlaced =
  | { readonly outcome: "placed"; readonly total: number }
  | { readonly outcome: "placed_before" }
  /** There is an order of this id, of another user or with other lines. */
  | { readonly outcome: "other_basket" }
  | { readonly outcome: "out_of_stock"; readonly productId: ProductId }
  | { readonly outcome: "unknown_product"; readonly productId: ProductId }
  | { readonly outcome: "unknown_user" }
  | { readonly outcome: "wrong_basket"; readonly why: string; readonly field: string };

/** Places an order and takes its products from the stock, all or nothing. Prices are the shop's. */
export async function placeOrder(shop: ShopClient, basket: Basket): Promise<OrderPlaced> {
  const quantities = new Map<ProductId, number>();
  for (const [at, { productId, quantity }] of basket.lines.entries()) {
    const field = `lines[${at}].quantity`;
    if (!Number.isInteger(quantity) || quantity < 1 || quantity > PIECES_MAX) {
      const why = `The quantity of ${productId} is no number from 1 to ${PIECES}. Correct it.`;
      return { outcome: "wrong_basket", why, field };
    }
    const pieces = (quantities.get(productId) ?? 0) + quantity;
    if (pieces > PIECES_MAX) {
      const why = `The order has more than ${PIECES} pieces of ${productId}. Order fewer.`;
      return { outcome: "wrong_basket", why, field };
    }
    quantities.set(productId, pieces);
  }
  if (quantities.size === 0 || quantities.size > PRODUCTS_MAX) {
    const why = `An order has 1 to ${PRODUCTS_MAX} products. Send as many.`;
    return { outcome: "wrong_basket", why, field: "lines" };
  }
  const products = await shop.products({ productId: [...quantities.keys()] }).all(PRODUCTS_MAX);
  const prices = new Map(products.map(({ productId, price }) => [productId, price]));
  const lines = [];
  for (const [productId, quantity] of quantities) {
    const price = prices.get(productId);
    if (price === undefined) return { outcome: "unknown_product", productId };
    lines.push({ productId, quantity, price });
  }
  const total = lines.reduce((sum, { quantity, price }) => sum + quantity * price, 0);
  try {
    await shop.placeOrder({ orderId: basket.orderId, userId: basket.userId, total, lines });
    return { outcome: "placed", total };
  } catch (error) {
    const refused = refusal(error);
    if (refused === undefined) throw error;
    if (refused.outcome !== "placed_before") return refused;
    return (await isPlaced(shop, basket, quantities)) ? refused : { outcome: "other_basket" };
  }
}

/** Whether the order of a basket's id has its user and its lines. Prices may have changed since. */
async function isPlaced(
  shop: ShopClient,
  { orderId, userId }: Basket,
  quantities: ReadonlyMap<ProductId, number>,
): Promise<boolean> {
  const stored = await wholeOrder(shop, orderId);
  return (
    stored?.order.userId === userId &&
    stored.items.length === quantities.size &&
    stored.items.every(({ productId, quantity }) => quantities.get(productId) === quantity)
  );
}

/** The meaning of a refused order; `undefined` for any other error. */
function refusal(error: unknown): OrderPlaced | undefined {
  if (!(error instanceof KeyfoldError)) return undefined;
  const { entity, id } = error.place ?? {};
  switch (entity) {
    case "Order":
      return error.code === "exists" ? { outcome: "placed_before" } : undefined;
    case "User":
      return error.code === "not_found" ? { outcome: "unknown_user" } : undefined;
    case "Product":
      if (error.code !== "refused" && error.code !== "not_found") return undefined;
      return { outcome: "out_of_stock", productId: ProductId(String(id?.["productId"])) };
    default:
      return undefined;
  }
}

/** A page of a user's orders, newest first. */
export function ordersOfUser(
  shop: ShopClient,
  userId: UserId,
  asked: PageAsked = {},
): Promise<Page<OrderSummary>> {
  return shop.ordersOfUser({ userId }).page(asked);
}

/** A page of all orders of a status, newest first. */
export function ordersByStatus(
  shop: ShopClient,
  status: OrderStatus,
  asked: PageAsked = {},
): Promise<Page<Order>> {
  return shop.ordersByStatus({ status }).page(asked);
}

/** The most items of an order. */
const ITEMS_MAX = 1000;

export interface WholeOrder {
  readonly order: Order;
  readonly items: readonly OrderItem[];
}

/** An order with its items; `undefined` where there is none. */
export async function wholeOrder(shop: ShopClient, orderId: OrderId): Promise<WholeOrder | undefined> {
  try {
    const { order, orderItems } = await shop.orderWithItems({ orderId }).whole(ITEMS_MAX);
    return { order, items: orderItems };
  } catch (error) {
    // The pattern promises an order.
    if (error instanceof KeyfoldError && error.code === "not_found") return undefined;
    throw error;
  }
}

/** Sets the status of an order, in lists by status and of its user, too; returns whether there is one. */
export async function setStatus(shop: ShopClient, orderId: OrderId, status: OrderStatus): Promise<boolean> {
  try {
    await shop.setStatus({ orderId, status });
    return true;
  } catch (error) {
    if (error instanceof KeyfoldError && error.code === "not_found") return false;
    throw error;
  }
}

/** Marks orders as shipped, all of them or none; returns the ones that there are not. */
export async function shipOrders(shop: ShopClient, orderIds: readonly OrderId[]): Promise<OrderId[]> {
  const found = await shop.Order.getMany(orderIds.map((orderId) => ({ orderId })));
  const absent = orderIds.filter((_, at) => found[at] === undefined);
  if (absent.length === 0) {
    await shop.transact(orderIds.map((orderId) => shop.part.setStatus({ orderId, status: "shipped" })));
  }
  return absent;
}

/** Writes the shop's products, 25 in a request. */
export async function putProducts(shop: ShopClient, products: readonly NewProduct[]): Promise<void> {
  await shop.Product.putMany(products);
}

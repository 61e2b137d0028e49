/** E1 to E7: users, their orders, the orders' items, and products. */

import { type Answer, BadRequest, problem as refusal } from "./errors.js";
import * as routes from "./routes.js";
import { type Asked, bodyOf, isObject, listed, ok, pageOf, part, plain, type Route, textOf } from "./routes.js";
import * as schema from "./schema.js";
import {
  type BasketLine,
  createUser,
  type OrderPlaced,
  ordersOfUser,
  PIECES_MAX,
  placeOrder,
  setStatus,
  wholeOrder,
} from "./service.js";
import { OrderId, type OrderStatus, ProductId, type ShopClient, UserId } from "./shop.js";

const { cents, list, moment, object, page, problem, problemOf, text, truth, ulid, uuid, whole, words } = schema;

export const user: schema.Schema = object({
  userId: ulid,
  email: text,
  name: text,
  active: truth,
  createdAt: moment,
});
export const product: schema.Schema = object({
  productId: text,
  category: text,
  name: text,
  price: cents,
  stock: { type: "integer", minimum: 0 },
});
const pieces: schema.Schema = { type: "integer", minimum: 1, maximum: PIECES_MAX };
const status = words("pending", "paid", "shipped");
const summary = object({ orderId: uuid, createdAt: moment, total: cents, status });
const order = object({ orderId: uuid, userId: ulid, createdAt: moment, total: cents, status });
const item = object({ orderId: uuid, productId: text, quantity: whole, price: cents });
const pages = { limit: whole, after: text };

export function ordersApi(shop: ShopClient): Route[] {
  return [...userRoutes(shop), ...orderRoutes(shop), ...productRoutes(shop)];
}

function userRoutes(shop: ShopClient): Route[] {
  return [
    {
      key: "POST /users",
      id: "E1",
      summary: "Creates a user, unless the e-mail has one",
      body: object({ email: text, name: text }),
      answers: {
        201: object({ outcome: words("created"), userId: ulid }),
        400: problem,
        409: problemOf(words("email_taken"), { field: text }),
      },
      answer: async (asked) => {
        const body = bodyOf(asked);
        const made = await createUser(shop, { email: textOf(body, "email"), name: textOf(body, "name") });
        if (made.outcome === "created") return { status: 201, body: made };
        const detail = "There is a user with this e-mail already. Send another one.";
        return refusal(409, made.outcome, detail, { field: "email" });
      },
    },
    {
      key: "GET /users",
      id: "E1",
      summary: "The user with an e-mail, whatever its capitals",
      query: { email: text },
      answers: { 200: user, 400: problem, 404: problem },
      answer: async (asked) => {
        const found = await shop.userByEmail({ email: routes.queried(asked, "email") });
        return found === undefined ? routes.absent("user") : ok(plain(found));
      },
    },
    {
      key: "GET /users/{userId}",
      id: "E1",
      summary: "A user by id",
      answers: { 200: user, 400: problem, 404: problem },
      answer: async (asked) => {
        const found = await shop.user({ userId: UserId(part(asked, "userId")) });
        return found === undefined ? routes.absent("user") : ok(plain(found));
      },
    },
    {
      key: "GET /users/{userId}/orders",
      id: "E2 E7",
      summary: "A user's orders, newest first; with `since`, the recent ones",
      query: { since: moment, ...pages },
      answers: { 200: page("orders", summary), 400: problem },
      answer: async (asked) => {
        const userId = UserId(part(asked, "userId"));
        const { since } = asked.query;
        const found =
          since === undefined
            ? await ordersOfUser(shop, userId, pageOf(asked))
            : await shop.recentOrders({ userId, since }).page(pageOf(asked));
        return listed("orders", found);
      },
    },
  ];
}

function orderRoutes(shop: ShopClient): Route[] {
  return [
    {
      key: "GET /orders",
      id: "E6 E7",
      summary: "The orders of a status, newest first; with `since`, the recent ones",
      query: { status, since: moment, ...pages },
      answers: { 200: page("orders", order), 400: problem },
      answer: async (asked) => {
        // The client refuses a word that is none.
        const of = routes.queried(asked, "status") as OrderStatus;
        const { since } = asked.query;
        const query =
          since === undefined
            ? shop.ordersByStatus({ status: of })
            : shop.recentOrdersByStatus({ status: of, since });
        return listed("orders", await query.page(pageOf(asked)));
      },
    },
    {
      key: "PUT /orders/{orderId}",
      id: "E3",
      summary: "Places an order and takes its products from the stock, all or nothing",
      body: object({ userId: ulid, lines: list(object({ productId: text, quantity: pieces })) }),
      answers: {
        200: object({ outcome: words("placed_before") }),
        201: object({ outcome: words("placed"), total: cents }),
        400: problem,
        404: problemOf(words("unknown_product", "unknown_user"), { "productId?": text }),
        409: problemOf(words("out_of_stock", "other_basket"), { "productId?": text }),
      },
      answer: (asked) => putOrder(shop, asked),
    },
    {
      key: "GET /orders/{orderId}",
      id: "E3",
      summary: "An order with its items",
      answers: { 200: object({ order, items: list(item) }), 400: problem, 404: problem },
      answer: async (asked) => {
        const found = await wholeOrder(shop, OrderId(part(asked, "orderId")));
        if (found === undefined) return routes.absent("order");
        return ok({ order: plain(found.order), items: found.items.map(plain) });
      },
    },
    {
      key: "GET /orders/{orderId}/items",
      id: "E4",
      summary: "The items of an order",
      answers: { 200: page("items", item), 400: problem },
      query: pages,
      answer: async (asked) => {
        const orderId = OrderId(part(asked, "orderId"));
        return listed("items", await shop.itemsOfOrder({ orderId }).page(pageOf(asked)));
      },
    },
    {
      key: "PUT /orders/{orderId}/status",
      id: "E6",
      summary: "Sets the status of an order, in all its copies",
      body: object({ status }),
      answers: { 200: object({ status }), 400: problem, 404: problem },
      answer: async (asked) => {
        const to = textOf(bodyOf(asked), "status") as OrderStatus;
        const isSet = await setStatus(shop, OrderId(part(asked, "orderId")), to);
        return isSet ? ok({ status: to }) : routes.absent("order");
      },
    },
  ];
}

async function putOrder(shop: ShopClient, asked: Asked): Promise<Answer> {
  const body = bodyOf(asked);
  const orderId = OrderId(part(asked, "orderId"));
  const basket = { orderId, userId: UserId(textOf(body, "userId")), lines: linesOf(body) };
  const result = await placeOrder(shop, basket);
  switch (result.outcome) {
    case "placed":
      return { status: 201, body: result };
    case "placed_before":
      return { status: 200, body: result };
    case "out_of_stock":
      return refused(409, result, `There are too few pieces of ${result.productId}. Order fewer.`);
    case "other_basket":
      return refused(409, result, "There is an order of this id with another user or other lines. Send another id.");
    case "unknown_product":
      return refused(404, result, `There is no product ${result.productId}. Order one that there is.`);
    case "unknown_user":
      return refused(404, result, `There is no user ${basket.userId}. Send one that there is.`);
    case "wrong_basket":
      return refusal(400, result.outcome, result.why, { field: result.field });
  }
}

/** A refusal with the sentence that people read. */
function refused(status: number, result: OrderPlaced, detail: string): Answer {
  const product = "productId" in result && { productId: result.productId };
  return refusal(status, result.outcome, detail, { ...product });
}

function linesOf({ lines }: routes.Body): BasketLine[] {
  if (!Array.isArray(lines)) {
    throw new BadRequest("The lines are no array. Send an array of products with their quantities.", "lines");
  }
  return lines.map((line: unknown, at) => {
    const path = `lines[${at}]`;
    if (!isObject(line)) {
      throw new BadRequest(`The member ${path} is no object. Send its productId and its quantity.`, path);
    }
    const { quantity } = line;
    if (typeof quantity !== "number") {
      throw new BadRequest(`The member ${path}.quantity is no number. Send one.`, `${path}.quantity`);
    }
    return { productId: ProductId(textOf(line, "productId", `${path}.productId`)), quantity };
  });
}

function productRoutes(shop: ShopClient): Route[] {
  const id = (asked: Asked): ProductId => ProductId(part(asked, "productId"));
  return [
    {
      key: "GET /products/{productId}",
      id: "E5",
      summary: "A product by id",
      answers: { 200: product, 404: problem },
      answer: async (asked) => {
        const found = await shop.product({ productId: id(asked) });
        return found === undefined ? routes.absent("product") : ok(plain(found));
      },
    },
    {
      key: "PUT /products/{productId}",
      id: "E5",
      summary: "Creates a product; one that there is stays as it is",
      body: object({ category: text, name: text, price: cents, stock: whole }),
      answers: { 201: object({ productId: text }), 400: problem, 409: problem },
      answer: async (asked) => {
        const body = bodyOf(asked);
        const productId = ProductId(routes.written(id(asked), "productId"));
        await shop.Product.create({
          productId,
          category: textOf(body, "category"),
          name: textOf(body, "name"),
          price: routes.numberOf(body, "price"),
          stock: routes.numberOf(body, "stock"),
        });
        return { status: 201, body: { productId } };
      },
    },
  ];
}

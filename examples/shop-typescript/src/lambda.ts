/** Two functions for Lambda: one answers an API Gateway, one follows the table's stream. */

import type { StreamRecord } from "@keyfold/client";
import { shop } from "./connection.js";
import { type Answer, answerTo, BadRequest } from "./errors.js";
import { type BasketLine, createUser, ordersOfUser, placeOrder, setStatus, wholeOrder } from "./service.js";
import { OrderId, type OrderStatus, ProductId, type ShopEvent, UserId } from "./shop.js";

/** What is used of an event of API Gateway, in its format 2.0. */
export interface ApiEvent {
  readonly routeKey: string;
  readonly pathParameters?: Readonly<Record<string, string | undefined>>;
  readonly queryStringParameters?: Readonly<Record<string, string | undefined>>;
  readonly body?: string;
}

export interface ApiResponse {
  readonly statusCode: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

/** Answers a request. */
export async function handler(event: ApiEvent): Promise<ApiResponse> {
  const { status, body } = await answer(event).catch(answerTo);
  return {
    statusCode: status,
    headers: { "content-type": "application/json" },
    body: JSON.stringify(body),
  };
}

async function answer(event: ApiEvent): Promise<Answer> {
  const { orderId = "", userId = "" } = event.pathParameters ?? {};
  switch (event.routeKey) {
    case "POST /users":
      return postUser(bodyOf(event));
    case "GET /users/{userId}/orders": {
      const { limit, after } = event.queryStringParameters ?? {};
      const asked = { after, limit: limit === undefined ? undefined : Number(limit) };
      const { items, next } = await ordersOfUser(shop, UserId(userId), asked);
      return { status: 200, body: { orders: items, next } };
    }
    case "PUT /orders/{orderId}":
      return putOrder(OrderId(orderId), bodyOf(event));
    case "GET /orders/{orderId}": {
      const found = await wholeOrder(shop, OrderId(orderId));
      return found === undefined ? unknown("order") : { status: 200, body: found };
    }
    case "PUT /orders/{orderId}/status": {
      // The client refuses a word that is none.
      const status = bodyOf(event)["status"] as OrderStatus;
      const isSet = await setStatus(shop, OrderId(orderId), status);
      return isSet ? { status: 200, body: { status } } : unknown("order");
    }
    default:
      return unknown("route");
  }
}

async function postUser(body: Body): Promise<Answer> {
  const result = await createUser(shop, { email: textOf(body, "email"), name: textOf(body, "name") });
  return { status: result.outcome === "created" ? 201 : 409, body: result };
}

async function putOrder(orderId: OrderId, body: Body): Promise<Answer> {
  const basket = { orderId, userId: UserId(textOf(body, "userId")), lines: linesOf(body) };
  const result = await placeOrder(shop, basket);
  switch (result.outcome) {
    case "placed":
      return { status: 201, body: result };
    case "placed_before":
      return { status: 200, body: result };
    case "out_of_stock":
      return { status: 409, body: result };
    case "unknown_product":
    case "unknown_user":
      return { status: 404, body: result };
    case "wrong_basket":
      return { status: 400, body: result };
  }
}

function unknown(what: string): Answer {
  return { status: 404, body: { error: `there is no such ${what}` } };
}

type Body = Readonly<Record<string, unknown>>;

function bodyOf({ body = "" }: ApiEvent): Body {
  let value: unknown;
  try {
    value = JSON.parse(body);
  } catch {
    throw new BadRequest("the body is no JSON");
  }
  if (!isObject(value)) throw new BadRequest("the body is no object");
  return value;
}

function isObject(value: unknown): value is Body {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

function textOf(body: Body, name: string): string {
  const value = body[name];
  if (typeof value !== "string" || value === "") throw new BadRequest(`${name} is no text`);
  return value;
}

function linesOf({ lines }: Body): BasketLine[] {
  if (!Array.isArray(lines)) throw new BadRequest("lines is no array");
  return lines.map((line: unknown) => {
    if (!isObject(line)) throw new BadRequest("a line is no object");
    return { productId: ProductId(textOf(line, "productId")), quantity: Number(line["quantity"]) };
  });
}

/** A record of a stream as Lambda has it. */
export interface LambdaRecord extends StreamRecord {
  readonly dynamodb: NonNullable<StreamRecord["dynamodb"]> & { readonly SequenceNumber: string };
}

/** What Lambda reads again, of a source with `ReportBatchItemFailures`. */
export interface BatchResponse {
  readonly batchItemFailures: readonly { readonly itemIdentifier: string }[];
}

/** What others hear of the shop. */
export type News =
  | { readonly news: "welcome"; readonly email: string; readonly name: string }
  | { readonly news: "ordered"; readonly orderId: OrderId; readonly total: number }
  | {
      readonly news: "status";
      readonly orderId: OrderId;
      readonly from: OrderStatus;
      readonly to: OrderStatus;
    }
  | { readonly news: "sold_out"; readonly productId: ProductId };

/** A function that follows the stream. What fails comes again, with all that is behind it. */
export function follower(
  publish: (news: News) => Promise<void>,
): (event: { readonly Records: readonly LambdaRecord[] }) => Promise<BatchResponse> {
  return async ({ Records }) => {
    for (const record of Records) {
      try {
        const change = await shop.event(record);
        const news = change && newsOf(change);
        if (news !== undefined) await publish(news);
      } catch (error) {
        console.error(error);
        return { batchItemFailures: [{ itemIdentifier: record.dynamodb.SequenceNumber }] };
      }
    }
    return { batchItemFailures: [] };
  };
}

/** The news of a change, if it is any. */
function newsOf(change: ShopEvent): News | undefined {
  switch (change.kind) {
    case "User": {
      const { old, new: user } = change;
      return user && !old ? { news: "welcome", email: user.email, name: user.name } : undefined;
    }
    case "Order": {
      const { old, new: order } = change;
      if (order === undefined) return undefined;
      const { orderId, total, status } = order;
      if (old === undefined) return { news: "ordered", orderId, total };
      return old.status === status ? undefined : { news: "status", orderId, from: old.status, to: status };
    }
    case "Product": {
      const { old, new: product } = change;
      const isSoldOut = product?.stock === 0 && old?.stock !== 0;
      return isSoldOut ? { news: "sold_out", productId: product.productId } : undefined;
    }
    case "OrderItem":
      return undefined;
  }
}

/** Two functions for Lambda: one answers an API Gateway by the API's routes, one follows the table's stream. */

import type { StreamRecord } from "@keyfold/client";
import { apiOf } from "./api.js";
import { shop } from "./connection.js";
import { type Answer, answerTo, typeOf } from "./errors.js";
import { absent } from "./routes.js";
import type { OrderId, OrderStatus, ProductId, ShopEvent } from "./shop.js";

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
    headers: { "content-type": typeOf(status) },
    body: JSON.stringify(body),
  };
}

const routes = new Map(apiOf(shop).map((route) => [route.key, route]));

async function answer(event: ApiEvent): Promise<Answer> {
  const { routeKey, pathParameters: parts = {}, queryStringParameters: query = {}, body } = event;
  return (await routes.get(routeKey)?.answer({ parts, query, body })) ?? absent("route");
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
    case "Store":
    case "Organisation":
    case "Membership":
    case "File":
    case "View":
      return undefined;
  }
}

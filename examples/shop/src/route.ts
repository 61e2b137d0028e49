/** A server route as Next.js and others have them: `app/api/orders/route.ts`. The orders of a status by
 * pages; where a page ends is in the URL, signed, so that a browser can keep it and cannot change it. */

import { shop } from "./connection.js";
import { type Answer, answerTo, typeOf } from "./errors.js";
import { wholeOf } from "./routes.js";
import { ordersByStatus } from "./service.js";
import type { OrderStatus } from "./shop.js";

const PAGE_DEFAULT = 20;
const PAGE_MAX = 100;

/** `GET /api/orders?status=paid&limit=20&after=CURSOR` */
export async function GET(request: Request): Promise<Response> {
  const { status, body } = await answer(new URL(request.url)).catch(answerTo);
  const headers = { "content-type": typeOf(status), "cache-control": "no-store" };
  return Response.json(body, { status, headers });
}

async function answer(url: URL): Promise<Answer> {
  // The client refuses a word that is none, and a limit that is too small.
  const status = (url.searchParams.get("status") ?? "pending") as OrderStatus;
  const asked = url.searchParams.get("limit");
  const limit = Math.min(asked === null ? PAGE_DEFAULT : wholeOf("limit", asked), PAGE_MAX);
  const after = url.searchParams.get("after") ?? undefined;
  const { items, next } = await ordersByStatus(shop, status, { limit, after });
  return { status: 200, body: { orders: items, next: next === undefined ? null : pageAfter(url, next) } };
}

/** The address of the next page. */
function pageAfter(url: URL, next: string): string {
  const address = new URL(url);
  address.searchParams.set("after", next);
  return `${address.pathname}${address.search}`;
}

// A program on a generated client that any environment runs: `runtimes.test.mjs` compares what it returns.

import { KeyfoldError } from "@keyfold/client";
import { ItemId, OrderId, ProductId, ShopClient, UserId } from "./made/shop.js";

/** What the shop answers, each environment with a user of its own. */
export async function shop(endpoint: string, name: string): Promise<unknown> {
  const shop = new ShopClient(endpoint, { cursorSecret: "secret" });
  await shop.ensureTables();
  const userId = UserId("user");
  const user = { userId: UserId(name), email: `${name}@example.com`, name: "Ada 𝄞", createdAt: "2024-01-15T10:30:00Z" };
  await shop.createUser(user);
  const refused = await shop.createUser(user).catch((error: unknown) => error);
  const lines = [{ itemId: ItemId("i1"), productId: ProductId("p1"), quantity: 2, price: 1.5 }];
  for (let n = 1; n <= 3; n += 1) {
    const orderId = OrderId(`${name}-${n}`);
    await shop.createOrder({ orderId, userId: user.userId, createdAt: `2024-01-0${n}T00:00:00Z`, total: n / 8, status: "pending", lines });
  }
  const orders = shop.ordersOfUser({ userId: user.userId });
  const first = await orders.page({ limit: 2 });
  const rest = await orders.page({ limit: 2, after: first.next ?? null });
  const forged = await orders.page({ after: `${first.next ?? ""}A` }).catch((error: unknown) => error);
  const collection = await shop.orderWithItems({ orderId: OrderId(`${name}-1`) }).all(10);
  const controller = new AbortController();
  controller.abort();
  const aborted = await shop.user({ userId }, { signal: controller.signal }).catch((error: unknown) => error);
  const unreachable = new ShopClient("http://127.0.0.1:9", { retries: 0 });
  const lost = await unreachable.user({ userId }).catch((error: unknown) => error);
  const codeOf = (error: unknown): unknown => (error instanceof KeyfoldError ? error.code : String(error));
  return {
    user: { ...(await shop.user({ userId: user.userId })), userId, email: "" },
    totals: [...first.items, ...rest.items].map((order) => order.total),
    ends: rest.next === undefined,
    kinds: collection.map((item) => item.kind),
    errors: [refused, forged, aborted, lost].map(codeOf),
  };
}

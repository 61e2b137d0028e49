/** What the shop has on its first day. */

import { randomUUID } from "node:crypto";
import { createUser, placeOrder, putProducts, setStatus } from "./service.js";
import { OrderId, type OrderStatus, OrgId, ProductId, type ShopClient, StoreId } from "./shop.js";

const PRODUCTS: readonly (readonly [category: string, name: string, price: number, stock: number])[] = [
  ["writing", "Fountain pen", 4900, 24],
  ["writing", "Pencil of cedar", 190, 400],
  ["writing", "Blue-black ink", 1250, 60],
  ["writing", "Brass sharpener", 1450, 18],
  ["paper", "Dotted notebook", 1690, 90],
  ["paper", "Letter paper", 980, 120],
  ["paper", "Box of envelopes", 740, 75],
  ["paper", "Japanese diary", 3200, 3],
  ["desk", "Walnut tray", 5400, 12],
  ["desk", "Linen desk mat", 6900, 8],
  ["desk", "Lamp of brass", 12900, 5],
  ["desk", "Letter opener", 2300, 31],
];

const STORES: readonly (readonly [region: string, city: string, street: string])[] = [
  ["nordland", "bodø", "storgata"],
  ["nordland", "bodø", "sjøgata"],
  ["nordland", "narvik", "kongens gate"],
  ["vestland", "bergen", "torgallmenningen"],
];

const USERS: readonly (readonly [email: string, name: string])[] = [
  ["ada@example.com", "Ada Lovelace"],
  ["grace@example.com", "Grace Hopper"],
  ["kofi@example.com", "Kofi Mensah"],
];

const STATUSES: readonly OrderStatus[] = ["pending", "paid", "shipped"];

/** The id of what has a name. */
function idOf(name: string): string {
  return name.toLowerCase().replace(/[^\p{L}\p{N}]+/gu, "-");
}

/** Fills an empty shop. One that has products stays as it is. */
export async function seed(shop: ShopClient): Promise<void> {
  if ((await shop.productsOfCategory({ category: "paper" }).first()) !== undefined) return;
  const products = PRODUCTS.map(([category, name, price, stock]) => ({
    productId: ProductId(idOf(name)),
    category,
    name,
    price,
    stock,
  }));
  for (const [region, city, street] of STORES) {
    await shop.Store.put({ storeId: StoreId(idOf(`${city} ${street}`)), region, city, street });
  }
  const orgId = OrgId("stationers");
  await shop.Organisation.create({ orgId, name: "Stationers of the North" });
  for (const path of ["plans/2026/roof.pdf", "plans/2026/shelves.pdf", "plans/2025/door.pdf", "readme.txt"]) {
    await shop.File.put({ orgId, path, bytes: 1000 * path.length });
  }
  await putProducts(shop, products);
  for (const [at, [email, name]] of USERS.entries()) {
    const made = await createUser(shop, { email, name });
    if (made.outcome !== "created") continue;
    await shop.join({ orgId, userId: made.userId, role: at === 0 ? "owner" : "member" });
    const orderId = OrderId(randomUUID());
    const lines = products.slice(3 * at, 3 * at + 2).map(({ productId }) => ({ productId, quantity: at + 1 }));
    await placeOrder(shop, { orderId, userId: made.userId, lines });
    await setStatus(shop, orderId, STATUSES[at] ?? "pending");
  }
}

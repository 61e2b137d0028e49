/** A server in memory for one file of tests, and the program on it. */

import { startServer } from "@keyfold/client/node";

export const SECRET = "a secret of the tests";

/** Starts a server with the shop's table and three products. */
export async function start() {
  const server = await startServer();
  process.env.SHOP_CONNECTION = server.endpoint;
  process.env.CURSOR_SECRET = SECRET;
  // Modules that read the environment are imported once it is set.
  const { shop } = await import("../dist/connection.js");
  await shop.ensureTables();
  for (const [productId, name, price, stock] of [
    ["pen", "Pen", 150, 10],
    ["ink", "Ink", 700, 2],
    ["pad", "Pad", 320, 1000],
  ]) {
    await shop.Product.create({ productId, category: "writing", name, price, stock });
  }
  return { shop, server };
}

/** A text for URLs with another character in its middle. */
export function tampered(text) {
  const at = Math.floor(text.length / 2);
  return `${text.slice(0, at)}${text[at] === "A" ? "B" : "A"}${text.slice(at + 1)}`;
}

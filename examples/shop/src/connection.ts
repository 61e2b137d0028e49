/** The shop's client, made of the environment once for all calls of a process. */

import { ShopClient } from "./shop.js";

/** The variable of the environment, which must be set. */
function variable(name: string): string {
  const value = process.env[name];
  if (value === undefined || value === "") throw new Error(`the variable ${name} is not set`);
  return value;
}

/** `http://localhost:8000` while a program is written, `dynamodb://eu-west-1` where it runs. */
export const shop: ShopClient = new ShopClient(variable("SHOP_CONNECTION"), {
  cursorSecret: variable("CURSOR_SECRET"),
});

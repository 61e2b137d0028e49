/** Opens the shop that the environment describes, and closes it at Ctrl-C. */

import { randomBytes } from "node:crypto";
import { KeyfoldError } from "@keyfold/client";
import { open } from "./server.js";

const { SHOP_CONNECTION = "keyfold:./data", CURSOR_SECRET, SHOP_HOST, PORT } = process.env;

try {
  const shop = await open({
    connection: SHOP_CONNECTION,
    // Without one of its own, cursors end with the process.
    cursorSecret: CURSOR_SECRET ?? randomBytes(32).toString("hex"),
    seeded: process.argv.includes("--seeded"),
    ...(SHOP_HOST !== undefined && { host: SHOP_HOST }),
    ...(PORT !== undefined && { port: Number(PORT) }),
  });
  console.log(`The shop is open at ${shop.address} (Ctrl-C closes it)`);
  const end = (): void => {
    void shop.close().then(() => process.exit());
  };
  for (const signal of ["SIGINT", "SIGTERM"]) process.once(signal, end);
} catch (error) {
  console.error(`The shop stays closed: ${error instanceof Error ? error.message : String(error)}`);
  if (!(error instanceof KeyfoldError)) console.error(error);
  process.exitCode = 1;
}

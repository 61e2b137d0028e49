/** Opens the shop that the environment describes, and closes it at Ctrl-C. */

import { randomBytes } from "node:crypto";
import { KeyfoldError } from "@keyfold/client";
import { wrongName } from "./names.js";
import { open } from "./server.js";

const { SHOP_CONNECTION = "keyfold:./data", CURSOR_SECRET, SHOP_HOST, PORT } = process.env;

const USAGE = `usage: node dist/main.js [--seeded]

Opens the shop as a page and an API, until Ctrl-C. --seeded fills a shop that has no product.

  SHOP_CONNECTION
      the database: keyfold:./data if it is not set
  CURSOR_SECRET
      seals the cursors of pages: without it, they end with the process
  SHOP_HOST, PORT
      where it listens: a free port of 127.0.0.1 if they are not set
  ALLOW_HOST
      a name that it answers to, beside addresses, localhost and names without a dot`;

/** A sentence for whoever starts the program: what the environment has is wrong. */
class WrongSetting extends Error {}

/** The port to listen on; without one, a free one. */
function portOf(text: string | undefined): number {
  if (text === undefined) return 0;
  if (/^\d{1,5}$/.test(text) && Number(text) <= 65535) return Number(text);
  const given = JSON.stringify(text);
  throw new WrongSetting(`PORT is ${given}. Set it to a whole number from 0 to 65535; 0 is a free port`);
}

/** Whether the sentence of an error says all. Other ones are the program's own, and show where they are from. */
function saysAll(error: unknown): boolean {
  if (error instanceof KeyfoldError || error instanceof WrongSetting) return true;
  // The port is taken, or the address is none of this machine.
  return (error as NodeJS.ErrnoException).syscall === "listen";
}

/** Opens it, or says why it stays closed. */
async function opened(seeded: boolean): Promise<void> {
  try {
    const misnamed = wrongName();
    if (misnamed !== undefined) throw new WrongSetting(misnamed);
    const shop = await open({
      connection: SHOP_CONNECTION,
      // Without one of its own, cursors end with the process.
      cursorSecret: CURSOR_SECRET ?? randomBytes(32).toString("hex"),
      seeded,
      ...(SHOP_HOST !== undefined && { host: SHOP_HOST }),
      port: portOf(PORT),
    });
    console.log(`The shop is open at ${shop.address} (Ctrl-C closes it)`);
    const end = (): void => {
      void shop.close().then(() => process.exit());
    };
    for (const signal of ["SIGINT", "SIGTERM"]) process.once(signal, end);
  } catch (error) {
    console.error(`The shop stays closed: ${error instanceof Error ? error.message : String(error)}`);
    if (!saysAll(error)) console.error(error);
    process.exitCode = 1;
  }
}

const words = process.argv.slice(2);
const wrong = words.find((word) => word !== "--seeded");
if (words.includes("--help")) console.log(USAGE);
else if (wrong === undefined) await opened(words.includes("--seeded"));
else {
  console.error(`It does not take ${wrong}. See --help.`);
  process.exitCode = 2;
}

/** Opens the workshop that the environment describes, and closes it at Ctrl-C. */

import { randomBytes } from "node:crypto";
import { KeyfoldError } from "@keyfold/client";
import { open } from "./workshop.js";

const { SANTA_CONNECTION = "keyfold:./data", SANTA_CURSOR_SECRET, SANTA_HOST, PORT } = process.env;

try {
  const workshop = await open({
    connection: SANTA_CONNECTION,
    // Without one of its own, links to later pages of a list end with the process.
    cursorSecret: SANTA_CURSOR_SECRET ?? randomBytes(32).toString("hex"),
    seeded: process.argv.includes("--seeded"),
    ...(SANTA_HOST !== undefined && { host: SANTA_HOST }),
    ...(PORT !== undefined && { port: Number(PORT) }),
  });
  console.log(`Santa's Workshop is open at ${workshop.address} (Ctrl-C closes it)`);
  const end = (): void => {
    void workshop.close().then(() => process.exit());
  };
  for (const signal of ["SIGINT", "SIGTERM"]) process.once(signal, end);
} catch (error) {
  console.error(`The workshop stays closed: ${error instanceof Error ? error.message : String(error)}`);
  if (!(error instanceof KeyfoldError)) console.error(error);
  process.exitCode = 1;
}

/** The checked-in client is that of the model. */

import { execFileSync } from "node:child_process";
import { test } from "node:test";
import { fileURLToPath } from "node:url";

test("src/shop.ts is the client of shop.keyfold", () => {
  const folder = fileURLToPath(new URL("..", import.meta.url));
  execFileSync(process.env.KEYFOLD_BIN ?? "keyfold", ["generate", "--check"], { cwd: folder, stdio: "pipe" });
});

/** What is checked in is that of its sources. */

import { execFileSync } from "node:child_process";
import { test } from "node:test";
import { fileURLToPath } from "node:url";

const cwd = fileURLToPath(new URL("..", import.meta.url));

test("src/shop.ts is the client of shop.keyfold", () => {
  execFileSync(process.env.KEYFOLD_BIN ?? "keyfold", ["generate", "--check"], { cwd, stdio: "pipe" });
});

test("openapi.json is the description of the routes", () => {
  execFileSync(process.execPath, ["dist/describe.js", "--check"], { cwd, stdio: "pipe" });
});

/** The proof of each model of the repository through this client, by the methods of its generated file: the same
 * requests as those of Keyfold's own client, and answers as SQL has them. */

import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { readdirSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { fileURLToPath } from "node:url";
import { BINARY } from "./source.mjs";

const ROOT = fileURLToPath(new URL("../../..", import.meta.url));
const PROGRAM = fileURLToPath(new URL("../built/lockstep.mjs", import.meta.url));
const FOLDERS = ["models", "models/existing", "crates/keyfold-prove/tests"];

const found = FOLDERS.flatMap((folder) =>
  readdirSync(join(ROOT, folder))
    .filter((name) => name.endsWith(".keyfold"))
    .map((name) => join(folder, name)),
);

function prove(model, through, size, env = {}) {
  const args = ["prove", join(ROOT, model), ...size, "--through", `node ${PROGRAM}${through}`];
  return spawnSync(BINARY, args, { encoding: "utf8", env: { ...process.env, ...env } });
}

// A model of several files is proved by its first one.
for (const model of [...found, "models/shop-teams/shop.keyfold"]) {
  test(model, () => {
    const { status, stdout, stderr } = prove(model, " --generated", ["--items", "12", "--asks", "3"]);
    assert.equal(status, 0, `${stdout.slice(-4000)}${stderr.slice(-2000)}`);
  });
}

test("calls by name", () => {
  const { status, stdout, stderr } = prove("crates/keyfold-prove/tests/everything.keyfold", "", ["--items", "8", "--asks", "1"]);
  assert.equal(status, 0, `${stdout.slice(-4000)}${stderr.slice(-2000)}`);
});

for (const mistake of [
  '"recent_orders", args=>"orders_of_user", args',
  'Writer(this.client, "Product")=>Writer(this.client, "OrderItem")',
  'orderItems: ["OrderItem"]=>orderItems: ["Order"]',
]) {
  test(`a mistake in a generated file is found: ${mistake}`, () => {
    const { status, stdout, stderr } = prove("models/shop.keyfold", " --generated", ["--items", "3", "--asks", "1"], {
      KEYFOLD_MISTAKE: mistake,
    });
    assert.ok(!stderr.includes("there is no"), stderr);
    assert.notEqual(status, 0, stdout);
  });
}

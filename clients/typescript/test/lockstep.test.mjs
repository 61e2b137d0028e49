/** The proof of each model of the repository through this client: the same requests as those of Keyfold's own
 * client, and answers as SQL has them. */

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

// A model of several files is proved by its first one.
for (const model of [...found, "models/shop-teams/shop.keyfold"]) {
  test(model, () => {
    const args = ["prove", join(ROOT, model), "--items", "12", "--asks", "3", "--through", `node ${PROGRAM}`];
    const { status, stdout, stderr } = spawnSync(BINARY, args, { encoding: "utf8" });
    assert.equal(status, 0, `${stdout.slice(-4000)}${stderr.slice(-2000)}`);
  });
}

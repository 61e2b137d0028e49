/** What the types of a large model cost an editor: counted, since time depends on the machine. */

import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { fileURLToPath } from "node:url";
import { largeProject } from "./large.mjs";
import { BINARY } from "./source.mjs";

const ROOT = fileURLToPath(new URL("..", import.meta.url));
/** The types and instantiations that the compiler made when this was written, those of its own library included,
 * and a tenth more. */
const TYPES_MAX = 21_500;
const INSTANTIATIONS_MAX = 7_900;

test("the compiler makes few types of 50 entities and 200 patterns", () => {
  const folder = mkdtempSync(join(tmpdir(), "keyfold-large-"));
  try {
    const program = 'import { LargeClient } from "./large";\nexport const large: LargeClient = new LargeClient("http://localhost:8000");\n';
    largeProject(folder, ROOT, BINARY, program);
    const tsc = join(ROOT, "node_modules/typescript/bin/tsc");
    const said = execFileSync(process.execPath, [tsc, "-p", folder, "--extendedDiagnostics"], { encoding: "utf8" });
    const count = (name) => Number(new RegExp(`^${name}: +([0-9]+)$`, "m").exec(said)?.[1]);
    console.log(`${count("Types")} types, ${count("Instantiations")} instantiations`);
    assert.ok(count("Types") <= TYPES_MAX, `${count("Types")} types`);
    assert.ok(count("Instantiations") <= INSTANTIATIONS_MAX, `${count("Instantiations")} instantiations`);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
});

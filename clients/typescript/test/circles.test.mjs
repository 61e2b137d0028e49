/** No file of the package imports one that imports it, also over others. */

import assert from "node:assert/strict";
import { readdirSync, readFileSync } from "node:fs";
import { dirname, join, relative } from "node:path";
import { test } from "node:test";
import { fileURLToPath } from "node:url";

const ROOT = fileURLToPath(new URL("../src", import.meta.url));

/** The files that a file imports, also for types alone. What it loads when it is needed is no part of it. */
function imports(file) {
  const text = readFileSync(join(ROOT, file), "utf8");
  const found = [...text.matchAll(/\bfrom\s*"(\.[^"]*)\.js"/g)];
  return found.map(([, path]) => relative(ROOT, join(ROOT, dirname(file), `${path}.ts`)));
}

test("files import in no circle", () => {
  const files = readdirSync(ROOT, { recursive: true }).map(String).filter((name) => name.endsWith(".ts"));
  assert.ok(files.length > 50);
  const done = new Set();
  const circles = [];
  const visit = (file, path) => {
    if (path.includes(file)) circles.push([...path.slice(path.indexOf(file)), file].join(" -> "));
    if (done.has(file) || path.includes(file)) return;
    for (const other of imports(file)) visit(other, [...path, file]);
    done.add(file);
  };
  for (const file of files) visit(file, []);
  assert.deepEqual(circles, []);
});

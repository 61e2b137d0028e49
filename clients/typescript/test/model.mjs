/** Models and servers of tests. */

import { execFileSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { BINARY } from "./source.mjs";

/** The plan document of a model's text. */
export function planOf(text) {
  const folder = mkdtempSync(join(tmpdir(), "keyfold-model-"));
  try {
    const file = join(folder, "model.keyfold");
    writeFileSync(file, text);
    return JSON.parse(execFileSync(BINARY, ["plan", file], { encoding: "utf8" }));
  } finally {
    rmSync(folder, { recursive: true });
  }
}

/** A transport that counts what it is asked and answers each operation by a function. */
export function counted(answers = {}) {
  const sent = [];
  return {
    sent,
    async call(operation, input) {
      sent.push({ operation, input });
      return answers[operation]?.(input) ?? {};
    },
  };
}

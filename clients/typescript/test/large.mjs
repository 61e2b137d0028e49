/** A large model in a project of its own: 50 entities, 200 patterns, 50 named writes. */

import { execFileSync } from "node:child_process";
import { mkdirSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";

const ENTITIES = 50;

/** A model with 50 entities in one table, each with four patterns and a named write. */
function model() {
  const entity = (at) => `
entity Thing${at}
  thing${at}Id: string, ownerId: string, name: string, createdAt: time, size: number
  status: new | open | closed
  labels: set of string?, note: string?
  key           "T${at}#{thing${at}Id}"          "META"
  GSI1          "T${at}STATUS#{status}"          "AT#{createdAt}#{thing${at}Id}"
  copy summary  "OWNER#{ownerId}"                "T${at}#{createdAt}#{thing${at}Id}"  only thing${at}Id, name, status, createdAt

pattern thing${at}(thing${at}Id)                                -> Thing${at}?
pattern thing${at}s_of_owner(ownerId)                       -> Thing${at}.summary[]  newest page 20
pattern thing${at}s_by_status(status)                       -> Thing${at}[]          newest page 20
pattern recent_thing${at}s(status, createdAt >= since)      -> Thing${at}[]          newest page 20

write close_thing${at}()
  update Thing${at} set status = "closed"
`;
  return `model large 1\n\ntable Large (PK, SK)\n  gsi GSI1 (GSI1PK, GSI1SK)\n${Array.from({ length: ENTITIES }, (_, at) => entity(at)).join("")}`;
}

/** Writes the model's client and a program on it into a folder, where `root` is the package. */
export function largeProject(folder, root, binary, program) {
  writeFileSync(join(folder, "large.keyfold"), model());
  execFileSync(binary, ["generate", "typescript", "large.keyfold", "-o", "."], { cwd: folder });
  mkdirSync(join(folder, "node_modules/@keyfold"), { recursive: true });
  symlinkSync(root, join(folder, "node_modules/@keyfold/client"));
  const options = { strict: true, noEmit: true, target: "es2022", module: "esnext", moduleResolution: "bundler", types: [] };
  writeFileSync(join(folder, "tsconfig.json"), JSON.stringify({ compilerOptions: options, files: ["program.ts"] }));
  writeFileSync(join(folder, "program.ts"), program);
}

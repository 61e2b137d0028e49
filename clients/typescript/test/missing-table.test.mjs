/** The error about a table that does not exist names it, whichever call asks. */

import assert from "node:assert/strict";
import { test } from "node:test";
import { planOf } from "./model.mjs";
import { source } from "./source.mjs";

const { Client, KeyfoldError } = await source("client.js", "error.js");

const client = new Client(
  planOf(`
model missing 1
table Main (PK, SK)
  gsi Late (GP, GS)
table Other (PK, SK)
entity Note in Main
  id: string, at: time, text: string
  key "N#{id}" "{at}"
  Late "T#{text}" "{at}"
entity Owner in Other
  id: string, name: string
  key "O#{id}" "O"
  unique name
pattern note(id, at) -> Note?
pattern notes(id) -> Note[]
pattern late(text) -> Note[]
pattern both(id, at) -> (Note?, Owner?)
write rename(id, name: string)
  update Owner set name = name
`),
  {
    async call(operation) {
      const detail = { code: "service", exception: "ResourceNotFoundException", reasons: [] };
      throw new KeyfoldError("ResourceNotFoundException: Requested resource not found", detail);
    },
  },
);
const at = "2024-01-15";
const calls = {
  Main: [
    () => client.one("note", { id: "a", at }),
    () => client.page("notes", { id: "a" }),
    () => client.first("late", { text: "a" }),
    () => client.create("Note", { id: "a", at, text: "t" }),
    () => client.delete("Note", { id: "a", at }),
    () => client.getMany("Note", [{ id: "a", at }]),
    () => client.putMany("Note", [{ id: "a", at, text: "t" }]),
    () => client.together("both", { id: "a", at }),
    () => client.transact([{ put: "Note", values: { id: "a", at, text: "t" } }, { delete: "Note", key: { id: "b", at } }]),
  ],
  Other: [
    () => client.put("Owner", { id: "a", name: "n" }),
    () => client.write("rename", { id: "a", name: "n" }),
    () => client.together("both", { id: "a", at }),
  ],
};

for (const [table, all] of Object.entries(calls)) {
  for (const call of all) {
    test(`${table}: ${String(call)}`, async () => {
      const error = await call().then(assert.fail, (one) => one);
      assert.ok(error instanceof KeyfoldError, String(error.stack));
      assert.deepEqual([error.code, error.detail.exception], ["service", "ResourceNotFoundException"]);
      assert.match(error.message, new RegExp(`\\b${table}\\b`));
      assert.match(error.message, /`ensureTables\(\)`.*region/);
    });
  }
}

/** What named writes make: also the moments that each write sets. */

import assert from "node:assert/strict";
import { test } from "node:test";
import { counted, planOf } from "./model.mjs";
import { source } from "./source.mjs";

const { Client } = await source("client.js");

const NOW = Date.UTC(2024, 0, 15, 10, 30);
const MOMENT = "2024-01-15T10:30:00.000Z";
const PLAN = planOf(`
model made 1
table Docs (PK, SK)
entity Doc
  id: string, title: string, changedAt: time = now always
  key "D#{id}" "D"
pattern doc(id) -> Doc?
write rename(id, title: string)
  update Doc set title = title
write both(title: string)
  update Doc as one set title = title
  update Doc as two set title = title
write add(id, title)
  create Doc
write again(id, title)
  put Doc
write pair(title: string)
  put Doc as one set title = title
  put Doc as two set title = title
entity Mark
  markId: ulid = new, title: string
  key "M#{markId}" "M"
entity Note
  markId: Mark.markId, at: string, title: string
  key "M#{markId}" "N#{at}"
write mark(title: string, at: string)
  create Mark
  create Note as note set markId = Mark.markId, at = at, title = Mark.title
entity Task
  taskId: string, state: open | closed = open, closedAt: time?, seenAt: time?
  key "T#{taskId}" "T"
record Which
  taskId: string
write close(taskId)
  update Task set state = closed, closedAt = now
write close_both()
  update Task as one set closedAt = now
  update Task as two set closedAt = now
write close_each(tasks: list of Which)
  update Task for each tasks set closedAt = now
write born_closed(taskId)
  create Task set closedAt = now
write over(taskId)
  put Task set closedAt = now
write see(taskId, at: time)
  create or update Task set seenAt = now, closedAt = now else closedAt = at
`);
const client = () => new Client(PLAN, counted(), { now: () => NOW });

test("a named update reports the moment that it sets", async () => {
  const { made } = await client().write("rename", { id: "a", title: "t" });
  assert.deepEqual(made, [{ entity: "Doc", attribute: "changedAt", value: MOMENT }]);
  const given = await client().write("rename", { id: "a", title: "t", changedAt: "2023-01-01T00:00:00.000Z" });
  assert.deepEqual(given.made, []);
});

test("each action reports its own, behind its alias, also in a transaction", async () => {
  const args = { title: "t", "one.id": "a", "two.id": "b", "two.changedAt": "2023-01-01T00:00:00.000Z" };
  const made = [{ entity: "Doc", attribute: "one.changedAt", value: MOMENT }];
  assert.deepEqual((await client().write("both", args)).made, made);
  const { writes } = await client().transact([{ write: "both", args }]);
  assert.deepEqual(writes.map((one) => one.made), [made]);
});

test("a whole item of a named write reports its moment", async () => {
  for (const write of ["add", "again"]) {
    const { made } = await client().write(write, { id: "a", title: "t" });
    assert.deepEqual(made, [{ entity: "Doc", attribute: "changedAt", value: MOMENT }]);
    const given = await client().write(write, { id: "a", title: "t", changedAt: "2023-01-01T00:00:00.000Z" });
    assert.deepEqual(given.made, []);
  }
  const args = { title: "t", "one.id": "a", "two.id": "b", "two.changedAt": "2023-01-01T00:00:00.000Z" };
  assert.deepEqual((await client().write("pair", args)).made, [{ entity: "Doc", attribute: "one.changedAt", value: MOMENT }]);
});

test("an identifier that is made is that of all items, and is reported once", async () => {
  const backend = counted();
  const { made } = await new Client(PLAN, backend, { now: () => NOW }).write("mark", { title: "t", at: "a" });
  assert.deepEqual(made.map(({ entity, attribute }) => [entity, attribute]), [["Mark", "markId"]]);
  const id = made[0].value;
  const puts = backend.sent.at(-1).input.TransactItems.map((one) => one.Put.Item);
  assert.deepEqual(puts.map((item) => item.markId.S), [id, id]);
});

test("a moment that a named write sets is reported, unless the caller gives it", async () => {
  const closed = { entity: "Task", attribute: "closedAt", value: MOMENT };
  const args = { taskId: "a" };
  for (const write of ["close", "born_closed", "over"]) {
    assert.deepEqual((await client().write(write, args)).made, [closed], write);
    assert.deepEqual((await client().write(write, { ...args, now: MOMENT })).made, [], write);
  }
  const both = ["one.closedAt", "two.closedAt"].map((attribute) => ({ ...closed, attribute }));
  assert.deepEqual((await client().write("close_both", { "one.taskId": "a", "two.taskId": "b" })).made, both);
  const each = await client().write("close_each", { tasks: [{ taskId: "a" }, { taskId: "b" }] });
  assert.deepEqual(each.made, [closed, closed]);
  // What a new item gets instead is not told from what a stored one gets.
  assert.deepEqual((await client().write("see", { ...args, at: MOMENT })).made, [{ ...closed, attribute: "seenAt" }]);
});

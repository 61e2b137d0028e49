/** The member of items that holds their kind, beside attributes of that name. */

import assert from "node:assert/strict";
import { test } from "node:test";
import { counted, planOf } from "./model.mjs";
import { source } from "./source.mjs";

const { Client, Collection } = await source("client.js", "typed.js");

const MODEL = (attributes) => `
model kinds 1
table Main (PK, SK)
entity Order
  id: string${attributes.map((name) => `, "${name}": string?`).join("")}
  key "ORDER#{id}" "ORDER"
entity Line
  id: Order.id, n: int
  key "ORDER#{id}" "LINE#{n:03}"
pattern order(id) -> Order + Line[]
`;

for (const [attributes, member] of [
  [[], "kind"],
  [["kind"], "$kind"],
  [["$kind"], "kind"],
  [["kind", "$kind"], "$$kind"],
  [["kind", "$$kind"], "$kind"],
]) {
  test(`beside ${attributes.join(" and ") || "none"} it is ${member}`, async () => {
    const put = counted();
    const client = new Client(planOf(MODEL(attributes)), put);
    const own = Object.fromEntries(attributes.map((name) => [name, "Line"]));
    await client.put("Order", { id: "a", ...own });
    await client.put("Line", { id: "a", n: 1 });
    const stored = () => put.sent.filter(({ operation }) => operation === "PutItem").map(({ input }) => input.Item);
    const items = stored();
    const reader = new Client(client.plan, counted({ Query: () => ({ Items: items, Count: items.length }) }));
    const read = await reader.all("order", { id: "a" }, 10);
    assert.deepEqual(
      read.map((item) => item[member]),
      ["Order", "Line"],
    );
    for (const name of attributes) assert.equal(read[0][name], "Line");
    const { order, lines } = await new Collection(reader, "order", { id: "a" }, { order: "Order", lines: ["Line"] }).whole(10);
    assert.deepEqual([order.id, lines.map(({ n }) => n)], ["a", [1]]);
    // What was read may be given back.
    await client.put("Order", order);
    assert.deepEqual(stored().at(-1), items[0]);
  });
}

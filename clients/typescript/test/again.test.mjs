/** A service that has pages again: each reading ends, also one of several requests in one call. */

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { counted, planOf } from "./model.mjs";
import { source } from "./source.mjs";

const { Client } = await source("client.js");

const PLAN = planOf(readFileSync(new URL("../../cases/again.keyfold", import.meta.url), "utf8"));
const BETWEEN = { sensor: "s", from: "2024-01-15T00:00:00Z", to: "2024-03-15T00:00:00Z" };
const PATTERNS = { notes: { author: "a" }, logs: { id: "a" }, orders: { id: "a" }, readings: BETWEEN };

/** A transport whose pages are empty and lead to each other in a circle of a length. */
function circling(length) {
  const places = Object.fromEntries(Array.from({ length }, (_, at) => [`${at}`, `${(at + 1) % length}`]));
  const transport = counted({
    Query({ ExclusiveStartKey: { SK = { S: "" } } = {}, ExpressionAttributeValues: values }) {
      // A reading without an end would have none here.
      assert.ok(transport.sent.length < 1000, "endless");
      return { Items: [], Count: 0, LastEvaluatedKey: { PK: values[":v0"], SK: { S: places[SK.S] ?? "0" } } };
    },
  });
  return transport;
}

for (const [name, args] of Object.entries(PATTERNS)) {
  for (const pattern of [name, `${name}_paged`]) {
    test(`${pattern} ends where pages come again`, async () => {
      for (const length of [1, 2, 5]) {
        const transport = circling(length);
        const error = await new Client(PLAN, transport).all(pattern, args, 9).then(assert.fail, (one) => one);
        assert.equal(error.code, "transport", error.stack);
        assert.equal(error.message, `${pattern} has a page again that it had before`);
        assert.ok(transport.sent.length < 3 * (4 * length + 20), `${transport.sent.length}`);
      }
    });
  }
}

/** What answers mean: the cases that the clients of all languages share. */

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { source } from "./source.mjs";

const { KeyfoldError, transportOf } = await source("error.js", "transport/connect.js");

const { requests, cases } = JSON.parse(readFileSync(new URL("../../cases/answers.json", import.meta.url), "utf8"));
const READS = ["GetItem", "Query", "Scan", "BatchGetItem", "TransactGetItems"];

/** Each operation with a status, the text of a body, and its meaning. */
const ALL = cases.flatMap(({ of, status, is, bodies }) =>
  of.flatMap((operation) =>
    bodies.map((body) => ({ operation, status, text: typeof body === "string" ? body : JSON.stringify(body), is })),
  ),
);

/** The meaning of an answer, in the words of the cases. */
async function meaning({ operation, status, text }) {
  const fetch = async () => new Response(text, { status });
  const transport = transportOf({ endpoint: "http://localhost:1", fetch }, { retries: 0 });
  try {
    await transport.call(operation, requests[operation]);
    return "done";
  } catch (error) {
    assert.ok(error instanceof KeyfoldError, error.stack);
    const isLost = error.code === (READS.includes(operation) ? "transport" : "outcome_unknown");
    return isLost ? "lost" : error.code === "service" ? "refused" : error.code;
  }
}

test("an answer means the same to clients of all languages", async () => {
  const wrong = [];
  for (const one of ALL) {
    const found = await meaning(one);
    if (found !== one.is) wrong.push(`${one.operation} ${one.status} ${one.text}: ${found}, not ${one.is}`);
  }
  assert.equal(wrong.length, 0, `${wrong.length}\n${wrong.join("\n")}`);
});

test("an answer that is cut is lost", async () => {
  for (const { text, is, ...one } of ALL) {
    const whole = text.trimEnd();
    if (is === "lost" || !whole.endsWith("}")) continue;
    const cut = Array.from(whole, (_, at) => whole.slice(0, at));
    const found = await Promise.all(cut.map((text) => meaning({ ...one, text })));
    for (const [at, what] of found.entries()) assert.equal(what, "lost", cut[at]);
  }
});

/** The client of the AWS SDK as a transport: values on their way, errors, and answers that are not DynamoDB's. */

import assert from "node:assert/strict";
import { test } from "node:test";
import { source } from "./source.mjs";

const { awsTransport, KeyfoldError } = await source("error.js", "transport/aws.js");

async function codeOf(promise) {
  const error = await promise.then(assert.fail, (one) => one);
  assert.ok(error instanceof KeyfoldError, String(error.stack));
  return error.code;
}

test("a client of the AWS SDK can carry requests", async () => {
  class PutItemCommand {
    constructor(input) {
      this.input = input;
    }
  }
  const bytes = new Uint8Array([0, 1]);
  const client = {
    config: { maxAttempts: async () => 1 },
    send: async ({ input }) => ({ $metadata: {}, Attributes: input.Item, Other: undefined }),
  };
  const item = { B: { B: "AAE=" }, S: { S: "B" }, L: { L: [{ BS: ["AAE="] }] }, M: { M: { B: { S: "text" }, BS: { L: [] } } } };
  const answer = await awsTransport(client, { PutItemCommand }).call("PutItem", { Item: item });
  assert.deepEqual(answer, { Attributes: item });
  let sent;
  const seeing = { ...client, send: async ({ input }) => ((sent = input), {}) };
  await awsTransport(seeing, { PutItemCommand }).call("PutItem", { Item: item });
  assert.deepEqual(sent.Item, {
    B: { B: bytes },
    S: { S: "B" },
    L: { L: [{ BS: [bytes] }] },
    M: { M: { B: { S: "text" }, BS: { L: [] } } },
  });
  const eager = { ...client, config: { maxAttempts: async () => 3 } };
  assert.equal(await codeOf(awsTransport(eager, { PutItemCommand }).call("PutItem", {})), "invalid");
  const refusing = {
    ...client,
    send: async () => {
      throw Object.assign(new Error("no"), { name: "ConditionalCheckFailedException", $metadata: { httpStatusCode: 400 } });
    },
  };
  const error = await awsTransport(refusing, { PutItemCommand }).call("PutItem", {}).catch((one) => one);
  assert.deepEqual(error.detail, { code: "service", exception: "ConditionalCheckFailedException", reasons: [] });
  const shown = async (members) => {
    const name = members.Item ? "ConditionalCheckFailedException" : "TransactionCanceledException";
    const thrown = Object.assign(new Error("no"), { name, $metadata: { httpStatusCode: 400 }, ...members });
    const own = { ...client, send: () => Promise.reject(thrown) };
    return (await awsTransport(own, { PutItemCommand }).call("PutItem", {}).catch((one) => one)).detail.found;
  };
  assert.deepEqual(await shown({ Item: {} }), [0]);
  const failed = { Code: "ConditionalCheckFailed" };
  assert.deepEqual(await shown({ CancellationReasons: [{ Code: "None" }, failed, { ...failed, Item: {} }] }), [2]);
});

test("an answer of the AWS SDK that is not DynamoDB's is lost", async () => {
  class TransactWriteItemsCommand {
    middlewareStack = { add: (middleware) => (this.watch = middleware) };
  }
  const commands = { TransactWriteItemsCommand, PutItemCommand: TransactWriteItemsCommand, GetItemCommand: class {} };
  const html = () => Object.assign(new SyntaxError("Unexpected token <"), { name: "SyntaxError", $metadata: { httpStatusCode: 408 } });
  const sized = (length, more = {}) => (command) =>
    command.watch?.(async () => ({ response: { headers: { "content-length": length, ...more } } }))();
  const empty = sized("0");
  for (const [operation, answers, code, times] of [
    ["GetItem", [html, html, html, html], "transport", 4],
    ["PutItem", [html], "outcome_unknown", 1],
    ["PutItem", [empty], "outcome_unknown", 1],
    ["TransactWriteItems", [empty, html, () => undefined], undefined, 3],
    // The SDK leaves members out that are not the answer's.
    ["PutItem", [sized("15")], "outcome_unknown", 1],
    ["PutItem", [sized("2")], undefined, 1],
    ["PutItem", [sized("22", { "content-encoding": "gzip" })], undefined, 1],
    ["TransactWriteItems", [sized("15"), sized("3")], undefined, 2],
  ]) {
    let sent = 0;
    const send = async (command) => {
      const answer = await answers[(sent += 1) - 1](command);
      if (answer instanceof Error) throw answer;
      return { $metadata: {} };
    };
    const call = awsTransport({ config: {}, send }, commands).call(operation, {});
    if (code === undefined) assert.deepEqual(await call, {});
    else assert.equal(await codeOf(call), code, operation);
    assert.equal(sent, times, operation);
  }
});

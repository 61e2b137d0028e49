// The AWS SDK for JavaScript v3, both clients, on a table of its own: the API as an application uses it.

import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, test } from "node:test";
import {
  CreateTableCommand,
  DeleteTableCommand,
  DynamoDBClient,
  TransactWriteItemsCommand,
  UpdateTableCommand,
  UpdateTimeToLiveCommand,
  waitUntilTableExists,
  waitUntilTableNotExists,
} from "@aws-sdk/client-dynamodb";
import {
  BatchGetCommand,
  BatchWriteCommand,
  DynamoDBDocumentClient,
  ExecuteStatementCommand,
  GetCommand,
  PutCommand,
  TransactWriteCommand,
  UpdateCommand,
  paginateQuery,
  paginateScan,
} from "@aws-sdk/lib-dynamodb";

const binary = process.env.KEYFOLD_BIN ?? new URL("../target/debug/keyfold", import.meta.url).pathname;
const folder = mkdtempSync(join(tmpdir(), "keyfold-"));
let server, client, documents;

before(async () => {
  server = spawn(binary, ["serve", "--json", "--port", "0", "--data", join(folder, "data")]);
  const line = await new Promise((resolve) => server.stdout.once("data", (data) => resolve(String(data))));
  client = new DynamoDBClient({
    endpoint: JSON.parse(line).result.endpoint,
    region: "us-east-1",
    credentials: { accessKeyId: "local", secretAccessKey: "local" },
  });
  documents = DynamoDBDocumentClient.from(client);
  await client.send(
    new CreateTableCommand({
      TableName: "Notes",
      AttributeDefinitions: ["author", "id", "topic"].map((AttributeName) => ({ AttributeName, AttributeType: "S" })),
      KeySchema: [
        { AttributeName: "author", KeyType: "HASH" },
        { AttributeName: "id", KeyType: "RANGE" },
      ],
      GlobalSecondaryIndexes: [
        {
          IndexName: "ByTopic",
          KeySchema: [{ AttributeName: "topic", KeyType: "HASH" }],
          Projection: { ProjectionType: "INCLUDE", NonKeyAttributes: ["title"] },
        },
      ],
      BillingMode: "PAY_PER_REQUEST",
    }),
  );
  await waitUntilTableExists({ client, minDelay: 1, maxDelay: 2, maxWaitTime: 20 }, { TableName: "Notes" });
});

// However the tests end, the server must not outlive them.
process.on("exit", () => server?.kill("SIGKILL"));

after(async () => {
  await client.send(new DeleteTableCommand({ TableName: "Notes" }));
  await waitUntilTableNotExists({ client, minDelay: 1, maxDelay: 2, maxWaitTime: 20 }, { TableName: "Notes" });
  client.destroy();
  const ended = new Promise((resolve) => server.once("exit", resolve));
  server.kill("SIGTERM");
  assert.equal(await ended, 0);
  rmSync(folder, { recursive: true });
});

const put = (author, id, rest = {}) =>
  documents.send(new PutCommand({ TableName: "Notes", Item: { author, id, ...rest } }));

test("documents round-trip", async () => {
  const item = {
    author: "ada",
    id: "types",
    nested: { list: [1, 2.5, "three", { four: null }], truth: true },
    set: new Set(["a", "b"]),
    bytes: new Uint8Array([0, 255]),
  };
  await documents.send(new PutCommand({ TableName: "Notes", Item: item }));
  const { Item } = await documents.send(
    new GetCommand({ TableName: "Notes", Key: { author: "ada", id: "types" }, ConsistentRead: true }),
  );
  assert.deepEqual(Item, item);
});

test("paginators join to the whole, on the table and on an index", async () => {
  const writes = Array.from({ length: 25 }, (_, at) => ({
    PutRequest: { Item: { author: "many", id: String(at).padStart(3, "0"), topic: "t", title: `n${at}`, body: "x" } },
  }));
  await documents.send(new BatchWriteCommand({ RequestItems: { Notes: writes } }));
  const ids = [];
  const query = {
    TableName: "Notes",
    KeyConditionExpression: "author = :a AND id > :i",
    ExpressionAttributeValues: { ":a": "many", ":i": "004" },
    ScanIndexForward: false,
  };
  for await (const page of paginateQuery({ client: documents, pageSize: 6 }, query)) {
    ids.push(...page.Items.map((item) => item.id));
  }
  assert.deepEqual(ids, Array.from({ length: 20 }, (_, at) => String(24 - at).padStart(3, "0")));
  let count = 0;
  for await (const page of paginateScan({ client: documents, pageSize: 4 }, { TableName: "Notes", IndexName: "ByTopic" })) {
    for (const item of page.Items) assert.deepEqual(Object.keys(item).sort(), ["author", "id", "title", "topic"]);
    count += page.Items.length;
  }
  assert.equal(count, 25);
  const keys = [{ author: "many", id: "000" }, { author: "many", id: "none" }];
  const { Responses } = await documents.send(new BatchGetCommand({ RequestItems: { Notes: { Keys: keys } } }));
  assert.deepEqual(Responses.Notes.map((item) => item.title), ["n0"]);
});

test("conditions fail with the item, transactions with reasons", async () => {
  await put("eve", "1", { n: 1 });
  const again = new PutCommand({
    TableName: "Notes",
    Item: { author: "eve", id: "1" },
    ConditionExpression: "attribute_not_exists(author)",
    ReturnValuesOnConditionCheckFailure: "ALL_OLD",
  });
  await assert.rejects(documents.send(again), (error) => {
    assert.equal(error.name, "ConditionalCheckFailedException");
    assert.deepEqual(error.Item.n, { N: "1" });
    return true;
  });
  const transaction = new TransactWriteCommand({
    TransactItems: [
      { Update: { TableName: "Notes", Key: { author: "eve", id: "1" }, UpdateExpression: "SET n = n + :one", ExpressionAttributeValues: { ":one": 1 } } },
      { ConditionCheck: { TableName: "Notes", Key: { author: "eve", id: "2" }, ConditionExpression: "attribute_exists(id)" } },
    ],
  });
  await assert.rejects(documents.send(transaction), (error) => {
    assert.equal(error.name, "TransactionCanceledException");
    assert.deepEqual(error.CancellationReasons.map((reason) => reason.Code), ["None", "ConditionalCheckFailed"]);
    return true;
  });
  const { Attributes } = await documents.send(
    new UpdateCommand({
      TableName: "Notes",
      Key: { author: "eve", id: "1" },
      UpdateExpression: "ADD n :one",
      ExpressionAttributeValues: { ":one": 1 },
      ReturnValues: "ALL_NEW",
    }),
  );
  assert.deepEqual(Attributes, { author: "eve", id: "1", n: 2 });
});

test("a repeated client token does nothing twice", async () => {
  const add = () =>
    client.send(
      new TransactWriteItemsCommand({
        ClientRequestToken: "once",
        TransactItems: [
          {
            Update: {
              TableName: "Notes",
              Key: { author: { S: "token" }, id: { S: "1" } },
              UpdateExpression: "ADD n :one",
              ExpressionAttributeValues: { ":one": { N: "1" } },
            },
          },
        ],
      }),
    );
  await add();
  await add();
  const { Item } = await documents.send(new GetCommand({ TableName: "Notes", Key: { author: "token", id: "1" } }));
  assert.equal(Item.n, 1);
});

test("tables change and statements run", async () => {
  const view = { StreamEnabled: true, StreamViewType: "NEW_IMAGE" };
  const changed = await client.send(new UpdateTableCommand({ TableName: "Notes", StreamSpecification: view }));
  assert.equal(changed.TableDescription.TableStatus, "UPDATING");
  assert.match(changed.TableDescription.LatestStreamArn, /\/stream\//);
  const expiry = { Enabled: true, AttributeName: "expires" };
  await client.send(new UpdateTimeToLiveCommand({ TableName: "Notes", TimeToLiveSpecification: expiry }));
  await documents.send(
    new ExecuteStatementCommand({
      Statement: "INSERT INTO Notes VALUE {'author': ?, 'id': ?, 'tags': ?}",
      Parameters: ["said", "1", ["a", 2, null]],
    }),
  );
  const { Items } = await documents.send(
    new ExecuteStatementCommand({ Statement: "SELECT tags FROM Notes WHERE author = ?", Parameters: ["said"] }),
  );
  assert.deepEqual(Items, [{ tags: ["a", 2, null] }]);
  await assert.rejects(
    documents.send(new ExecuteStatementCommand({ Statement: "INSERT INTO Notes VALUE {'author': 'said', 'id': '1'}" })),
    { name: "DuplicateItemException" },
  );
});

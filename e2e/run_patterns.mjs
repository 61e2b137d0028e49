// Runs every request of patterns.json with both clients of the AWS SDK for JavaScript and prints the items.

import { readFileSync } from "node:fs";
import { DynamoDBClient, GetItemCommand, QueryCommand } from "@aws-sdk/client-dynamodb";
import {
  DynamoDBDocumentClient,
  GetCommand,
  QueryCommand as DocumentQueryCommand,
} from "@aws-sdk/lib-dynamodb";

const fixture = JSON.parse(readFileSync(new URL("patterns.json", import.meta.url)));
const client = new DynamoDBClient({
  endpoint: process.argv[2],
  region: "us-east-1",
  credentials: { accessKeyId: "local", secretAccessKey: "local" },
});
const documents = DynamoDBDocumentClient.from(client);

// {"S": "x"} to "x": numbers stay text, which is exact.
const plain = (typed) =>
  Object.fromEntries(Object.entries(typed ?? {}).map(([name, value]) => [name, Object.values(value)[0]]));

const found = {};
for (const { id, operation, request } of fixture.patterns) {
  const values = { ...request };
  if (request.Key) values.Key = plain(request.Key);
  if (request.ExpressionAttributeValues) {
    values.ExpressionAttributeValues = plain(request.ExpressionAttributeValues);
  }
  if (operation === "GetItem") {
    const { Item } = await client.send(new GetItemCommand(request));
    const document = await documents.send(new GetCommand(values));
    found[id] = { client: Item ? [plain(Item)] : [], document: document.Item ? [document.Item] : [] };
  } else {
    const { Items } = await client.send(new QueryCommand(request));
    const document = await documents.send(new DocumentQueryCommand(values));
    found[id] = { client: Items.map(plain), document: document.Items };
  }
}
console.log(JSON.stringify(found));

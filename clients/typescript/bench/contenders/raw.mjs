/** The AWS SDK with its document client, and keys by hand. */

import { CreateTableCommand, DynamoDBClient } from "@aws-sdk/client-dynamodb";
import { DynamoDBDocumentClient, GetCommand, QueryCommand, TransactWriteCommand } from "@aws-sdk/lib-dynamodb";
import { summary } from "../data.mjs";

const table = "BenchRaw";

/** A client of the SDK for the endpoint. */
export function sdk(endpoint, others = {}) {
  const credentials = { accessKeyId: "local", secretAccessKey: "local" };
  return new DynamoDBClient({ endpoint, region: "us-east-1", credentials, ...others });
}

/** Creates a table with the keys `PK` and `SK`. */
export async function createTable(client, TableName) {
  const columns = [["PK", "HASH"], ["SK", "RANGE"]];
  await client.send(
    new CreateTableCommand({
      TableName,
      BillingMode: "PAY_PER_REQUEST",
      AttributeDefinitions: columns.map(([AttributeName]) => ({ AttributeName, AttributeType: "S" })),
      KeySchema: columns.map(([AttributeName, KeyType]) => ({ AttributeName, KeyType })),
    }),
  );
}

export async function make(endpoint) {
  await createTable(sdk(endpoint), table);
  return open(endpoint);
}

/** The contender where its table is. */
export function open(endpoint) {
  return calls(sdk(endpoint), table);
}

/** The calls of a client on a table. */
export function calls(client, TableName) {
  const documents = DynamoDBDocumentClient.from(client);
  const put = (Item) => ({ Put: { TableName, Item, ConditionExpression: "attribute_not_exists(PK)" } });
  return {
    async get(orderId) {
      const Key = { PK: `ORDER#${orderId}`, SK: "META" };
      return (await documents.send(new GetCommand({ TableName, Key }))).Item;
    },
    async query(userId) {
      const { Items } = await documents.send(
        new QueryCommand({
          TableName,
          KeyConditionExpression: "PK = :pk AND begins_with(SK, :sk)",
          ExpressionAttributeValues: { ":pk": `USER#${userId}`, ":sk": "ORDER#" },
          ScanIndexForward: false,
          Limit: 20,
        }),
      );
      return Items;
    },
    put(order) {
      const { orderId, userId, createdAt, reference } = order;
      return documents.send(
        new TransactWriteCommand({
          TransactItems: [
            put({ PK: `ORDER#${orderId}`, SK: "META", ...order }),
            { Put: { TableName, Item: { PK: `USER#${userId}`, SK: `ORDER#${createdAt}#${orderId}`, ...summary(order) } } },
            put({ PK: `UNIQUE#${reference}`, SK: "UNIQUE" }),
          ],
        }),
      );
    },
  };
}

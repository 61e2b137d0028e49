/** dynamodb-toolbox: an entity each for the order, its copy and its guard, and a transaction of them. */

import { DynamoDBDocumentClient } from "@aws-sdk/lib-dynamodb";
import { Entity, GetItemCommand, item, number, PutTransaction, QueryCommand, string, Table } from "dynamodb-toolbox";
import { execute } from "dynamodb-toolbox/entity/actions/transactWrite";
import { summary } from "../data.mjs";
import { createTable, sdk } from "./raw.mjs";

const name = "BenchToolbox";

function entities(table) {
  const common = { orderId: string().key(), status: string().enum("pending", "paid", "shipped"), total: number() };
  const make = (name, schema, computeKey) => new Entity({ name, table, schema: item(schema), computeKey });
  return {
    order: make(
      "order",
      { ...common, userId: string(), createdAt: string(), reference: string(), quantity: number(), note: string() },
      ({ orderId }) => ({ PK: `ORDER#${orderId}`, SK: "META" }),
    ),
    copy: make("summary", { ...common, userId: string().key(), createdAt: string().key() }, ({ userId, createdAt, orderId }) => ({
      PK: `USER#${userId}`,
      SK: `ORDER#${createdAt}#${orderId}`,
    })),
    guard: make("guard", { reference: string().key() }, ({ reference }) => ({ PK: `UNIQUE#${reference}`, SK: "UNIQUE" })),
  };
}

export async function make(endpoint) {
  await createTable(sdk(endpoint), name);
  return open(endpoint);
}

/** The contender where its table is. */
export function open(endpoint) {
  const table = new Table({
    name,
    documentClient: DynamoDBDocumentClient.from(sdk(endpoint)),
    partitionKey: { name: "PK", type: "string" },
    sortKey: { name: "SK", type: "string" },
  });
  const { order, copy, guard } = entities(table);
  return {
    get: async (orderId) => (await order.build(GetItemCommand).key({ orderId }).send()).Item,
    async query(userId) {
      const asked = table.build(QueryCommand).entities(copy).query({ partition: `USER#${userId}`, range: { beginsWith: "ORDER#" } });
      return (await asked.options({ reverse: true, limit: 20 }).send()).Items;
    },
    put: (values) =>
      execute(
        order.build(PutTransaction).item(values).options({ condition: { attr: "orderId", exists: false } }),
        copy.build(PutTransaction).item(summary(values)),
        guard.build(PutTransaction).item({ reference: values.reference }).options({ condition: { attr: "reference", exists: false } }),
      ),
  };
}

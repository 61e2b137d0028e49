/** ElectroDB: an entity each for the order, its copy and its guard, in a service that writes them together. */

import { Entity, Service } from "electrodb";
import { summary } from "../data.mjs";
import { createTable, sdk } from "./raw.mjs";

const table = "BenchElectro";
const STATUS = ["pending", "paid", "shipped"];

function entity(name, attributes, pk, sk) {
  const key = (field, [template, ...composite]) => ({ field, composite, template, casing: "none" });
  return new Entity({
    model: { entity: name, version: "1", service: "bench" },
    attributes,
    indexes: { primary: { pk: key("PK", pk), sk: key("SK", sk) } },
  });
}

const text = { type: "string", required: true };
const number = { type: "number", required: true };
const common = { orderId: text, userId: text, createdAt: text, status: { type: STATUS, required: true }, total: number };
const service = new Service({
  order: entity("order", { ...common, reference: text, quantity: number, note: text }, ["ORDER#${orderId}", "orderId"], ["META"]),
  summary: entity("summary", common, ["USER#${userId}", "userId"], ["ORDER#${createdAt}#${orderId}", "createdAt", "orderId"]),
  guard: entity("guard", { reference: text }, ["UNIQUE#${reference}", "reference"], ["UNIQUE"]),
});

export async function make(endpoint) {
  await createTable(sdk(endpoint), table);
  return open(endpoint);
}

/** The contender where its table is. */
export function open(endpoint) {
  service.setClient(sdk(endpoint));
  service.setTableName(table);
  const { order, summary: copy } = service.entities;
  return {
    get: async (orderId) => (await order.get({ orderId }).go()).data,
    query: async (userId) => (await copy.query.primary({ userId }).go({ order: "desc", limit: 20 })).data,
    async put(values) {
      const { canceled } = await service.transaction
        .write(({ order, summary: copy, guard }) => [
          order.create(values).commit(),
          copy.put(summary(values)).commit(),
          guard.create({ reference: values.reference }).commit(),
        ])
        .go();
      if (canceled) throw new Error("the transaction was cancelled");
    },
  };
}

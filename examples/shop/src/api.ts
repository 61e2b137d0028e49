/** The whole API, and its description. */

import { typeOf } from "./errors.js";
import { ordersApi } from "./orders-api.js";
import { type Route, strict } from "./routes.js";
import { problem, type Schema } from "./schema.js";
import type { ShopClient } from "./shop.js";
import { techniquesApi } from "./techniques-api.js";

export function apiOf(shop: ShopClient): Route[] {
  return [...ordersApi(shop), ...techniquesApi(shop)].map(strict);
}

/** The description of the API as OpenAPI has it. */
export function describe(routes: readonly Route[]): object {
  const paths: Record<string, Record<string, object>> = {};
  for (const route of routes) {
    const [method = "", path = ""] = route.key.split(" ");
    (paths[`/api${path}`] ??= {})[method.toLowerCase()] = operation(route, path);
  }
  return {
    openapi: "3.1.0",
    info: {
      title: "Shop",
      version: "1",
      description: "The e-commerce design (E1 to E7) and its techniques (ET1 to ET6) on one table.",
    },
    paths,
    components: COMPONENTS,
  };
}

const COMPONENTS = {
  headers: {
    Requests: {
      description: "The requests to the table that the answer was made of, each with its units.",
      schema: { type: "string" },
    },
  },
  responses: {
    Fault: { description: "An error of the shop itself, or of its table", content: content(500, problem) },
  },
  schemas: { Problem: problem },
};

function content(status: number, schema: Schema): object {
  const held = schema === problem ? { $ref: "#/components/schemas/Problem" } : schema;
  return { [typeOf(status)]: { schema: held } };
}

function operation({ id, summary, query = {}, body, answers }: Route, path: string): object {
  const named = [...path.matchAll(/\{(\w+)\}/g)].map(([, name]) => name);
  const parameters = [
    ...named.map((name) => ({ name, in: "path", required: true, schema: { type: "string" } })),
    ...Object.entries(query).map(([name, schema]) => ({ name, in: "query", required: false, schema })),
  ];
  const headers = { "x-table-requests": { $ref: "#/components/headers/Requests" } };
  const own = Object.entries(answers).map(([status, schema]) => {
    const description = meaning(status);
    return [status, { description, ...(Number(status) < 400 && { headers }), content: content(Number(status), schema) }];
  });
  return {
    summary,
    description: `Access pattern ${id.replace(" ", " and ")} of the design.`,
    ...(parameters.length > 0 && { parameters }),
    ...(body !== undefined && { requestBody: { required: true, content: content(200, body) } }),
    responses: {
      ...Object.fromEntries(own),
      default: { $ref: "#/components/responses/Fault" },
    },
  };
}

function meaning(status: string): string {
  const meanings: Readonly<Record<string, string>> = {
    200: "Done",
    201: "Created",
    400: "Something in the request is wrong",
    404: "There is none",
    409: "What there is already stands against it",
  };
  return meanings[status] ?? status;
}

/** Calls of the API whose answers are held against openapi.json. */

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";

export const description = JSON.parse(readFileSync(new URL("../openapi.json", import.meta.url), "utf8"));

const KNOWN = new Set([
  "type",
  "description",
  "properties",
  "required",
  "additionalProperties",
  "items",
  "enum",
]);
for (const name of [
  "minimum",
  "maximum",
  "minLength",
  "maxLength",
  "pattern",
  "format",
  "minItems",
  "maxItems",
])
  KNOWN.add(name);

const TYPES = {
  string: (value) => typeof value === "string",
  integer: Number.isInteger,
  boolean: (value) => typeof value === "boolean",
  array: Array.isArray,
  object: (value) => typeof value === "object" && value !== null && !Array.isArray(value),
};

/** What a reference leads to. */
function held({ $ref }) {
  return $ref
    .slice(2)
    .split("/")
    .reduce((part, name) => part[name], description);
}

/** Holds a value against a schema. A keyword that is not known here is an error. */
export function fits(value, schema, at = "the body") {
  if (schema.$ref !== undefined) return fits(value, held(schema), at);
  for (const keyword of Object.keys(schema)) assert.ok(KNOWN.has(keyword), `${at}: the keyword ${keyword}`);
  assert.ok(TYPES[schema.type](value), `${at} is no ${schema.type}: ${JSON.stringify(value)}`);
  const { properties, required = [], additionalProperties, items } = schema;
  const { minimum = -Infinity, maximum = Infinity } = schema;
  if (schema.type === "integer") assert.ok(value >= minimum && value <= maximum, `${at}: ${value}`);
  if (schema.type === "string") textFits(value, schema, at);
  if (schema.type === "array") {
    assert.ok(value.length >= (schema.minItems ?? 0) && value.length <= (schema.maxItems ?? Infinity), at);
    value.forEach((item, n) => fits(item, items, `${at}[${n}]`));
  }
  if (schema.type !== "object") return;
  for (const name of required) assert.ok(Object.hasOwn(value, name), `${at} has no ${name}`);
  for (const [name, member] of Object.entries(value)) {
    const of = properties?.[name];
    if (of !== undefined) fits(member, of, `${at}.${name}`);
    else assert.ok(additionalProperties !== false, `${at} has ${name}`);
  }
}

function textFits(value, { minLength = 0, maxLength = Infinity, pattern, format, enum: words }, at) {
  // JSON Schema counts characters, not units of UTF-16.
  const length = [...value].length;
  assert.ok(length >= minLength && length <= maxLength, `${at}: the length of ${value}`);
  if (pattern !== undefined) assert.match(value, new RegExp(pattern), at);
  if (words !== undefined) assert.ok(words.includes(value), `${at}: the word ${value}`);
  if (format === undefined) return;
  assert.equal(format, "date-time", at);
  assert.match(value, /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?Z$/, at);
}

const operations = Object.entries(description.paths).flatMap(([path, methods]) =>
  Object.entries(methods).map(([method, operation]) => {
    const pattern = new RegExp(`^${path.replaceAll(".", "\\.").replace(/\{\w+\}/g, "[^/]+")}$`);
    return { method: method.toUpperCase(), path, pattern, operation };
  }),
);

/** A function that calls the API of a server. `answered` is what it has seen: `GET /api/toys 200`. */
export function caller(address) {
  const answered = new Set();
  const call = async (method, path, body, headers = {}) => {
    const sent = body === undefined ? {} : { body: typeof body === "string" ? body : JSON.stringify(body) };
    const type = body === undefined ? {} : { "content-type": "application/json" };
    const response = await fetch(`${address}/api${path}`, {
      method,
      ...sent,
      headers: { ...type, ...headers },
    });
    const value = await response.json();
    const pathname = new URL(response.url).pathname;
    const found = operations.find((one) => one.method === method && one.pattern.test(pathname));
    if (found !== undefined) {
      const { status } = response;
      const { default: fault, ...own } = found.operation.responses;
      const described = own[status] ?? ([403, 413].includes(status) || status >= 500 ? held(fault) : undefined);
      assert.ok(described, `${method} ${found.path} is answered by ${status}: ${JSON.stringify(value)}`);
      const kind = response.headers.get("content-type");
      assert.ok(described.content[kind], `${method} ${found.path} ${status} is answered as ${kind}`);
      fits(value, described.content[kind].schema, `${method} ${found.path}`);
      for (const name of Object.keys(described.headers ?? {})) assert.ok(response.headers.has(name), name);
      answered.add(`${method} ${found.path} ${status}`);
    }
    return { status: response.status, value, requests: response.headers.get("x-table-requests") };
  };
  return { call, answered };
}

/** The answers that the description promises: `GET /api/toys 200`. */
export const promised = operations.flatMap(({ method, path, operation }) =>
  Object.keys(operation.responses)
    .filter((status) => status !== "default")
    .map((status) => `${method} ${path} ${status}`),
);

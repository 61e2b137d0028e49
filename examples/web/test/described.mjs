/** Calls of an API whose answers are held against its openapi.json. */

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";

const SCALARS = {
  string: (value) => typeof value === "string",
  integer: Number.isInteger,
  number: (value) => typeof value === "number",
  boolean: (value) => typeof value === "boolean",
  null: (value) => value === null,
  array: Array.isArray,
  object: (value) => typeof value === "object" && value !== null && !Array.isArray(value),
};
const KNOWN = new Set(
  `type description properties required additionalProperties items enum minimum maximum minLength
   minItems maxItems format anyOf`.split(/\s+/),
);

/** The API that a file describes, at an address. */
export function described(file, address) {
  const document = JSON.parse(readFileSync(file, "utf8"));
  const answered = new Set();

  /** Holds a value against a schema. A keyword that is not known here is an error. */
  function fits(value, schema, at = "the body") {
    if (schema.$ref !== undefined) {
      const path = schema.$ref.slice(2).split("/");
      fits(value, path.reduce((part, name) => part[name], document), at);
      return;
    }
    for (const keyword of Object.keys(schema)) assert.ok(KNOWN.has(keyword), `${at}: the keyword ${keyword}`);
    if (schema.anyOf !== undefined) {
      assert.ok(schema.anyOf.some((one) => isFit(value, one)), `${at} is none of its forms: ${JSON.stringify(value)}`);
      return;
    }
    const types = [schema.type].flat();
    assert.ok(types.some((type) => SCALARS[type](value)), `${at} is no ${types}: ${JSON.stringify(value)}`);
    const { minimum = -Infinity, maximum = Infinity, minLength = 0, enum: words, format } = schema;
    if (typeof value === "number") assert.ok(value >= minimum && value <= maximum, `${at}: ${value}`);
    if (typeof value === "string") {
      assert.ok(value.length >= minLength, `${at} is too short`);
      if (words !== undefined) assert.ok(words.includes(value), `${at}: the word ${value}`);
      if (format === "date-time") assert.ok(!Number.isNaN(Date.parse(value)), `${at} is no time: ${value}`);
    }
    if (Array.isArray(value)) {
      const { minItems = 0, maxItems = Infinity, items } = schema;
      assert.ok(value.length >= minItems && value.length <= maxItems, `${at} has ${value.length}`);
      value.forEach((item, n) => fits(item, items, `${at}[${n}]`));
    } else if (SCALARS.object(value)) {
      for (const name of schema.required ?? []) assert.ok(Object.hasOwn(value, name), `${at} has no ${name}`);
      for (const [name, member] of Object.entries(value)) {
        const of = schema.properties?.[name];
        if (of !== undefined) fits(member, of, `${at}.${name}`);
        else assert.ok(schema.additionalProperties !== false, `${at} has ${name}`);
      }
    }
  }

  function isFit(value, schema) {
    try {
      fits(value, schema);
      return true;
    } catch {
      return false;
    }
  }

  const operations = Object.entries(document.paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => {
      const pattern = new RegExp(`^${path.replaceAll(".", "\\.").replace(/\{\w+\}/g, "[^/]+")}$`);
      return { method: method.toUpperCase(), path, pattern, operation };
    }),
  );

  /** Calls the API. Only answers that are described are taken. */
  async function call(method, path, body, headers = {}) {
    const sent = body === undefined ? {} : { body: typeof body === "string" ? body : JSON.stringify(body) };
    const response = await fetch(`${address}${path}`, { method, ...sent, headers });
    const pathname = new URL(response.url).pathname;
    const value = await response.json();
    const found = operations.find((one) => one.method === method && one.pattern.test(pathname));
    assert.ok(found, `${method} ${pathname} is not described`);
    const { status } = response;
    const answer = found.operation.responses[status] ?? (status >= 500 && found.operation.responses.default);
    assert.ok(answer, `${method} ${found.path} is answered by ${status}: ${JSON.stringify(value)}`);
    const described = answer.content[response.headers.get("content-type")];
    assert.ok(described, `${method} ${found.path} is answered as ${response.headers.get("content-type")}`);
    fits(value, described.schema, `${method} ${found.path}`);
    answered.add(`${method} ${found.path} ${status}`);
    return { status, value };
  }

  /** The states of a route of server-sent events, each held against a schema. */
  async function* events(path, schema) {
    const found = operations.find((one) => one.method === "GET" && one.pattern.test(path));
    const response = await fetch(`${address}${path}`);
    assert.equal(response.status, 200);
    answered.add(`GET ${found.path} 200`);
    let text = "";
    for await (const chunk of response.body.pipeThrough(new TextDecoderStream())) {
      text += chunk;
      for (let end = text.indexOf("\n\n"); end >= 0; end = text.indexOf("\n\n")) {
        const data = /^data: (.*)$/m.exec(text.slice(0, end))?.[1];
        text = text.slice(end + 2);
        if (data === undefined) continue;
        const state = JSON.parse(data);
        fits(state, document.components.schemas[schema], path);
        yield state;
      }
    }
  }

  /** The answers that the description promises and nobody has seen: `GET /api/toys 200`. */
  function unseen() {
    const promised = operations.flatMap(({ method, path, operation }) =>
      Object.keys(operation.responses)
        .filter((status) => status !== "default")
        .map((status) => `${method} ${path} ${status}`),
    );
    return promised.filter((one) => !answered.has(one));
  }

  return { call, events, unseen };
}

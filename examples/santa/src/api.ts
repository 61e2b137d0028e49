/** The API, which openapi.json describes. */

import { KeyfoldError } from "@keyfold/client";
import { type Request, costed, lineOf } from "./cost.js";
import { pieces, priced } from "./given.js";
import { type Answer, type Asked, partOf, type Route } from "./http.js";
import * as letters from "./letters.js";
import { PROBLEM_JSON, Problem } from "./problem.js";
import { type Members, refusal, unknownMember } from "./said.js";
import type { LetterId, SantaClient, ToyId } from "./santa.js";
import * as toys from "./toys.js";
import { newLetterId } from "./ulid.js";

/** An answer in JSON. */
export function json(status: number, value: unknown, headers: Readonly<Record<string, string>> = {}): Answer {
  const body = JSON.stringify(value);
  return {
    status,
    headers: { "content-type": "application/json", "cache-control": "no-store", ...headers },
    body,
  };
}

/** The answer to a problem. */
export function problemJson({ status, code, message, field }: Problem): Answer {
  const body = { status, code, detail: message, ...(field !== undefined && { field }) };
  return json(status, body, { "content-type": PROBLEM_JSON });
}

/** The routes. The header `x-table-requests` says what each answer was made of. */
export function apiRoutes(santa: SantaClient, description: string): Route[] {
  const schemaOf = schemas(description);
  const route = (
    method: string,
    path: string,
    answer: (asked: Asked) => Promise<Answer>,
    query?: readonly string[],
  ): Route => ({
    method,
    path: `/api${path}`,
    answer: async (asked) => {
      if (query !== undefined) refuseOthers(asked, query);
      const schema = schemaOf(method, `/api${path}`);
      const body = schema === undefined ? undefined : bodyOf(asked);
      const unknown = schema && unknownMember(body, schema);
      if (unknown !== undefined) throw new Problem("invalid", unknown.detail, unknown.field);
      try {
        return withCost(await costed(() => answer(asked)));
      } catch (error) {
        throw byMember(error, asked, body);
      }
    },
  });
  const after = ({ query }: Asked): string | undefined => query.get("after") ?? undefined;
  const toyId = (asked: Asked): ToyId => toys.toyIdOf(partOf(asked, "toyId"));
  const letterId = (asked: Asked): LetterId => letters.letterIdOf(partOf(asked, "letterId"));
  return [
    route("GET", "/toys", async (asked) => {
      const { items, next } = await toys.toys(santa, after(asked));
      return json(200, { toys: items.map(withoutKind), next });
    }, ["after"]),
    route("POST", "/toys", async (asked) => {
      const { name, description: text, price } = bodyOf(asked);
      const id = await toys.createToy(santa, {
        name: name as string,
        description: text as string,
        price: price as number,
      });
      return json(201, { toyId: id }, { location: `/api/toys/${encodeURIComponent(id)}` });
    }),
    route("GET", "/toys/{toyId}", async (asked) =>
      json(200, withoutKind(await toys.toy(santa, toyId(asked)))),
    ),
    route("GET", "/toys/{toyId}/demand", async (asked) => {
      const { toy, wishes, next } = await toys.demand(santa, toyId(asked), after(asked));
      return json(200, { toy: withoutKind(toy), wishes: wishes.map(withoutKind), next });
    }, ["after"]),
    route("PUT", "/toys/{toyId}/price", async (asked) => {
      const { seen, price } = bodyOf(asked);
      await toys.reprice(santa, toyId(asked), { seen: seen as number, price: price as number });
      return json(200, { price });
    }),
    route("GET", "/letters", async (asked) => {
      const { letters: found, next } = await letters.letters(santa, after(asked));
      return json(200, { letters: found.map(shown), next });
    }, ["after"]),
    route("POST", "/letters", async (asked) => {
      const body = bodyOf(asked);
      const id =
        body["letterId"] === undefined ? newLetterId() : letters.letterIdOf(textOf(body, "letterId"));
      const { child, address } = body as { child: string; address: string };
      await letters.createLetter(santa, { letterId: id, child, address, wishes: wishesOf(body) });
      return json(201, { letterId: id }, { location: `/api/letters/${id}` });
    }),
    route("GET", "/letters/{letterId}", async (asked) =>
      json(200, shown(await letters.letter(santa, letterId(asked)))),
    ),
    route("PUT", "/letters/{letterId}", async (asked) => {
      const body = bodyOf(asked);
      const { version, address } = body as { version: number; address: string };
      if (!Number.isInteger(version))
        throw new Problem(
          "invalid",
          "The version is missing. Send that of the letter that you have read.",
          "version",
        );
      await letters.changeLetter(santa, {
        letterId: letterId(asked),
        version,
        address,
        wishes: wishesOf(body),
      });
      return json(200, { version: version + 1 });
    }),
    route("GET", "/letters/{letterId}/prices", async (asked) => {
      const { letter, toys: found } = await letters.prices(santa, letterId(asked));
      const { wishes: _, ...information } = letter;
      return json(200, { ...information, toys: found });
    }),
    route("GET", "/letters/{letterId}/history", async (asked) =>
      json(200, await letters.history(santa, letterId(asked))),
    ),
    route("GET", "/openapi.json", () => Promise.resolve({ ...json(200, null), body: description })),
  ];
}

/** Finds the schema of the body of a route in the description of the API. Which members there are stands in one place. */
function schemas(description: string): (method: string, path: string) => Members | undefined {
  const { paths, components } = JSON.parse(description) as Description;
  const whole = (schema: Schema): Members => {
    const { $ref, properties, items } =
      schema.$ref === undefined ? schema : (components.schemas[schema.$ref.split("/").at(-1) ?? ""] ?? {});
    if ($ref !== undefined) throw new Error(`the description refers from a schema to ${$ref}`);
    const members = Object.entries(properties ?? {}).map(([name, one]) => [name, whole(one)] as const);
    return { properties: Object.fromEntries(members), ...(items && { items: whole(items) }) };
  };
  return (method, path) => {
    const schema = paths[path]?.[method.toLowerCase()]?.requestBody?.content["application/json"].schema;
    return schema && whole(schema);
  };
}

interface Schema {
  readonly $ref?: string;
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly items?: Schema;
}

interface Description {
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>;
  readonly components: { readonly schemas: Readonly<Record<string, Schema>> };
}

interface Operation {
  readonly requestBody?: { readonly content: { readonly "application/json": { readonly schema: Schema } } };
}

/** An error, which names the request's own member where the model does not take a value. */
function byMember(error: unknown, { parts, query }: Asked, body: unknown): unknown {
  if (!(error instanceof KeyfoldError) || error.detail.code !== "invalid") return error;
  const { name } = error.detail;
  if (name === undefined || name === "after") return error;
  const { field, detail } = refusal(name, error.message, { parts, query: Object.fromEntries(query), body });
  return new Problem("invalid", detail, field);
}

/** Refuses what the query of a list does not take, such as a limit: nobody is to think that it was heard. */
function refuseOthers({ query }: Asked, taken: readonly string[]): void {
  const other = [...query.keys()].find((name) => !taken.includes(name));
  if (other === undefined) return;
  throw new Problem("invalid", `The list has no ${other}. It takes only ${taken.join(", ")}: leave the rest out.`, other);
}

function withCost([answer, requests]: readonly [Answer, readonly Request[]]): Answer {
  return { ...answer, headers: { ...answer.headers, "x-table-requests": lineOf(requests) } };
}

function withoutKind<T extends { readonly kind: string }>({ kind: _, ...rest }: T): Omit<T, "kind"> {
  return rest;
}

function shown({ wishes, ...letter }: letters.WholeLetter): object {
  return { ...letter, wishes: wishes.map(withoutKind) };
}

type Body = Readonly<Record<string, unknown>>;

function bodyOf({ type, body }: Asked): Body {
  if (type !== "application/json") {
    throw new Problem("invalid", "The body has no content-type application/json. Send JSON.");
  }
  let value: unknown;
  try {
    value = JSON.parse(body);
  } catch {
    throw new Problem("invalid", "The body is no JSON. Correct it.");
  }
  if (!isObject(value)) throw new Problem("invalid", "The body is no object. Send an object.");
  return value;
}

function isObject(value: unknown): value is Body {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** A text. Its path is its name, unless it is that of a member of a member. */
function textOf(body: Body, name: string, path: string = name): string {
  const value = body[name];
  if (typeof value !== "string") throw new Problem("invalid", `The ${path} is no text. Correct it.`, path);
  return value;
}

function wishesOf({ wishes }: Body): letters.Asked[] {
  if (!Array.isArray(wishes))
    throw new Problem("invalid", "The wishes are no array. Send an array of toys.", "wishes");
  return wishes.map((wish: unknown, at) => {
    const path = `wishes[${at}]`;
    if (!isObject(wish)) {
      throw new Problem("invalid", `The member ${path} is no object. Send its toyId and its quantity.`, path);
    }
    const { quantity, price } = wish as { quantity: number; price?: number };
    // A wish may name the price that the child saw. Whether it is the toy's price is looked at when the
    // letter is written.
    if (price !== undefined) priced(price, `${path}.price`);
    const toyId = toys.toyIdOf(textOf(wish, "toyId", `${path}.toyId`));
    return { toyId, quantity: pieces(quantity, toyId, `${path}.quantity`), price };
  });
}

/** Routes of the API, whatever carries them: a server, or a function for API Gateway. */

import { type Answer, BadRequest, problem } from "./errors.js";
import type { Schema } from "./schema.js";

/** A request, read. */
export interface Asked {
  /** The parts of the path that the route names. */
  readonly parts: Readonly<Record<string, string | undefined>>;
  readonly query: Readonly<Record<string, string | undefined>>;
  readonly body: string | undefined;
}

/** A route, and its description. */
export interface Route {
  /** `GET /users/{userId}`, as API Gateway has it. */
  readonly key: string;
  /** The access pattern of the design, or the technique. */
  readonly id: string;
  readonly summary: string;
  readonly query?: Readonly<Record<string, Schema>>;
  readonly body?: Schema;
  /** The answers that it promises, by status. */
  readonly answers: Readonly<Record<number, Schema>>;
  readonly answer: (asked: Asked) => Promise<Answer>;
}

export function ok(body: unknown): Answer {
  return { status: 200, body };
}

export function absent(what: string): Answer {
  return problem(404, "not_found", `There is no such ${what}.`);
}

/** The part of the path of this name, which the route has. */
export function part({ parts }: Asked, name: string): string {
  const found = parts[name];
  if (found === undefined || found === "") throw new BadRequest(`The path has no ${name}. Send it.`, name);
  return found;
}

/** A value of the query that the route needs. */
export function queried({ query }: Asked, name: string): string {
  const found = query[name];
  if (found === undefined || found === "") throw new BadRequest(`The query has no ${name}. Send it.`, name);
  return found;
}

/** A whole number that an address has as a text. */
export function wholeOf(name: string, given: string): number {
  const value = Number(given);
  if (/^-?\d+$/.test(given) && Number.isSafeInteger(value)) return value;
  throw new BadRequest(`${name} is ${JSON.stringify(given)}. Send a whole number.`, name);
}

/** Which page of a list is asked for. The client refuses a limit that is too small or too large. */
export function pageOf({ query }: Asked): { limit?: number | undefined; after?: string | undefined } {
  const { limit, after } = query;
  return { limit: limit === undefined ? undefined : wholeOf("limit", limit), after };
}

/** An item without the name of its kind, which the path says. */
export function plain<T extends { readonly kind: string }>({ kind: _, ...rest }: T): Omit<T, "kind"> {
  return rest;
}

/** A page of a list by its name. */
export function listed<T extends { readonly kind: string }>(
  name: string,
  { items, next }: { readonly items: readonly T[]; readonly next?: string },
): Answer {
  return ok({ [name]: items.map(plain), ...(next !== undefined && { next }) });
}

export type Body = Readonly<Record<string, unknown>>;

export function bodyOf({ body = "" }: Asked): Body {
  let value: unknown;
  try {
    value = JSON.parse(body);
  } catch {
    throw new BadRequest("The body is no JSON. Correct it.");
  }
  if (!isObject(value)) throw new BadRequest("The body is no object. Send its members in braces.");
  return value;
}

export function isObject(value: unknown): value is Body {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

export function textOf(body: Body, name: string): string {
  const value = body[name];
  if (value === undefined) throw missing(name);
  if (typeof value !== "string" || value === "") {
    throw new BadRequest(`${name} is ${JSON.stringify(value)}. Send a text that is not empty.`, name);
  }
  return value;
}

function missing(name: string): BadRequest {
  return new BadRequest(`${name} is missing. Send it.`, name);
}

/** A truth value. */
export function truthOf(body: Body, name: string): boolean {
  const value = body[name];
  if (value === undefined) throw missing(name);
  if (typeof value !== "boolean") {
    throw new BadRequest(`${name} is ${JSON.stringify(value)}. Send true or false.`, name);
  }
  return value;
}

/** A whole number that is not negative. */
export function numberOf(body: Body, name: string): number {
  const value = body[name];
  if (value === undefined) throw missing(name);
  if (!Number.isSafeInteger(value) || (value as number) < 0) {
    throw new BadRequest(`${name} is ${JSON.stringify(value)}. Send a whole number from 0.`, name);
  }
  return value as number;
}

/** A route that refuses what the description of its body does not have. */
export function strict(route: Route): Route {
  const { body: schema, answer } = route;
  if (schema === undefined) return route;
  return {
    ...route,
    answer: async (asked) => {
      refuseUnknown(bodyOf(asked), schema, "The body");
      return answer(asked);
    },
  };
}

/** Refuses members that a schema does not have, wherever they are. Types are the route's own to refuse. */
function refuseUnknown(value: unknown, { properties = {}, items }: Schema, at: string): void {
  if (Array.isArray(value) && items !== undefined) {
    for (const [n, item] of value.entries()) refuseUnknown(item, items, `${at}[${n}]`);
  }
  if (!isObject(value)) return;
  for (const [name, member] of Object.entries(value)) {
    const of = Object.hasOwn(properties, name) ? properties[name] : undefined;
    if (of === undefined) {
      const known = Object.keys(properties).join(", ");
      throw new BadRequest(`${at} has ${JSON.stringify(name)}, and takes only ${known}.`, name);
    }
    refuseUnknown(member, of, name);
  }
}

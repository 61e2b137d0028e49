/** Routes of the API, whatever carries them: a server, or a function for API Gateway. */

import { type Answer, answerTo, BadRequest, problem } from "./errors.js";
import { shown, unknownMember } from "./said.js";
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
  /** Members of the model by the names that the request has for them. */
  readonly called?: Readonly<Record<string, string>>;
  /** The answers that it promises, by status. */
  readonly answers: Readonly<Record<number, Schema>>;
  readonly answer: (asked: Asked) => Promise<Answer>;
}

export function ok(body: unknown): Answer {
  return { status: 200, body };
}

export function absent(what: string): Answer {
  return problem(404, "not_found", `There is no such ${what}. Look for it in the lists.`);
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
  throw new BadRequest(`The member ${name} is ${shown(given)}. Send a whole number.`, name);
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

/** A text. Its path is its name, unless it is that of a member of a member. */
export function textOf(body: Body, name: string, path: string = name): string {
  const value = body[name];
  if (value === undefined) throw missing(path);
  if (typeof value !== "string" || value === "") {
    throw new BadRequest(`The member ${path} is ${shown(value)}. Send a text that is not empty.`, path);
  }
  return written(value, path);
}

/** A text of more than blanks, which nobody sees on a page. */
export function written(text: string, path: string): string {
  if (text.trim() === "") throw new BadRequest(`The member ${path} is blank. Send a text that can be seen.`, path);
  return text;
}

function missing(name: string): BadRequest {
  return new BadRequest(`The member ${name} is missing. Send it.`, name);
}

/** A truth value. */
export function truthOf(body: Body, name: string): boolean {
  const value = body[name];
  if (value === undefined) throw missing(name);
  if (typeof value !== "boolean") {
    throw new BadRequest(`The member ${name} is ${shown(value)}. Send true or false.`, name);
  }
  return value;
}

/** A whole number that is not negative. */
export function numberOf(body: Body, name: string): number {
  const value = body[name];
  if (value === undefined) throw missing(name);
  if (!Number.isSafeInteger(value) || (value as number) < 0) {
    throw new BadRequest(`The member ${name} is ${shown(value)}. Send a whole number from 0.`, name);
  }
  return value as number;
}

/** A route that refuses what the description of its body does not have, and whose errors are answered by the names
 * of the request's own members. */
export function strict(route: Route): Route {
  const { body: schema, called = {}, answer } = route;
  return {
    ...route,
    answer: async (asked) => {
      const body = schema === undefined ? undefined : bodyOf(asked);
      const unknown = schema && unknownMember(body, schema);
      if (unknown !== undefined) throw new BadRequest(unknown.detail, unknown.field);
      try {
        return await answer(asked);
      } catch (error) {
        return answerTo(error, { ...asked, body }, called);
      }
    },
  };
}

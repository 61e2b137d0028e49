/** The API, which openapi.json describes. */

import { type Request, costed, lineOf } from "./cost.js";
import { priced } from "./given.js";
import { type Answer, type Asked, partOf, type Route } from "./http.js";
import * as letters from "./letters.js";
import { PROBLEM_JSON, Problem } from "./problem.js";
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
      return withCost(await costed(() => answer(asked)));
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

function textOf(body: Body, name: string): string {
  const value = body[name];
  if (typeof value !== "string") throw new Problem("invalid", `The ${name} is no text. Correct it.`, name);
  return value;
}

function wishesOf({ wishes }: Body): letters.Asked[] {
  if (!Array.isArray(wishes))
    throw new Problem("invalid", "The wishes are no array. Send an array of toys.", "wishes");
  return wishes.map((wish: unknown) => {
    if (!isObject(wish))
      throw new Problem("invalid", "A wish is no object. Send its toyId and its quantity.", "wishes");
    const { quantity, price } = wish as { quantity: number; price?: number };
    // A wish may name the price that the child saw. Whether it is the toy's price is looked at when the
    // letter is written.
    if (price !== undefined) priced(price, "price");
    return { toyId: toys.toyIdOf(textOf(wish, "toyId")), quantity, price };
  });
}

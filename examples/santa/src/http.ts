/** Requests and answers of HTTP, and the way from one to the other. */

import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import { isForeignName, isForeignPage } from "./names.js";
import { Problem, problemOf } from "./problem.js";
import { answerUnread } from "./unread.js";

const BODY_BYTES_MAX = 64 * 1024;

/** A request. */
export interface Asked {
  readonly method: string;
  readonly path: string;
  readonly query: URLSearchParams;
  /** The parts of the path that the route names. */
  readonly parts: Readonly<Record<string, string>>;
  readonly type: string;
  readonly body: string;
}

/** The part of the path of this name, which the route has. */
export function partOf({ parts }: Asked, name: string): string {
  const part = parts[name];
  if (part === undefined) throw new Error(`the route has no part ${name}`);
  return part;
}

export interface Answer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string | Uint8Array;
}

/** A route: `GET /toys/{toyId}`. */
export interface Route {
  readonly method: string;
  readonly path: string;
  readonly answer: (asked: Asked) => Promise<Answer>;
}

/** Answers a problem: pages as a page, the API as JSON. */
export type ProblemAnswer = (problem: Problem, path: string) => Answer;

const HEADERS = {
  "content-security-policy":
    "default-src 'none'; style-src 'self'; script-src 'self'; img-src 'self'; connect-src 'self'; form-action 'self'; frame-ancestors 'none'; base-uri 'none'",
  "x-content-type-options": "nosniff",
  "referrer-policy": "same-origin",
};

/** A server of these routes. */
export function serverOf(routes: readonly Route[], onProblem: ProblemAnswer): Server {
  const find = finder(routes);
  const server = createServer((request, response) => {
    const target = request.url ?? "/";
    // All that is done with a request is within the promise: none of them ends the process.
    void answered(find, request, target)
      .catch((error: unknown) => onProblem(problemOf(error), read(target)?.pathname ?? target))
      .then((answer) => send(request, response, answer))
      .catch((error: unknown) => {
        console.error(error);
        response.destroy();
      });
  });
  answerUnread(server);
  return server;
}

/** The address that a request is about: a path, or the whole address that a proxy is sent; `undefined` where it is
 * none. */
function read(target: string): URL | undefined {
  // A path that begins with two slashes is a path, and names no host.
  const whole = target.startsWith("/") ? `http://localhost${target}` : target;
  return URL.canParse(whole) ? new URL(whole) : undefined;
}

function addressOf(target: string): URL {
  const address = read(target);
  if (address === undefined) {
    throw new Problem("invalid", "The request names no address. Ask for a path like /toys.");
  }
  return address;
}

type Found = readonly [Route, Readonly<Record<string, string>>];

async function answered(
  find: (method: string, path: string) => Found,
  request: IncomingMessage,
  target: string,
): Promise<Answer> {
  if (isForeignName(request)) {
    throw new Problem(
      "forbidden",
      "The workshop does not have the name in Host. If it does, start it with that name in ALLOW_HOST.",
    );
  }
  const { pathname: path, searchParams: query } = addressOf(target);
  const method = request.method === "HEAD" ? "GET" : (request.method ?? "GET");
  if (method !== "GET" && isForeignPage(request)) {
    throw new Problem("forbidden", "The form is of another site. Use the workshop's own pages.");
  }
  const [route, parts] = find(method, path);
  const body = method === "GET" ? "" : await bodyOf(request);
  const type = (request.headers["content-type"] ?? "").split(";", 1)[0] ?? "";
  return route.answer({ method, path, query, parts, type, body });
}

/** Finds the route of a path, and the parts that it names. */
function finder(routes: readonly Route[]): (method: string, path: string) => Found {
  const table = routes.map((route) => {
    const pattern = route.path.replace(/\{(\w+)\}/g, "(?<$1>[^/]+)");
    return { route, pattern: new RegExp(`^${pattern}$`) };
  });
  return (method, path) => {
    for (const { route, pattern } of table) {
      const match = route.method === method ? pattern.exec(path) : null;
      if (match !== null) return [route, decoded(match.groups ?? {})];
    }
    throw new Problem("not_found", "There is no such page. Start at the toys or at the letters.");
  };
}

function decoded(groups: Readonly<Record<string, string>>): Readonly<Record<string, string>> {
  try {
    return Object.fromEntries(Object.entries(groups).map(([name, text]) => [name, decodeURIComponent(text)]));
  } catch {
    throw new Problem("not_found", "There is no such page: its address has a broken character.");
  }
}

async function bodyOf(request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  let length = 0;
  // The connection of a body that is too large stays open for the answer.
  for await (const chunk of request.iterator({ destroyOnReturn: false }) as AsyncIterable<Buffer>) {
    length += chunk.length;
    if (length > BODY_BYTES_MAX) {
      throw new Problem("too_large", `It is larger than ${BODY_BYTES_MAX / 1024} kB. Shorten it.`);
    }
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString("utf8");
}

function send(request: IncomingMessage, response: ServerResponse, { status, headers, body }: Answer): void {
  // What was not read of a refused body would be taken for the next request.
  const close = request.complete ? {} : { connection: "close" };
  response.writeHead(status, {
    ...HEADERS,
    ...headers,
    ...close,
    "content-length": String(Buffer.byteLength(body)),
  });
  response.end(request.method === "HEAD" ? undefined : body);
}

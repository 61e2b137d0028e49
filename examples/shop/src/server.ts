/** The shop as a server of HTTP: the API below `/api`, and its page. */

import { readFile } from "node:fs/promises";
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { connect } from "@keyfold/client/node";
import { apiOf, describe } from "./api.js";
import { costed, lineOf, noted } from "./cost.js";
import { type Answer, answerTo, BadRequest, excuse, problem, typeOf } from "./errors.js";
import { isForeignName, isForeignPage } from "./names.js";
import { absent, type Route } from "./routes.js";
import { seed } from "./seed.js";
import { ShopClient } from "./shop.js";
import { answerUnread } from "./unread.js";

const BODY_BYTES_MAX = 64 * 1024;

const HEADERS = {
  "content-security-policy":
    "default-src 'none'; style-src 'self'; script-src 'self'; img-src 'self'; connect-src 'self'; frame-ancestors 'none'; base-uri 'none'",
  "x-content-type-options": "nosniff",
  "referrer-policy": "same-origin",
};

export interface Settings {
  /** `keyfold:./data`, `memory:`, `http://localhost:8000`, `dynamodb://eu-west-1`. */
  readonly connection: string;
  /** Seals the cursors of pages. */
  readonly cursorSecret: string;
  /** By default a free one. */
  readonly port?: number;
  /** The address to listen on; by default only this machine. */
  readonly host?: string;
  /** Whether to fill an empty table. */
  readonly seeded?: boolean;
}

/** A shop that answers, until `close`. */
export interface OpenShop {
  readonly address: string;
  readonly shop: ShopClient;
  close(): Promise<void>;
}

/** Opens the shop. */
export async function open({
  connection,
  cursorSecret,
  port = 0,
  host = "127.0.0.1",
  seeded = false,
}: Settings): Promise<OpenShop> {
  const table = await connect(connection);
  try {
    const shop = new ShopClient(noted(table), { cursorSecret });
    await shop.ensureTables();
    if (seeded) await seed(shop);
    const server = serverOf(apiOf(shop), await files());
    answerUnread(server);
    await listening(server, port, host);
    const { port: taken } = server.address() as AddressInfo;
    const close = async (): Promise<void> => {
      await new Promise((resolve) => {
        server.close(resolve);
        server.closeAllConnections();
      });
      await table.close();
    };
    return { address: `http://${host.includes(":") ? `[${host}]` : host}:${taken}`, shop, close };
  } catch (error) {
    await table.close();
    throw error;
  }
}

function listening(server: Server, port: number, host: string): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once("error", reject);
    server.listen(port, host, resolve);
  });
}

interface Sent {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string | Uint8Array;
}

/** The page and what it is made of, by path. */
async function files(): Promise<ReadonlyMap<string, Sent>> {
  const named = [
    ["/", "index.html", "text/html; charset=utf-8"],
    ["/page.js", "page.js", "text/javascript; charset=utf-8"],
    ["/style.css", "style.css", "text/css; charset=utf-8"],
    ["/icon.svg", "icon.svg", "image/svg+xml"],
  ] as const;
  const read = named.map(async ([path, name, type]) => {
    const body = await readFile(new URL(`../public/${name}`, import.meta.url));
    const headers = { "content-type": type, "cache-control": "no-cache" };
    return [path, { status: 200, headers, body }] as const;
  });
  return new Map(await Promise.all(read));
}

function serverOf(routes: readonly Route[], pages: ReadonlyMap<string, Sent>): Server {
  const find = finder(routes);
  const described = json({ status: 200, body: describe(routes) });
  const files = new Map([...pages, ["/api/openapi.json", described]]);
  return createServer((request, response) => {
    // All that is done with a request is within the promise: none of them ends the process.
    void answered(find, files, request)
      .catch((error: unknown) => json(failed(error)))
      .then((sent) => send(request, response, sent))
      .catch((error: unknown) => {
        console.error(error);
        response.destroy();
      });
  });
}

/** The address that a request is about: a path, or the whole address that a proxy is sent. */
function addressOf({ url = "/" }: IncomingMessage): URL {
  // A path that begins with two slashes is a path, and names no host.
  const whole = url.startsWith("/") ? `http://localhost${url}` : url;
  if (!URL.canParse(whole)) throw new BadRequest("The request names no address. Ask for a path like /api/users.");
  return new URL(whole);
}

/** An error of the program itself is no error of the table, and is written to the log like one. */
function failed(error: unknown): Answer {
  try {
    return answerTo(error);
  } catch {
    console.error(error);
    return problem(500, "fault", excuse(500));
  }
}

type Found = readonly [Route, Readonly<Record<string, string>>];

async function answered(
  find: (method: string, path: string) => Found | undefined,
  files: ReadonlyMap<string, Sent>,
  request: IncomingMessage,
): Promise<Sent> {
  if (isForeignName(request)) {
    const detail = "The shop does not have the name in Host. If it does, start it with that name in ALLOW_HOST.";
    return json(problem(403, "forbidden", detail));
  }
  const { pathname: path, searchParams: query } = addressOf(request);
  const method = request.method === "HEAD" ? "GET" : (request.method ?? "GET");
  if (method !== "GET" && isForeignPage(request)) {
    return json(problem(403, "forbidden", "A page of another site sends this. Use the shop’s own page."));
  }
  const file = method === "GET" ? files.get(path) : undefined;
  if (file !== undefined) return file;
  const found = find(method, path);
  if (found === undefined) return json(absent("route"));
  const body = method === "GET" ? undefined : await bodyOf(request);
  if (body === null) {
    return json(problem(413, "too_large", `A body has at most ${BODY_BYTES_MAX} bytes. Shorten it.`));
  }
  const [route, parts] = found;
  const [answer, requests] = await costed(() =>
    route.answer({ parts, query: Object.fromEntries(query), body }).catch(answerTo),
  );
  return json(answer, { "x-table-requests": lineOf(requests) });
}

/** Finds the route of a path, and the parts that it names. */
function finder(routes: readonly Route[]): (method: string, path: string) => Found | undefined {
  const table = routes.map((route) => {
    const [method = "", path = ""] = route.key.split(" ");
    const pattern = new RegExp(`^/api${path.replace(/\{(\w+)\}/g, "(?<$1>[^/]+)")}$`);
    return { route, method, pattern };
  });
  return (method, path) => {
    for (const one of table) {
      const match = one.method === method ? one.pattern.exec(path) : null;
      if (match !== null) return decoded(one.route, match.groups ?? {});
    }
    return undefined;
  };
}

function decoded(route: Route, groups: Readonly<Record<string, string>>): Found | undefined {
  try {
    const parts = Object.entries(groups).map(([name, text]) => [name, decodeURIComponent(text)]);
    return [route, Object.fromEntries(parts) as Record<string, string>];
  } catch {
    return undefined;
  }
}

/** The text of a body; `null` where it is too large. */
async function bodyOf(request: IncomingMessage): Promise<string | null> {
  const chunks: Buffer[] = [];
  let length = 0;
  // The connection of a body that is too large stays open for the answer.
  for await (const chunk of request.iterator({ destroyOnReturn: false }) as AsyncIterable<Buffer>) {
    length += chunk.length;
    if (length > BODY_BYTES_MAX) return null;
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString("utf8");
}

function json({ status, body }: Answer, headers: Readonly<Record<string, string>> = {}): Sent {
  const own = { "content-type": typeOf(status), "cache-control": "no-store", ...headers };
  return { status, headers: own, body: JSON.stringify(body) };
}

function send(request: IncomingMessage, response: ServerResponse, { status, headers, body }: Sent): void {
  // What was not read of a refused body would be taken for the next request.
  const close = request.complete ? {} : { connection: "close" };
  const length = { "content-length": String(Buffer.byteLength(body)) };
  response.writeHead(status, { ...HEADERS, ...headers, ...close, ...length });
  response.end(request.method === "HEAD" ? undefined : body);
}

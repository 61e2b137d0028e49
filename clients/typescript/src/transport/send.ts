/** The ways by which the bytes of a request leave: the modules of Node, or `fetch` everywhere else.
 *
 * Node's `fetch` takes as much of the processor for one request as everything else together, so that Node's
 * own HTTP is used there, with connections that are kept open. */

import { onAbort } from "../until.js";
import { thisProcess } from "./modules.js";

/** An answer of HTTP. */
export interface HttpAnswer {
  readonly status: number;
  /** The header `date`. */
  readonly date: string | undefined;
  /** The body; empty for one that is not as it was sent. */
  readonly text: string;
}

/** Sends one request: a POST of a body to an address. */
export type Send = (
  url: string,
  headers: Readonly<Record<string, string>>,
  body: string,
  signal: AbortSignal | undefined,
) => Promise<HttpAnswer>;

/** The most milliseconds that an unused connection is kept. They are fewer than servers keep it: a write on a
 * connection that the server closes at the same moment has an unknown outcome. */
const IDLE_MS = 10_000;

/** Sends by a program's `fetch`, by Node's modules, or by the environment's `fetch`. Another one than that of the
 * start is the program's own. */
export function sendBy(given: typeof fetch | undefined, ofStart: unknown): Send {
  if (given !== undefined) return byFetch(given);
  const node = byNode();
  const other = byFetch((...all) => fetch(...all));
  if (node === undefined) return other;
  return (...all) => (globalThis.fetch === ofStart ? node : other)(...all);
}

function byFetch(send: typeof fetch): Send {
  return async (url, headers, body, signal) => {
    const init: RequestInit = { method: "POST", headers, body: new TextEncoder().encode(body), redirect: "manual" };
    if (signal !== undefined) init.signal = signal;
    const response = await send(url, init);
    return { status: response.status, date: response.headers.get("date") ?? undefined, text: String(await response.text()) };
  };
}

/** The modules `node:http` and `node:https`, with what is used of them. */
interface Http {
  readonly Agent: new (options: object) => object;
  request(options: object, answered: (answer: Incoming) => void): Outgoing;
}

interface Incoming {
  readonly statusCode?: number;
  readonly headers: Readonly<Record<string, string | undefined>>;
  setEncoding(encoding: string): void;
  on(event: string, listener: (given: never) => void): void;
}

interface Outgoing {
  on(event: "error" | "close", listener: (error: Error) => void): void;
  end(body: string): void;
  destroy(reason: Error): void;
}

/** Sends by the modules of Node; `undefined` elsewhere, also where something else has modules of their names. Only
 * there are bodies compared with their checksum: `fetch` may ask for compressed ones, whose checksum is of the bytes
 * that it does not show. */
function byNode(): Send | undefined {
  const { versions, getBuiltinModule } = thisProcess() ?? {};
  const agent = (globalThis as { readonly navigator?: { readonly userAgent?: string } }).navigator?.userAgent;
  const isNode = versions?.["node"] !== undefined && (agent === undefined || agent.startsWith("Node.js/"));
  if (!isNode || getBuiltinModule === undefined) return undefined;
  const { crc32 } = getBuiltinModule("node:zlib") as { crc32(text: string): number };
  const kept = new Map<string, [Http, object]>();
  return (url, headers, body, signal) => {
    let way = kept.get(url);
    if (way === undefined) {
      const { protocol, hostname, port } = new URL(url);
      const http = getBuiltinModule(protocol === "https:" ? "node:https" : "node:http") as Http;
      // An address of IPv6 stands in brackets there.
      const host = hostname.replace(/^\[(.*)\]$/, "$1");
      const agent = new http.Agent({ keepAlive: true, timeout: IDLE_MS });
      way = [http, { method: "POST", protocol, host, port, path: "/", agent }];
      kept.set(url, way);
    }
    const [http, options] = way;
    return new Promise((resolve, reject) => {
      const request = http.request({ ...options, headers }, (answer) => {
        let text = "";
        answer.setEncoding("utf8");
        answer.on("data", (chunk: string) => {
          text += chunk;
        });
        answer.on("error", reject);
        answer.on("end", () => {
          const { date, "x-amz-crc32": sum } = answer.headers;
          if (sum !== undefined && sum !== String(crc32(text))) text = "";
          resolve({ status: answer.statusCode ?? 0, date, text });
        });
      });
      request.on("error", reject);
      // An answer that asks for another protocol ends the request without an error.
      request.on("close", () => reject(new Error("it closed the connection")));
      onAbort(signal, () => request.destroy(signal?.reason as Error));
      request.end(body);
    });
  };
}

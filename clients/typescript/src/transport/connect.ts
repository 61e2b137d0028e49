/** Transports of connections. */

import { invalid, looked } from "../error.js";
import type { AwsClient, ClientOptions, Connection, Endpoint, Transport } from "../options.js";
import { needTaken, OF_CLIENT } from "../takes.js";
import { shownText } from "../value/text.js";
import { isPlain } from "../value/value.js";
import { read, regionOf, targetOf, type Text } from "./endpoint.js";
import { LoadedTransport, ofProgram, overHttp } from "./loaded.js";
import type { Retries } from "./retry.js";

/** How often requests are sent again. */
const RETRIES = 3;
/** The members of an endpoint. */
const MEMBERS: readonly string[] = ["endpoint", "region", "credentials", "fetch"];

/** The transport of a connection. It sends a request again where that is safe. */
export function transportOf(connection: Connection, options: Pick<ClientOptions, "retries"> = {}): Transport {
  const retries = retriesOf(options);
  return looked("connection", () => found(connection, retries));
}

/** How requests are sent again. */
export function retriesOf({ retries }: Pick<ClientOptions, "retries">): Retries {
  needTaken(OF_CLIENT, "retries", retries);
  return { count: retries ?? RETRIES };
}

function found(connection: Connection, retries: Retries): Transport {
  if (typeof connection === "string") return transportOfText(connection, retries);
  if (connection instanceof LoadedTransport) return connection;
  const { call, config } = Object(connection) as Readonly<Record<string, unknown>>;
  if (typeof connection === "object" && typeof call === "function") return ofProgram(connection as Transport);
  if (typeof config === "object" && config !== null) {
    return overHttp(async () => (await import("./sdk.js")).targetOfAws(connection as AwsClient), retries);
  }
  const unknown = isPlain(connection) ? Object.keys(connection).find((name) => !MEMBERS.includes(name)) : "";
  if (unknown !== undefined) {
    const why = unknown === "" ? "" : `, and no endpoint has \`${shownText(unknown)}\``;
    throw invalid(
      `a connection is a text, an endpoint like { endpoint, region, credentials }, a client of the AWS SDK or a transport${why}`,
      "connection",
    );
  }
  return transportOfEndpoint(connection as Endpoint, retries);
}

function transportOfEndpoint(endpoint: Endpoint, retries: Retries, isAmazon = false): Transport {
  const target = targetOf(endpoint, isAmazon);
  return overHttp(() => Promise.resolve(target), retries, endpoint.fetch);
}

/** The transport of a text. What only Node can do is loaded when the first request is sent. */
function transportOfText(text: string, retries: Retries): Transport {
  const found = read(text);
  if (found.is === "server" || found.profile !== undefined || needsChain(found)) {
    return overHttp(async (ended) => (await import("./local.js")).targetOfText(found, ended), retries);
  }
  return transportOfEndpoint(found.endpoint, retries, found.isAmazon);
}

/** Whether there are no credentials in the environment for Amazon's service: the sources of the AWS SDK may
 * have some. They are not sent without TLS. */
function needsChain({ endpoint, isAmazon }: Text & { readonly is: "endpoint" }): boolean {
  if (isAmazon && regionOf(endpoint) === undefined) return true;
  const { url, credentials } = targetOf(endpoint, isAmazon);
  return typeof credentials === "function" && url.startsWith("https:");
}

/** Transports of connections. */

import { invalid } from "../error.js";
import type { AwsClient, ClientOptions, Connection, Endpoint, Transport } from "../options.js";
import { read, targetOf, targetOfAws, type Text } from "./endpoint.js";
import { HttpTransport } from "./http.js";
import type { Retries } from "./retry.js";

const RETRIES = 3;

/** The transport of a connection. It sends a request again where that is safe. */
export function transportOf(connection: Connection, options: ClientOptions = {}): Transport {
  const retries = { count: options.retries ?? RETRIES };
  if (typeof connection === "string") return transportOfText(connection, retries);
  if (typeof connection !== "object" || connection === null) {
    throw invalid("a connection is a text, an endpoint, a client of the AWS SDK or a transport", "connection");
  }
  if ("call" in connection) return connection;
  if ("config" in connection) return new HttpTransport(() => targetOfAws(connection as AwsClient), retries);
  return transportOfEndpoint(connection, retries);
}

function transportOfEndpoint(endpoint: Endpoint, retries: Retries, isAmazon = false): Transport {
  const target = targetOf(endpoint, isAmazon);
  return new HttpTransport(() => Promise.resolve(target), retries, endpoint.fetch);
}

/** The transport of a text. What only Node can do is loaded when the first request is sent. */
function transportOfText(text: string, retries: Retries): Transport {
  const found = read(text);
  const isNode = found.is === "server" || found.profile !== undefined || needsChain(found);
  if (found.is === "endpoint" && !isNode) return transportOfEndpoint(found.endpoint, retries, found.isAmazon);
  return new HttpTransport(async () => (await import("./local.js")).targetOfText(found), retries);
}

/** Whether there are no credentials in the environment for Amazon's service: the sources of the AWS SDK may
 * have some. They are not sent without TLS. */
function needsChain({ endpoint, isAmazon }: Text & { readonly is: "endpoint" }): boolean {
  const { url, credentials } = targetOf(endpoint, isAmazon);
  return typeof credentials === "function" && url.startsWith("https:");
}

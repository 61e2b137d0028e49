/** The settings of a client of the AWS SDK, which a program loads where it gives one. */

import type { AwsClient } from "../options.js";
import { type Target, targetOf } from "./endpoint.js";

// Bundlers then keep all that a program loads at once in one file.
export { Client } from "../client.js";

interface Address {
  readonly protocol: string;
  readonly hostname: string;
  readonly port?: number;
  readonly url?: URL;
}

/** The target of a client of the AWS SDK: its region, its credentials and its endpoint. */
export async function targetOfAws({ config }: AwsClient): Promise<Target> {
  const region = typeof config.region === "function" ? await config.region() : config.region;
  const { endpoint } = config;
  const given: unknown = typeof endpoint === "function" ? await (endpoint as () => unknown)() : endpoint;
  const credentials = config.credentials;
  if (given === undefined || given === null) return targetOf({ region, credentials });
  if (typeof given === "string") return targetOf({ endpoint: given, region, credentials });
  const { protocol, hostname, port, url } = given as Address;
  const address = url?.origin ?? `${protocol}//${hostname}${port === undefined ? "" : `:${port}`}`;
  return targetOf({ endpoint: address, region, credentials });
}

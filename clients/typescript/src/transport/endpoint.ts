/** Connections as endpoints: addresses, regions and credentials. */

import { invalid } from "../error.js";
import type { CredentialProvider, Credentials, Endpoint } from "../options.js";
import { needTaken, OF_ENDPOINT } from "../takes.js";
import { shownText } from "../value/text.js";
import { environmentCredentials, variable } from "./environment.js";

/** Everything that requests need. */
export interface Target {
  /** The address, with a slash at its end. */
  readonly url: string;
  /** The host with its port, as the header says it. */
  readonly host: string;
  readonly region: string;
  readonly credentials: Credentials | CredentialProvider;
}

/** Gives a target. It calls `ended` when nothing answers there any more: another one is asked for then. */
export type Targets = (ended: () => void) => Promise<Target>;

/** A connection text, read. */
export type Text =
  | {
      readonly is: "endpoint";
      readonly endpoint: Endpoint;
      readonly profile: string | undefined;
      /** Whether it is Amazon's service, whatever AWS_ENDPOINT_URL says. */
      readonly isAmazon: boolean;
    }
  /** A server of its own: on a data folder, or in memory. */
  | { readonly is: "server"; readonly folder: string | undefined };

/** Reads a connection text. */
export function read(text: string): Text {
  if (text === "memory:") return { is: "server", folder: undefined };
  if (text.startsWith("keyfold:") && text !== "keyfold:") return { is: "server", folder: text.slice(8) };
  const [, scheme = "", rest = "", query = ""] = /^(https?|dynamodb):\/\/([^?]*)\??(.*)$/is.exec(text) ?? [];
  if (scheme === "") {
    throw invalid(
      `\`${shownConnection(text)}\` is no connection; write http://host:port, dynamodb://region?profile=name, keyfold:./folder or memory:`,
      "connection",
    );
  }
  const members = new URLSearchParams(query);
  const isAmazon = scheme.toLowerCase() === "dynamodb";
  if (isAmazon && rest.includes("@")) {
    throw invalid(
      "a connection text has no credentials: name a profile, or set AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY",
      "connection",
    );
  }
  const unknown = [...members.keys()].find((name) => name !== "profile" && name !== "region");
  if (unknown !== undefined) {
    throw invalid(`a connection text has \`region\` and \`profile\`, and no \`${shownText(unknown)}\``, "connection");
  }
  const own = isAmazon ? rest.replace(/\/$/, "") : "";
  const region = members.get("region") ?? (own === "" ? null : own);
  if (region !== null && !REGION.test(region)) {
    throw noRegion(members.has("region") ? "the `region`" : `\`${shownConnection(region)}\``);
  }
  if (own !== "" && own !== region) throw invalid("the connection text names two regions", "connection");
  const endpoint = isAmazon ? {} : { endpoint: addressOf(`${scheme}://${rest}`)[0] };
  return {
    is: "endpoint",
    endpoint: region === null ? endpoint : { ...endpoint, region },
    profile: members.get("profile") ?? undefined,
    isAmazon,
  };
}

const REGION = /^[a-z0-9-]+$/;

function noRegion(what: string): Error {
  return invalid(`${what} of the connection is no region; a region looks like eu-west-1`, "connection");
}

/** The address that requests are sent to, and its host with the port. */
export function addressOf(url: string): [string, string] {
  if (typeof url !== "string") throw invalid("the address of an endpoint is a text", "connection");
  const wrong = (why: string): Error =>
    invalid(
      `\`${shownConnection(url)}\` is no address of an endpoint: ${why}; an address looks like http://127.0.0.1:8000`,
      "connection",
    );
  if (!/^https?:\/\//i.test(url)) throw wrong("it does not begin with http:// or https://");
  if (url.includes("@")) throw wrong("it has a user or a password, and credentials are given beside the address");
  // A parser of the web reads backslashes, blanks and more slashes than two in its own way.
  const authority = /^https?:\/\/([^/?#\\\s]*)\/*$/i.exec(url)?.[1];
  if (authority === undefined) throw wrong("there is something behind the host");
  if (authority === "" || authority.startsWith(":")) throw wrong("it has no host");
  if (/:(?:0*)?$/.test(authority)) throw wrong("its port is no number from 1 to 65535");
  let parsed: URL;
  try {
    parsed = new URL(url);
  } catch {
    throw wrong("it has no host, or characters that an address cannot have");
  }
  return [`${parsed.protocol}//${parsed.host}/`, parsed.host];
}

/** A connection in a message: without what may be secret. That is a user with a password, the values behind
 * `?` and `#`, and all behind a word with a colon that is neither a scheme nor a host with a port. */
function shownConnection(text: string): string {
  const [url = ""] = text.split(/[?#]/);
  const end = url === text ? "" : "…";
  const at = url.lastIndexOf("@");
  if (at >= 0) return shownText(`…${url.slice(at)}${end}`);
  const isKnown = /^[a-z][a-z0-9+.-]*:\/|:[0-9]{1,5}\/?$|^[^:]*$/i.test(url);
  return shownText(isKnown ? `${url}${end}` : `${url.slice(0, url.indexOf(":") + 1)}…`);
}

/** An address of Amazon's service for DynamoDB, with its region. */
const REGIONAL = /\b(?:dynamodb|dynamodb-fips|ddb)\.([^.]+)(?:\.vpce)?\.(?:amazonaws\.(?:com(?:\.cn)?|eu)|api\.aws)[:\d]*\/?$/i;

/** The region that is given, that in the name of Amazon's host, or that of the environment. */
export function regionOf({ region, endpoint = "" }: Endpoint): string | undefined {
  return region ?? REGIONAL.exec(endpoint)?.[1] ?? variable("AWS_REGION", "AWS_DEFAULT_REGION");
}

/** The target of an endpoint. Where it has no address, AWS_ENDPOINT_URL has one, unless it is Amazon's. */
export function targetOf(given: Endpoint, isAmazonOnly = false): Target {
  for (const name of ["fetch", "credentials"] as const) needTaken(OF_ENDPOINT, name, given[name], "connection");
  const own = given.endpoint ?? (isAmazonOnly ? undefined : variable("AWS_ENDPOINT_URL_DYNAMODB", "AWS_ENDPOINT_URL"));
  // Amazon's service is never asked in a region that nobody has named.
  const region = regionOf(own === undefined ? given : { ...given, endpoint: own }) ?? (own && "us-east-1");
  if (region === undefined) {
    throw invalid("the connection has no region; write dynamodb://eu-west-1, or set AWS_REGION", "connection");
  }
  if (typeof region !== "string" || !REGION.test(region)) throw noRegion(`\`${shownConnection(String(region))}\``);
  const domain = region.startsWith("cn-") ? "amazonaws.com.cn" : "amazonaws.com";
  const [url, host] = addressOf(own ?? `https://dynamodb.${region}.${domain}/`);
  const isAmazon = REGIONAL.test(url) || /\.amazonaws\.com(?:\.cn)?$/.test(host);
  // A server without credentials of its own takes any.
  const local = { accessKeyId: "local", secretAccessKey: "local" };
  const credentials = given.credentials ?? environmentCredentials() ?? (isAmazon ? missing : local);
  return { url, host, region, credentials };
}

async function missing(): Promise<Credentials> {
  throw (await import("../request-errors.js")).noCredentials();
}

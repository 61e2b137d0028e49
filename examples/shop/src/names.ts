/** Who may call the server. A page whose own name leads to this machine (DNS rebinding) reads and writes what only
 * this machine reaches; its name shows in the header `Host`. */

import type { IncomingMessage } from "node:http";
import { isIPv4, isIPv6 } from "node:net";

/** A name, or an IPv6 address in brackets; with a port or without. */
const HOST = /^([^:[\]]+|\[[\da-f:.]+\])(:\d{1,5})?$/i;
/** A name without a dot, or one below `localhost`: no page of the web has it. */
const LOCAL = /^(([\w-]+\.)*localhost|[\w-]+)$/i;

/** A name alone, as an application is told of one. */
const ALONE = /^([\w-]+\.)*[\w-]+$/;

/** The sentence about an `ALLOW_HOST` that is no name. Whoever starts the application has to know: no request would
 * ever be called so. */
export function wrongName(): string | undefined {
  const name = process.env["ALLOW_HOST"] ?? "";
  if (name === "" || ALONE.test(name)) return undefined;
  return `ALLOW_HOST is ${JSON.stringify(name)}. Set it to a name alone, as club.example.com, without http:// and port`;
}

/** Whether a request calls the server by a name that anybody may let lead here, or by none. `ALLOW_HOST` names one
 * that a proxy has. */
export function isForeignName({ headersDistinct }: IncomingMessage): boolean {
  const [host, ...others] = headersDistinct["host"] ?? [];
  const name = HOST.exec(host ?? "")?.[1]?.toLowerCase();
  if (name === undefined || others.length > 0) return true;
  const isOwn = isIPv4(name) || isIPv6(name.replace(/^\[|\]$/g, "")) || LOCAL.test(name);
  return !isOwn && !isAllowed(name);
}

/** Whether a browser sends what a page of another site has made. Programs send neither header. A proxy may call the
 * server by another name or port than the page has, which is then that of `ALLOW_HOST`. */
export function isForeignPage({ headers, headersDistinct }: IncomingMessage): boolean {
  const site = headers["sec-fetch-site"];
  if (site !== undefined) return site !== "same-origin" && site !== "none";
  const [origin, ...others] = headersDistinct["origin"] ?? [];
  if (origin === undefined) return false;
  const host = origin.split("://")[1] ?? "";
  const isOwn = host === headers.host || isAllowed(HOST.exec(host)?.[1]);
  return !isOwn || others.length > 0;
}

/** Whether a name is that of a proxy, which the server was told of. */
function isAllowed(name: string | undefined): boolean {
  return name !== undefined && name.toLowerCase() === process.env["ALLOW_HOST"]?.toLowerCase();
}

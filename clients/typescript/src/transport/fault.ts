/** Faults of connections, as the environments report them. */

import type { Target } from "./endpoint.js";

/** The codes of faults before any of a request was sent: of Node and undici, and of Bun. */
const UNSENT =
  /^(?:ECONNREFUSED|ENOTFOUND|EAI_AGAIN|EADDRNOTAVAIL|EHOSTUNREACH|ENETUNREACH|UND_ERR_CONNECT_TIMEOUT|ConnectionRefused|FailedToOpenSocket|CERT_.*|.*_CERT.*)$/;
/** What Deno says instead of a code. */
const UNSENT_TEXT = /\(Connect\)|tcp connect error|dns error|invalid peer certificate|bad port|are blocked/;

interface Fault {
  readonly message?: string;
  readonly code?: unknown;
  readonly cause?: unknown;
}

/** An error and the causes behind it. */
function chain(error: unknown): Fault[] {
  const all: Fault[] = [];
  for (let one = error; typeof one === "object" && one !== null && all.length < 8; one = (one as Fault).cause) {
    all.push(one as Fault);
  }
  return all;
}

/** Whether a request failed before any of it was sent. */
export function isUnsent(error: unknown): boolean {
  return chain(error).some(
    ({ code, message = "" }) => (typeof code === "string" && UNSENT.test(code)) || UNSENT_TEXT.test(message),
  );
}

/** The cause of a fault in words. */
export function whyOf(error: unknown): string {
  const last = chain(error).findLast(({ message, code }) => message || typeof code === "string");
  return last === undefined ? String(error) : last.message || String(last.code);
}

/** The address of a target in a message. */
export function addressText({ url }: Target): string {
  return url.replace(/\/$/, "");
}

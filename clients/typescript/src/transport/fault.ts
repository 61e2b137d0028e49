/** Faults of connections, as the environments report them. */

import { spoken } from "../value/text.js";
import type { Target } from "./endpoint.js";

/** The codes of faults before any of a request was sent, of Node, undici and Bun; and what a system was doing, whose own
 * codes are the same for what it does later. */
const UNSENT =
  /^(?:connect|getaddrinfo|UND_ERR_CONNECT_TIMEOUT|ConnectionRefused|FailedToOpenSocket|CERT_.*|.*_CERT.*)$/;
/** What Deno says instead of a code. */
const UNSENT_TEXT = /\(Connect\)|tcp connect error|dns error|invalid peer certificate|bad port|are blocked/;

interface Fault {
  readonly message?: string;
  readonly code?: unknown;
  readonly syscall?: unknown;
  readonly errors?: unknown;
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
  return chain(error).some(({ code, syscall, errors, message }) =>
    // A host with several addresses was reached at none of them.
    Array.isArray(errors) && errors.length > 0
      ? errors.every(isUnsent)
      : [code, syscall].some((one) => UNSENT.test(String(one))) || UNSENT_TEXT.test(String(message)),
  );
}

/** The cause of a fault in words. */
export function whyOf(error: unknown): string {
  const last = chain(error).findLast(({ message, code }) => message || typeof code === "string");
  return last === undefined ? spoken(error) : last.message || String(last.code);
}

/** The address of a target in a message. */
export function addressText({ url }: Target): string {
  return url.replace(/\/$/, "");
}

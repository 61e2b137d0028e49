/** The API over HTTP: signed requests, and their answers. */

import { KeyfoldError } from "../error.js";
import { exceptionOf } from "../io.js";
import type { CredentialProvider, Credentials, Transport } from "../options.js";
import { isCredentials } from "../takes.js";
import { until } from "../until.js";
import { parsed } from "../value/text.js";
import { MAKERS } from "./answer.js";
import type { Target, Targets } from "./endpoint.js";
import { addressText, isUnsent, whyOf } from "./fault.js";
import { type Attempt, repeated, type Retries, withToken } from "./retry.js";
import { type HttpAnswer, type Send, sendBy } from "./send.js";
import { Signer } from "./sign.js";

/** A connection to this machine that is refused, in the words of Node, Deno or Bun. */
const NO_SERVER = /\/\/(?:localhost|127[.\d]+|\[::1]|0\.0\.0\.0)(?::\d+)?: .*(?:refused|unable to conn)/i;

/** An endpoint with DynamoDB's API. */
export class HttpTransport implements Transport {
  readonly #target: Targets;
  readonly #retries: Retries;
  readonly #send: Send;
  readonly #signer = new Signer();
  #kept: Promise<[Target, Asked]> | undefined;
  /** The milliseconds that the service's clock is ahead. */
  #ahead = 0;

  /** `target` is asked for once, and again where it has ended. `send` takes the place of the environment's own way,
   * which has `fetch` of the program's start. */
  constructor(target: Targets, retries: Retries, send?: typeof fetch, ofStart?: unknown) {
    this.#target = target;
    this.#retries = retries;
    this.#send = sendBy(send, ofStart);
  }

  async call(operation: string, input: object, signal?: AbortSignal): Promise<object> {
    const sent = withToken(operation, input);
    return repeated(operation, sent, this.#retries, signal, () => this.#attempt(operation, sent, signal));
  }

  #resolved(): Promise<[Target, Asked]> {
    if (this.#kept === undefined) {
      const forget = (): void => {
        this.#kept = undefined;
      };
      this.#kept = this.#target(forget).then(async (one) => [one, await askedOf(one.credentials)]);
      this.#kept.catch(forget);
    }
    return this.#kept;
  }

  /** Sends a request once and classifies the outcome. */
  async #attempt(operation: string, input: object, signal: AbortSignal | undefined): Promise<Attempt> {
    let target: Target;
    let credentials: Asked;
    let given: Credentials;
    let failed = "the connection cannot be opened";
    try {
      [target, credentials] = await until(signal, this.#resolved());
      failed = "there are no credentials";
      given = await until(signal, credentials.get());
    } catch (error) {
      return ofConnection(failed, error);
    }
    const body = JSON.stringify(input);
    const now = Date.now() + this.#ahead;
    const request = { host: target.host, target: `DynamoDB_20120810.${operation}`, body, now };
    const headers = await this.#signer.headers(given, target.region, request);
    let came: HttpAnswer;
    try {
      came = await until(signal, this.#send(target.url, headers, body, signal));
    } catch (error) {
      const fault = `cannot reach ${addressText(target)}: ${whyOf(error)}`;
      const why = NO_SERVER.test(fault) ? `${fault}; \`keyfold serve\` starts a server` : fault;
      return { is: isUnsent(error) ? "unsent" : "lost", why, cause: error };
    }
    const { status, date, text } = came;
    const answered = { by: `${addressText(target)} answered with ${status}`, answer: parsed(text), text };
    if (status === 200) return { is: "answered", ...answered };
    const attempt = (await import("./refusal.js")).refused(MAKERS, input, status, answered);
    if (attempt.is !== "refused") return attempt;
    const { error } = attempt;
    if (exceptionOf(error) === "ExpiredTokenException") credentials.forget?.();
    const isOfClock = /Signature (?:expired|not yet current)/.test(error.message) && this.#setClock(date);
    return isOfClock ? { is: "unsent", why: error.message } : attempt;
  }

  /** Sets the clock of signatures by the answer's; returns whether it was wrong. */
  #setClock(date: string | undefined): boolean {
    const at = Date.parse(date ?? "");
    const before = this.#ahead;
    // No date is not a number, and above nothing.
    if (at > 0) this.#ahead = at - Date.now();
    return Math.abs(this.#ahead - before) > 60_000;
  }
}

/** What each request asks for credentials. */
interface Asked {
  get(): Promise<Credentials>;
  /** Forgets them: the service has refused them. */
  forget?(): void;
}

async function askedOf(credentials: Credentials | CredentialProvider): Promise<Asked> {
  const isProvider = typeof credentials === "function";
  const get = async (): Promise<Credentials> => {
    const found = isProvider ? await credentials() : credentials;
    if (isCredentials(found)) return found;
    throw new TypeError("they have no texts");
  };
  return isProvider ? new (await import("./kept.js")).KeptCredentials(get) : { get };
}

/** A fault of the connection that is found at a call: nothing was sent. One that the program's text has stays
 * `invalid`. */
function ofConnection(what: string, error: unknown): Attempt {
  const isOwn = error instanceof KeyfoldError;
  if (isOwn && error.detail.code === "invalid" && error.detail.name === "connection") return { is: "refused", error };
  return { is: "unsent", why: isOwn ? error.message : `${what}: ${whyOf(error)}`, cause: error, isFinal: true };
}

// Bundlers then keep all that a program loads at once in one file.
export { Client } from "../client.js";
export { repeated } from "./retry.js";

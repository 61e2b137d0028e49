/** The API over HTTP: signed requests, and their answers. */

import { KeyfoldError } from "../error.js";
import type { Credentials, Transport } from "../options.js";
import { until } from "../until.js";
import { parsed } from "../value/text.js";
import { isAnswer, isException, loadForms } from "./answer.js";
import type { Target, Targets } from "./endpoint.js";
import { addressText, isUnsent, whyOf } from "./fault.js";
import { KeptCredentials } from "./kept.js";
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
  #kept: Promise<[Target, KeptCredentials]> | undefined;
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
    await loadForms(operation);
    return repeated(operation, this.#retries, signal, () => this.#attempt(operation, sent, signal));
  }

  #resolved(): Promise<[Target, KeptCredentials]> {
    if (this.#kept === undefined) {
      const forget = (): void => {
        this.#kept = undefined;
      };
      this.#kept = this.#target(forget).then((one) => [one, new KeptCredentials(one.credentials)]);
      this.#kept.catch(forget);
    }
    return this.#kept;
  }

  /** Sends a request once and classifies the outcome. */
  async #attempt(operation: string, input: object, signal: AbortSignal | undefined): Promise<Attempt> {
    let target: Target;
    let credentials: KeptCredentials;
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
    let answer: HttpAnswer;
    try {
      answer = await until(signal, this.#send(target.url, headers, body, signal));
    } catch (error) {
      const fault = `cannot reach ${addressText(target)}: ${whyOf(error)}`;
      const why = NO_SERVER.test(fault) ? `${fault}; \`keyfold serve\` starts a server` : fault;
      return { is: isUnsent(error) ? "unsent" : "lost", why, cause: error };
    }
    return this.#judged(operation, input, target, credentials, answer);
  }

  async #judged(
    operation: string,
    input: object,
    target: Target,
    credentials: KeptCredentials,
    { status, date, text }: HttpAnswer,
  ): Promise<Attempt> {
    const answer = parsed(text);
    if (status === 200 && isAnswer(operation, input, answer)) return { is: "answered", answer };
    // Whatever else there is may come from something before the service, which gave up on it or sends it elsewhere,
    // perhaps after the service had it. A transaction that is under way with this token may be carried out.
    const { refusal, whyLost } = await import("./refusal.js");
    if (status < 400 || status >= 500 || !isException(input, answer) || /\bTransactionInP/.test(answer.__type)) {
      return { is: "lost", why: `${addressText(target)} ${whyLost(isAnswer, operation, input, status, text)}` };
    }
    const name = answer.__type.replace(/.*#/, "");
    if (name === "ExpiredTokenException") credentials.forget();
    const why = `${name}: ${answer.message ?? answer.Message}`;
    if (/Signature (?:expired|not yet current)/.test(why) && this.#setClock(date)) return { is: "unsent", why };
    return { is: "refused", error: refusal(name, answer) };
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

/** A fault of the connection that is found at a call: nothing was sent. One that the program's text has stays
 * `invalid`. */
function ofConnection(what: string, error: unknown): Attempt {
  if (!(error instanceof KeyfoldError)) {
    return { is: "unsent", why: `${what}: ${whyOf(error)}`, cause: error, isFinal: true };
  }
  const { detail } = error;
  if (detail.code === "invalid" && detail.name === "connection") return { is: "refused", error };
  return { is: "unsent", why: error.message, cause: error, isFinal: true };
}

// Bundlers then keep all that a program loads at once in one file.
export { Client } from "../client.js";

/** The API over HTTP: signed requests, and their answers. */

import { KeyfoldError } from "../error.js";
import type { Transport } from "../options.js";
import { exceptionIn, parsed, refusal } from "./answer.js";
import { addressText, isUnsent, whyOf } from "./fault.js";
import { KeptCredentials } from "./environment.js";
import type { Target } from "./endpoint.js";
import { type Attempt, repeated, type Retries, withToken } from "./retry.js";
import { type HttpAnswer, type Send, sendBy } from "./send.js";
import { Signer } from "./sign.js";

/** An endpoint with DynamoDB's API. */
export class HttpTransport implements Transport {
  readonly #target: () => Promise<Target>;
  readonly #retries: Retries;
  readonly #send: Send;
  readonly #signer = new Signer();
  #kept: Promise<[Target, KeptCredentials]> | undefined;
  /** The milliseconds that the service's clock is ahead. */
  #ahead = 0;

  /** `target` is asked for once. `send` takes the place of the environment's own way. */
  constructor(target: () => Promise<Target>, retries: Retries, send?: typeof fetch) {
    this.#target = target;
    this.#retries = retries;
    this.#send = sendBy(send);
  }

  async call(operation: string, input: object, signal?: AbortSignal): Promise<object> {
    const body = JSON.stringify(withToken(operation, input));
    const [target, credentials] = await this.#resolved();
    return repeated(operation, this.#retries, signal, () =>
      this.#attempt(target, credentials, operation, body, signal),
    );
  }

  async #resolved(): Promise<[Target, KeptCredentials]> {
    const kept = (this.#kept ??= this.#target().then((one) => [one, new KeptCredentials(one.credentials)]));
    try {
      return await kept;
    } catch (error) {
      this.#kept = undefined;
      throw ofConnection(error);
    }
  }

  /** Sends a request once and classifies the outcome. */
  async #attempt(
    target: Target,
    credentials: KeptCredentials,
    operation: string,
    body: string,
    signal: AbortSignal | undefined,
  ): Promise<Attempt> {
    const request = {
      host: target.host,
      target: `DynamoDB_20120810.${operation}`,
      body,
      now: Date.now() + this.#ahead,
    };
    let headers: Record<string, string>;
    try {
      headers = await this.#signer.headers(await credentials.get(), target.region, request);
    } catch (error) {
      if (error instanceof KeyfoldError) throw ofConnection(error);
      return { is: "unsent", why: `there are no credentials: ${whyOf(error)}`, cause: error, isFinal: true };
    }
    let answer: HttpAnswer;
    try {
      answer = await this.#send(target.url, headers, body, signal);
    } catch (error) {
      const why = `cannot reach ${addressText(target)}: ${whyOf(error)}`;
      return { is: isUnsent(error) ? "unsent" : "lost", why, cause: error };
    }
    return this.#judged(target, credentials, answer);
  }

  #judged(target: Target, credentials: KeptCredentials, { status, date, text }: HttpAnswer): Attempt {
    if (status === 200) {
      const answer = parsed(text);
      if (typeof answer === "object" && answer !== null) return { is: "answered", answer };
      return { is: "lost", why: `the answer of ${addressText(target)} is not DynamoDB's JSON`, isFinal: true };
    }
    const exception = exceptionIn(text);
    if (status >= 500) {
      const said = exception === undefined ? "" : `: ${exception.name} ${exception.message}`;
      return { is: "lost", why: `${addressText(target)} failed with ${status}${said}` };
    }
    if (exception === undefined) {
      const why = `the answer of ${addressText(target)} is not DynamoDB's: it has the status ${status}`;
      return { is: "unsent", why, isFinal: true };
    }
    if (exception.name === "ExpiredTokenException") credentials.forget();
    if (/Signature (?:expired|not yet current)/.test(exception.message) && this.#setClock(date)) {
      return { is: "unsent", why: `${exception.name}: ${exception.message}` };
    }
    return { is: "refused", error: refusal(exception) };
  }

  /** Sets the clock of signatures by the answer's; returns whether it was wrong. */
  #setClock(date: string | undefined): boolean {
    const at = Date.parse(date ?? "");
    const before = this.#ahead;
    if (!Number.isNaN(at)) this.#ahead = at - Date.now();
    return Math.abs(this.#ahead - before) > 60_000;
  }
}

/** An error that is found at a call, but lies in the connection: the call itself is not `invalid`. */
function ofConnection(error: unknown): unknown {
  if (!(error instanceof KeyfoldError) || error.code !== "invalid") return error;
  return new KeyfoldError(error.message, { code: "transport" }, undefined, error);
}

/** Credentials that are asked for again when they end. */

import type { CredentialProvider, Credentials } from "../options.js";
import { isCredentials } from "../takes.js";

/** Credentials this long before their end are asked for again. */
const BEFORE_END_MS = 60_000;

/** The credentials of a provider, kept until shortly before their end. */
export class KeptCredentials {
  readonly #provider: CredentialProvider;
  #kept: Promise<Credentials> | undefined;

  constructor(given: Credentials | CredentialProvider) {
    this.#provider = async () => {
      const found = typeof given === "function" ? await given() : given;
      if (isCredentials(found)) return found;
      throw new TypeError("they have no texts");
    };
  }

  /** The credentials. */
  async get(): Promise<Credentials> {
    const kept = (this.#kept ??= this.#provider());
    let credentials: Credentials;
    try {
      credentials = await kept;
    } catch (error) {
      if (this.#kept === kept) this.#kept = undefined;
      throw error;
    }
    const { expiration } = credentials;
    // What is no moment is no number, and below nothing.
    const isOver = Number(expiration ?? Number.NaN) - BEFORE_END_MS <= Date.now();
    if (!isOver) return credentials;
    // Only the first that sees it asks again.
    if (this.#kept === kept) this.#kept = this.#provider();
    return this.#kept ?? this.#provider();
  }

  /** Forgets the credentials: the service has refused them. */
  forget(): void {
    this.#kept = undefined;
  }
}

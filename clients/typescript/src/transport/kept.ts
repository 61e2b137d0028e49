/** Credentials of a provider, which are asked for again when they end. A program loads this where it has a provider. */

import type { Credentials } from "../options.js";

/** Credentials this long before their end are asked for again. */
const BEFORE_END_MS = 60_000;

/** The credentials of a provider, kept until shortly before their end. */
export class KeptCredentials {
  readonly #provider: () => Promise<Credentials>;
  #kept: Promise<Credentials> | undefined;

  constructor(provider: () => Promise<Credentials>) {
    this.#provider = provider;
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

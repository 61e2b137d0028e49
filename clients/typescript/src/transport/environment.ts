/** What the environment gives: its variables, credentials, and the modules of Node. */

import { invalid } from "../error.js";
import type { CredentialProvider, Credentials } from "../options.js";

interface Process {
  readonly env?: Readonly<Record<string, string | undefined>>;
}

/** A variable of the environment; `undefined` where there is none. Edges have no environment. */
export function variable(...names: readonly string[]): string | undefined {
  const { process } = globalThis as { readonly process?: Process };
  // Deno asks for permission before it gives a variable.
  try {
    return names.map((name) => process?.env?.[name]).find((one) => one !== undefined && one !== "");
  } catch {
    return undefined;
  }
}

/** The credentials in the variables of the environment. */
export function environmentCredentials(): Credentials | undefined {
  const [accessKeyId, secretAccessKey] = [variable("AWS_ACCESS_KEY_ID"), variable("AWS_SECRET_ACCESS_KEY")];
  if (accessKeyId === undefined || secretAccessKey === undefined) return undefined;
  return { accessKeyId, secretAccessKey, sessionToken: variable("AWS_SESSION_TOKEN") };
}

/** The error of a connection without credentials. */
export function noCredentials(): Error {
  return invalid(
    "there are no credentials: set AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY, install @aws-sdk/credential-providers, or give `credentials`",
    "credentials",
  );
}

/** Credentials this long before their end are asked for again. */
const BEFORE_END_MS = 60_000;

/** The credentials of a provider, kept until shortly before their end. */
export class KeptCredentials {
  readonly #provider: CredentialProvider;
  #kept: Promise<Credentials> | undefined;

  constructor(given: Credentials | CredentialProvider) {
    this.#provider = typeof given === "function" ? given : () => Promise.resolve(given);
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
    const isOver = expiration !== undefined && expiration.getTime() - BEFORE_END_MS <= Date.now();
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

/** What the environment gives: its variables, credentials, and the modules of Node. */

import type { Credentials } from "../options.js";

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

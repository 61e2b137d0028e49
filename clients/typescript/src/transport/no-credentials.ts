/** The error of a connection without credentials, which a program loads when there are none. */

import { invalid } from "../error.js";

/** The error of a connection without credentials. */
export function noCredentials(): Error {
  return invalid(
    "there are no credentials: set AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY, install @aws-sdk/credential-providers, or give `credentials`",
    "credentials",
  );
}

// Bundlers then keep all that a program loads at once in one file.
export { Client } from "../client.js";

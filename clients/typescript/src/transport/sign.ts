/** AWS Signature Version 4 of requests of the DynamoDB API: one POST to `/` with a body. */

import type { Credentials } from "../options.js";
import { hmac } from "../value/hmac.js";
import { hex, sha256 } from "../value/sha256.js";

/** From this length on, a hash is left to WebCrypto. Its calls cost more than the hash of a short body. */
const LONG_BYTES = 0x1000;

/** The key and the day and region that it is of. */
interface SigningKey {
  readonly of: string;
  readonly key: Uint8Array;
}

/** Signs requests with the credentials and for the region that it is given. */
export class Signer {
  #last: SigningKey | undefined;

  /** The headers of a signed request, `host` excepted, which the environment sends. */
  async headers(
    credentials: Credentials,
    region: string,
    request: { readonly host: string; readonly target: string; readonly body: string; readonly now: number },
  ): Promise<Record<string, string>> {
    const time = `${new Date(request.now).toISOString().slice(0, 19).replace(/[-:]/g, "")}Z`;
    const { accessKeyId, sessionToken } = credentials;
    const headers: Record<string, string> = {
      "content-type": "application/x-amz-json-1.0",
      host: request.host,
      "x-amz-date": time,
      ...(sessionToken !== undefined && { "x-amz-security-token": sessionToken }),
      "x-amz-target": request.target,
    };
    const names = Object.keys(headers).join(";");
    const lines = Object.entries(headers).map(([name, value]) => `${name}:${value}\n`).join("");
    const canonical = `POST\n/\n\n${lines}\n${names}\n${await digest(bytes(request.body))}`;
    const scope = `${time.slice(0, 8)}/${region}/dynamodb/aws4_request`;
    const text = `AWS4-HMAC-SHA256\n${time}\n${scope}\n${hex(sha256(bytes(canonical)))}`;
    const signature = hex(hmac(this.#key(credentials, scope), text));
    const { host: _, ...sent } = headers;
    return {
      ...sent,
      authorization: `AWS4-HMAC-SHA256 Credential=${accessKeyId}/${scope}, SignedHeaders=${names}, Signature=${signature}`,
    };
  }

  /** The key of a day: the same for all requests of the day. */
  #key({ secretAccessKey }: Credentials, scope: string): Uint8Array {
    const of = `${secretAccessKey}/${scope}`;
    if (this.#last?.of !== of) {
      const key = scope.split("/").reduce(hmac, bytes(`AWS4${secretAccessKey}`));
      this.#last = { of, key };
    }
    return this.#last.key;
  }
}

function bytes(text: string): Uint8Array {
  return new TextEncoder().encode(text);
}

async function digest(body: Uint8Array): Promise<string> {
  if (body.length < LONG_BYTES) return hex(sha256(body));
  return hex(new Uint8Array(await crypto.subtle.digest("SHA-256", body as Uint8Array<ArrayBuffer>)));
}

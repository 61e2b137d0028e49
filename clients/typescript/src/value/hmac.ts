/** HMAC-SHA256, of which signatures are made. */

import { sha256 } from "./sha256.js";

/** The HMAC-SHA256 of a text. */
export function hmac(key: Uint8Array, text: string): Uint8Array {
  const block = new Uint8Array(64);
  block.set(key.length > 64 ? sha256(key) : key);
  const message = new TextEncoder().encode(text);
  const padded = (by: number, rest: Uint8Array): Uint8Array => {
    const all = new Uint8Array(64 + rest.length);
    all.set(block.map((byte) => byte ^ by));
    all.set(rest, 64);
    return sha256(all);
  };
  return padded(0x5c, padded(0x36, message));
}

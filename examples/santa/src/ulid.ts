/** Identifiers of letters: ULIDs, which are in the order of time. */

import { randomBytes } from "node:crypto";
import { LetterId } from "./santa.js";

const DIGITS = "0123456789ABCDEFGHJKMNPQRSTVWXYZ";

/** A new identifier: 48 bits of milliseconds and 80 random ones, five to a digit. */
export function newLetterId(now: number = Date.now()): LetterId {
  const bits = (BigInt(now) << 80n) | BigInt(`0x${randomBytes(10).toString("hex")}`);
  const digits = Array.from({ length: 26 }, (_, at) => DIGITS[Number((bits >> BigInt(5 * (25 - at))) & 31n)]);
  return LetterId(digits.join(""));
}

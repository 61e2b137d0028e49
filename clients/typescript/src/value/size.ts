/** Sizes in bytes as DynamoDB counts them. */

import type { AttributeValue, Item } from "../plan.js";
import { bytesOf } from "./base64.js";
import { parseDecimal } from "./number.js";

const UTF8: TextEncoder = /* @__PURE__ */ new TextEncoder();

/** The size of an item: names and values of all attributes. */
export function sizeOfItem(item: Item): number {
  return sum(Object.keys(item), (name) => textSize(name) + sizeOf(item[name] ?? {}));
}

function sum<T>(all: readonly T[], size: (one: T) => number): number {
  return all.reduce((total, one) => total + size(one), 0);
}

function textSize(text: string): number {
  return UTF8.encode(text).length;
}

function sizeOf({ S, N, B, L, M, SS, NS, BS }: AttributeValue): number {
  if (S !== undefined) return textSize(S);
  if (N !== undefined) return numberSize(N);
  if (B !== undefined) return bytesOf(B).length;
  if (L !== undefined) return 3 + sum(L, (one) => sizeOf(one) + 1);
  if (M !== undefined) return 3 + sum(Object.keys(M), (name) => textSize(name) + sizeOf(M[name] ?? {}) + 1);
  if (SS !== undefined) return sum(SS, textSize);
  if (NS !== undefined) return sum(NS, numberSize);
  if (BS !== undefined) return sum(BS, (one) => bytesOf(one).length);
  return 1;
}

/** One byte, one for each two digits before the point, one for each two behind it, and one for a sign. */
function numberSize(text: string): number {
  const found = parseDecimal(text);
  if (found === undefined || found.coefficient === 0n) return 1;
  const isNegative = found.coefficient < 0n;
  const digits = found.coefficient.toString().length - (isNegative ? 1 : 0);
  const fraction = Math.min(digits, Math.max(0, -found.exponent));
  return 1 + Math.ceil((digits - fraction) / 2) + Math.ceil(fraction / 2) + (isNegative ? 1 : 0);
}

/** Cursors: positions as opaque texts, which may be given to a browser. A cursor belongs to a model, a pattern
 * and its arguments; with a secret it is signed, and a changed one is refused. */

import type { Item, PatternPlan, Plan } from "./plan.js";
import { base64Of, bytesOf } from "./value/base64.js";
import { jsonOfItem } from "./value/compare.js";
import { digest } from "./value/sha256.js";
import type { Values } from "./value/value.js";

/** The digits of the digest that binds a cursor to its pattern and arguments. */
const BOUND_DIGITS = 16;

/** A position, and the moment of the pattern where it follows from one. */
export interface Position {
  readonly after: Item;
  readonly now: number | undefined;
}

/** What a cursor belongs to. */
export interface Bound {
  readonly plan: Plan;
  readonly pattern: PatternPlan;
  readonly args: Values;
  readonly secret: string | undefined;
}

/** The cursor of a position. */
export async function cursorOf(bound: Bound, { after, now }: Position): Promise<string> {
  const text = JSON.stringify([digestOf(bound), after, ...(now === undefined ? [] : [now])]);
  const bytes = new TextEncoder().encode(text);
  if (bound.secret === undefined) return textOf([bytes]);
  const signature = await crypto.subtle.sign("HMAC", await keyOf(bound.secret), bytes);
  return textOf([bytes, new Uint8Array(signature)]);
}

/** The position of a cursor. Nothing is sent for a wrong one. */
export async function positionOfCursor(bound: Bound, cursor: unknown): Promise<Position> {
  const found = typeof cursor === "string" ? await contentOf(bound, cursor) : undefined;
  const [own, after, now]: unknown[] = Array.isArray(found) ? found : [];
  const isMoment = now === undefined || (typeof now === "number" && Number.isSafeInteger(now));
  if (own === digestOf(bound) && isItem(after) && isMoment) return { after, now };
  throw (await import("./read/refused.js")).noCursor(bound.pattern.name);
}

/** The JSON of a cursor; `undefined` for a text that is none. */
async function contentOf({ secret }: Bound, cursor: string): Promise<unknown> {
  try {
    const parts = cursor.split(".").map((one) => bytesOf(base64Text(one)));
    const [bytes = new Uint8Array(), signature, ...rest] = parts;
    // Base64 has several texts of the same bytes.
    if (rest.length > 0 || textOf(parts) !== cursor) return undefined;
    if (!(await isSigned(secret, bytes, signature))) return undefined;
    const text = new TextDecoder("utf-8", { fatal: true }).decode(bytes);
    // No position has a null in it.
    return JSON.parse(text, (_, one: unknown) => one ?? JSON.parse(""));
  } catch {
    return undefined;
  }
}

function isItem(value: unknown): value is Item {
  const isObject = (one: unknown): boolean => typeof one === "object" && !Array.isArray(one);
  return isObject(value) && Object.values(value as object).every(isObject);
}

async function isSigned(
  secret: string | undefined,
  bytes: Uint8Array<ArrayBuffer>,
  signature: Uint8Array<ArrayBuffer> | undefined,
): Promise<boolean> {
  if (secret === undefined || signature === undefined) return secret === undefined && signature === undefined;
  return crypto.subtle.verify("HMAC", await keyOf(secret), signature, bytes);
}

/** What binds a cursor to its model, pattern and arguments. */
function digestOf({ plan, pattern, args }: Bound): string {
  const given = jsonOfItem(Object.fromEntries(args), true);
  return digest(`${plan.model.hash}\n${pattern.name}\n${given}`).slice(0, BOUND_DIGITS);
}

function keyOf(secret: string): Promise<CryptoKey> {
  const bytes = new TextEncoder().encode(secret);
  return crypto.subtle.importKey("raw", bytes, { name: "HMAC", hash: "SHA-256" }, false, ["sign", "verify"]);
}

/** The text of a cursor's parts. */
function textOf(parts: readonly Uint8Array[]): string {
  return parts.map((one) => base64Of(one).replaceAll("+", "-").replaceAll("/", "_").replaceAll("=", "")).join(".");
}

function base64Text(url: string): string {
  return url.replaceAll("-", "+").replaceAll("_", "/");
}

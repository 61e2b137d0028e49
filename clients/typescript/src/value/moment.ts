/** Times of programs, of any zone, and moments, as texts of one width in UTC. A program loads them with the types of
 * given times (`types.ts`). */

import type { Type } from "../plan.js";
import { cut, digitsOf, isDay } from "./time.js";

const TIME =
  /^([0-9]{4}-[0-9]{2}-[0-9]{2})[Tt ]([0-9]{2}):([0-9]{2})(?::([0-9]{2})(?:[.,]([0-9]{1,9}))?)?(Z|z|([+-])([0-9]{2})(?::?([0-9]{2}))?)$/;

/** The most hours that a zone is before or behind UTC, for Keyfold's own client. */
const ZONE_HOURS_MAX = 25;

/** The text of a moment with nine digits; `undefined` outside of the years 1 to 9999. */
function withNanos(epoch: number, fraction: string): string | undefined {
  const at = new Date(epoch);
  const year = at.getUTCFullYear();
  if (Number.isNaN(epoch) || year < 1 || year > 9999) return undefined;
  return `${at.toISOString().slice(-24, -5)}.${fraction.padEnd(9, "0")}Z`;
}

/** A time with its zone, or a day, as text in UTC with these digits; `undefined` for another text. */
export function canonicalTime(text: string, digits: number): string | undefined {
  if (isDay(text)) return cut(`${text}T00:00:00.000000000Z`, digits);
  const found = TIME.exec(text);
  if (found === null) return undefined;
  const [, day = "", hour = "", minute = "", second = "00", fraction = "", , sign, zoneHour, zoneMinute] = found;
  const isIn = (part: string, most: number): boolean => Number(part) <= most;
  // A leap second would become the one before it.
  if (!isDay(day) || !isIn(hour, 23) || !isIn(minute, 59) || !isIn(second, 59)) return undefined;
  if (!isIn(zoneHour ?? "0", ZONE_HOURS_MAX) || !isIn(zoneMinute ?? "0", 59)) return undefined;
  const offset = (Number(zoneHour ?? 0) * 60 + Number(zoneMinute ?? 0)) * 60_000;
  const at = Date.parse(`${day}T${hour}:${minute}:${second}.000Z`);
  const made = withNanos(at - (sign === "-" ? -offset : offset), fraction);
  return made === undefined ? undefined : cut(made, digits);
}

/** Whether a text has a time with more digits than these. */
export function isFiner(text: string, digits: number): boolean {
  const exact = canonicalTime(text, 9);
  return exact !== undefined && /[1-9]/.test(exact.slice(digits === 0 ? 19 : 20 + digits));
}

/** A moment as a value of a time or date type; `undefined` for another type. */
export function timeOfEpochMs(type: Type, epoch: number): string | undefined {
  const at = withNanos(epoch, String(((epoch % 1000) + 1000) % 1000).padStart(3, "0"));
  const digits = digitsOf(type);
  if (at === undefined || (digits === undefined && type !== "date")) return undefined;
  return digits === undefined ? at.slice(0, 10) : cut(at, digits);
}

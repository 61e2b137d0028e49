/** Times as texts of one width in UTC, their periods, and the days of the calendar. */

import type { Type, Unit } from "../plan.js";

export const WIDTHS: Readonly<Record<Unit, number>> = { hour: 13, day: 10, month: 7, year: 4 };
const DAY = /^([0-9]{4})-([0-9]{2})-([0-9]{2})$/;
const TIME =
  /^([0-9]{4}-[0-9]{2}-[0-9]{2})[Tt ]([0-9]{2}):([0-9]{2})(?::([0-9]{2})(?:[.,]([0-9]{1,9}))?)?(Z|z|([+-])([0-9]{2})(?::?([0-9]{2}))?)$/;

/** The most hours that a zone is before or behind UTC, for Keyfold's own client. */
const ZONE_HOURS_MAX = 25;

/** The number of digits behind the seconds of a time type; `undefined` for another type. */
export function digitsOf(type: Type): number | undefined {
  switch (type) {
    case "time.s":
      return 0;
    case "time.ms":
      return 3;
    case "time.us":
      return 6;
    case "time.ns":
      return 9;
    default:
      return undefined;
  }
}

/** The characters of a time with these digits. */
export function widthOfTime(digits: number): number {
  return digits === 0 ? 20 : 21 + digits;
}

/** The period of a time or day. */
export function periodOf(unit: Unit, time: string): string {
  return time.slice(0, WIDTHS[unit]);
}

/** A period as a part of a table's name: `2024_01`. */
export function inName(period: string): string {
  return period.replace(/[-T]/g, "_");
}

/** Whether a text is a day of the calendar. */
export function isDay(text: string): boolean {
  const found = DAY.exec(text);
  if (found === null) return false;
  const [year, month, day] = [Number(found[1]), Number(found[2]), Number(found[3])];
  const isLeap = year % 4 === 0 && (year % 100 !== 0 || year % 400 === 0);
  const days = month === 2 ? (isLeap ? 29 : 28) : [4, 6, 9, 11].includes(month) ? 30 : 31;
  return year >= 1 && month >= 1 && month <= 12 && day >= 1 && day <= days;
}

/** The text of a moment with nine digits; `undefined` outside of the years 1 to 9999. */
function withNanos(epoch: number, fraction: string): string | undefined {
  const at = new Date(epoch);
  const year = at.getUTCFullYear();
  if (Number.isNaN(epoch) || year < 1 || year > 9999) return undefined;
  return `${at.toISOString().slice(-24, -5)}.${fraction.padEnd(9, "0")}Z`;
}

/** A time cut to its digits. */
export function cut(text: string, digits: number): string {
  return `${text.slice(0, digits === 0 ? 19 : 20 + digits)}Z`;
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

const STORED = /^.{10}T(?:[01][0-9]|2[0-3])(?::[0-5][0-9]){2}(?:\.[0-9]+)?Z$/;

/** Whether a text is a time as it is stored with these digits. */
export function isStoredTime(text: string, digits: number): boolean {
  return text.length === widthOfTime(digits) && STORED.test(text) && isDay(text.slice(0, 10));
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

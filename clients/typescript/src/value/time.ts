/** Times as texts of one width in UTC, their periods, and the days of the calendar. */

import type { Type, Unit } from "../plan.js";

export const WIDTHS: Readonly<Record<Unit, number>> = { hour: 13, day: 10, month: 7, year: 4 };
const DAY = /^([0-9]{4})-([0-9]{2})-([0-9]{2})$/;

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

/** A time cut to its digits. */
export function cut(text: string, digits: number): string {
  return `${text.slice(0, digits === 0 ? 19 : 20 + digits)}Z`;
}

const STORED = /^.{10}T(?:[01][0-9]|2[0-3])(?::[0-5][0-9]){2}(?:\.[0-9]+)?Z$/;

/** Whether a text is a time as it is stored with these digits. */
export function isStoredTime(text: string, digits: number): boolean {
  return text.length === widthOfTime(digits) && STORED.test(text) && isDay(text.slice(0, 10));
}

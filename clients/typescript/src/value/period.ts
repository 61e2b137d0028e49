/** Periods of the calendar: those of names of tables, and those of a range. */

import type { TablePlan, Type, Unit } from "../plan.js";
import { cut, digitsOf, inName, isDay, periodOf } from "./time.js";

/** The most periods of a range: each is a request. */
export const PERIODS_MAX = 10_000;

/** Whether a part of a table's name stands for a period of the calendar: `2024_13` does not. */
export function isPeriodInName(unit: Unit, text: string): boolean {
  const period = text.replace(/_/g, (_, at: number) => (at === 10 ? "T" : "-"));
  return inName(period) === text && isPeriod(unit, period);
}

/** Whether a text names a period. */
export function isPeriod(unit: Unit, text: string): boolean {
  const forms: Readonly<Record<Unit, RegExp>> = {
    hour: /^[0-9-]{10}T(?:[01][0-9]|2[0-3])$/,
    day: /^[0-9-]{10}$/,
    month: /^[0-9]{4}-[0-9]{2}$/,
    year: /^[0-9]{4}$/,
  };
  return forms[unit].test(text) && isDay((text + "0000-01-01".slice(text.length)).slice(0, 10));
}

/** The first time of a period, or its first day where the type is a date. */
export function firstTime(type: Type, period: string): string {
  const text = period + "0000-01-01T00:00:00.000000000Z".slice(period.length);
  const digits = digitsOf(type);
  return digits === undefined ? text.slice(0, 10) : cut(text, digits);
}

/** The periods from that of `low` to that of `high`; `undefined` when there are too many, or a text is no
 * time. */
export function periodsBetween(unit: Unit, low: string, high: string): string[] | undefined {
  const start = (text: string): number => {
    const period = periodOf(unit, text);
    return isPeriod(unit, period) ? Date.parse(firstTime("time.ms", period)) : Number.NaN;
  };
  const [at, last] = [new Date(start(low)), start(high)];
  if (Number.isNaN(at.getTime()) || Number.isNaN(last)) return undefined;
  const periods: string[] = [];
  while (at.getTime() <= last && at.getUTCFullYear() <= 9999) {
    if (periods.length === PERIODS_MAX) return undefined;
    periods.push(periodOf(unit, at.toISOString()));
    if (unit === "hour") at.setUTCHours(at.getUTCHours() + 1);
    else if (unit === "day") at.setUTCDate(at.getUTCDate() + 1);
    else if (unit === "month") at.setUTCMonth(at.getUTCMonth() + 1);
    else at.setUTCFullYear(at.getUTCFullYear() + 1);
  }
  return periods;
}

/** Whether a physical table is one of a period of a table. */
export function isOfPeriod(table: TablePlan, name: string): boolean {
  const start = `${table.name}_`;
  return table.period !== undefined && name.startsWith(start) && isPeriodInName(table.period, name.slice(start.length));
}

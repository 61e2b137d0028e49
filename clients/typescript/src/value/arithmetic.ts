/** Sums of decimal numbers, and their neighbours. */

import type { AttributeValue } from "../plan.js";
import { type Decimal, decimalText, DIGITS_MAX, MAGNITUDE_MIN, normal, parseDecimal } from "./number.js";

/** The exact sum; `undefined` where it has more than 38 digits or is out of range. */
export function addNumbers(one: string, other: string): string | undefined {
  const [left, right, exponent] = aligned(parsed(one), parsed(other));
  const sum = normal(left + right, exponent);
  return sum && decimalText(sum);
}

/** The number with the other sign. */
export function negatedNumber(text: string): string {
  const { coefficient, exponent } = parsed(text);
  return decimalText({ coefficient: -coefficient, exponent });
}

/** The least number that is greater; `undefined` above the greatest. */
export function nextNumber(text: string, isWhole: boolean): string | undefined {
  const whole = isWhole ? addNumbers(text, "1") : undefined;
  if (whole !== undefined) {
    return whole;
  }
  const { coefficient, exponent } = parsed(text);
  if (coefficient === 0n) {
    return decimalText({ coefficient: 1n, exponent: MAGNITUDE_MIN });
  }
  const size = coefficient < 0n ? -coefficient : coefficient;
  const missing = DIGITS_MAX - size.toString().length;
  const full = size * 10n ** BigInt(missing);
  if (coefficient > 0n) {
    const next = normal(full + 1n, exponent - missing);
    return next && decimalText(next);
  }
  // Below a power of ten, numbers have one more digit behind the point.
  const isPower = size === 1n;
  const less = isPower ? full * 10n - 1n : full - 1n;
  const next = normal(-less, exponent - missing - (isPower ? 1 : 0));
  return next === undefined ? "0" : decimalText(next);
}

/** A number that is known to be one. */
function parsed(text: string): Decimal {
  return parseDecimal(text) ?? { coefficient: 0n, exponent: 0 };
}

/** The coefficients of two numbers with the lower of their exponents. */
function aligned(one: Decimal, other: Decimal): [bigint, bigint, number] {
  const exponent = Math.min(one.exponent, other.exponent);
  const scaled = (of: Decimal): bigint => of.coefficient * 10n ** BigInt(of.exponent - exponent);
  return [scaled(one), scaled(other), exponent];
}

/** Less than zero, zero, or more, as `one` is less, equal or greater. */
export function compareNumbers(one: string, other: string): number {
  const [left, right] = aligned(parsed(one), parsed(other));
  return left < right ? -1 : left > right ? 1 : 0;
}

/** A value that is a whole number. */
export function whole(number: number): AttributeValue {
  return { N: String(number) };
}

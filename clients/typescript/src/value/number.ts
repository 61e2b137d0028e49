/** Decimal numbers of up to 38 digits, as text. DynamoDB has them; a JavaScript number does not. */

/** The number `coefficient * 10^exponent`, without zeros at the end of the coefficient. */
export interface Decimal {
  readonly coefficient: bigint;
  readonly exponent: number;
}

/** The most digits of a number. */
export const DIGITS_MAX = 38;
const MAGNITUDE_MAX = 125;
/** The least power of ten. */
export const MAGNITUDE_MIN = -130;
const FORM = /^([+-]?)([0-9]*)(?:\.([0-9]*))?(?:[eE]([+-]?[0-9]+))?$/;
/** Texts that are in their one form already. */
const PLAIN = /^(?:0|-?[1-9][0-9]{0,36})$/;

/** A decimal in its one form; `undefined` outside of DynamoDB's range. */
export function normal(coefficient: bigint, exponent: number): Decimal | undefined {
  if (coefficient === 0n) {
    return { coefficient, exponent: 0 };
  }
  let digits = coefficient.toString();
  const kept = digits.replace(/0+$/, "");
  const dropped = digits.length - kept.length;
  digits = kept.replace("-", "");
  const magnitude = exponent + dropped + digits.length - 1;
  const fits = digits.length <= DIGITS_MAX && magnitude <= MAGNITUDE_MAX && magnitude >= MAGNITUDE_MIN;
  return fits ? { coefficient: BigInt(kept), exponent: exponent + dropped } : undefined;
}

/** The number that a text is; `undefined` for another text and for a number that DynamoDB lacks. */
export function parseDecimal(text: string): Decimal | undefined {
  const found = FORM.exec(text);
  const [, sign, whole = "", fraction = "", power = "0"] = found ?? [];
  const digits = (whole + fraction).replace(/^0+/, "");
  if (found === null || whole + fraction === "" || power.length > 12) {
    return undefined;
  }
  if (digits.length > 400) {
    const short = digits.replace(/0+$/, "");
    return short.length > DIGITS_MAX
      ? undefined
      : normal(BigInt(sign + short), Number(power) - fraction.length + digits.length - short.length);
  }
  return normal(BigInt(`${sign === "-" ? "-" : ""}${digits || "0"}`), Number(power) - fraction.length);
}

/** The text of a number, without an exponent. */
export function decimalText({ coefficient, exponent }: Decimal): string {
  if (exponent >= 0) {
    return coefficient.toString() + "0".repeat(exponent);
  }
  const isNegative = coefficient < 0n;
  const digits = (isNegative ? -coefficient : coefficient).toString().padStart(1 - exponent, "0");
  const at = digits.length + exponent;
  return `${isNegative ? "-" : ""}${digits.slice(0, at)}.${digits.slice(at)}`;
}

/** The one text of a number; `undefined` when the text is none. */
export function canonicalNumber(text: string): string | undefined {
  if (PLAIN.test(text)) {
    return text;
  }
  const parsed = parseDecimal(text);
  return parsed && decimalText(parsed);
}

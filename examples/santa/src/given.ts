/** Values that people and programs give, held against what the workshop takes. */

import { Problem } from "./problem.js";

/** The highest price, in cents. */
const PRICE_MAX = 1_000_000;
const QUANTITY_MAX = 99;

/** Characters that no sheet of paper shows, but for the ends of lines. */
const UNWRITABLE = /(?![\n\r\t])\p{Cc}/u;

/** A text without blanks around it, that is not empty. People know the field as `called`. */
export function texted(value: unknown, field: string, most: number, called: string = field): string {
  const text = typeof value === "string" ? value.trim() : "";
  if (text === "") throw new Problem("invalid", `The ${called} is missing. Fill it in.`, field);
  if ([...text].length > most) {
    throw new Problem("invalid", `The ${called} is longer than ${most} characters. Shorten it.`, field);
  }
  if (UNWRITABLE.test(text)) {
    throw new Problem("invalid", `The ${called} has a character that cannot be written. Take it out.`, field);
  }
  return text;
}

const CENTS = `a whole number of cents from 1 to ${PRICE_MAX.toLocaleString("en")}`;
const EUROS = `an amount from 0.01 to ${(PRICE_MAX / 100).toLocaleString("en")} with at most two digits behind the point`;

/** A price in cents. A program gives them as they are; a person fills in euros. */
export function priced(value: unknown, field: string, filledIn: "cents" | "euros" = "cents"): number {
  if (Number.isInteger(value) && (value as number) >= 1 && (value as number) <= PRICE_MAX) {
    return value as number;
  }
  const wanted = filledIn === "cents" ? CENTS : EUROS;
  throw new Problem("invalid", `The ${field} is not ${wanted}. Correct it.`, field);
}

/** A number of pieces. */
export function pieces(value: unknown, toy: string, field: string = "wishes"): number {
  if (!Number.isInteger(value) || (value as number) < 1 || (value as number) > QUANTITY_MAX) {
    throw new Problem(
      "invalid",
      `The quantity of ${toy} is no number from 1 to ${QUANTITY_MAX}. Correct it.`,
      field,
    );
  }
  return value as number;
}

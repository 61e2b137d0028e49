/** HTML whose values are escaped. */

/** A piece of HTML. */
export class Html {
  readonly text: string;

  constructor(text: string) {
    this.text = text;
  }
}

/** What may stand in a template: texts are escaped, lists are joined, absence is nothing. */
export type Value = Html | string | number | undefined | readonly Value[];

/** HTML of a template. */
export function html(strings: TemplateStringsArray, ...values: readonly Value[]): Html {
  return new Html(strings.reduce((text, string, at) => text + escaped(values[at - 1]) + string));
}

function escaped(value: Value): string {
  if (value === undefined) return "";
  if (value instanceof Html) return value.text;
  if (typeof value === "string") return value.replace(/[&<>"']/g, (sign) => SIGNS[sign] ?? sign);
  if (typeof value === "number") return String(value);
  return value.map(escaped).join("");
}

const SIGNS: Readonly<Record<string, string>> = {
  "&": "&amp;",
  "<": "&lt;",
  ">": "&gt;",
  '"': "&quot;",
  "'": "&#39;",
};

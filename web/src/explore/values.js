// Values of DynamoDB's JSON as texts. A value is data: marks that turn a text round or hide in it are shown by their number.

const HIDDEN = /[\u0000-\u001f\u007f-\u009f\u00ad\u061c\u200b-\u200f\u2028-\u202e\u2060-\u2069\ufeff]/g;
const escaped = (one) => `\\u${one.charCodeAt(0).toString(16).padStart(4, "0")}`;

/** A text in which nothing is hidden. */
export const visible = (text) => text.replace(HIDDEN, escaped);

const typeOf = (value) => Object.keys(value)[0];

/** A value without its type, as JSON. Numbers keep all of their digits. */
export function json(value) {
  const type = typeOf(value);
  const held = value[type];
  switch (type) {
    case "N":
      return held;
    case "NULL":
      return "null";
    case "L":
      return `[${held.map(json).join(",")}]`;
    case "M":
      return `{${Object.entries(held).map(([name, one]) => `${JSON.stringify(name)}:${json(one)}`).join(",")}}`;
    case "NS":
      return `[${held.join(",")}]`;
    default:
      return JSON.stringify(held);
  }
}

/** A value as people read it. */
export const plain = (value) => (typeof value.S === "string" ? value.S : typeof value.B === "string" ? value.B : json(value));

/** The order of two values in a column: numbers by their size, all else as text; nothing comes last. */
export function compare(one, other) {
  if (one === undefined || other === undefined) return (one === undefined) - (other === undefined);
  if (one.N !== undefined && other.N !== undefined) return Number(one.N) - Number(other.N);
  const [a, b] = [plain(one), plain(other)];
  return a < b ? -1 : a > b ? 1 : 0;
}

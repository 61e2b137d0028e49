/** Keys: the texts that parts make of values. Those of rarer formats are made by `formats`. */

import { invalid } from "../error.js";
import { formats } from "../features.js";
import type { AttributeValue, FieldPart, Part, Type } from "../plan.js";
import { display, shownText } from "../value/text.js";
import type { Values } from "../value/value.js";

/** The border between two attributes. No text in a key contains it. */
export const BREAK = "\0";
/** The last character, which stands above every key. */
export const LAST = "\u{10ffff}";

/** The types of single values that are no texts. */
const OTHERS: readonly string[] = ["int", "number", "bool", "binary"];

/** Whether values of a type are texts. */
export function isText(type: Type): boolean {
  return typeof type === "string" ? !OTHERS.includes(type) : type.words !== undefined;
}

/** Whether values of a type are numbers. */
export function isNumber(type: Type): boolean {
  return type === "int" || type === "number";
}

/** The type as the model writes it. */
export function typeText(type: Type): string {
  if (typeof type === "string") {
    return type === "time.ms" ? "time" : type.replace(/^time\.(.*)/, "time($1)");
  }
  if (type.words !== undefined) return type.words.join(" | ");
  if (type.list !== undefined) return `list of ${typeText(type.list)}`;
  if (type.map !== undefined) return `map of ${typeText(type.map)}`;
  if (type.set !== undefined) return `set of ${typeText(type.set)}`;
  return type.record ?? "value";
}

/** Whether a part is a value. */
export function isField(part: Part | undefined): part is FieldPart {
  return typeof part === "object" && "field" in part;
}

/** The names of the values that parts are made of. A shard adds none of its own. */
export function fieldsOf(parts: readonly Part[]): string[] {
  return parts.flatMap((part) => {
    if (isField(part)) return [part.field];
    return typeof part === "object" && "shards" in part ? fieldsOf(part.of) : [];
  });
}

/** Whether the value itself is the key attribute. */
export function isBare(parts: readonly Part[]): parts is readonly [FieldPart] {
  const [first] = parts;
  return parts.length === 1 && isField(first) && first.format === "bare";
}

function value(values: Values, name: string): AttributeValue {
  const held = values.get(name);
  if (held === undefined) {
    throw invalid(`${name} is missing, and a key is made of it`, name);
  }
  return held;
}

/** The value that parts make for one attribute of a key. */
export function column(parts: readonly Part[], values: Values): AttributeValue {
  if (!isBare(parts)) return { S: text(parts, values) };
  const held = value(values, parts[0].field);
  if (held.S === "") throw empty(parts[0].field);
  return held;
}

/** The text that parts make of values. */
export function text(parts: readonly Part[], values: Values): string {
  return parts.map((part) => partText(part, values)).join("");
}

function partText(part: Part, values: Values): string {
  if (typeof part === "string") return part;
  if (isField(part)) return written(part, value(values, part.field));
  return "break" in part ? BREAK : formats.numbered(part, values);
}

function empty(name: string): Error {
  return invalid(`${name} is empty, and a key is made of it`, name);
}

/** The text of a value in a key; `undefined` when it is not of the type. */
function plainText(type: Type, held: AttributeValue): string | undefined {
  if (held.S !== undefined) return isText(type) ? held.S : undefined;
  if (held.N !== undefined) return isNumber(type) ? held.N : undefined;
  return held.BOOL !== undefined && type === "bool" ? String(held.BOOL) : undefined;
}

/** The text of a value in a field of a key. */
export function written(part: FieldPart, held: AttributeValue): string {
  const { field: name, type, format } = part;
  const plain = plainText(type, held);
  if (plain === undefined) {
    throw invalid(`${name} is no ${typeText(type)}: ${shownText(display(held))}`, name);
  }
  return format === undefined || format === "bare" ? checked(part, plain) : formats.formatted(part, plain);
}

/** The text, unless it is empty or contains a character with a meaning in keys. */
export function checked(part: FieldPart, plain: string): string {
  const { field: name, type, not = "" } = part;
  for (const one of plain) {
    if ((type === "string" && not.includes(one)) || one === BREAK || one === LAST) {
      const why =
        one === LAST ? "the last character of all, where ranges of keys end" : "which separates the parts of the key";
      throw invalid(
        `${name}: \`${shownText(plain)}\` contains \`${shownText(one)}\`, ${why}; write the field with \`:escape\` in the template, or choose another value`,
        name,
      );
    }
  }
  if (plain === "") throw empty(name);
  return plain;
}

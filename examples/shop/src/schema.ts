/** Schemas of the API's description, in the part of JSON Schema that it needs. */

export interface Schema {
  readonly type: "string" | "integer" | "boolean" | "array" | "object";
  readonly description?: string;
  readonly enum?: readonly string[];
  readonly pattern?: string;
  readonly format?: "date-time" | "date";
  readonly minimum?: number;
  readonly maximum?: number;
  readonly items?: Schema;
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly required?: readonly string[];
  readonly additionalProperties?: false;
}

export const text: Schema = { type: "string" };
export const moment: Schema = { type: "string", format: "date-time" };
export const date: Schema = { type: "string", format: "date" };
export const whole: Schema = { type: "integer" };
export const truth: Schema = { type: "boolean" };
export const cents: Schema = { type: "integer", description: "An amount of money in cents." };
export const uuid: Schema = { type: "string", pattern: "^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$" };
export const ulid: Schema = { type: "string", pattern: "^[0-7][0-9A-HJKMNP-TV-Z]{25}$" };

/** One of some words. */
export function words(...choice: readonly string[]): Schema {
  return { type: "string", enum: choice };
}

export function list(items: Schema): Schema {
  return { type: "array", items };
}

/** An object of these members. Those whose name ends with `?` may be absent. */
export function object(members: Readonly<Record<string, Schema>>): Schema {
  const plain = (name: string): string => name.replace(/\?$/, "");
  return {
    type: "object",
    properties: Object.fromEntries(Object.entries(members).map(([name, schema]) => [plain(name), schema])),
    required: Object.keys(members).filter((name) => !name.endsWith("?")),
    additionalProperties: false,
  };
}

/** A page of a list, with the cursor of the next one. */
export function page(name: string, items: Schema): Schema {
  return object({ [name]: list(items), "next?": text });
}

/** A problem as RFC 9457 has it, with the word that programs compare, and the sentence that people read. */
export const problem: Schema = problemOf(text);

/** A problem of certain words, with what belongs to them. */
export function problemOf(code: Schema, more: Readonly<Record<string, Schema>> = {}): Schema {
  return object({ status: whole, code, detail: text, "field?": text, ...more });
}

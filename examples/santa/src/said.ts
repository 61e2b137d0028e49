/** What the model does not take, in sentences for the callers of the API. Keyfold's own sentences are for the author
 * of the model: they name patterns, keys and templates. */

/** What a request has, by the names of its members. */
export interface Given {
  readonly parts: Readonly<Record<string, string | undefined>>;
  readonly query: Readonly<Record<string, string | undefined>>;
  readonly body?: unknown;
}

/** The member of a request that an error is about, and the sentence about it. The error may name several, whose values
 * are too long together. */
export function refusal(names: string, message: string, given: Given): { field: string; detail: string } {
  const field = memberOf(names.split(", "), message, given) ?? names.split(", ")[0] ?? names;
  if (field === "after") return { field, detail: "This after is of another list. Begin at the first page." };
  return { field, detail: `The member ${field} ${reasonOf(names, message)}` };
}

function reasonOf(names: string, message: string): string {
  if (message.includes(" bytes long, ")) return "is too long. Shorten it.";
  if (message.includes(":escape`")) {
    return "has a character that it cannot have. Take out `#`, and what cannot be seen.";
  }
  if (message.includes(" is empty, ")) return "is empty. Send a text.";
  if (message.includes("half of a character")) return "is no text: it has half of a character. Send a whole one.";
  const at = message.lastIndexOf(`${names}: `);
  const why = at < 0 ? message : message.slice(at + names.length + 2);
  // These say only what the value is, and what it has to be.
  const isOfValue = ["`", "there is no `", "from "].some((start) => why.startsWith(start));
  if (isOfValue) return `is not taken: ${why.replace(/\.$/, "")}. Send another one.`;
  return "is not taken. /api/openapi.json says what it has to be: send that.";
}

/** The path of the member that has one of these names: `lines[2].price`. Of several it is the one whose value the
 * message shows, or else the longest. */
function memberOf(names: readonly string[], message: string, given: Given): string | undefined {
  const members = [...textsOf({ ...given.parts }, ""), ...textsOf({ ...given.query }, ""), ...textsOf(given.body, "")];
  const named = members.filter(({ path, name }) => names.includes(path) || names.includes(name));
  const shown = named.find(({ text }) => message.includes(`\`${text}\``));
  return (shown ?? named.sort((one, other) => other.text.length - one.text.length)[0])?.path;
}

interface Member {
  readonly path: string;
  readonly name: string;
  readonly text: string;
}

/** The deepest member of a body that is looked at: none that is taken is deeper. */
const DEPTH_MAX = 10;

function textsOf(value: unknown, path: string, name = "", depth = 0): Member[] {
  if (depth > DEPTH_MAX || value === undefined || value === null) return [];
  if (typeof value !== "object") return [{ path, name, text: String(value) }];
  if (Array.isArray(value)) {
    return value.flatMap((item, at) => textsOf(item, `${path}[${at}]`, name, depth + 1));
  }
  return Object.entries(value).flatMap(([of, member]) => textsOf(member, within(path, of), of, depth + 1));
}

/** The path of a member of the object at a path. */
export function within(path: string, name: string): string {
  return path === "" ? name : `${path}.${name}`;
}

/** The part of a schema that says which members there are. */
export interface Members {
  readonly properties?: Readonly<Record<string, Members>>;
  readonly items?: Members;
}

/** A member that a schema does not have, and those that it has. */
export interface Unknown {
  readonly field: string;
  readonly detail: string;
}

/** The first member of a value that a schema does not have, wherever it is. */
export function unknownMember(value: unknown, schema: Members, path: string = ""): Unknown | undefined {
  if (typeof value !== "object" || value === null) return undefined;
  if (Array.isArray(value)) {
    const { items } = schema;
    if (items === undefined) return undefined;
    for (const [at, item] of value.entries()) {
      const found = unknownMember(item, items, `${path}[${at}]`);
      if (found !== undefined) return found;
    }
    return undefined;
  }
  const { properties = {} } = schema;
  for (const [name, member] of Object.entries(value)) {
    const of = Object.hasOwn(properties, name) ? properties[name] : undefined;
    if (of === undefined) {
      const owner = path === "" ? "The body" : path.replace(/^./, (first) => first.toUpperCase());
      const known = Object.keys(properties).join(", ");
      const detail = `${owner} has no member ${JSON.stringify(name)}. It takes only ${known}: leave the rest out.`;
      return { field: within(path, name), detail };
    }
    const found = unknownMember(member, of, within(path, name));
    if (found !== undefined) return found;
  }
  return undefined;
}

/** A given value in quotes. One that is long is cut. */
export function shown(value: unknown): string {
  const text = JSON.stringify(value) ?? "nothing";
  return text.length <= 60 ? text : `${text.slice(0, 60)}…`;
}

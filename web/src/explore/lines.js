// Lines of JSON as an import sends them. Numbers keep all of their digits: an object is cut into the texts of its members.

/** The place behind a value of valid JSON that begins at `from`. */
function behind(text, from) {
  let depth = 0;
  for (let at = from; at < text.length; at += 1) {
    const one = text[at];
    if (one === '"') {
      for (at += 1; text[at] !== '"'; at += 1) if (text[at] === "\\") at += 1;
      if (depth === 0) return at + 1;
    } else if (one === "{" || one === "[") depth += 1;
    else if (one === "}" || one === "]") {
      if (depth === 0) return at;
      depth -= 1;
      if (depth === 0) return at + 1;
    } else if (one === "," && depth === 0) return at;
  }
  return text.length;
}

/** The members of a valid JSON object, by name, as they are written. */
export function members(text) {
  const all = {};
  let at = text.indexOf("{") + 1;
  for (;;) {
    at = text.indexOf('"', at);
    if (at < 0) return all;
    const end = behind(text, at);
    const name = JSON.parse(text.slice(at, end));
    const first = text.indexOf(":", end) + 1;
    const start = first + text.slice(first).search(/\S/);
    at = behind(text, start);
    all[name] = text.slice(start, at).trim();
  }
}

const isObject = (one) => typeof one === "object" && one !== null && !Array.isArray(one);

/** A line as it is sent: of an entity, or of an item as it is stored. A fault is its reason. */
function taken(text, isStored) {
  const one = JSON.parse(text);
  if (isStored) return { item: isObject(one.Item) && Object.keys(one).length === 1 ? one.Item : one };
  if (!isObject(one) || !isObject(one.item) || !("kind" in one)) throw new Error('no line of the form {"kind": …, "item": {…}}');
  const raw = Object.entries(members(members(text).item)).filter(([, held]) => held !== "null");
  return { kind: one.kind, values: Object.fromEntries(raw.map(([name, held]) => [name, held.startsWith('"') ? JSON.parse(held) : held])) };
}

/** All lines that are not empty: `{ number, sent }`, or `{ number, error }`. */
export function linesOf(text, isStored) {
  const line = (one, at) => {
    try {
      return { number: at + 1, sent: taken(one, isStored) };
    } catch (error) {
      return { number: at + 1, error: error instanceof SyntaxError ? `this is no JSON: ${error.message}` : error.message };
    }
  };
  return text.split("\n").map((one, at) => (one.trim() === "" ? null : line(one, at))).filter((one) => one !== null);
}

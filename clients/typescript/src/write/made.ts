/** What a write made, by the names that generated types have for it. */

import type { Given } from "../arguments.js";
import type { MadeValue } from "../complete.js";
import type { MadeMember } from "../made.js";
import type { Made } from "../options.js";
import { display } from "../value/text.js";

/** Values that were made, for the caller. A moment or an identifier is a text. */
export function shownMade(made: readonly MadeValue[]): Made[] {
  return made.map((one) => ({ ...one, value: display(one.value) }));
}

/** The values: as the caller gave them, the others of the report. */
export function valuesMade(
  members: Readonly<Record<string, MadeMember>>,
  args: Given,
  made: readonly Made[],
): Record<string, unknown> {
  const left = [...made];
  const all = Object.entries(members).map(([name, [entity, attribute, given, each, argument = attribute]]) => {
    const own = (from: Given): unknown => {
      const held = given === "never" ? undefined : from[argument];
      if (held !== undefined && held !== null) return held;
      const at = left.findIndex((one) => one.entity === entity && one.attribute === attribute);
      return at < 0 ? undefined : left.splice(at, 1)[0]?.value;
    };
    if (each === undefined) return [name, own(args)];
    return [name, (args[each] as readonly Given[]).map((one) => own(given === "element" ? one : args))];
  });
  return Object.fromEntries(all.filter(([, value]) => value !== undefined));
}

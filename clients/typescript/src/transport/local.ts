/** Targets that only Node, Deno and Bun have: servers of their own, and profiles of AWS. */

import { regionOf, type Target, targetOf, type Text } from "./endpoint.js";
import { variable } from "./environment.js";
import { OwnServer } from "./own.js";
import { chain, profileSettings } from "./profile.js";

/** The servers of texts, each of which is that of one connection. */
const OWN: WeakMap<Text, OwnServer> = /* @__PURE__ */ new WeakMap();

/** The target of a text. A server that it starts runs until the process ends; where it has ended by itself, the
 * target of another one. */
export async function targetOfText(text: Text, ended: () => void): Promise<Target> {
  if (text.is === "server") {
    const own = OWN.get(text) ?? new OwnServer(text.folder);
    OWN.set(text, own);
    return own.target(ended);
  }
  const settings = await profileSettings(text.profile ?? variable("AWS_PROFILE") ?? "default");
  const region = regionOf(text.endpoint) ?? settings?.["region"];
  // A region that is missing or wrong is found before the credentials are looked for.
  const target = targetOf({ ...text.endpoint, ...(region !== undefined && { region }) }, text.isAmazon);
  return { ...target, credentials: await chain(text.profile) };
}
// Bundlers then keep all that a program loads at once in one file.
export { Client } from "../client.js";

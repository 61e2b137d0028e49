/** Targets that only Node, Deno and Bun have: servers of their own, and profiles of AWS. */

import { regionOf, type Target, targetOf, type Text } from "./endpoint.js";
import { variable } from "./environment.js";
import { chain, profileSettings } from "./profile.js";
import { sharedServer } from "./shared.js";

const LOCAL = { accessKeyId: "local", secretAccessKey: "local" };

/** The target of a text. A server that it starts runs until the process ends. */
export async function targetOfText(text: Text): Promise<Target> {
  if (text.is === "server") {
    const { endpoint } = await sharedServer(text.folder);
    return targetOf({ endpoint, credentials: LOCAL });
  }
  const settings = await profileSettings(text.profile ?? variable("AWS_PROFILE") ?? "default");
  const region = regionOf(text.endpoint) ?? settings?.["region"];
  const credentials = await chain(text.profile);
  return targetOf({ ...text.endpoint, ...(region !== undefined && { region }), credentials }, text.isAmazon);
}
// Bundlers then keep all that a program loads at once in one file.
export { Client } from "../client.js";

/** What a program loads for a pattern that returns several kinds of items. */

export { withBeside } from "./beside.js";
export { checkRequired, missing, notFound } from "./required.js";
// Bundlers then keep all that a program loads at once in one file.
export { Client } from "../client.js";

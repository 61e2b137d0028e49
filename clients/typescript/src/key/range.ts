/** What a program loads when it reads a range of keys. */

export { end } from "./end.js";
export { fittedEnd, isLongerThanKeys } from "./fitted.js";
// Bundlers then keep all that a program loads at once in one file.
export { Client } from "../client.js";

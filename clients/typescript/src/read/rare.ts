/** What few patterns and entities need: a program loads it when one of them is read or written. */

export { batchGet } from "./batch.js";
export { keepCurrent } from "./current.js";
export { isInFan, readFan } from "./fan.js";
export { Filters } from "./filter.js";
export { readGuarded } from "./guarded.js";
export { digests, groups, isComplete, ordered, typeOf } from "./parts.js";
export { readAgain, readSplit } from "./split.js";
export { readTogether } from "./together.js";
// Bundlers then keep all that a program loads at once in one file.
export { Client } from "../client.js";

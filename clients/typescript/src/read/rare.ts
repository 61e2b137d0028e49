/** What few patterns and entities need: a program loads it when one of them is read or written. */

export { batchGet } from "./batch.js";
export { readBeside } from "./beside.js";
export { keepCurrent } from "./current.js";
export { readFan } from "./fan.js";
export { Filters } from "./filter.js";
export { lost, placeOfGuard } from "./guarded.js";
export { checkRequired, missing, notFound } from "./required.js";
export { readSplit } from "./split.js";
export { readTogether } from "./together.js";
export { compress, expand } from "../compressed.js";
export { inverse } from "../key/inverse.js";
// Bundlers then keep all that a program loads at once in one file.
export { Client } from "../client.js";

/** What few patterns need: a program loads it when one of them runs. */

export { batchGet } from "./batch.js";
export { keepCurrent } from "./current.js";
export { readFan } from "./fan.js";
export { Filters } from "./filter.js";
export { readTogether } from "./together.js";

/** What few patterns and entities need: a program loads it when one of them is read or written. */

export { batchGet } from "./batch.js";
export { keepCurrent } from "./current.js";
export { readFan } from "./fan.js";
export { Filters } from "./filter.js";
export { readTogether } from "./together.js";
export { compress, expand } from "../compressed.js";
export { inverse } from "../key/inverse.js";

/** What a program loads at its first write, event or table. */

export { createEntity, deleteEntity, putEntity, updateEntity } from "./change.js";
export { valuesMade } from "./made.js";
export { runWrite } from "./named.js";
export { changesOf, keyOfEntity, withKey } from "./part.js";
export { eventOf } from "../events.js";
export { ensureTables } from "../tables.js";
// Bundlers then keep all that a program loads at once in one file.
export { Client } from "../client.js";

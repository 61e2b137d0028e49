/** What a program loads at its first write, event or table. */

export { createEntity, deleteEntity, putEntity, updateEntity } from "./change.js";
export { runWrite } from "./named.js";
export { eventOf } from "../events.js";
export { ensureTables } from "../tables.js";

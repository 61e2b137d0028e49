/** What a program loads when it goes on behind a page: cursors, and the positions in them. */

export { cursorOf, positionOfCursor } from "./cursor.js";
export { checkPosition } from "./read/cursor.js";
// Bundlers then keep all that a program loads at once in one file.
export { Client } from "./client.js";

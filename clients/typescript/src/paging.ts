/** What a program loads when it goes on behind a page: cursors, the positions in them, and all pages of an answer. */

export { cursorOf, positionOfCursor } from "./cursor.js";
export { checkEnd, checkPosition } from "./read/cursor.js";
export { allItems, allPages, firstStart, pagesFrom } from "./read/pages.js";
// Bundlers then keep all that a program loads at once in one file.
export { Client } from "./client.js";

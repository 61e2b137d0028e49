/** The handle and the model that every step of a write is made with. */

import { type Io, REPORTED } from "../io.js";
import type { Model } from "../model.js";
import type { Item } from "../plan.js";

/** The handle and the model of a write. */
export interface Context {
  readonly io: Io;
  readonly model: Model;
}

/** Reads an item with strong consistency; `undefined` when there is no item with that key. */
export async function get(context: Context, table: string, key: Item): Promise<Item | undefined> {
  const answer = await context.io.ask("GetItem", { TableName: table, Key: key, ConsistentRead: true, ...REPORTED });
  return answer.Item;
}

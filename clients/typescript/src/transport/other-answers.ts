/** The forms of the answers to writes and to operations on tables, which a program loads before the first of them. What
 * they are made of is given, so that bundlers keep it in the file of what checks all answers. */

import { isPlain } from "../value/value.js";
import type { Form, Forms, MAKERS } from "./answer.js";

/** What forms are made of. */
type Makers = typeof MAKERS & {
  /** What the capacity of one table is in, and that of several. */
  readonly one: Forms;
  readonly several: Forms;
};

/** The forms of the members of an answer. */
export function formsOf(
  operation: string,
  isTable: Form,
  { one, several, isItem, listOf, mapOf, objectOf }: Makers,
): Forms {
  switch (operation) {
    case "PutItem":
    case "UpdateItem":
    case "DeleteItem":
      return { Attributes: isItem, ItemCollectionMetrics: isPlain, ...one };
    case "TransactWriteItems":
      return { ItemCollectionMetrics: isPlain, ...several };
    case "BatchWriteItem": {
      const put = objectOf({ Item: isItem }, "Item");
      const remove = objectOf({ Key: isItem }, "Key");
      const isWrite = objectOf({ PutRequest: put, DeleteRequest: remove });
      const isOne: Form = (value) =>
        isWrite(value) && ["PutRequest", "DeleteRequest"].filter((name) => Object.hasOwn(value as object, name)).length === 1;
      return { UnprocessedItems: mapOf(listOf(isOne), isTable), ...several };
    }
    default:
      return {
        Table: isPlain,
        TableDescription: isPlain,
        TableNames: listOf((name) => typeof name === "string"),
        Tags: listOf(isPlain),
        TimeToLiveDescription: isPlain,
        TimeToLiveSpecification: isPlain,
        ContinuousBackupsDescription: isPlain,
      };
  }
}

// Bundlers then keep all that a program loads at once in one file.
export { Client } from "../client.js";

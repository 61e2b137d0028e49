// A function that writes the notes of each event to the file in SEEN.

import { appendFileSync } from "node:fs";
import { run } from "./runtime.mjs";

await run(async (event) => {
  const notes = event.Records.map((record) => record.dynamodb.Keys.PK.S);
  appendFileSync(process.env.SEEN, `${JSON.stringify(notes)}\n`);
  if (notes.includes("NOTE#exit")) process.exit(3);
  if (notes.includes("NOTE#bad")) throw new Error("a bad note");
  return { batchItemFailures: [] };
});

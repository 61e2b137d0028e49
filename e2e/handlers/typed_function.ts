// A function that reacts to typed changes, with the client that is generated of `typed.keyfold`: it writes
// what it understands of each to the file in SEEN.

import { appendFileSync } from "node:fs";
import type { StreamRecord } from "@keyfold/client";
import { run } from "./runtime.mjs";
import { TypedClient } from "./typed.ts";

// On Lambda the variable is absent.
const client = new TypedClient(process.env["AWS_ENDPOINT_URL_DYNAMODB"] ?? "dynamodb://");

async function line(record: StreamRecord): Promise<string | undefined> {
  const change = await client.event(record);
  if (change === undefined) return undefined;
  switch (change.kind) {
    case "User":
      return change.new && !change.old ? `welcome ${change.new.name}` : undefined;
    case "Order": {
      const { old: before, new: order } = change;
      if (order === undefined) return "an order is gone";
      if (before !== undefined) return `${before.state} became ${order.state}`;
      // What a function reads is of the same server.
      const user = await client.user({ userId: order.userId });
      return `${user?.name} ordered ${order.total + 1} at ${order.placedAt.slice(0, 10)}`;
    }
  }
}

await run(async (event: { Records: StreamRecord[] }) => {
  for (const record of event.Records) {
    const text = await line(record);
    if (text !== undefined) appendFileSync(process.env["SEEN"] ?? "", `${text}\n`);
  }
  return { batchItemFailures: [] };
});

// A function that speaks the Lambda Runtime API: writes the notes of each event to the file in SEEN.

import { appendFileSync } from "node:fs";

const runtime = `http://${process.env.AWS_LAMBDA_RUNTIME_API}/2018-06-01/runtime/invocation`;

async function handle(event) {
  const notes = event.Records.map((record) => record.dynamodb.Keys.PK.S);
  appendFileSync(process.env.SEEN, `${JSON.stringify(notes)}\n`);
  if (notes.includes("NOTE#exit")) process.exit(3);
  if (notes.includes("NOTE#bad")) throw new Error("a bad note");
  return { batchItemFailures: [] };
}

for (;;) {
  const call = await fetch(`${runtime}/next`);
  const id = call.headers.get("lambda-runtime-aws-request-id");
  const answer = (kind, document) =>
    fetch(`${runtime}/${id}/${kind}`, { method: "POST", body: JSON.stringify(document) });
  try {
    await answer("response", await handle(await call.json()));
  } catch (error) {
    await answer("error", { errorType: error.name, errorMessage: error.message });
  }
}

// The loop of a function that speaks the Lambda Runtime API.

const runtime = `http://${process.env.AWS_LAMBDA_RUNTIME_API}/2018-06-01/runtime/invocation`;

/** Calls the function for each event, until the process is ended. */
export async function run(handle) {
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
}

/** The loop of a function that is started as a command: it asks the Lambda Runtime API for events. `keyfold serve
 * --on-stream` offers it; on Lambda the runtime of Node has a loop of its own. */

/** An answer that has not come after minutes is asked for again: there may be no event for hours. */
const SLOW = ["UND_ERR_HEADERS_TIMEOUT", "UND_ERR_BODY_TIMEOUT"];

/** Calls the function for each event, one after the other, and sends what it returns or throws. It ends with an error
 * when the address in `AWS_LAMBDA_RUNTIME_API` is not there any more. */
export async function run<Event>(handler: (event: Event) => unknown): Promise<never> {
  const { process } = globalThis as { readonly process?: { readonly env?: Readonly<Record<string, string | undefined>> } };
  const host = process?.env?.["AWS_LAMBDA_RUNTIME_API"];
  if (host === undefined) {
    throw new Error("AWS_LAMBDA_RUNTIME_API is not set: start this program by `keyfold serve --on-stream TABLE=COMMAND`");
  }
  const invocations = `http://${host}/2018-06-01/runtime/invocation`;
  for (;;) {
    const { id, event } = await next<Event>(`${invocations}/next`);
    const [path, answer] = await carriedOut(handler, event);
    const sent = await fetch(`${invocations}/${id}/${path}`, { method: "POST", body: answer });
    await sent.text();
  }
}

/** The next event, as soon as there is one. */
async function next<Event>(url: string): Promise<{ id: string; event: Event }> {
  for (;;) {
    try {
      const call = await fetch(url);
      const text = await call.text();
      const id = call.headers.get("lambda-runtime-aws-request-id");
      if (!call.ok || id === null) throw new Error(`${url} answers ${call.status}: ${text}`);
      return { id, event: JSON.parse(text) as Event };
    } catch (error) {
      if (!SLOW.includes(String((error as { cause?: { code?: unknown } }).cause?.code))) throw error;
    }
  }
}

/** What a function returns for an event, or the error that it throws, as the API takes it. */
async function carriedOut<Event>(handler: (event: Event) => unknown, event: Event): Promise<[string, string]> {
  try {
    return ["response", JSON.stringify((await handler(event)) ?? null)];
  } catch (thrown) {
    const error = thrown instanceof Error ? thrown : new Error(String(thrown));
    const { name, message, stack = "" } = error;
    return ["error", JSON.stringify({ errorType: name, errorMessage: message, stackTrace: stack.split("\n").slice(1) })];
  }
}

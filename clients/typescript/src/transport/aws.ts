/** The client of the AWS SDK as a transport: requests take its way, with its middleware and its handler. */

import { invalid } from "../error.js";
import type { ClientOptions, Transport } from "../options.js";
import { until } from "../until.js";
import { base64Of, bytesOf } from "../value/value.js";
import { type ExceptionReason, refusal } from "./answer.js";
import { isUnsent, whyOf } from "./fault.js";
import { type Attempt, repeated, withToken } from "./retry.js";

/** A client of `@aws-sdk/client-dynamodb`. */
export interface AwsSender {
  readonly config: { readonly maxAttempts?: unknown };
  // The SDK's own types name each command.
  send(command: never, options?: { readonly abortSignal?: AbortSignal }): Promise<object>;
}

/** The module `@aws-sdk/client-dynamodb`, of which the commands are used. */
export type AwsModule = object;

type Command = new (input: object) => object;

/** What passes through the middleware of the SDK. */
interface Passing {
  readonly response?: { readonly headers?: Readonly<Record<string, string | undefined>> };
}

type Next = (given: never) => Promise<Passing>;

interface Watchable {
  readonly middlewareStack?: { add(middleware: (next: Next) => Next, options: object): void };
}

interface AwsFault {
  readonly name?: string;
  readonly message?: string;
  readonly $metadata?: { readonly httpStatusCode?: number };
  readonly CancellationReasons?: readonly ExceptionReason[];
  readonly Item?: unknown;
}

/** Sends requests by a client of the AWS SDK:
 * `awsTransport(new DynamoDBClient({ maxAttempts: 1 }), await import("@aws-sdk/client-dynamodb"))`.
 *
 * The client must not send requests again by itself: it would do so with writes whose answer was lost. */
export function awsTransport(
  client: AwsSender,
  commands: AwsModule,
  options: Pick<ClientOptions, "retries"> = {},
): Transport {
  const retries = { count: options.retries ?? 3 };
  const checked = checkAttempts(client);
  checked.catch(() => undefined);
  return {
    async call(operation, input, signal) {
      await checked;
      const Command = (commands as Readonly<Record<string, Command | undefined>>)[`${operation}Command`];
      if (Command === undefined) throw invalid(`@aws-sdk/client-dynamodb has no ${operation}Command`);
      const sent = binary(withToken(operation, input), bytesIn) as object;
      const send = () => attempt(client, new Command(sent), signal);
      return repeated(operation, retries, signal, send);
    },
  };
}

async function checkAttempts({ config }: AwsSender): Promise<void> {
  const { maxAttempts } = config;
  const count: unknown = typeof maxAttempts === "function" ? await (maxAttempts as () => unknown)() : maxAttempts;
  if (count !== undefined && count !== 1) {
    throw invalid("the client of the AWS SDK needs `maxAttempts: 1`: this package sends requests again where it is safe", "connection");
  }
}

async function attempt(client: AwsSender, command: object, signal: AbortSignal | undefined): Promise<Attempt> {
  const isEmpty = watched(command);
  try {
    const sent = client.send(command as never, signal === undefined ? {} : { abortSignal: signal });
    const { $metadata: _, ...answer } = (await until(signal, sent)) as Readonly<Record<string, unknown>>;
    if (isEmpty()) return { is: "lost", why: "the answer has no body" };
    return { is: "answered", answer: binary(answer, textIn) as object };
  } catch (error) {
    const { name = "", message = "", $metadata, CancellationReasons: reasons = [], Item: item } = error as AwsFault;
    const status = $metadata?.httpStatusCode;
    // Another name is none of DynamoDB's: something before the service has answered.
    if (status !== undefined && status >= 400 && status < 500 && /(?:Exception|Exceeded)$/.test(name)) {
      return { is: "refused", error: refusal({ name, message, reasons, item }, error) };
    }
    const why = `the AWS SDK: ${whyOf(error)}`;
    if (name === "CredentialsProviderError") return { is: "unsent", why, cause: error, isFinal: true };
    return { is: isUnsent(error) ? "unsent" : "lost", why, cause: error };
  }
}

/** Returns whether the answer of a command had no body: the SDK takes none for an empty answer. */
function watched(command: object): () => boolean {
  let length: string | undefined;
  const middleware = (next: Next): Next => async (given) => {
    const passing = await next(given);
    length = passing.response?.headers?.["content-length"];
    return passing;
  };
  (command as Watchable).middlewareStack?.add(middleware, { step: "deserialize", priority: "low" });
  return () => length === "0";
}

/** A request or an answer with other binary values: the SDK has bytes where the API has base64. Members of
 * items are never a text or bytes, so that an attribute named `B` is no binary value. */
function binary(value: unknown, change: (one: unknown) => unknown): unknown {
  if (Array.isArray(value)) return value.map((one) => binary(one, change));
  if (typeof value !== "object" || value === null || value instanceof Uint8Array) return value;
  const members = Object.entries(value).filter(([, one]) => one !== undefined);
  return Object.fromEntries(
    members.map(([name, one]) => {
      if (name === "B") return [name, change(one) ?? binary(one, change)];
      if (name === "BS" && Array.isArray(one)) return [name, one.map((each) => change(each) ?? binary(each, change))];
      return [name, binary(one, change)];
    }),
  );
}

function bytesIn(one: unknown): unknown {
  return typeof one === "string" ? bytesOf(one) : undefined;
}

function textIn(one: unknown): unknown {
  return one instanceof Uint8Array ? base64Of(one) : undefined;
}

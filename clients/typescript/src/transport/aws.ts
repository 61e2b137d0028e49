/** The client of the AWS SDK as a transport: requests take its way, with its middleware and its handler. */

import { invalid } from "../error.js";
import type { ClientOptions, Transport } from "../options.js";
import { OF_CLIENT, optionsIn } from "../takes.js";
import { until } from "../until.js";
import { base64Of, bytesOf } from "../value/base64.js";
import { retriesOf } from "./connect.js";
import { isUnsent, whyOf } from "./fault.js";
import { LoadedTransport } from "./loaded.js";
import { type ExceptionReason, refusal } from "./refusal.js";
import { type Attempt, repeated, withToken } from "./retry.js";

/** A client of `@aws-sdk/client-dynamodb`. */
export interface AwsSender {
  readonly config: { readonly maxAttempts?: unknown };
  // The SDK's own types name each command.
  send(command: never, options?: { readonly abortSignal?: AbortSignal }): Promise<object>;
}

/** The module `@aws-sdk/client-dynamodb`, of which the commands are used. */
export type AwsModule = object;

/** The fewest bytes of an object that has a member: `{"A":1}`. */
const MEMBER_BYTES_MIN = 7;

type Command = new (input: object) => object;

/** What passes through the middleware of the SDK. */
interface Passing {
  readonly response?: { readonly statusCode?: number; readonly headers?: Readonly<Record<string, string | undefined>> };
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
  const retries = retriesOf(optionsIn(OF_CLIENT, options, ["retries"]));
  const checked = checkAttempts(client);
  checked.catch(() => undefined);
  const transport: Transport = {
    async call(operation, input, signal) {
      await until(signal, checked);
      const Command = (commands as Readonly<Record<string, Command | undefined>>)[`${operation}Command`];
      if (Command === undefined) throw invalid(`@aws-sdk/client-dynamodb has no ${operation}Command`);
      const sent = binary(withToken(operation, input), bytesIn) as object;
      const send = () => attempt(client, new Command(sent), signal);
      return repeated(operation, input, retries, signal, send);
    },
  };
  return new LoadedTransport(() => Promise.resolve(transport));
}

async function checkAttempts({ config }: AwsSender): Promise<void> {
  const { maxAttempts } = config;
  const count: unknown = typeof maxAttempts === "function" ? await (maxAttempts as () => unknown)() : maxAttempts;
  if (count !== undefined && count !== 1) {
    throw invalid("the client of the AWS SDK needs `maxAttempts: 1`: this package sends requests again where it is safe", "connection");
  }
}

async function attempt(
  client: AwsSender,
  command: object,
  signal: AbortSignal | undefined,
): Promise<Attempt> {
  const seen = watched(command);
  try {
    const sent = client.send(command as never, signal === undefined ? {} : { abortSignal: signal });
    const { $metadata: _, ...members } = (await until(signal, sent)) as Readonly<Record<string, unknown>>;
    const { status, length } = seen();
    // The SDK takes any status of a success for an answer.
    if (status !== 200) return { is: "lost", why: `the answer has the status ${status}, which DynamoDB does not give` };
    if (length === 0) return { is: "lost", why: "the answer has no body" };
    const answer = binary(members, textIn) as object;
    // The SDK leaves members out that it does not know.
    const isOther = Object.keys(answer).length === 0 && length >= MEMBER_BYTES_MIN;
    if (isOther) return { is: "lost", why: "the answer is not DynamoDB's JSON" };
    return { is: "answered", by: "the AWS SDK gave an answer that is not DynamoDB's JSON", answer };
  } catch (error) {
    const { name = "", $metadata } = error as AwsFault;
    const status = $metadata?.httpStatusCode;
    // Another name is none of DynamoDB's: something before the service has answered. A transaction that is under way
    // with this token may be carried out.
    if (status !== undefined && status >= 400 && status < 500 && /^(?!TransactionInP).*(?:Exception|Exceeded)$/.test(name)) {
      return { is: "refused", error: refusal(name, error as AwsFault, error) };
    }
    const why = `the AWS SDK: ${whyOf(error)}`;
    if (name === "CredentialsProviderError") return { is: "unsent", why, cause: error, isFinal: true };
    return { is: isUnsent(error) ? "unsent" : "lost", why, cause: error };
  }
}

/** What is seen of the answer of a command, which the SDK does not show: its status, and its bytes, since the SDK takes
 * no body for an empty answer. They are NaN where they are not said, or are those of compressed ones. */
function watched(command: object): () => { readonly status: number; readonly length: number } {
  let [status, length] = [200, Number.NaN];
  const middleware = (next: Next): Next => async (given) => {
    const passing = await next(given);
    const { statusCode, headers } = passing.response ?? {};
    status = statusCode ?? status;
    if (headers?.["content-encoding"] === undefined) length = Number(headers?.["content-length"] ?? Number.NaN);
    return passing;
  };
  (command as Watchable).middlewareStack?.add(middleware, { step: "deserialize", priority: "low" });
  return () => ({ status, length });
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

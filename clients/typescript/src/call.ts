/** A call under way: its moment, its chance, and its end by a signal or a timeout. */

import { failure, looked, need } from "./error.js";
import { type Answer, type Io, isNoTable, unitsOf } from "./io.js";
import type { Model } from "./model.js";
import type { CallKind, CallOptions, ClientOptions, RequestEvent, Transport } from "./options.js";
import { endsMany } from "./transport/modules.js";
import { onAbort, pause } from "./until.js";
import { isPlain } from "./value/value.js";

const TIMEOUT_MS = 30_000;
/** A timer of more milliseconds ends at once. */
const TIMER_MS_MAX = 2 ** 31 - 1;

/** What carries calls out. */
export interface Driver {
  readonly transport: Transport;
  readonly options: ClientOptions;
  readonly model: Model;
}

/** The options of a call of a kind, checked: each is read once. Few calls have any. */
export async function optionsOf<T extends object>(kind: CallKind, given: T): Promise<T> {
  if (looked("options", () => isPlain(given) && Object.keys(given).length === 0)) return {} as T;
  return (await import("./call-options.js")).checkedOptions(kind, given);
}

/** Carries out one call. `name` is that of its pattern, write or entity; its options are checked. */
export async function carryOut<T>(
  { transport, options }: Omit<Driver, "model">,
  name: string,
  given: CallOptions,
  call: (io: Io) => Promise<T>,
): Promise<T> {
  const { signal, timeout = options.timeout ?? TIMEOUT_MS } = given;
  const controller = new AbortController();
  endsMany(controller.signal);
  const aborted = (): void => controller.abort(failure("aborted", `${name}: the caller's signal ended the call`, undefined, signal?.reason));
  const late = (): void => controller.abort(failure("aborted", `${name} took longer than ${timeout} ms`));
  const timer = timeout <= TIMER_MS_MAX ? setTimeout(late, timeout) : undefined;
  const forget = onAbort(signal, aborted);
  if (timeout <= 0) late();
  try {
    const run = (): Promise<T> => call(ioOf(transport, options, name, controller.signal));
    if (options.tracing === undefined) return await run();
    const { inCall } = await import("./tracing.js");
    return await inCall(options.tracing, name, run);
  } finally {
    clearTimeout(timer);
    forget();
  }
}

function ioOf(transport: Transport, options: ClientOptions, name: string, signal: AbortSignal): Io {
  const { now = Date.now, random = randomBytes, onRequest, tracing } = options;
  const moment = now();
  need(Number.isSafeInteger(moment), "now", "a function that gives whole milliseconds");
  const send = async (operation: string, input: object): Promise<Answer> => {
    if (tracing === undefined) return transport.call(operation, input, signal);
    const { inRequest } = await import("./tracing.js");
    return inRequest(tracing, name, operation, input, () => transport.call(operation, input, signal));
  };
  let spent = 0;
  return {
    now: moment,
    packed: new Map(),
    random: () => random(),
    ofPart(number) {
      return { ...this, random: () => random(number) };
    },
    async ask(operation, input) {
      signal.throwIfAborted();
      const start = performance.now();
      const report = (more: { readonly error: unknown } | { readonly capacity?: number }): void =>
        heard(onRequest, { call: name, operation, input, milliseconds: performance.now() - start, ...more });
      let answer: Answer;
      try {
        answer = await send(operation, input);
      } catch (found) {
        const error: unknown = isNoTable(found)
          ? (await import("./request-errors.js")).missingTable(found, operation, input)
          : found;
        report({ error });
        throw error;
      }
      const capacity = unitsOf(answer);
      spent += capacity;
      report(answer.ConsumedCapacity === undefined ? {} : { capacity });
      return answer;
    },
    over: () => signal.aborted,
    spent: () => spent,
    async pause(least, most) {
      await pause(least + Math.random() * (most - least), signal);
      signal.throwIfAborted();
    },
  };
}

/** Calls a hook. An error of its own is no error of the call, and is dropped. */
function heard(hook: ClientOptions["onRequest"], event: RequestEvent): void {
  try {
    Promise.resolve(hook?.(event)).catch(() => undefined);
  } catch {
    // Dropped.
  }
}

function randomBytes(): Uint8Array {
  return crypto.getRandomValues(new Uint8Array(16));
}

/** The requests that an answer was made of, and their units of capacity. */

import { AsyncLocalStorage } from "node:async_hooks";
import type { Transport } from "@keyfold/client";

/** A request to the table. */
export interface Request {
  readonly operation: string;
  /** The units that its answer reports. */
  readonly units: number;
}

const current = new AsyncLocalStorage<Request[]>();

/** Does something, and returns the requests that it made beside its result. */
export async function costed<T>(run: () => Promise<T>): Promise<readonly [T, readonly Request[]]> {
  const requests: Request[] = [];
  return [await current.run(requests, run), requests];
}

/** A transport that notes its requests. */
export function noted(transport: Transport): Transport {
  return {
    async call(operation, input, signal) {
      const answer = await transport.call(operation, input, signal);
      current.getStore()?.push({ operation, units: unitsOf(answer) });
      return answer;
    },
  };
}

/** `ConsumedCapacity` is an object, and of several items an array. */
function unitsOf(answer: object): number {
  if (!("ConsumedCapacity" in answer)) return 0;
  const consumed = [answer.ConsumedCapacity].flat() as readonly (
    { readonly CapacityUnits?: number } | undefined
  )[];
  return consumed.reduce((sum, one) => sum + (one?.CapacityUnits ?? 0), 0);
}

/** The requests in a line: `Query 0.5, BatchGetItem 1`. */
export function lineOf(requests: readonly Request[]): string {
  return requests.map(({ operation, units }) => `${operation} ${units}`).join(", ");
}

/** `2 requests, 1.5 units`. */
export function sumOf(requests: readonly Request[]): string {
  const units = requests.reduce((sum, request) => sum + request.units, 0);
  return `${counted(requests.length, "request")}, ${counted(units, "unit")}`;
}

function counted(number: number, thing: string): string {
  return `${number} ${thing}${number === 1 ? "" : "s"}`;
}

/** The process of Node, Deno or Bun, as far as it is looked at. */

/** The process of Node. */
interface Process {
  readonly versions?: Readonly<Record<string, string | undefined>>;
  readonly getBuiltinModule?: (name: string) => unknown;
  on(event: string, listener: () => void): void;
  off(event: string, listener: () => void): void;
}

/** The process of Node, Deno or Bun; `undefined` elsewhere. */
export function thisProcess(): Process | undefined {
  return (globalThis as { readonly process?: Process }).process;
}

/** Lets a signal end any number of requests that are made at the same time. Node warns of a leak from the
 * eleventh on. */
export function endsMany(signal: AbortSignal): void {
  const events = thisProcess()?.getBuiltinModule?.("node:events") as
    | { setMaxListeners?(count: number, target: AbortSignal): void }
    | undefined;
  events?.setMaxListeners?.(0, signal);
}


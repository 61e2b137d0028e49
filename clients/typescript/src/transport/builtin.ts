/** The modules of Node, and packages that may be installed. Nothing is imported until it is used, so that
 * bundles for browsers and edges have none of them. */

import { failure } from "../error.js";
import { thisProcess } from "./modules.js";

/** What a child process says. */
export interface Output {
  on(event: "data", listener: (chunk: Uint8Array) => void): void;
  unref?(): void;
}

/** A child process. */
export interface Child {
  readonly pid?: number;
  readonly stdin: { unref?(): void };
  readonly stdout: Output;
  readonly stderr: Output;
  once(event: "error" | "close", listener: (error: Error) => void): void;
  kill(signal?: string): boolean;
  ref(): void;
  unref(): void;
}

/** The modules of Node, with what is used of them. */
interface Builtins {
  readonly "node:child_process": {
    spawn(binary: string, args: readonly string[], options: { readonly stdio: readonly string[] }): Child;
  };
  readonly "node:fs": {
    readonly promises: {
      readFile(path: string, encoding: "utf8"): Promise<string>;
      realpath(path: string): Promise<string>;
    };
  };
  readonly "node:path": {
    basename(path: string): string;
    dirname(path: string): string;
    join(...parts: string[]): string;
    resolve(path: string): string;
  };
}

/** A module of Node, Deno or Bun. */
export async function builtin<N extends keyof Builtins>(name: N): Promise<Builtins[N]> {
  const found = thisProcess()?.getBuiltinModule?.(name) ?? (await installed(name));
  if (found === undefined) throw failure("transport", `${name} is not there: this needs Node, Deno or Bun`);
  return found as Builtins[N];
}

/** A package that may be installed; `undefined` where it is not. */
export async function installed(name: string): Promise<unknown> {
  try {
    return await import(/* webpackIgnore: true */ /* @vite-ignore */ name);
  } catch {
    return undefined;
  }
}

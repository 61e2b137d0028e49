/** A Keyfold server in a process of its own. */

import { transportError } from "../error.js";
import { parsed } from "../value/text.js";
import { isPlain } from "../value/value.js";
import { builtin, type Child } from "./builtin.js";
import { variable } from "./environment.js";
import { thisProcess } from "./modules.js";

/** The most milliseconds until a server has started, and until it has stopped. */
const START_MS = 60_000;
const STOP_MS = 20_000;
/** The most characters that are kept of what a server complains of. */
const COMPLAINT_MAX = 2_000;

/** A server, from its start until `stop`. */
export interface Server {
  /** Its address. */
  readonly endpoint: string;
  /** Its end, by `stop` or by itself. */
  readonly ended: Promise<void>;
  /** Stops it, and waits until it has ended. */
  stop(): Promise<void>;
}

/** Starts the `keyfold` binary of KEYFOLD_BIN or of the PATH on a free port: on a data folder, or in memory
 * where there is none. It ends with this process at the latest, however that ends. */
export async function startServer(folder?: string): Promise<Server> {
  const { spawn } = await builtin("node:child_process");
  const binary = variable("KEYFOLD_BIN") ?? "keyfold";
  const own = folder === undefined ? ["--memory"] : ["--data", folder];
  // Its standard input ends with this process, even when nothing of this process can run any more.
  const command = ["serve", "--json", "--port", "0", "--until-stdin-closes", "--no-project", ...own];
  const child = spawn(binary, command, { stdio: ["pipe", "pipe", "pipe"] });
  const forget = killedAtExit(child);
  const ended = new Promise<void>((resolve) => child.once("close", () => resolve()));
  void ended.then(forget);
  const stop = async (): Promise<void> => {
    const timer = setTimeout(() => child.kill("SIGKILL"), STOP_MS);
    child.ref();
    child.kill();
    await ended;
    clearTimeout(timer);
  };
  try {
    const endpoint = await started(child, binary);
    // A program that forgets to stop the server ends all the same.
    child.unref();
    for (const pipe of [child.stdin, child.stdout, child.stderr]) pipe.unref?.();
    return { endpoint, ended, stop };
  } catch (error) {
    if (child.pid !== undefined) await stop();
    throw error;
  }
}

/** Ends a child at the exit of this process. A signal that ends the process closes the child's standard input, so that
 * no listener is needed, which would keep the program's own ones from closing in order. Returns the function that
 * forgets the child. */
function killedAtExit(child: Child): () => void {
  const process = thisProcess();
  const kill = (): void => {
    child.kill();
  };
  process?.on("exit", kill);
  return () => process?.off("exit", kill);
}

/** What a server says when it is ready, or why it is not. */
interface Said {
  readonly result?: { readonly endpoint?: string };
  readonly error?: unknown;
}

/** Why a server did not start, as its report has it: the place in a file, the sentence, and what helps.
 * `undefined` where there is no sentence. */
function reasonOf(error: unknown): string | undefined {
  const { message, where, diagnostics } = membersOf(error);
  if (typeof message !== "string") return undefined;
  const { file, line, column } = membersOf(where);
  const place = [file, line, column].filter((one) => one !== undefined).join(":");
  const start = file === undefined || message.startsWith(`${file}:`) ? "" : `${place}: `;
  const { help } = membersOf(Array.isArray(diagnostics) ? diagnostics[0] : undefined);
  return [`${start}${message}`, ...(Array.isArray(help) ? help : [])].join("; ");
}

/** The members of an object of JSON; none of anything else. */
function membersOf(value: unknown): Readonly<Record<string, unknown>> {
  return isPlain(value) ? value : {};
}

/** The address that a server says when it is ready. */
function started(child: Child, binary: string): Promise<string> {
  return new Promise((resolve, reject) => {
    let said = "";
    const refuse = (why: string): void => {
      clearTimeout(timer);
      reject(transportError(why));
    };
    const timer = setTimeout(() => refuse(`${binary} did not start in a minute`), START_MS);
    child.once("error", ({ message }) => {
      refuse(`${binary} does not start: ${message}; install keyfold, or set KEYFOLD_BIN`);
    });
    let complaint = "";
    child.stderr.on("data", (chunk) => {
      complaint = (complaint + new TextDecoder().decode(chunk)).slice(-COMPLAINT_MAX);
    });
    child.once("close", () => {
      const why = (complaint || said).trim();
      refuse(`${binary} ended before it was ready${why === "" ? ", and said nothing" : `: ${why}`}`);
    });
    child.stdout.on("data", (chunk) => {
      said += new TextDecoder().decode(chunk);
      if (!said.includes("\n")) return;
      const { result, error } = (parsed(said) ?? {}) as Said;
      const endpoint = result?.endpoint;
      if (endpoint === undefined) return refuse(`${binary} did not start: ${reasonOf(error) ?? said.trim()}`);
      clearTimeout(timer);
      resolve(endpoint);
    });
  });
}

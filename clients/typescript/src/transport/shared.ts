/** Servers that several connections of a process share: a data folder has one server. */

import { transportError } from "../error.js";
import { builtin } from "./builtin.js";
import { type Server, startServer } from "./server.js";

/** A server, and the number of connections that use it. */
interface Shared {
  readonly server: Promise<Server>;
  users: number;
}

const SHARED: Map<string, Shared> = /* @__PURE__ */ new Map();
/** Servers that have been told to stop, by folder. */
const STOPPING: Map<string, Promise<void>> = /* @__PURE__ */ new Map();

/** The server on a data folder, which is started where there is none; one of its own in memory. It ends when
 * all who asked for it have stopped it. */
export async function sharedServer(folder: string | undefined): Promise<Server> {
  if (folder === undefined) return startServer();
  const path = await ownPath(folder);
  const shared = SHARED.get(path) ?? added(path);
  shared.users += 1;
  const { endpoint, ended } = await shared.server;
  let stopped: Promise<void> | undefined;
  return { endpoint, ended, stop: () => (stopped ??= leave(path, shared)) };
}

/** The path of a folder, whichever links lead to it. Its last part may not be there yet. */
async function ownPath(folder: string): Promise<string> {
  const [{ basename, dirname, join, resolve }, { promises }] = [await builtin("node:path"), await builtin("node:fs")];
  let path: string;
  try {
    path = resolve(folder);
  } catch (error) {
    // The program's own folder, which a relative path begins in, was removed.
    throw transportError(`the data folder ${folder} is nowhere: ${(error as Error).message}`);
  }
  const above = (): Promise<string> => promises.realpath(dirname(path)).then((found) => join(found, basename(path)));
  return promises.realpath(path).catch(above).catch(() => path);
}

/** Forgets a server, unless another one is in its place. */
function forget(path: string, shared: Shared): void {
  if (SHARED.get(path) === shared) SHARED.delete(path);
}

/** A server that is started, until it has ended. */
function added(path: string): Shared {
  const shared = { server: started(path), users: 0 };
  SHARED.set(path, shared);
  void shared.server
    .then(({ ended }) => ended)
    .catch(() => undefined)
    .then(() => forget(path, shared));
  return shared;
}

/** Starts a server once the one before has let the folder go. */
async function started(path: string): Promise<Server> {
  await STOPPING.get(path);
  return startServer(path);
}

async function leave(path: string, shared: Shared): Promise<void> {
  shared.users -= 1;
  if (shared.users > 0) return;
  // Both in one step: whoever looks between them would start a second server on the folder.
  forget(path, shared);
  const stopping = shared.server.then((server) => server.stop());
  STOPPING.set(path, stopping);
  await stopping;
}

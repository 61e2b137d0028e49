/** Servers that several connections of a process share: a data folder has one server. */

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
  const path = (await builtin("node:path")).resolve(folder);
  const shared = SHARED.get(path) ?? added(path);
  shared.users += 1;
  const { endpoint, ended } = await shared.server;
  let stopped: Promise<void> | undefined;
  return { endpoint, ended, stop: () => (stopped ??= leave(path, shared)) };
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

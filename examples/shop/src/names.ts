/** The names that a server answers to. A page whose own name leads to this machine (DNS rebinding) reads and writes
 * what only this machine reaches; its name shows in the header `Host`. */

/** An address, a name without a dot, or one below `localhost`, each with a port or without: no page of the web has it. */
const SAFE = /^(\[[\da-f:.]+\]|(\d{1,3}\.){3}\d{1,3}|([\w-]+\.)*localhost|[\w-]+)(:\d{1,5})?$/i;

/** Whether anybody may let the name lead here. `ALLOW_HOST` names one that a proxy has. */
export function isForeignName(host: string | undefined): boolean {
  // Probes of HTTP/1.0 name none.
  if (host === undefined || SAFE.test(host)) return false;
  const { ALLOW_HOST } = process.env;
  return ALLOW_HOST?.toLowerCase() !== host.replace(/:\d+$/, "").toLowerCase();
}

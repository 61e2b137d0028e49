// A headless Chromium, and folders of pages served on ports of their own: each port is an origin.

import { execFileSync } from "node:child_process";
import { createServer } from "node:http";
import { chromium } from "playwright-core";

const NAMES = ["chromium", "chromium-browser", "google-chrome", "google-chrome-stable"];

function executable() {
  if (process.env.KEYFOLD_CHROMIUM) return process.env.KEYFOLD_CHROMIUM;
  for (const name of NAMES) {
    try {
      return execFileSync("sh", ["-c", `command -v ${name}`], { encoding: "utf8" }).trim();
    } catch {
      // The next one.
    }
  }
  throw new Error("Chromium is needed: install Debian's package chromium, or name one in KEYFOLD_CHROMIUM");
}

/// A browser that asks nobody outside this machine. `hosts` are names that lead to it.
export function launch(hosts = []) {
  const args = ["--no-sandbox", "--disable-gpu", "--disable-quic", "--disable-background-networking", "--disable-component-update", "--disable-sync"];
  // New browsers keep pages from this machine by themselves; others do not, and it is the server that is tested.
  args.push("--disable-features=LocalNetworkAccessChecks,BlockInsecurePrivateNetworkRequests,PrivateNetworkAccessSendPreflights");
  if (hosts.length > 0) args.push(`--host-resolver-rules=${hosts.map((host) => `MAP ${host} 127.0.0.1`).join(",")}`);
  return chromium.launch({ executablePath: executable(), args });
}

/// Serves texts by their paths; gives back the origin and how to end it.
export async function serve(texts) {
  const server = createServer((request, response) => {
    const text = texts[new URL(request.url, "http://localhost").pathname];
    response.writeHead(text === undefined ? 404 : 200, { "content-type": "text/html; charset=utf-8" });
    response.end(text ?? "");
  });
  await new Promise((resolve) => server.listen(0, "127.0.0.1", resolve));
  return { origin: `http://localhost:${server.address().port}`, close: () => server.close() };
}

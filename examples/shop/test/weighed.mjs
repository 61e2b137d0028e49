/** What the first view of a page takes, counted by Chromium: the addresses that are asked for, and the bytes that come,
 * with their headers. A count holds on a busy machine, where a time does not. */

import assert from "node:assert/strict";

const REQUESTS_MAX = 12;
const BYTES_MAX = 60_000;

/** Opens a path in a page that has nothing open and nothing stored, waits until its content is there, and holds what it
 * took against the bounds. */
export async function isLight(page, path, content) {
  const devtools = await page.context().newCDPSession(page);
  await devtools.send("Network.enable");
  const [asked, came] = [new Set(), new Map()];
  const add = (id, bytes) => came.set(id, (came.get(id) ?? 0) + bytes);
  devtools.on("Network.requestWillBeSent", ({ requestId, request: { method, url }, redirectResponse }) => {
    if (redirectResponse !== undefined) add(requestId, redirectResponse.encodedDataLength);
    // What is in the page itself is no request, and what is asked for again and again is one.
    if (!url.startsWith("data:")) asked.add(`${method} ${url}`);
  });
  devtools.on("Network.responseReceived", ({ requestId, response }) => add(requestId, response.encodedDataLength));
  devtools.on("Network.dataReceived", ({ requestId, encodedDataLength }) => add(requestId, encodedDataLength));
  // The sum of all that came for it. An answer that goes on, such as one of events, has none yet.
  devtools.on("Network.loadingFinished", ({ requestId, encodedDataLength }) => came.set(requestId, encodedDataLength));
  await page.goto(path);
  await content(page);
  await devtools.detach();
  const bytes = [...came.values()].reduce((sum, some) => sum + some, 0);
  // None at all would be a count that fails.
  assert.ok(bytes > 500, `${path}: ${bytes} bytes were counted`);
  assert.ok(bytes < BYTES_MAX, `${path}: ${bytes} bytes for a first view`);
  assert.ok(asked.size < REQUESTS_MAX, `${path}: a first view asks for ${[...asked].join(", ")}`);
}

/** Requests that are none of HTTP, such as one with an unknown method: a problem like all others answers them. */

import type { Server } from "node:http";
import type { Duplex } from "node:stream";

/** The refusal of what is no request, of which no program sees more. */
export function answerUnread(server: Server): void {
  server.on("clientError", (error: NodeJS.ErrnoException, socket: Duplex) => {
    if (!socket.writable || error.code === "ECONNRESET") {
      socket.destroy();
      return;
    }
    const isLarge = error.code === "HPE_HEADER_OVERFLOW";
    const status = isLarge ? 431 : 400;
    const detail = isLarge ? "The headers are too large. Shorten them." : "The request is none of HTTP. Correct it.";
    const body = JSON.stringify({ status, code: "invalid", detail });
    const head = [
      `HTTP/1.1 ${status} ${isLarge ? "Request Header Fields Too Large" : "Bad Request"}`,
      "content-type: application/problem+json",
      `content-length: ${Buffer.byteLength(body)}`,
      "connection: close",
    ];
    socket.end(`${head.join("\r\n")}\r\n\r\n${body}`);
  });
}

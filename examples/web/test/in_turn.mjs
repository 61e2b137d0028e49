/** One request after another to an engine that does not keep requests beside each other apart: moto answers
 * transactions with 500 then. */

import { Agent, createServer, request } from "node:http";

const OWN = ["connection", "content-length", "date", "keep-alive", "transfer-encoding"];

/** The answer to a request, as a status, headers and a body. */
function forwarded(agent, to, { method, url, headers }, body) {
  return new Promise((resolve, reject) => {
    const { hostname, port } = to;
    const sent = request({ agent, hostname, port, method, path: url, headers, timeout: 60_000 }, async (answer) => {
      const chunks = [];
      answer.once("error", reject);
      for await (const chunk of answer) chunks.push(chunk);
      resolve({ status: answer.statusCode, headers: answer.headers, body: Buffer.concat(chunks) });
    });
    sent.once("timeout", () => sent.destroy(new Error("the engine does not answer")));
    sent.once("error", reject);
    sent.end(body);
  });
}

/** Opens a proxy of an engine. `answers` are the numbers of its answers by status. */
export async function inTurn(connection) {
  const to = new URL(connection);
  const agent = new Agent({ keepAlive: false });
  const answers = new Map();
  let turn = Promise.resolve();
  const server = createServer(async (asked, answer) => {
    const chunks = [];
    for await (const chunk of asked) chunks.push(chunk);
    // A client that has ended, such as a worker that was killed, has its request carried out all the same.
    const mine = turn.then(() => forwarded(agent, to, asked, Buffer.concat(chunks)));
    turn = mine.then(
      () => undefined,
      () => undefined,
    );
    try {
      const { status, headers, body } = await mine;
      answers.set(status, (answers.get(status) ?? 0) + 1);
      for (const name of OWN) delete headers[name];
      answer.writeHead(status, { ...headers, "content-length": body.length }).end(body);
    } catch {
      answer.destroy();
    }
  });
  server.on("clientError", (_, socket) => socket.destroy());
  await new Promise((resolve) => server.listen(0, "127.0.0.1", resolve));
  const close = () => {
    server.closeAllConnections();
    return new Promise((resolve) => server.close(resolve));
  };
  return { address: `http://127.0.0.1:${server.address().port}`, answers, close };
}

/** The workshop: the table behind it, and its server. */

import { readFile } from "node:fs/promises";
import type { Server } from "node:http";
import type { AddressInfo } from "node:net";
import { connect } from "@keyfold/client/node";
import { apiRoutes, problemJson } from "./api.js";
import { noted } from "./cost.js";
import { serverOf } from "./http.js";
import { fileRoutes, letterRoutes, problemPage, toyRoutes } from "./pages.js";
import { SantaClient } from "./santa.js";
import { seed } from "./seed.js";

export interface Settings {
  /** `keyfold:./data`, `memory:`, `http://localhost:8000`, `dynamodb://eu-west-1`. */
  readonly connection: string;
  /** By default a free one. */
  readonly port?: number;
  /** The address to listen on; by default only this machine. */
  readonly host?: string;
  /** Seals the cursors in the addresses of pages. */
  readonly cursorSecret: string;
  /** Whether to fill an empty table. */
  readonly seeded?: boolean;
}

/** A workshop that answers, until `close`. */
export interface Workshop {
  readonly address: string;
  readonly santa: SantaClient;
  close(): Promise<void>;
}

/** Opens the workshop. */
export async function open({
  connection,
  port = 0,
  host = "127.0.0.1",
  cursorSecret,
  seeded = false,
}: Settings): Promise<Workshop> {
  const table = await connect(connection);
  try {
    const santa = new SantaClient(noted(table), { cursorSecret });
    await santa.ensureTables();
    if (seeded) await seed(santa);
    const description = await readFile(new URL("../openapi.json", import.meta.url), "utf8");
    const routes = [
      ...apiRoutes(santa, description),
      ...toyRoutes(santa),
      ...letterRoutes(santa),
      ...(await fileRoutes()),
    ];
    const server = serverOf(routes, (problem, path) =>
      path.startsWith("/api/") ? problemJson(problem) : problemPage(problem),
    );
    await listening(server, port, host);
    const { port: taken } = server.address() as AddressInfo;
    const close = async (): Promise<void> => {
      await new Promise((resolve) => {
        server.close(resolve);
        server.closeAllConnections();
      });
      await table.close();
    };
    return { address: `http://${host.includes(":") ? `[${host}]` : host}:${taken}`, santa, close };
  } catch (error) {
    await table.close();
    throw error;
  }
}

function listening(server: Server, port: number, host: string): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once("error", reject);
    server.listen(port, host, resolve);
  });
}

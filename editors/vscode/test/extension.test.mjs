// The extension as it is packed: what the package holds, and its client with the server, under node.

import assert from "node:assert/strict";
import { execFileSync, spawn } from "node:child_process";
import { mkdtempSync, readFileSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { pathToFileURL } from "node:url";

const require = createRequire(import.meta.url);
const protocol = require("vscode-languageserver-protocol/node");
const commands = require("../src/commands.js");

const BIN = process.env.KEYFOLD_BIN;
const FOLDER = new URL("..", import.meta.url).pathname;
const SHOP = `model shop 1
table Shop (PK, SK)
  gsi GSI1 (GSI1PK, GSI1SK)

entity User
  userId: string, email: string
  key     "USER#{userId}"  "PROFILE"
  GSI1    "EMAIL#{email}"  "PROFILE"
  unique  email

pattern user_by_email(email)  -> User?
`;

/** The names of the files in the package, which is a ZIP archive. */
function packed() {
  const list = `import sys, zipfile; print("\\n".join(zipfile.ZipFile(sys.argv[1]).namelist()))`;
  const file = join(FOLDER, "out", "keyfold.vsix");
  return execFileSync("python3", ["-c", list, file], { encoding: "utf8" }).trim().split("\n");
}

test("the package holds what the manifest names, and nothing else", () => {
  const names = packed();
  const manifest = JSON.parse(readFileSync(join(FOLDER, "package.json"), "utf8"));
  const named = [
    manifest.main,
    manifest.contributes.languages[0].configuration,
    manifest.contributes.grammars[0].path,
  ];
  for (const name of named) assert.ok(names.includes(`extension/${name.slice(2)}`), name);
  const others = names.filter((name) => /node_modules|test|src/.test(name));
  assert.deepEqual(others, []);
});

/** The packed extension with a stand-in for VS Code, of which it takes commands and settings. */
function activated(client) {
  const registered = new Map();
  const sent = [];
  const vscode = {
    workspace: { getConfiguration: () => ({ get: () => BIN }) },
    commands: { registerCommand: (name, run) => registered.set(name, run) },
    window: {
      terminals: [],
      createTerminal: () => ({ show() {}, sendText: (line) => sent.push(line) }),
      showInputBox: async ({ prompt }) => `${prompt} of somebody`,
    },
  };
  const load = (name) => {
    if (name === "vscode") return vscode;
    if (name === "vscode-languageclient/node") return { LanguageClient: client };
    return commands;
  };
  const module = { exports: {} };
  const code = readFileSync(join(FOLDER, "src", "extension.js"), "utf8");
  new Function("require", "module", code)(load, module);
  return { extension: module.exports, registered, sent };
}

/** A connection to a server that is started as the extension says. */
function connected({ command, args }) {
  const child = spawn(command, args);
  const connection = protocol.createProtocolConnection(
    new protocol.StreamMessageReader(child.stdout),
    new protocol.StreamMessageWriter(child.stdin),
  );
  connection.listen();
  return { child, connection };
}

test("the extension starts the server, and its lenses run in a terminal", async () => {
  const clients = [];
  class Client {
    constructor(id, name, server, options) {
      Object.assign(this, { id, server, options, started: 0 });
      clients.push(this);
    }
    async start() {
      this.started += 1;
    }
    async stop() {
      this.started -= 1;
    }
  }
  const { extension, registered, sent } = activated(Client);
  await extension.activate({ subscriptions: [] });
  assert.deepEqual(clients[0].server, { command: BIN, args: ["lsp"] });
  assert.deepEqual(clients[0].options.documentSelector, [{ language: "keyfold" }]);
  await registered.get("keyfold.run")({ model: "/a b/m.keyfold", name: "user", parameters: ["id"] });
  await registered.get("keyfold.prove")({ model: "m.keyfold" });
  assert.deepEqual(sent, [
    `${BIN} run '/a b/m.keyfold' user 'id=id of somebody'`,
    `${BIN} prove m.keyfold`,
  ]);
  await registered.get("keyfold.restart")();
  assert.deepEqual(
    clients.map((client) => client.started),
    [0, 1],
  );
  await extension.deactivate();
  assert.equal(clients[1].started, 0);
});

test("the client's protocol and the server understand each other", async () => {
  const { child, connection } = connected(commands.serverOptions(BIN));
  const folder = mkdtempSync(join(tmpdir(), "keyfold-vscode-"));
  const file = join(folder, "shop.keyfold");
  const text = SHOP.replace("{email}", "{emial}");
  writeFileSync(file, text);
  const uri = pathToFileURL(file).href;
  const begun = await connection.sendRequest(protocol.InitializeRequest.type, {
    processId: process.pid,
    rootUri: null,
    capabilities: { workspace: { workspaceEdit: { documentChanges: true } } },
  });
  assert.equal(begun.capabilities.positionEncoding, "utf-16");
  await connection.sendNotification(protocol.InitializedNotification.type, {});
  const next = () =>
    new Promise((resolve) => {
      const known = connection.onNotification(
        protocol.PublishDiagnosticsNotification.type,
        (published) => {
          known.dispose();
          resolve(published);
        },
      );
    });
  let published = next();
  await connection.sendNotification(protocol.DidOpenTextDocumentNotification.type, {
    textDocument: { uri, languageId: "keyfold", version: 1, text },
  });
  const found = await published;
  assert.equal(found.version, 1);
  assert.match(found.diagnostics[0].message, /emial/);
  const actions = await connection.sendRequest(protocol.CodeActionRequest.type, {
    textDocument: { uri },
    range: found.diagnostics[0].range,
    context: { diagnostics: found.diagnostics },
  });
  const [{ textDocument, edits }] = actions[0].edit.documentChanges;
  assert.deepEqual(textDocument, { uri, version: 1 });
  published = next();
  await connection.sendNotification(protocol.DidChangeTextDocumentNotification.type, {
    textDocument: { uri, version: 2 },
    contentChanges: edits.map(({ range, newText }) => ({ range, text: newText })),
  });
  assert.deepEqual((await published).diagnostics, []);
  const lenses = await connection.sendRequest(protocol.CodeLensRequest.type, {
    textDocument: { uri },
  });
  const [{ arguments: [lens] }] = lenses
    .map(({ command }) => command)
    .filter(({ title }) => title === "run");
  assert.equal(
    commands.runLine("keyfold", lens, { email: "a@b" }),
    `keyfold run ${file} user_by_email email=a@b`,
  );
  await connection.sendRequest(protocol.ShutdownRequest.type);
  await connection.sendNotification(protocol.ExitNotification.type);
  const code = await new Promise((resolve) => child.on("exit", resolve));
  assert.equal(code, 0);
  connection.dispose();
});

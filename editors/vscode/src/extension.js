// Starts the language server, and carries out its lenses in a terminal.

const vscode = require("vscode");
const { LanguageClient } = require("vscode-languageclient/node");
const { serverOptions, clientOptions, proveLine, runLine, parameters } = require("./commands.js");

/** @type {LanguageClient | undefined} */
let client;

function path() {
  return vscode.workspace.getConfiguration("keyfold").get("path") || "keyfold";
}

async function start() {
  client = new LanguageClient("keyfold", "Keyfold", serverOptions(path()), clientOptions());
  await client.start();
}

function inTerminal(line) {
  const known = vscode.window.terminals.find((terminal) => terminal.name === "Keyfold");
  const terminal = known ?? vscode.window.createTerminal("Keyfold");
  terminal.show(true);
  terminal.sendText(line);
}

/** Asks for a value of each parameter; `undefined` if somebody gives up. */
async function asked(lens) {
  const values = {};
  for (const { name, isOptional } of parameters(lens)) {
    const prompt = isOptional ? `${name} (may be left out)` : name;
    const value = await vscode.window.showInputBox({ title: lens.name, prompt });
    if (value === undefined) return undefined;
    values[name] = value;
  }
  return values;
}

async function activate(context) {
  const register = (name, run) =>
    context.subscriptions.push(vscode.commands.registerCommand(name, run));
  register("keyfold.prove", (lens) => inTerminal(proveLine(path(), lens)));
  register("keyfold.run", async (lens) => {
    const values = await asked(lens);
    if (values !== undefined) inTerminal(runLine(path(), lens, values));
  });
  register("keyfold.restart", async () => {
    await client?.stop();
    await start();
  });
  await start();
}

async function deactivate() {
  await client?.stop();
}

module.exports = { activate, deactivate };

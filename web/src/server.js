// The language server behind a WebSocket: findings with their repairs, and the design beside the text.

import { setDiagnostics } from "@codemirror/lint";
import { LSPClient, LSPPlugin, findReferencesKeymap, formatKeymap, hoverTooltips, jumpToDefinitionKeymap, renameKeymap, serverCompletion } from "@codemirror/lsp-client";
import { ViewPlugin, keymap } from "@codemirror/view";
import { connected, design, findings, notice } from "./state.js";

const KEPT = new Set(["P", "PRE", "CODE", "EM", "STRONG", "UL", "OL", "LI", "HR", "BR", "SPAN", "H1", "H2", "H3", "H4", "TABLE", "THEAD", "TBODY", "TR", "TH", "TD", "BLOCKQUOTE"]);

/** What a hover may hold: text with its marks, and no attribute but the classes of colours. */
export function sanitized(html) {
  const page = new DOMParser().parseFromString(html, "text/html");
  for (const one of [...page.body.querySelectorAll("*")].reverse()) {
    if (!KEPT.has(one.tagName)) one.replaceWith(page.createTextNode(one.textContent));
    for (const { name } of [...one.attributes]) if (name !== "class") one.removeAttribute(name);
  }
  return page.body.innerHTML;
}

const SEVERITIES = { 1: "error", 2: "warning", 3: "info", 4: "hint" };
const placeOf = (one) => `${one.code} ${one.range.start.line}:${one.range.start.character}`;

/** A change is sent when the keys of one moment are. */
const MOMENT_MS = 12;

const sending = ViewPlugin.fromClass(
  class {
    timer = null;
    update(update) {
      if (!update.docChanged) return;
      clearTimeout(this.timer);
      this.timer = setTimeout(() => LSPPlugin.get(update.view)?.client.sync(), MOMENT_MS);
    }
    destroy() {
      clearTimeout(this.timer);
    }
  },
);

/** Applies a repair that the language server has tried. */
function repair(client, action) {
  const changes = action.edit.documentChanges ?? Object.entries(action.edit.changes ?? {}).map(([uri, edits]) => ({ textDocument: { uri }, edits }));
  for (const { textDocument, edits } of changes) {
    const view = client.workspace.getFile(textDocument.uri)?.getView();
    const plugin = view && LSPPlugin.get(view);
    if (!plugin) {
      notice.value = { kind: "bad", text: "This repair changes a file that is not open here." };
      return;
    }
    const of = (edit) => ({ from: plugin.fromPosition(edit.range.start), to: plugin.fromPosition(edit.range.end), insert: edit.newText });
    view.dispatch({ changes: edits.map(of), userEvent: "input.repair" });
  }
}

/** Shows the findings of a file in the text and in the list. */
async function show(client, { uri, version, diagnostics }) {
  const file = client.workspace.getFile(uri);
  const view = file?.getView();
  const plugin = view && LSPPlugin.get(view);
  if (!plugin || (version != null && version !== file.version)) return;
  const everything = { start: plugin.toPosition(0, plugin.syncedDoc), end: plugin.toPosition(plugin.syncedDoc.length, plugin.syncedDoc) };
  const repairs = diagnostics.length === 0 ? [] : await client.request("textDocument/codeAction", { textDocument: { uri }, range: everything, context: { diagnostics } }).catch(() => []);
  if (version != null && version !== file.version) return;
  const place = (at) => plugin.unsyncedChanges.mapPos(plugin.fromPosition(at, plugin.syncedDoc));
  const shown = diagnostics.map((one) => {
    const own = (repairs ?? []).filter((action) => action.diagnostics?.some((other) => placeOf(other) === placeOf(one)));
    return {
      from: place(one.range.start),
      to: place(one.range.end),
      severity: SEVERITIES[one.severity ?? 1],
      source: one.code,
      message: one.message,
      actions: own.map((action) => ({ name: action.title, apply: () => repair(client, action) })),
    };
  });
  view.dispatch(setDiagnostics(view.state, shown));
  findings.value = shown.map((one) => ({ ...one, line: view.state.doc.lineAt(one.from).number }));
}

/** Pixels of the place that the drawing has. */
let width = 800;
let asked = 0;

async function draw(client, uri) {
  const own = ++asked;
  const drawn = await client.request("keyfold/design", { textDocument: { uri }, width }).catch(() => undefined);
  // A later answer is newer.
  if (own === asked && drawn !== undefined) design.value = drawn;
}

let shown = null;

const beside = {
  clientCapabilities: {
    textDocument: {
      publishDiagnostics: { versionSupport: true },
      codeAction: { codeActionLiteralSupport: { codeActionKind: { valueSet: ["quickfix"] } } },
    },
  },
  notificationHandlers: {
    "textDocument/publishDiagnostics": (client, params) => {
      show(client, params);
      if (shown !== null) draw(client, shown);
      return true;
    },
  },
  editorExtension: sending,
};

export const client = new LSPClient({
  sanitizeHTML: sanitized,
  extensions: [
    serverCompletion(),
    hoverTooltips({ hoverTime: 250 }),
    keymap.of([...formatKeymap, ...renameKeymap, ...jumpToDefinitionKeymap, ...findReferencesKeymap]),
    beside,
  ],
});

/** Draws the design of this file from now on. */
export function follow(uri) {
  shown = uri;
  client.initializing.then(() => draw(client, uri));
}

/** Why a pattern of the shown file reads its key, and no other of its table; null where it is not known. */
export const whyOf = (pattern, without) => client.request("keyfold/why", { textDocument: { uri: shown }, pattern, without }).catch(() => null);

/** The shown model beside the stored one; null where nothing is stored, or the model never was without errors. */
export const differenceOf = () => client.request("keyfold/difference", { textDocument: { uri: shown } }).catch(() => null);

/** Draws in this width from now on. */
export function drawIn(pixels) {
  if (pixels === width) return;
  width = pixels;
  if (shown !== null && client.connected) draw(client, shown);
}

/** Connects, and again when the connection is lost. */
export function connect() {
  const socket = new WebSocket(`ws://${location.host}/language`);
  const handlers = new Set();
  socket.onmessage = ({ data }) => handlers.forEach((handler) => handler(data));
  socket.onopen = () => {
    client.connect({
      send: (text) => socket.send(text),
      subscribe: (handler) => handlers.add(handler),
      unsubscribe: (handler) => handlers.delete(handler),
    });
    client.initializing.then(() => {
      connected.value = true;
    });
  };
  socket.onclose = () => {
    if (connected.value) client.disconnect();
    connected.value = false;
    setTimeout(connect, 2000);
  };
}

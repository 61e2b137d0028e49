// The text of a model: CodeMirror with the language server.

import { autocompletion, closeBrackets, closeBracketsKeymap, completionKeymap } from "@codemirror/autocomplete";
import { defaultKeymap, history, historyKeymap, indentWithTab } from "@codemirror/commands";
import { indentUnit } from "@codemirror/language";
import { lintGutter, lintKeymap, nextDiagnostic } from "@codemirror/lint";
import { formatDocument } from "@codemirror/lsp-client";
import { highlightSelectionMatches, searchKeymap } from "@codemirror/search";
import { EditorState } from "@codemirror/state";
import { EditorView, drawSelection, highlightActiveLine, highlightActiveLineGutter, highlightSpecialChars, keymap, lineNumbers } from "@codemirror/view";
import { useEffect, useRef } from "preact/hooks";
import { keyfold } from "./language.js";
import { client, follow } from "./server.js";
import { current, file, files, findings, front, texts } from "./state.js";

let view = null;
/** The states of files that are not shown: their places, and what can be undone. */
const left = new Map();

const nonce = document.querySelector("script[nonce]")?.nonce ?? "";

const extensions = (uri, at, name) => [
  EditorView.cspNonce.of(nonce),
  lineNumbers(),
  highlightActiveLineGutter(),
  highlightSpecialChars(),
  history(),
  drawSelection(),
  EditorState.allowMultipleSelections.of(true),
  indentUnit.of("  "),
  closeBrackets(),
  autocompletion(),
  highlightActiveLine(),
  highlightSelectionMatches(),
  lintGutter(),
  keyfold,
  EditorView.contentAttributes.of({ tabindex: "0", "aria-label": `the model ${name}` }),
  EditorView.updateListener.of((update) => {
    if (!update.docChanged) return;
    const text = update.state.doc.toString();
    texts.value = texts.value.map((one, own) => (own === at ? text : one));
  }),
  client.plugin(uri, "keyfold"),
  keymap.of([
    // Escape, then Tab leaves the editor, as everywhere with CodeMirror.
    ...closeBracketsKeymap, ...defaultKeymap, ...searchKeymap, ...historyKeymap, ...completionKeymap, ...lintKeymap, indentWithTab,
  ]),
];

/** Moves to a place of the text, and shows it. */
export function goTo(place) {
  if (view === null) return;
  front.value = "model";
  const at = Math.min(place, view.state.doc.length);
  view.dispatch({ selection: { anchor: at }, effects: EditorView.scrollIntoView(at, { y: "center" }) });
  view.focus();
}

/** Moves to the declaration of a pattern, an entity, a table. */
export function goToDeclaration(word, name) {
  const text = view?.state.doc.toString() ?? "";
  const escaped = name.replace(/[.*+?^${}()|[\]\\]/g, "\\$&");
  const found = new RegExp(`^(?:shared +)?${word} +${escaped}\\b`, "m").exec(text);
  if (found) goTo(found.index + found[0].length - name.length);
}

export const format = () => view && formatDocument(view);
export const nextFinding = () => {
  if (view === null) return;
  front.value = "model";
  nextDiagnostic(view);
  view.focus();
};

export function Editor() {
  const place = useRef(null);
  const uri = current.value?.uri;
  useEffect(() => {
    if (uri === undefined) return undefined;
    const at = file.value;
    findings.value = [];
    const state = left.get(uri) ?? EditorState.create({ doc: texts.value[at], extensions: extensions(uri, at, files.value[at].name) });
    view = new EditorView({ state, parent: place.current });
    follow(uri);
    return () => {
      left.set(uri, view.state);
      view.destroy();
      view = null;
    };
  }, [uri]);
  return <div class="editor" ref={place} />;
}

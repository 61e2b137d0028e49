// The command palette: everything that the page does, by its name.

import { signal } from "@preact/signals";
import { useEffect, useRef } from "preact/hooks";
import { answer, explorePattern, exploreRaw, exploreTable, hasBefore, model, next, previous, shownRows, tables } from "./explore/data.js";
import { edit, runWrite } from "./explore/edit.jsx";
import { importLines } from "./explore/import.jsx";
import { toCsv, toJsonl } from "./explore/export.js";
import { format, goToDeclaration, nextFinding, whenShown } from "./editor.jsx";
import { design, file, files, front, nameOf, paletteOpen, place, rule, sample, save, side, theme, view, watched } from "./state.js";

function show(what) {
  view.value = "design";
  side.value = what;
  front.value = "side";
}

/** What is done in the view of the model. */
const inDesign = (run) => () => {
  view.value = "design";
  whenShown(run);
};

/** The commands on data. */
function ofData() {
  if (place.value === null) return [];
  const page = [
    hasBefore.value && { name: "Previous page", run: previous },
    answer.value?.next && { name: "Next page", run: next },
    shownRows.value.length > 0 && { name: "Export the page as JSON lines", run: toJsonl },
    shownRows.value.length > 0 && { name: "Export the page as CSV", run: toCsv },
  ];
  return [
    files.value.length > 0 && { name: "Explore the data", run: () => (view.value = "explore") },
    { name: "Operate: the state of all tables", run: () => (view.value = "operate") },
    { name: "Operate: watch the requests", run: () => ([view.value, watched.value] = ["operate", true]) },
    ...(view.value === "explore" ? page : []),
    (tables.value?.tables ?? []).length > 0 && { name: "Build a Query, a Scan or a statement", run: () => exploreRaw() },
    ...(tables.value?.tables ?? []).map(({ name }) => ({ name: `Explore table ${name}`, run: () => exploreTable(name) })),
    ...(model.value?.patterns ?? []).map(({ name }) => ({ name: `Run pattern ${name}`, run: () => explorePattern(name) })),
    ...(place.value.mayWrite ? (model.value?.entities ?? []).filter((one) => one.isWritten) : []).map(({ name }) => ({ name: `New ${name}`, run: () => edit("create", name) })),
    place.value.mayWrite && { name: "Import lines of JSON", run: importLines },
    ...(place.value.mayWrite ? (model.value?.writes ?? []) : []).map(({ name }) => ({ name: `Run write ${name}`, run: () => runWrite(name) })),
  ].filter(Boolean);
}

const ofLearning = () => [
  { name: "Learn: designs, a tour, the rules", run: () => ([rule.value, view.value] = [null, "learn"]) },
  ...(sample === null ? [] : [{ name: "Leave the design", run: () => location.assign("/") }]),
];

const ofColours = () => ["light", "dark", "system"].map((one) => ({ name: `Colours: ${one}`, run: () => (theme.value = one) }));

function commands() {
  const patterns = [...new Set((design.value?.chart.patterns ?? []).map((one) => one.name))];
  const kinds = (design.value?.chart.tables ?? []).flatMap((table) => table.items.map((row) => row.kind));
  const entities = kinds.filter((kind) => /^\w+$/.test(kind));
  if (files.value.length === 0) return [...ofData(), ...ofLearning(), ...ofColours()];
  return [
    { name: "Save the model", keys: "Ctrl S", run: save },
    { name: "Format the model", keys: "Shift Alt F", run: inDesign(format) },
    { name: "Go to the next finding", keys: "F8", run: inDesign(nextFinding) },
    { name: "Show the model", run: inDesign(() => (front.value = "model")) },
    { name: "Show the table map", run: () => show("map") },
    { name: "Show the entities and their references", run: () => show("entities") },
    { name: "Show the patterns", run: () => show("patterns") },
    { name: "Show the difference to the stored file and to the tables", run: () => show("difference") },
    { name: "Show the proof by execution", run: () => show("proof") },
    ...ofData(),
    ...ofLearning(),
    ...ofColours(),
    ...files.value.map((one, at) => ({ name: `Open ${nameOf(one)}`, run: () => (file.value = at) })),
    ...patterns.map((name) => ({ name: `Go to pattern ${name}`, run: inDesign(() => goToDeclaration("pattern", name)) })),
    ...entities.map((name) => ({ name: `Go to entity ${name}`, run: inDesign(() => goToDeclaration("(?:entity|view)", name)) })),
  ];
}

/** Whether all words of a question are in a text. */
const fits = (text, asked) => asked.toLowerCase().split(/\s+/).every((word) => text.toLowerCase().includes(word));

let dialog = null;
const asked = signal("");
const at = signal(0);

/** Opens the palette, or closes it. The focus moves at once: the next key is for it. */
export function togglePalette() {
  if (dialog === null) return;
  if (dialog.open) {
    dialog.close();
    return;
  }
  [asked.value, at.value, paletteOpen.value] = ["", 0, true];
  dialog.showModal();
  dialog.querySelector("input").focus();
}

export function Palette() {
  const place = useRef(null);
  useEffect(() => {
    dialog = place.current;
  }, []);
  const found = paletteOpen.value ? commands().filter((one) => fits(one.name, asked.value)) : [];
  const run = (one) => {
    // The dialog gives the focus back first.
    place.current.close();
    one?.run();
  };
  const onKeyDown = (event) => {
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (step !== undefined && found.length > 0) {
      at.value = (at.value + step + found.length) % found.length;
      event.preventDefault();
    } else if (event.key === "Enter") {
      run(found[at.value]);
      event.preventDefault();
    }
  };
  useEffect(() => {
    place.current.querySelector("[aria-selected=true]")?.scrollIntoView({ block: "nearest" });
  });
  return (
    <dialog ref={place} class="palette" aria-label="commands" onClose={() => (paletteOpen.value = false)} onClick={(event) => event.target === place.current && place.current.close()}>
      <input
        type="text" role="combobox" aria-label="command" aria-expanded="true" aria-controls="commands" aria-autocomplete="list"
        aria-activedescendant={found.length > 0 ? `command-${at.value}` : undefined} placeholder="What to do?" spellcheck={false}
        value={asked.value} onInput={(event) => { asked.value = event.target.value; at.value = 0; }} onKeyDown={onKeyDown}
      />
      <ul role="listbox" id="commands" aria-label="commands">
        {found.map((one, own) => (
          <li role="option" id={`command-${own}`} aria-selected={own === at.value} onClick={() => run(one)}>
            <span>{one.name}</span>
            {one.keys && <kbd>{one.keys}</kbd>}
          </li>
        ))}
      </ul>
      {found.length === 0 && <p class="empty">There is no such command.</p>}
    </dialog>
  );
}

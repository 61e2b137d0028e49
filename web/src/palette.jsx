// The command palette: everything that the page does, by its name.

import { signal } from "@preact/signals";
import { useEffect, useRef } from "preact/hooks";
import { format, goToDeclaration, nextFinding } from "./editor.jsx";
import { design, file, files, front, nameOf, paletteOpen, save, side, theme } from "./state.js";

function show(what) {
  side.value = what;
  front.value = "side";
}

function commands() {
  const patterns = [...new Set((design.value?.chart.patterns ?? []).map((one) => one.name))];
  const kinds = (design.value?.chart.tables ?? []).flatMap((table) => table.items.map((row) => row.kind));
  const entities = kinds.filter((kind) => /^\w+$/.test(kind));
  return [
    { name: "Save the model", keys: "Ctrl S", run: save },
    { name: "Format the model", keys: "Shift Alt F", run: format },
    { name: "Go to the next finding", keys: "F8", run: nextFinding },
    { name: "Show the model", run: () => (front.value = "model") },
    { name: "Show the table map", run: () => show("map") },
    { name: "Show the patterns", run: () => show("patterns") },
    ...["light", "dark", "system"].map((one) => ({ name: `Colours: ${one}`, run: () => (theme.value = one) })),
    ...files.value.map((one, at) => ({ name: `Open ${nameOf(one)}`, run: () => (file.value = at) })),
    ...patterns.map((name) => ({ name: `Go to pattern ${name}`, run: () => goToDeclaration("pattern", name) })),
    ...entities.map((name) => ({ name: `Go to entity ${name}`, run: () => goToDeclaration("(?:entity|view)", name) })),
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

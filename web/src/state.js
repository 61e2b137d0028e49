// What the page shows, as signals; the part of it that a link carries is in the address.

import { computed, effect, signal } from "@preact/signals";

/** The models, as they are stored: `{ name, uri, text }`. */
export const files = signal([]);
/** The texts as they are edited, by the place of the file. */
export const texts = signal([]);
/** The last design without errors, as the language server describes it. */
export const design = signal(null);
/** The findings of the shown file. */
export const findings = signal([]);
/** A sentence for the reader: `{ kind: "good" | "bad", text }`. */
export const notice = signal(null);
/** Whether the language server can be reached. */
export const connected = signal(false);
export const paletteOpen = signal(false);
/** The place whose data is explored: `{ shown, url, region, isHere, mayWrite, isFolder }`; null without one. */
export const place = signal(null);

const SIDES = ["map", "entities", "patterns", "difference", "proof"];
const THEMES = ["system", "light", "dark"];
const VIEWS = ["design", "explore", "operate", "learn"];

/** What the address says behind `#`. */
export const address = () => new URLSearchParams(location.hash.slice(1));

function fromAddress() {
  const given = address();
  const among = (name, known) => (known.includes(given.get(name)) ? given.get(name) : known[0]);
  return { file: Number(given.get("file")) || 0, side: among("side", SIDES), front: among("front", ["model", "side"]), theme: among("theme", THEMES), view: among("view", VIEWS) };
}

const first = fromAddress();
/** The place of the shown file. */
export const file = signal(first.file);
/** What is beside the editor. */
export const side = signal(first.side);
/** What a narrow page shows: the model, or what is beside it. */
export const front = signal(first.front);
export const theme = signal(first.theme);
/** `design`: the model; `explore`: the data; `operate`: the place as a whole. */
export const view = signal(first.view);

/** The design to learn from that this page is about; null for what the command was given. */
export const sample = new URLSearchParams(location.search).get("sample");
/** The rule that is explained; null for all. */
export const rule = signal(address().get("rule"));

/** The table whose changes are followed; null for none. */
export const operated = signal(address().get("follow"));

/** Whether the requests of the place are watched. */
export const watched = signal(address().has("watch"));

export const current = computed(() => files.value[file.value]);
/** The last part of a file's path, where no other file has the same. */
export function nameOf(one) {
  const last = (path) => path.split(/[\\/]/).pop();
  const own = last(one.name);
  return files.value.filter((other) => last(other.name) === own).length > 1 ? one.name : own;
}

export const isChanged = computed(() => current.value !== undefined && texts.value[file.value] !== current.value.text);
export const changedCount = computed(() => files.value.filter((one, at) => one.text !== texts.value[at]).length);

/** Keeps the address at what is shown. `more` adds the part of other files. */
export function keepAddress(more) {
  effect(() => {
    const said = new URLSearchParams();
    if (file.value > 0) said.set("file", file.value);
    if (side.value !== SIDES[0]) said.set("side", side.value);
    if (front.value !== "model") said.set("front", front.value);
    if (theme.value !== THEMES[0]) said.set("theme", theme.value);
    if (view.value !== VIEWS[0]) said.set("view", view.value);
    if (view.value === "operate" && operated.value !== null) said.set("follow", operated.value);
    if (view.value === "operate" && watched.value) said.set("watch", "requests");
    if (view.value === "learn" && rule.value !== null) said.set("rule", rule.value);
    more(said);
    const hash = said.toString();
    history.replaceState(null, "", hash === "" ? location.pathname + location.search : `#${hash}`);
  });
}

effect(() => {
  document.documentElement.dataset.theme = theme.value;
});

addEventListener("hashchange", () => {
  const said = fromAddress();
  file.value = files.value[said.file] ? said.file : 0;
  [side.value, front.value, theme.value] = [said.side, said.front, said.theme];
  [view.value, operated.value, rule.value] = [viewOf(said.view), address().get("follow"), address().get("rule")];
  watched.value = address().has("watch");
});

// A page that holds unsaved texts asks before it is left.
addEventListener("beforeunload", (event) => {
  if (changedCount.value > 0) event.preventDefault();
});

/** Data is shown where there is a place, and nothing else where there is no model. */
const viewOf = (wanted) => (wanted === "learn" ? wanted : place.value === null ? "design" : files.value.length === 0 && wanted === "design" ? "explore" : wanted);

/** Asks the workbench; a refusal is an error with its reason. */
export async function ask(path, body) {
  const how = body === undefined ? {} : { method: "POST", headers: { "content-type": "application/json" }, body: JSON.stringify(body) };
  const answer = await fetch(sample === null ? path : `${path}?sample=${sample}`, how);
  const kind = answer.headers.get("content-type") ?? "";
  const said = kind.startsWith("application/json") ? await answer.json() : { error: (await answer.text()).trim() };
  if (!answer.ok) throw new Error(said.error);
  return said;
}

export async function load() {
  const said = await ask("/files");
  files.value = said.files;
  texts.value = said.files.map((one) => one.text);
  place.value = said.place;
  view.value = viewOf(view.value);
  if (!files.value[file.value]) file.value = 0;
}

/** Writes the shown file, if nobody else has changed it. */
export async function save() {
  const at = file.value;
  const text = texts.value[at];
  const stored = files.value[at];
  if (stored === undefined || stored.text === text) return;
  try {
    await ask("/save", { file: at, before: stored.text, text });
    files.value = files.value.map((one, own) => (own === at ? { ...one, text } : one));
    notice.value = { kind: "good", text: `${stored.name} is saved` };
  } catch (error) {
    notice.value = { kind: "bad", text: error.message };
  }
}

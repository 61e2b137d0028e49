// What is explored: a table, an index, a collection or a pattern, and the page of it that was read. A link carries the question.

import { computed, effect, signal } from "@preact/signals";
import { address, ask, file, files, notice, place, texts, view } from "../state.js";
import { first as firstRaw, inputOf, isWhole, tableOf } from "./builder.js";
import { compare, plain } from "./values.js";

/** The stored model, as forms need it: `{ name, patterns, entities }`; `null` without one. */
export const model = signal(null);
/** Why there is no model although a file is shown. */
export const modelFault = signal(null);
/** `{ tables: [{ name, model }], missing }`. */
export const tables = signal(null);
/** The description of the shown table. */
export const described = signal(null);
/** The answer that is shown, or the fault. */
export const answer = signal(null);
export const busy = signal(false);
/** The write that is being made: `{ verb, entity, first, values, removed, said, isAgreed, isBack }`; null for none. */
export const edited = signal(null);
/** The item that is shown in full, by its place in the answer. */
export const chosen = signal(null);

const LIMIT = 50;
const said = address;
const parsed = (text) => {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
};

/** The question of the address: `{ table, index, partition, backward }`, `{ pattern, values }` or `{ raw }`; null for none. */
function fromAddress(given) {
  const limit = Math.min(Math.max(Number(given.get("limit")) || LIMIT, 1), 1000);
  const after = parsed(given.get("after") ?? "null");
  if (given.get("pattern") !== null) {
    const values = Object.fromEntries([...given].filter(([name]) => name.startsWith("a.")).map(([name, value]) => [name.slice(2), value]));
    return { pattern: given.get("pattern"), values, limit: Number(given.get("limit")) || null, after, skips: given.has("skip") };
  }
  const raw = parsed(given.get("raw") ?? "null");
  if (raw !== null && Array.isArray(raw.keys) && Array.isArray(raw.filters)) return { raw: { ...firstRaw(""), ...raw }, after };
  if (given.get("table") === null) return null;
  return { table: given.get("table"), index: given.get("index"), partition: parsed(given.get("in") ?? "null"), backward: given.has("backward"), limit, after };
}

const first = said();
export const asked = signal(fromAddress(first));
/** The cursors of the pages before. */
const before = signal([]);
export const hasBefore = computed(() => before.value.length > 0);

/** What is shown of the page: `{ filter, kind, sort, down, hidden }`. */
const LOOK = { filter: "", kind: "", sort: "", down: false, hidden: [] };
const lookOf = (given) => ({ filter: given.get("filter") ?? "", kind: given.get("kind") ?? "", sort: given.get("sort") ?? "", down: given.has("down"), hidden: given.getAll("hide") });
export const look = signal(lookOf(first));

/** The part of the address that is of data. */
export function intoAddress(into) {
  const one = asked.value;
  if (view.value !== "explore" || one === null) return;
  if (one.raw !== undefined) into.set("raw", JSON.stringify(one.raw));
  else if (one.pattern !== undefined) {
    into.set("pattern", one.pattern);
    for (const [name, value] of Object.entries(one.values)) if (value !== "") into.set(`a.${name}`, value);
    if (one.limit) into.set("limit", one.limit);
    if (one.skips) into.set("skip", "1");
  } else {
    into.set("table", one.table);
    if (one.index) into.set("index", one.index);
    if (one.partition) into.set("in", JSON.stringify(one.partition));
    if (one.backward) into.set("backward", "1");
    if (one.limit !== LIMIT) into.set("limit", one.limit);
  }
  if (one.after) into.set("after", JSON.stringify(one.after));
  const { filter, kind, sort, down, hidden } = look.value;
  for (const [name, value] of Object.entries({ filter, kind, sort })) if (value) into.set(name, value);
  if (down) into.set("down", "1");
  for (const name of hidden) into.append("hide", name);
}

/** The table of a question, and the index of it. */
const tableAsked = (one) => one?.table ?? one?.raw?.table;
const indexAsked = (one) => one?.index ?? one?.raw?.index ?? null;

const ofModel = () => (files.value.length === 0 ? null : file.value);
/** Whether the shown text is not the stored one, which questions are asked of. */
export const isStale = computed(() => files.value[file.value] !== undefined && files.value[file.value].text !== texts.value[file.value]);

let latest = 0;
/** Asks the question, and shows its answer unless a later one was asked meanwhile. */
async function read() {
  const own = ++latest;
  const one = asked.value;
  [chosen.value, busy.value] = [null, one !== null];
  if (one === null) {
    answer.value = null;
    return;
  }
  const isPattern = one.pattern !== undefined;
  const body = one.raw
    ? { file: ofModel(), operation: one.raw.operation, table: tableOf(one.raw), request: inputOf(one.raw, one.after) }
    : isPattern
    ? { file: ofModel(), pattern: one.pattern, arguments: Object.fromEntries(Object.entries(one.values).filter(([, value]) => value !== "")), limit: one.limit, after: one.after, skipsUnknown: one.skips }
    : { file: ofModel(), table: one.table, index: one.index, partition: one.partition, isBackward: one.backward, limit: one.limit, after: one.after };
  const said = await ask(one.raw ? "/explore/raw" : isPattern ? "/explore/run" : "/explore/items", body).catch((error) => ({ error: error.message, fields: {}, exchanges: [] }));
  if (own !== latest) return;
  [answer.value, busy.value] = [said, false];
}

/** Asks for the first page of something. */
export function explore(one) {
  edited.value = null;
  const isOther = tableAsked(one) !== tableAsked(asked.value) || one?.pattern !== asked.value?.pattern;
  if (isOther) look.value = LOOK;
  [before.value, answer.value] = [[], isOther ? null : answer.value];
  asked.value = one;
  view.value = "explore";
  return read();
}

export const exploreTable = (table, rest = {}) => explore({ table, index: null, partition: null, backward: false, limit: LIMIT, after: null, ...rest });

/** Shows the form of a request; nothing is asked before somebody runs it. */
export function exploreRaw(table = tableAsked(asked.value) ?? tables.value?.tables[0]?.name ?? "", index = indexAsked(asked.value)) {
  latest += 1;
  [edited.value, before.value, answer.value, busy.value, chosen.value, look.value] = [null, [], null, false, null, LOOK];
  [asked.value, view.value] = [{ raw: firstRaw(table, index), after: null }, "explore"];
}

/** Shows the form of a pattern. It is asked when everything that it needs is there. */
export function explorePattern(pattern) {
  latest += 1;
  edited.value = null;
  const form = model.value?.patterns.find((one) => one.name === pattern);
  const one = { pattern, values: {}, limit: null, after: null, skips: false };
  if (form !== undefined && form.parameters.every((parameter) => parameter.isOptional)) return explore(one);
  [before.value, answer.value, busy.value, chosen.value, look.value] = [[], null, false, null, LOOK];
  [asked.value, view.value] = [one, "explore"];
  return undefined;
}

export function next() {
  if (!answer.value?.next) return;
  before.value = [...before.value, asked.value.after];
  asked.value = { ...asked.value, after: answer.value.next };
  read();
}

export function previous() {
  if (before.value.length === 0) return;
  asked.value = { ...asked.value, after: before.value.at(-1) };
  before.value = before.value.slice(0, -1);
  read();
}

export function again(change = {}) {
  if (asked.value === null) return;
  if (!("after" in change) && Object.keys(change).length > 0) [before.value, change] = [[], { ...change, after: null }];
  asked.value = { ...asked.value, ...change };
  read();
}

/** Asks what the place has. */
export async function loadTables() {
  const own = ofModel();
  const [form, names] = await Promise.all([
    own === null ? null : ask("/explore/model", { file: own }).catch((error) => ({ error: error.message })),
    // A model that has errors does not hide the tables.
    ask("/explore/tables", { file: own }).then((one) => (one.error && own !== null ? ask("/explore/tables", { file: null }) : one)).catch((error) => ({ error: error.message })),
  ]);
  if (own !== ofModel()) return;
  modelFault.value = form?.error ?? null;
  model.value = form?.error ? null : form;
  if (names.error) notice.value = { kind: "bad", text: names.error };
  tables.value = names.error ? { tables: [], missing: [] } : names;
}

/** Follows the shown file and the address. */
export function begin() {
  effect(() => {
    // Once for each model, and again when it is saved.
    void files.value[file.value]?.text;
    if (place.value !== null) loadTables();
  });
  const table = computed(() => tableAsked(asked.value) || null);
  effect(() => {
    const own = table.value;
    described.value = null;
    if (own === null || place.value === null) return;
    ask("/explore/table", { table: own }).then(
      (one) => {
        if (table.value === own) described.value = one.answer?.Table ?? null;
      },
      () => {},
    );
  });
  const isAsked = asked.value?.table !== undefined || (asked.value?.raw !== undefined && isWhole(asked.value.raw));
  if (place.value !== null && (isAsked || Object.keys(asked.value?.values ?? {}).length > 0)) read();
}

addEventListener("hashchange", () => {
  if (place.value === null) return;
  const given = said();
  const one = fromAddress(given);
  [look.value, edited.value] = [lookOf(given), null];
  if (JSON.stringify(one) === JSON.stringify(asked.value)) return;
  [before.value, asked.value] = [[], one];
  if (one?.raw === undefined || isWhole(one.raw)) read();
});

/** The sentence about a field: a fault may name a place inside of it. */
export function faultOf(name) {
  const faults = answer.value?.fields ?? {};
  const path = Object.keys(faults).find((one) => one === name || one.startsWith(`${name}.`) || one.startsWith(`${name}[`));
  return path === undefined ? undefined : faults[path];
}

/** Whether the fault is shown at fields of the form. */
export const isOfFields = computed(() => {
  const form = model.value?.patterns.find((one) => one.name === asked.value?.pattern);
  return form?.parameters.some((one) => faultOf(one.name) !== undefined) ?? false;
});

/** The key attributes of what is read, of the table and of the index: `[name, "HASH" | "RANGE"]`. */
export const keyOf = computed(() => {
  const table = described.value;
  if (table === null) return [];
  const indexes = [...(table.GlobalSecondaryIndexes ?? []), ...(table.LocalSecondaryIndexes ?? [])];
  const schema = indexes.find((one) => one.IndexName === indexAsked(asked.value))?.KeySchema ?? table.KeySchema;
  return schema.map((one) => [one.AttributeName, one.KeyType]);
});

/** The rows of the page: `{ at, kind, role, cells }`, where cells are values by column. */
const rows = computed(() =>
  (answer.value?.items ?? []).map((one, at) => {
    const cells = Object.fromEntries(one.values ?? Object.entries(one.item ?? {}));
    if (one.item) for (const [name] of keyOf.value) cells[name] ??= one.item[name];
    return { at, kind: one.kind, role: one.role, cells };
  }),
);

export const kindOf = (row) => row.kind ?? "unknown";
export const kinds = computed(() => [...new Set(rows.value.map(kindOf))]);

const ofKind = computed(() => (kinds.value.includes(look.value.kind) ? rows.value.filter((row) => kindOf(row) === look.value.kind) : rows.value));

/** All columns, the keys first. */
export const columns = computed(() => {
  const keys = asked.value?.pattern !== undefined ? [] : keyOf.value.map(([name]) => name);
  const names = new Set(ofKind.value.length === 0 ? [] : keys);
  for (const row of ofKind.value) for (const name of Object.keys(row.cells)) names.add(name);
  return [...names];
});
export const shownColumns = computed(() => columns.value.filter((name) => !look.value.hidden.includes(name)));

/** The rows that pass the filter, in the chosen order. */
export const shownRows = computed(() => {
  const { filter, sort, down } = look.value;
  const wanted = filter.toLowerCase();
  const has = (row) => kindOf(row).toLowerCase().includes(wanted) || Object.values(row.cells).some((one) => one !== undefined && plain(one).toLowerCase().includes(wanted));
  const found = wanted === "" ? [...ofKind.value] : ofKind.value.filter(has);
  if (sort === "" || !columns.value.includes(sort)) return found;
  const is = (row) => row.cells[sort] === undefined;
  return found.sort((a, b) => (is(a) || is(b) ? is(a) - is(b) : compare(a.cells[sort], b.cells[sort]) * (down ? -1 : 1)));
});

/** The colour of an entity and of what follows from it. */
export function hueOf(kind) {
  const entity = (kind ?? "").split(".")[0];
  const at = model.value?.entities.findIndex((one) => one.name === entity) ?? -1;
  return at < 0 ? "" : `hue${at % 10}`;
}

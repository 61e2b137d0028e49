// The form of a Query, a Scan or a statement.

import { signal } from "@preact/signals";
import { useEffect, useState } from "preact/hooks";
import { ask } from "../state.js";
import { asked, busy, explore, tables } from "./data.js";
import { COMPARISONS, RANGES, TYPES, costOf, indexesOf, isWhole, keysOf } from "./builder.js";
import { visible } from "./values.js";

const counted = (count, thing) => `${count.toLocaleString("en")} ${thing}${count === 1 ? "" : "s"}`;

function Select({ label, value, all, onChange }) {
  const entries = Array.isArray(all) ? all.map((one) => [one, one]) : Object.entries(all);
  return (
    <select aria-label={label} value={value} onChange={(event) => onChange(event.target.value)}>
      {entries.map(([one, name]) => (
        <option value={one}>{visible(name)}</option>
      ))}
    </select>
  );
}

/** The values of one comparison. */
function Values({ of, count, onChange }) {
  const input = (member, label) => (
    <input type="text" aria-label={`${label} of ${visible(of.name) || "a condition"}`} autocomplete="off" spellcheck={false} value={of[member] ?? ""} onInput={(event) => onChange({ ...of, [member]: event.target.value })} />
  );
  return (
    <>
      {count > 0 && input("value", count === 2 ? "the least value" : "the value")}
      {count === 2 && <> and {input("to", "the greatest value")}</>}
    </>
  );
}

function Key({ of, onChange }) {
  return (
    <p class="line condition">
      <code>{visible(of.name)}</code> <small>{TYPES[of.type]}</small>
      {of.isHash ? "=" : <Select label={`how ${of.name} is`} value={of.how} all={Object.keys(RANGES)} onChange={(how) => onChange({ ...of, how })} />}
      <Values of={of} count={RANGES[of.how]} onChange={onChange} />
    </p>
  );
}

function Filter({ of, number, onChange, onRemove }) {
  return (
    <p class="line condition">
      <input type="text" aria-label={`the attribute of filter ${number}`} placeholder="attribute" autocomplete="off" spellcheck={false} value={of.name} onInput={(event) => onChange({ ...of, name: event.target.value })} />
      <Select label={`how filter ${number} compares`} value={of.how} all={Object.keys(COMPARISONS)} onChange={(how) => onChange({ ...of, how })} />
      {COMPARISONS[of.how] > 0 && <Select label={`the type of filter ${number}`} value={of.type} all={TYPES} onChange={(type) => onChange({ ...of, type })} />}
      {of.type !== "NULL" && <Values of={of} count={COMPARISONS[of.how]} onChange={onChange} />}
      <button type="button" class="link" aria-label={`remove filter ${number}`} onClick={onRemove}>×</button>
    </p>
  );
}

/** What is read without a key, and what it costs. */
function Cost({ raw, about }) {
  const { items, bytes, units } = costOf(about, raw.index, raw.strong);
  return (
    <p class="warn">
      A Scan reads all of {visible(raw.index ?? raw.table)}: {counted(items, "item")} of {counted(bytes, "byte")} as last counted, about {units.toLocaleString("en")} read units for all pages. A filter makes it no cheaper.
    </p>
  );
}

/** The keys of what is read, with the values that were given before. */
const withKeys = (raw, about) => ({
  ...raw,
  keys: keysOf(about, raw.index).map((key) => ({ how: key.isHash ? "=" : "any", value: "", to: "", ...raw.keys.find((one) => one.name === key.name), ...key })),
});

export function RawForm() {
  const [draft] = useState(() => signal(asked.value.raw));
  const [about] = useState(() => signal(null));
  const raw = draft.value;
  const set = (change) => (draft.value = { ...draft.value, ...change });
  useEffect(() => {
    let isOver = false;
    about.value = null;
    if (raw.table === "") return undefined;
    ask("/explore/table", { table: raw.table }).then(
      (said) => {
        if (isOver || !said.answer) return;
        about.value = said.answer.Table;
        draft.value = withKeys(draft.value, about.value);
      },
      () => {},
    );
    return () => (isOver = true);
  }, [raw.table]);
  const run = (event) => {
    event.preventDefault();
    explore({ raw: draft.value, after: null });
  };
  const isStatement = raw.operation === "ExecuteStatement";
  const names = (tables.value?.tables ?? []).map(({ name }) => name);
  const replaced = (all, at, one) => all.map((other, own) => (own === at ? one : other));
  const isStrong = !indexesOf(about.value).some((one) => one.IndexName === raw.index && about.value.GlobalSecondaryIndexes?.includes(one));
  const chooseIndex = (index) => (draft.value = withKeys({ ...raw, index: index === "" ? null : index, strong: false }, about.value));
  return (
    <form class="head raw" onSubmit={run} noValidate aria-label="request">
      <h2>Request</h2>
      <p class="line">
        <Select label="operation" value={raw.operation} all={{ Query: "Query", Scan: "Scan", ExecuteStatement: "PartiQL" }} onChange={(operation) => set({ operation })} />
        {!isStatement && (
          <>
            <Select label="table" value={raw.table} all={names.includes(raw.table) ? names : [raw.table, ...names]} onChange={(table) => set({ table, index: null, keys: [] })} />
            <Select label="index" value={raw.index ?? ""} all={{ "": "the table itself", ...Object.fromEntries(indexesOf(about.value).map(({ IndexName }) => [IndexName, IndexName])) }} onChange={chooseIndex} />
          </>
        )}
      </p>
      {isStatement ? (
        <textarea aria-label="statement" rows={4} spellcheck={false} placeholder={'SELECT * FROM "Shop" WHERE PK = \'USER#u1\''} value={raw.statement} onInput={(event) => set({ statement: event.target.value })} />
      ) : (
        <>
          {raw.operation === "Query" && raw.keys.map((one, at) => <Key of={one} onChange={(changed) => set({ keys: replaced(raw.keys, at, changed) })} />)}
          {raw.filters.map((one, at) => (
            <Filter of={one} number={at + 1} onChange={(changed) => set({ filters: replaced(raw.filters, at, changed) })} onRemove={() => set({ filters: raw.filters.filter((_, own) => own !== at) })} />
          ))}
          {raw.operation === "Scan" && about.value !== null && <Cost raw={raw} about={about.value} />}
        </>
      )}
      <p class="line">
        <button class="main" disabled={busy.value || !isWhole(raw)}>Run</button>
        {!isStatement && <button type="button" onClick={() => set({ filters: [...raw.filters, { name: "", how: "=", type: "S", value: "", to: "" }] })}>Add a filter</button>}
        {raw.operation === "Query" && (
          <label>
            <input type="checkbox" checked={raw.backward} onChange={(event) => set({ backward: event.target.checked })} /> descending
          </label>
        )}
        {!isStatement && isStrong && (
          <label>
            <input type="checkbox" checked={raw.strong} onChange={(event) => set({ strong: event.target.checked })} /> strong
          </label>
        )}
        <span class="grow" />
        <label>
          a page of <Select label="items of a page" value={String(raw.limit)} all={["10", "50", "200", "1000"]} onChange={(limit) => set({ limit: Number(limit) })} />
        </label>
      </p>
    </form>
  );
}

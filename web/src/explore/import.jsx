// Lines of JSON that come in: first what each would write, or why it is refused; then those that are agreed to.

import { useRef } from "preact/hooks";
import { ask, file, files, place, view } from "../state.js";
import { again, edited, model, tables } from "./data.js";
import { linesOf } from "./lines.js";
import { visible } from "./values.js";

/** The lines of one question. */
const MANY = 100;
/** The most lines that are listed. */
const LISTED = 200;

const counted = (count, thing) => `${count.toLocaleString("en")} ${thing}${count === 1 ? "" : "s"}`;
const set = (change) => edited.value?.verb === "import" && (edited.value = { ...edited.value, ...change });

/** Shows the form. */
export function importLines() {
  const table = model.value === null ? (tables.value?.tables[0]?.name ?? "") : "";
  [edited.value, view.value] = [{ verb: "import", text: "", table, replaces: false, lines: null, progress: null, written: null, isAgreed: false }, "explore"];
}

/** Asks about lines, some at a time; `each` gets a line with its answer. Ends early when the form is left or stopped. */
async function asked(all, more, each) {
  const { table, replaces } = edited.value;
  const run = {};
  set({ run, progress: { done: 0, total: all.length } });
  for (let at = 0; at < all.length; at += MANY) {
    const some = all.slice(at, at + MANY);
    const question = { file: files.value.length === 0 ? null : file.value, table: table === "" ? null : table, replaces, lines: some.map((one) => one.sent), ...more };
    const said = await ask("/explore/import", question).catch((error) => ({ error: error.message }));
    // What was sent has happened, also where somebody has stopped meanwhile.
    some.forEach((one, own) => each(one, said.error ? { error: said.error } : said.lines[own]));
    if (edited.value?.run !== run) return false;
    set({ progress: { done: at + some.length, total: all.length } });
  }
  set({ progress: null });
  return true;
}

/** The dry run. */
async function look(event) {
  event?.preventDefault();
  const { text, table } = edited.value;
  const all = linesOf(text, table !== "");
  set({ lines: null, written: null, isAgreed: false });
  const seen = new Map();
  const take = (one, said) => {
    one.said = said;
    if (said.error) one.error = said.error;
    const same = (said.keys ?? []).find((key) => seen.has(key));
    const [, lacking] = (said.needs ?? []).find(([key]) => !seen.has(key)) ?? [];
    if (same !== undefined) one.error = `it writes the same item as line ${seen.get(same)}`;
    else if (lacking !== undefined) one.error = lacking;
    else if (!one.error) for (const key of said.keys ?? []) seen.set(key, one.number);
  };
  if (await asked(all.filter((one) => !one.error), {}, take)) set({ lines: all });
}

async function write() {
  const { lines, isAgreed } = edited.value;
  if (!place.value.isHere && !isAgreed) return set({ isAgreed: true });
  const written = { count: 0, units: 0, refused: [] };
  const take = (one, said) => {
    if (said.error) written.refused.push({ number: one.number, error: said.error });
    else [written.count, written.units] = [written.count + 1, written.units + (said.units ?? 0)];
  };
  const isWhole = await asked(lines.filter((one) => !one.error), { isAgreed: true, isSure: isAgreed }, take);
  if (edited.value?.verb !== "import") return undefined;
  set({ written: { ...written, isWhole }, lines: null, isAgreed: false });
  again();
  return undefined;
}

function Refused({ all }) {
  return (
    <>
      <ul class="refused">
        {all.slice(0, LISTED).map(({ number, error }) => (
          <li>line {number}: <span class="bad">{visible(error)}</span></li>
        ))}
      </ul>
      {all.length > LISTED && <p class="empty">and {counted(all.length - LISTED, "more line")}</p>}
    </>
  );
}

/** What the lines would write. */
function Looked() {
  const { lines, isAgreed } = edited.value;
  const { isHere, shown } = place.value;
  const good = lines.filter((one) => !one.error);
  const refused = lines.filter((one) => one.error);
  const kinds = Map.groupBy(good, (one) => one.said.what + (one.said.kind ? ` (${one.said.kind})` : ""));
  const leftOut = [...new Set(good.flatMap((one) => one.said.leftOut))];
  return (
    <div role="status">
      <h3>{counted(good.length, "line")} would be written, {refused.length === 0 ? "none is" : counted(refused.length, "line")} refused</h3>
      <ul>
        {[...kinds].map(([what, all]) => {
          const actions = all.reduce((sum, one) => sum + one.said.actions.length, 0);
          const first = all[0].said.actions.filter(Boolean);
          return <li>{counted(all.length, "time")} <b>{visible(what)}</b>, {counted(actions, "action")} in all{first.length > 1 ? `: ${first.join(", ")} (line ${all[0].number})` : ""}</li>;
        })}
      </ul>
      {leftOut.length > 0 && <p class="warn">Not taken from the lines: {leftOut.map(visible).join(", ")}. They follow from the model.</p>}
      {edited.value.table !== "" && model.value !== null && <p class="warn">Nothing follows an item that is written as it is stored: no copy, no guard, no counter.</p>}
      <Refused all={refused} />
      {good.length > 0 && (
        <p class="line">
          {isAgreed && <span class="bad">This writes to {visible(shown)}, which is not on this machine.</span>}
          <button type="button" class={isHere ? "main" : "main danger"} onClick={write}>{isAgreed ? `Yes, write to ${shown}` : `Write ${counted(good.length, "line")}`}</button>
        </p>
      )}
    </div>
  );
}

function Written() {
  const { count, units, refused, isWhole } = edited.value.written;
  return (
    <div role="status">
      <p class="good">{counted(count, "line")} written, {units.toLocaleString("en")} units{isWhole ? "" : "; then it was stopped"}.</p>
      {refused.length > 0 && <p class="bad">{counted(refused.length, "line")} refused meanwhile:</p>}
      <Refused all={refused} />
    </div>
  );
}

export function Import() {
  const { text, table, replaces, lines, progress, written } = edited.value;
  const input = useRef(null);
  const choose = async ({ target }) => target.files[0] && set({ text: await target.files[0].text(), lines: null, written: null });
  const names = (tables.value?.tables ?? []).map(({ name }) => name);
  return (
    <form class="head edit import" noValidate aria-label="import" onSubmit={look}>
      <h2>
        Import lines of JSON
        <span class="grow" />
        <button type="button" class="link" aria-label="close the form" onClick={() => (edited.value = null)}>×</button>
      </h2>
      <p class="line">
        <label>
          the lines are{" "}
          <select value={table} disabled={progress !== null} onChange={({ target }) => set({ table: target.value, lines: null })}>
            {model.value !== null && <option value="">entities: {'{"kind", "item"}'}</option>}
            {names.map((name) => (
              <option value={name}>items as stored in {visible(name)}</option>
            ))}
          </select>
        </label>
        <label>
          where one is there{" "}
          <select value={String(replaces)} disabled={progress !== null} onChange={({ target }) => set({ replaces: target.value === "true", lines: null })}>
            <option value="false">refuse the line</option>
            <option value="true">put it in its place</option>
          </select>
        </label>
        <input ref={input} type="file" aria-label="file with the lines" accept=".jsonl,.ndjson,.json,.txt" onChange={choose} />
      </p>
      <textarea
        aria-label="lines" rows={8} spellcheck={false} readOnly={progress !== null} value={text} onInput={({ target }) => set({ text: target.value, lines: null, written: null })}
        placeholder={table === "" ? '{"kind": "User", "item": {"userId": "u1", "name": "Ada"}}' : '{"PK": {"S": "USER#u1"}, "SK": {"S": "PROFILE"}}'}
      />
      {progress === null ? (
        <p class="line"><button class={lines === null ? "main" : ""} disabled={text.trim() === ""}>Look at what would be written</button></p>
      ) : (
        <p class="line">
          <progress aria-label="lines done" value={progress.done} max={progress.total} /> {progress.done} of {progress.total}
          <button type="button" onClick={() => set({ run: null, progress: null })}>Stop</button>
        </p>
      )}
      {lines !== null && progress === null && <Looked />}
      {written !== null && <Written />}
    </form>
  );
}

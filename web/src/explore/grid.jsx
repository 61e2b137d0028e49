// The page of items as a grid: filter, order, columns, export; and the way to the next page.

import { again, answer, asked, busy, chosen, columns, exploreTable, hasBefore, hueOf, isOfFields, keyOf, kindOf, kinds, look, next, previous, shownColumns, shownRows } from "./data.js";
import { toCsv, toJsonl } from "./export.js";
import { plain, visible } from "./values.js";

/** The most characters of a value in the grid. */
const CUT = 80;

const set = (change) => (look.value = { ...look.value, ...change });

const shortened = (text) => (text.length > CUT ? `${visible(text.slice(0, CUT))}…` : visible(text));

function Kind({ row }) {
  return (
    <button class={`kind ${hueOf(row.kind)} ${row.role}`} aria-pressed={chosen.value === row.at} onClick={() => (chosen.value = chosen.value === row.at ? null : row.at)}>
      {kindOf(row)}
    </button>
  );
}

/** A value; that of a partition key leads to its collection. */
function Cell({ row, name }) {
  const value = row.cells[name];
  if (value === undefined) return <td />;
  const text = shortened(plain(value));
  const hash = keyOf.value.filter(([, type]) => type === "HASH").map(([own]) => own);
  const isLink = asked.value.table !== undefined && asked.value.partition === null && hash.includes(name) && hash.every((own) => row.cells[own] !== undefined);
  const open = () => exploreTable(asked.value.table, { index: asked.value.index, limit: asked.value.limit, partition: Object.fromEntries(hash.map((own) => [own, row.cells[own]])) });
  return (
    <td class={value.N !== undefined ? "number" : undefined}>
      {isLink ? (
        <button class="link" aria-label={`the collection ${text}`} onClick={open}>
          <bdi>{text}</bdi>
        </button>
      ) : (
        <bdi>{text}</bdi>
      )}
    </td>
  );
}

function Column({ name }) {
  const { sort, down } = look.value;
  const isOn = sort === name;
  const turn = () => set(isOn && down ? { sort: "", down: false } : { sort: name, down: isOn });
  return (
    <th scope="col" aria-sort={isOn ? (down ? "descending" : "ascending") : undefined}>
      <button class="sort" onClick={turn}>
        {visible(name)} {isOn ? (down ? "↓" : "↑") : ""}
      </button>
    </th>
  );
}

function Tools() {
  const { filter, kind, hidden } = look.value;
  const hide = (name, isShown) => set({ hidden: isShown ? hidden.filter((one) => one !== name) : [...hidden, name] });
  return (
    <div class="line tools">
      <input type="search" aria-label="filter the page" placeholder="Filter this page" value={filter} onInput={(event) => set({ filter: event.target.value })} />
      {kinds.value.length > 1 && (
        <select aria-label="kind of items" value={kind} onChange={(event) => set({ kind: event.target.value })}>
          <option value="">all kinds</option>
          {kinds.value.map((one) => (
            <option value={one}>{one}</option>
          ))}
        </select>
      )}
      <details class="columns">
        <summary>Columns{hidden.length > 0 ? ` (${shownColumns.value.length} of ${columns.value.length})` : ""}</summary>
        <div>
          {columns.value.map((name) => (
            <label>
              <input type="checkbox" checked={!hidden.includes(name)} onChange={(event) => hide(name, event.target.checked)} /> {visible(name)}
            </label>
          ))}
        </div>
      </details>
      <span class="grow" />
      <button onClick={toJsonl}>JSONL</button>
      <button onClick={toCsv}>CSV</button>
    </div>
  );
}

function Pages() {
  const { items, next: more, units, requests } = answer.value;
  const count = requests ?? 1;
  return (
    <p class="line pages">
      <span class="soft">
        {shownRows.value.length === items.length ? "" : `${shownRows.value.length} of `}
        {items.length} item{items.length === 1 ? "" : "s"}, {count} request{count === 1 ? "" : "s"}, {units} read unit{units === 1 ? "" : "s"}
        {more ? "" : ", the end"}
      </span>
      <span class="grow" />
      {asked.value.after && !hasBefore.value && <button onClick={() => again({ after: null })}>First page</button>}
      <button disabled={!hasBefore.value || busy.value} onClick={previous}>Previous</button>
      <button disabled={!more || busy.value} onClick={next}>Next</button>
    </p>
  );
}

export function Grid() {
  const said = answer.value;
  if (said === null) return busy.value ? <p class="empty" role="status">Reading…</p> : null;
  if (said.error) return isOfFields.value ? null : <p class="bad fault" role="alert">{visible(said.error)}</p>;
  if (said.items.length === 0) {
    return (
      <>
        <p class="empty" role="status">{said.next ? "No item of this page passes; there are more pages." : "There is no item."}</p>
        <Pages />
      </>
    );
  }
  return (
    <>
      <Tools />
      <div class="grid" role="region" aria-label="the page" tabIndex={0}>
        <table>
          <thead>
            <tr>
              <th scope="col">kind</th>
              {shownColumns.value.map((name) => (
                <Column name={name} />
              ))}
            </tr>
          </thead>
          <tbody>
            {shownRows.value.map((row) => (
              <tr key={row.at} class={chosen.value === row.at ? "chosen" : undefined}>
                <th scope="row">
                  <Kind row={row} />
                </th>
                {shownColumns.value.map((name) => (
                  <Cell row={row} name={name} />
                ))}
              </tr>
            ))}
          </tbody>
        </table>
      </div>
      <Pages />
    </>
  );
}

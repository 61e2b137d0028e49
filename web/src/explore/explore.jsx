// The data of a place: its tables and patterns beside the page that is read.

import { edit, Edit, runWrite } from "./edit.jsx";
import { answer, asked, described, edited, explorePattern, exploreRaw, exploreTable, isStale, loadTables, model, modelFault, tables } from "./data.js";
import { PatternForm } from "./form.jsx";
import { indexesOf } from "./builder.js";
import { Import, importLines } from "./import.jsx";
import { Grid } from "./grid.jsx";
import { ItemDetail } from "./item.jsx";
import { RawForm } from "./raw.jsx";
import { Requests } from "./requests.jsx";
import { Stored, editStored } from "./stored.jsx";
import { useState } from "preact/hooks";
import { ask, file, notice, place } from "../state.js";
import { plain, visible } from "./values.js";

function Choice({ isOn, name, onClick, children }) {
  return (
    <li>
      <button class="choice" aria-current={isOn ? "true" : undefined} onClick={onClick}>
        {visible(name)}
      </button>
      {children}
    </li>
  );
}

function Tables() {
  const one = asked.value;
  const all = tables.value?.tables ?? [];
  return (
    <>
      <h2>Tables</h2>
      {tables.value !== null && all.length === 0 && <p class="empty">There is no table.</p>}
      <ul>
        {all.map(({ name }) => (
          <Choice name={name} isOn={one?.table === name && !one.index} onClick={() => exploreTable(name)}>
            {one?.table === name && indexesOf(described.value).length > 0 && (
              <ul>
                {indexesOf(described.value).map(({ IndexName }) => (
                  <Choice name={IndexName} isOn={one.index === IndexName} onClick={() => exploreTable(name, { index: IndexName })} />
                ))}
              </ul>
            )}
          </Choice>
        ))}
      </ul>
      <Missing />
      {all.length > 0 && (
        <ul>
          <Choice name="Build a request…" isOn={edited.value === null && one?.raw !== undefined} onClick={() => exploreRaw()} />
          {place.value.mayWrite && <Choice name="Import…" isOn={edited.value?.verb === "import"} onClick={importLines} />}
        </ul>
      )}
    </>
  );
}

/** The tables of the model that the place has not. */
function Missing() {
  const [isAgreed, setAgreed] = useState(false);
  const missing = tables.value?.missing ?? [];
  const { isHere, mayWrite, shown } = place.value;
  if (missing.length === 0) return null;
  const make = async () => {
    if (!isHere && !isAgreed) return setAgreed(true);
    const said = await ask("/explore/create", { file: file.value, isSure: isAgreed }).catch((error) => ({ error: error.message }));
    setAgreed(false);
    notice.value = said.error ? { kind: "bad", text: said.error } : { kind: "good", text: [`Made: ${said.made.join(", ")}.`, ...said.notes].join(" ") };
    return loadTables();
  };
  return (
    <>
      <p class="empty">The model has {missing.join(", ")}, and this place has not.</p>
      {mayWrite && (
        <button class={isHere ? "main" : "main danger"} onClick={make}>
          {isAgreed ? `Yes, make ${missing.length === 1 ? "it" : "them"} at ${shown}` : missing.length === 1 ? "Make the table" : "Make the tables"}
        </button>
      )}
    </>
  );
}

function Patterns() {
  if (modelFault.value !== null) return <p class="bad">{modelFault.value}: its patterns cannot be run.</p>;
  if (model.value === null) return null;
  return (
    <>
      <h2>Patterns</h2>
      {model.value.patterns.length === 0 && <p class="empty">The model has no pattern yet.</p>}
      <ul>
        {model.value.patterns.map(({ name }) => (
          <Choice name={name} isOn={asked.value?.pattern === name} onClick={() => explorePattern(name)} />
        ))}
      </ul>
    </>
  );
}

/** The same choice on a narrow page. */
function Select() {
  const one = asked.value;
  const value = edited.value?.verb === "import" ? "i" : ["create", "put"].includes(edited.value?.verb) ? `n${edited.value.entity}` : edited.value?.verb === "run" ? `w${edited.value.write}` : one === null ? "" : one.raw !== undefined ? "r" : one.pattern === undefined ? `t${JSON.stringify([one.table, one.index ?? null])}` : `p${one.pattern}`;
  const choose = ({ target }) => {
    if (target.value.startsWith("n")) edit("create", target.value.slice(1));
    else if (target.value.startsWith("w")) runWrite(target.value.slice(1));
    else if (target.value === "i") importLines();
    else if (target.value === "r") exploreRaw();
    else if (target.value.startsWith("p")) explorePattern(target.value.slice(1));
    else if (target.value.startsWith("t")) {
      const [table, index] = JSON.parse(target.value.slice(1));
      exploreTable(table, { index });
    }
  };
  const option = (table, index) => <option value={`t${JSON.stringify([table, index])}`}>{visible(index === null ? table : `${table} / ${index}`)}</option>;
  return (
    <select class="narrow" aria-label="table or pattern" value={value} onChange={choose}>
      <option value="" disabled>Choose a table or a pattern</option>
      <optgroup label="Tables">
        {(tables.value?.tables ?? []).flatMap(({ name }) => [option(name, null), ...(one?.table === name ? indexesOf(described.value) : []).map(({ IndexName }) => option(name, IndexName))])}
      </optgroup>
      <option value="r">Build a request</option>
      {place.value.mayWrite && <option value="i">Import</option>}
      <optgroup label="Patterns">
        {(model.value?.patterns ?? []).map(({ name }) => (
          <option value={`p${name}`}>{name}</option>
        ))}
      </optgroup>
      {place.value.mayWrite && (
        <optgroup label="Writes">
          {(model.value?.writes ?? []).map(({ name }) => (
            <option value={`w${name}`}>{name}</option>
          ))}
        </optgroup>
      )}
      {place.value.mayWrite && (
        <optgroup label="New">
          {(model.value?.entities ?? []).filter((one) => one.isWritten).map(({ name }) => (
            <option value={`n${name}`}>New {name}</option>
          ))}
        </optgroup>
      )}
    </select>
  );
}

const counted = (count, thing) => `${count.toLocaleString("en")} ${thing}${count === 1 ? "" : "s"}`;
const sizeOf = (bytes) => (bytes < 1e4 ? `${bytes} bytes` : bytes < 1e7 ? `${Math.round(bytes / 1e3)} kB` : `${Math.round(bytes / 1e6)} MB`);

/** What is read of a table, and what that costs. */
function TableHead() {
  const { table, index, partition, backward, limit } = asked.value;
  const about = described.value;
  const again = (rest) => exploreTable(table, { index, partition, backward, limit, ...rest });
  return (
    <div class="head">
      <h2>
        {visible(table)}
        {index && <> / {visible(index)}</>}
        {about && index === null && <small> {counted(about.ItemCount ?? 0, "item")}, {sizeOf(about.TableSizeBytes ?? 0)}, as last counted</small>}
      </h2>
      <p class="line">
        {partition === null ? (
          <span class="warn">Scan: each page reads the next items of the whole {index ? "index" : "table"}, and costs their size.</span>
        ) : (
          <>
            <span>
              Collection{" "}
              {Object.entries(partition).map(([name, value]) => (
                <code>{visible(name)} = {visible(plain(value))} </code>
              ))}
            </span>
            <button onClick={() => again({ backward: !backward })}>{backward ? "Descending" : "Ascending"}</button>
            <button onClick={() => again({ partition: null })}>Whole {index ? "index" : "table"}</button>
          </>
        )}
        <span class="grow" />
        {place.value.mayWrite && index === null && about && <button onClick={() => editStored(table)}>New item…</button>}
        <label>
          a page of{" "}
          <select value={limit} onChange={(event) => again({ limit: Number(event.target.value) })}>
            {[...new Set([10, 50, 200, 1000, limit])].sort((a, b) => a - b).map((one) => (
              <option value={one}>{one}</option>
            ))}
          </select>
        </label>
      </p>
    </div>
  );
}

/** The entities that can be written, and the model's own writes. */
function Writes() {
  const all = (model.value?.entities ?? []).filter((one) => one.isWritten);
  const named = model.value?.writes ?? [];
  if (!place.value.mayWrite || all.length === 0) return null;
  return (
    <>
      {named.length > 0 && (
        <>
          <h2>Writes</h2>
          <ul>
            {named.map(({ name }) => (
              <Choice name={name} isOn={edited.value?.verb === "run" && edited.value.write === name} onClick={() => runWrite(name)} />
            ))}
          </ul>
        </>
      )}
      <h2>New</h2>
      <ul>
        {all.map(({ name }) => (
          <Choice name={name} isOn={["create", "put"].includes(edited.value?.verb) && edited.value.entity === name} onClick={() => edit("create", name)} />
        ))}
      </ul>
    </>
  );
}

function Shown() {
  const one = asked.value;
  if (edited.value !== null) return edited.value.verb === "stored" ? <Stored /> : edited.value.verb === "import" ? <Import /> : <Edit />;
  if (one === null) return <p class="empty start">Choose a table to see its items as entities, or a pattern to run it.</p>;
  return (
    <>
      {one.raw !== undefined ? <RawForm /> : one.pattern === undefined ? <TableHead /> : <PatternForm key={one.pattern} />}
      <Grid />
    </>
  );
}

export function Explore() {
  const { shown, isHere, mayWrite } = place.value;
  const hasBeside = (answer.value?.exchanges ?? []).length > 0;
  return (
    <main class={hasBeside ? "explore" : "explore alone"}>
      <nav class="choices" aria-label="tables and patterns">
        <p class={isHere ? "place" : "place away"}>
          {visible(shown)} <small>{isHere ? "on this machine" : "not on this machine"}, {mayWrite ? "may be written" : "read only"}</small>
        </p>
        <Select />
        <div class="wide">
          <Tables />
          <Patterns />
          <Writes />
        </div>
        {isStale.value && <p class="warn">The stored model is used: what you changed is not saved.</p>}
      </nav>
      <section class="page" aria-label="items" tabIndex={0}>
        <Shown />
      </section>
      {hasBeside && (
        <section class="beside" aria-label="item and requests" tabIndex={0}>
          <ItemDetail />
          <Requests />
        </section>
      )}
    </main>
  );
}

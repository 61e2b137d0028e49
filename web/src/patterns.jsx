// The pattern table: what each question becomes.

import { useEffect, useState } from "preact/hooks";
import { goToDeclaration } from "./editor.jsx";
import { whyOf } from "./server.js";
import { design } from "./state.js";

const named = (one) => one.name + (one.optional ? "?" : "");

/** Each key of the pattern's table with the planner's reason. */
function Reasons({ row }) {
  const [all, setAll] = useState(null);
  const shown = design.value;
  useEffect(() => {
    let isOver = false;
    whyOf(row.name, row.without).then((said) => isOver || setAll(said));
    return () => (isOver = true);
  }, [row.name, row.without.join(), shown]);
  return (
    <tr class="reasons">
      <td colSpan={5}>
        <ul>
          {(all ?? []).map(({ index, isRead, reason }) => (
            <li class={isRead ? "good" : undefined}>
              <b>{index ?? row.table}</b> {isRead ? "is read" : "is not read"}: {reason}
            </li>
          ))}
        </ul>
      </td>
    </tr>
  );
}

function Row({ row }) {
  const [isOpen, setOpen] = useState(false);
  return (
    <>
      <Plan row={row} isOpen={isOpen} toggle={() => setOpen(!isOpen)} />
      {isOpen && <Reasons row={row} />}
    </>
  );
}

function Plan({ row, isOpen, toggle }) {
  const parameters = row.parameters.map(named).join(", ");
  return (
    <tr>
      <th scope="row">
        <button class="link" onClick={() => goToDeclaration("pattern", row.name)}>{row.name}</button>
        <span class="soft">({parameters})</span>
        <div class="soft">{row.returns}</div>
      </th>
      <td data-head="request">
        {row.request} <div class="soft">{row.table}{row.index === null ? "" : ` / ${row.index}`}</div>
        {row.consistency === "strong" && <div class="soft">strong</div>}
        <button class="link" aria-expanded={isOpen} aria-label={`why ${row.name} reads ${row.index ?? row.table}`} onClick={toggle}>why?</button>
      </td>
      <td data-head="key condition">
        <code>{row.keyCondition}</code>
        {row.order === "descending" && <span class="soft"> descending</span>}
        {row.filters.map((filter) => (
          <div class="warn">filter <code>{filter}</code></div>
        ))}
      </td>
      <td data-head="requests">
        {row.requestsPerPage} {row.page !== null && <div class="soft">a page of {row.page}</div>}
      </td>
      <td data-head="read units" class="number">{row.unitsPerPage ?? "?"}</td>
    </tr>
  );
}

export function PatternTable() {
  const rows = design.value?.chart.patterns ?? [];
  if (design.value !== null && rows.length === 0) return <p class="empty">The model has no pattern yet.</p>;
  return (
    <table class="patterns">
      <thead>
        <tr>
          {["pattern", "request", "key condition", "requests", "read units"].map((head) => (
            <th scope="col">{head}</th>
          ))}
        </tr>
      </thead>
      <tbody>
        {rows.map((row) => (
          <Row row={row} />
        ))}
      </tbody>
    </table>
  );
}

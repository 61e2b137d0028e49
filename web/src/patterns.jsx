// The pattern table: what each question becomes.

import { goToDeclaration } from "./editor.jsx";
import { design } from "./state.js";

const named = (one) => one.name + (one.optional ? "?" : "");

function Row({ row }) {
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

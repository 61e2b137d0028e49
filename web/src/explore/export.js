// The shown rows as a file: JSON lines or CSV, with the shown columns.

import { asked, kindOf, shownColumns, shownRows } from "./data.js";
import { json, plain } from "./values.js";

function download(name, kind, text) {
  const url = URL.createObjectURL(new Blob([text], { type: kind }));
  const link = document.createElement("a");
  [link.href, link.download] = [url, name];
  link.click();
  setTimeout(() => URL.revokeObjectURL(url), 10_000);
}

const nameOf = (end) => `${(asked.value.pattern ?? [asked.value.raw?.operation, asked.value.table ?? asked.value.raw?.table, asked.value.index ?? asked.value.raw?.index].filter(Boolean).join("-")).replace(/[^\w.-]/g, "_")}.${end}`;

export function toJsonl() {
  if (shownRows.value.length === 0) return;
  const line = (row) => {
    const members = shownColumns.value.filter((name) => row.cells[name] !== undefined).map((name) => `${JSON.stringify(name)}:${json(row.cells[name])}`);
    return `{"kind":${JSON.stringify(row.kind)},"item":{${members.join(",")}}}\n`;
  };
  download(nameOf("jsonl"), "application/x-ndjson", shownRows.value.map(line).join(""));
}

export function toCsv() {
  if (shownRows.value.length === 0) return;
  const field = (text) => (/[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text);
  const line = (fields) => `${fields.map(field).join(",")}\r\n`;
  const of = (row) => [kindOf(row), ...shownColumns.value.map((name) => (row.cells[name] === undefined ? "" : plain(row.cells[name])))];
  download(nameOf("csv"), "text/csv", [["kind", ...shownColumns.value], ...shownRows.value.map(of)].map(line).join(""));
}

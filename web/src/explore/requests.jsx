// The requests of the shown page, exactly as they were sent, with their answers and units.

import { signal } from "@preact/signals";
import { useState } from "preact/hooks";
import { notice, place } from "../state.js";
import { FORMS } from "./copy.js";
import { answer } from "./data.js";
import { visible } from "./values.js";

/** The form in which requests are shown and copied. */
const form = signal("json");
/** The most characters of an answer that are drawn. */
const CUT = 20_000;

/** Lines stay; what hides in them is shown. */
const lines = (text) => text.split("\n").map(visible).join("\n");

async function copy(text) {
  try {
    await navigator.clipboard.writeText(text);
    notice.value = { kind: "good", text: "The request is copied." };
  } catch {
    notice.value = { kind: "bad", text: "The browser refuses to copy: mark the text and copy it." };
  }
}

function Answer({ value }) {
  const [isOpen, setOpen] = useState(false);
  const text = isOpen ? JSON.stringify(value, null, 2) : "";
  return (
    <details onToggle={(event) => setOpen(event.currentTarget.open)}>
      <summary>Answer</summary>
      {isOpen && (
        <pre tabIndex={0}>
          {lines(text.slice(0, CUT))}
          {text.length > CUT && `\n… (${text.length} characters)`}
        </pre>
      )}
    </details>
  );
}

function Request({ one, number }) {
  const text = FORMS[form.value].of(one, place.value);
  return (
    <section class="request" aria-label={`request ${number}`}>
      <h4>
        {one.operation} <small>{one.units == null ? "" : `${one.units} units`}</small>
        <span class="grow" />
        <button onClick={() => copy(text)}>Copy</button>
      </h4>
      <pre tabIndex={0}>{lines(text)}</pre>
      {one.error ? <p class="bad">{visible(one.error)}</p> : <Answer value={one.answer} />}
    </section>
  );
}

/** The most requests that are drawn. */
const MANY = 20;

export function Requests() {
  const all = answer.value?.exchanges ?? [];
  if (all.length === 0) return null;
  return (
    <section class="requests" aria-label="requests">
      <h3>
        {all.length === 1 ? "The request" : `The ${all.length} requests`}
        <span class="grow" />
        <select aria-label="form of the requests" value={form.value} onChange={(event) => (form.value = event.target.value)}>
          {Object.entries(FORMS).map(([name, one]) => (
            <option value={name}>{one.name}</option>
          ))}
        </select>
      </h3>
      {place.value.isFolder && form.value !== "json" && <p class="empty">This is a folder: serve it with keyfold serve, and name the server as the endpoint.</p>}
      {all.slice(0, MANY).map((one, at) => (
        <Request one={one} number={at + 1} />
      ))}
      {all.length > MANY && <p class="empty">and {all.length - MANY} more</p>}
    </section>
  );
}

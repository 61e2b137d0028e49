// The tables of the place beside the model as it is edited, and what each difference means for data.

import { useState } from "preact/hooks";
import { ask, file, place, texts } from "./state.js";
import { visible } from "./explore/values.js";

function Table({ one }) {
  const about = one.isThere ? `${(one.items ?? 0).toLocaleString("en")} items, ${(one.bytes ?? 0).toLocaleString("en")} bytes, as last counted` : "not there";
  return (
    <li>
      <b>{visible(one.name)}</b> <small>{about}</small>
      {one.rows.length === 0 && <div class="good">as the model says</div>}
      <ul>
        {one.rows.map((row) => (
          <li class={row.kind}>
            {visible(row.text)}
            <div class={row.kind === "key" ? "bad" : "warn"}>{row.means}</div>
          </li>
        ))}
      </ul>
    </li>
  );
}

export function Deployed() {
  const [said, setSaid] = useState(null);
  if (place.value === null) return null;
  const text = texts.value[file.value];
  const look = async () => setSaid({ text, ...(await ask("/explore/deployed", { file: file.value, text }).catch((error) => ({ error: error.message }))) });
  return (
    <section class="deployed" aria-label="beside the place">
      <h2>Beside {visible(place.value.shown)}</h2>
      <p class="line"><button onClick={look}>{said === null ? "Compare with its tables" : "Compare again"}</button></p>
      {said?.error && <p class="bad fault" role="alert">{visible(said.error)}</p>}
      {said !== null && said.text !== text && <p class="warn">The text has changed since.</p>}
      {said?.tables && (
        <div role="status">
          <ul class="difference">
            {said.tables.map((one) => (
              <Table one={one} />
            ))}
          </ul>
        </div>
      )}
      {said?.others?.length > 0 && <p class="soft">The model has not: {said.others.map(visible).join(", ")}.</p>}
    </section>
  );
}

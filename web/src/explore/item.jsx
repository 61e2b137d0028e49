// One item: its keys taken apart into fields, its attributes, and what is stored.

import { place } from "../state.js";
import { answer, asked, chosen, hueOf, model } from "./data.js";
import { editItem } from "./edit.jsx";
import { editStored } from "./stored.jsx";
import { json, plain, visible } from "./values.js";

/** The most characters of a value here; the rest is exported. */
const CUT = 4000;
const cut = (text) => (text.length > CUT ? `${visible(text.slice(0, CUT))}… (${text.length} characters)` : visible(text));

const ROLES = { entity: "an entity", copy: "a copy, which follows from its entity", guard: "a guard of unique attributes", part: "a further part of a list", unknown: "not known to the model" };

function Key({ one }) {
  return (
    <div class="key">
      <div>
        {one.index && <span class="soft">{visible(one.index)} </span>}
        {visible(one.name)} <code><bdi>{cut(plain(one.held))}</bdi></code>
      </div>
      {one.template && <div class="soft">template <code>{one.template}</code></div>}
      {one.fields && one.fields.length > 0 && (
        <dl>
          {one.fields.map(([name, value]) => (
            <>
              <dt>{name}</dt>
              <dd><bdi>{cut(plain(value))}</bdi></dd>
            </>
          ))}
        </dl>
      )}
      {one.fields === null && <div class="warn">its fields cannot be read back</div>}
    </div>
  );
}

export function ItemDetail() {
  const item = chosen.value === null ? undefined : answer.value?.items?.[chosen.value];
  if (item === undefined) return null;
  const values = item.values ?? [];
  const isWritten = place.value.mayWrite && item.role === "entity" && model.value?.entities.some((one) => one.name === (item.entity ?? item.kind) && one.isWritten);
  // All of the item was read: indexes and statements may give a part of it.
  const from = asked.value?.raw;
  const isWholeItem = item.item !== undefined && (from === undefined ? asked.value?.table !== undefined && !asked.value.index : from.operation !== "ExecuteStatement" && !from.index);
  const isStored = place.value.mayWrite && isWholeItem;
  return (
    <section class="detail" aria-label="the chosen item">
      <h3>
        <span class={`kind ${hueOf(item.kind)} ${item.role}`}>{item.kind ?? "unknown"}</span> <small>{ROLES[item.role]}{item.bytes ? `, ${item.bytes} bytes` : ""}</small>
        <span class="grow" />
        <button class="link" aria-label="close the item" onClick={() => (chosen.value = null)}>×</button>
      </h3>
      {item.why && <p class="warn">{item.why}: it is shown as it is stored.</p>}
      {item.unread?.map((one) => <p class="warn">{visible(one)}</p>)}
      {(isWritten || isStored) && (
        <p class="line">
          {isWritten && <button onClick={() => editItem("update", item)}>Change…</button>}
          {isWritten && <button onClick={() => editItem("delete", item)}>Delete…</button>}
          {isStored && <button onClick={() => editStored(asked.value.table ?? from.table, item.item, item.kind)}>As stored…</button>}
        </p>
      )}
      {item.keys?.length > 0 && <h4>Keys</h4>}
      {item.keys?.map((one) => <Key one={one} />)}
      {values.length > 0 && (
        <>
          <h4>Attributes</h4>
          <dl>
            {values.map(([name, value]) => (
              <>
                <dt>{visible(name)}</dt>
                <dd><bdi>{cut(plain(value))}</bdi></dd>
              </>
            ))}
          </dl>
        </>
      )}
      {item.item && (
        <details open={values.length === 0}>
          <summary>As it is stored</summary>
          <dl>
            {Object.entries(item.item).map(([name, value]) => (
              <>
                <dt>{visible(name)} <small>{Object.keys(value)[0]}</small></dt>
                <dd><bdi>{cut(value.S ?? json(value))}</bdi></dd>
              </>
            ))}
          </dl>
        </details>
      )}
    </section>
  );
}

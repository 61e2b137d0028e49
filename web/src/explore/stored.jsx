// One item as it is stored, written under the condition that nobody has changed it since it was read.

import { useState } from "preact/hooks";
import { ask, place, view } from "../state.js";
import { again, edited, keyOf } from "./data.js";
import { visible } from "./values.js";

const written = (item) => JSON.stringify(item, null, 2);

/** Shows an item as text; a new one without `item`. `entity` is the kind that the model knows it as. */
export function editStored(table, item, entity = null) {
  const key = Object.fromEntries(keyOf.value.filter(([name]) => name !== undefined).map(([name]) => [name, { S: "" }]));
  [edited.value, view.value] = [{ verb: "stored", table, before: item ?? null, text: written(item ?? key), entity, said: null, isAgreed: false }, "explore"];
}

function parsed(text) {
  try {
    return { item: JSON.parse(text) };
  } catch (error) {
    return { fault: `This is no JSON: ${error.message}` };
  }
}

const set = (change) => edited.value !== null && (edited.value = { ...edited.value, ...change });
const close = () => (edited.value = null);

export function Stored() {
  const [isWriting, setWriting] = useState(false);
  const { table, before, text, entity, said, isAgreed, isGone } = edited.value;
  const { isHere, shown } = place.value;
  const send = async (more) => {
    const gone = more.isGone ?? isGone ?? false;
    const { item, fault } = gone ? { item: null } : parsed(text);
    if (fault) return { error: fault };
    setWriting(true);
    const answer = await ask("/explore/item", { table, before, after: item, ...more }).catch((error) => ({ error: error.message }));
    setWriting(false);
    return answer;
  };
  const show = async (isGone) => set({ said: await send({ isGone }), isGone, isAgreed: false });
  const carryOut = async () => {
    if (!isHere && !isAgreed) return set({ isAgreed: true });
    const answer = await send({ isAgreed: true, isSure: isAgreed });
    set({ said: answer, isAgreed: false });
    if (answer.done) again();
    return undefined;
  };
  const isLocked = said !== null && said.error === undefined;
  return (
    <form class="head edit" aria-label="write an item as it is stored" noValidate onSubmit={(event) => { event.preventDefault(); show(false); }}>
      <h2>
        {before === null ? "New item" : "Item"} <small>as it is stored in {visible(table)}</small>
        <span class="grow" />
        <button type="button" class="link" aria-label="close the form" onClick={close}>×</button>
      </h2>
      {entity !== null && <p class="warn">The model knows this item as {visible(entity)}. Nothing follows what is written here: no copy, no guard, no counter. Change the entity instead where it can be.</p>}
      <textarea aria-label="the item in JSON" rows={Math.min(text.split("\n").length + 1, 24)} spellcheck={false} readOnly={isLocked} value={text} onInput={(event) => set({ text: event.target.value, said: null })} />
      {said?.error && <p class="bad fault" role="alert">{visible(said.error)}</p>}
      {!isLocked && (
        <p class="line">
          <button class="main" disabled={isWriting}>Show the request</button>
          {before !== null && <button type="button" disabled={isWriting} onClick={() => show(true)}>Delete…</button>}
        </p>
      )}
      {said?.request && (
        <div role="status">
          <h3>{said.operation} <small>only if the item is as it was read</small></h3>
          <div class="request"><pre tabIndex={0}>{JSON.stringify(said.request, null, 2).split("\n").map(visible).join("\n")}</pre></div>
          {isAgreed && <p class="bad">This writes to {visible(shown)}, which is not on this machine. Carry it out?</p>}
          <p class="line">
            <button type="button" class={isHere ? "main" : "main danger"} disabled={isWriting} onClick={carryOut}>{isAgreed ? `Yes, write to ${shown}` : "Carry it out"}</button>
            <button type="button" onClick={() => set({ said: null, isAgreed: false })}>Back</button>
          </p>
        </div>
      )}
      {said?.done && (
        <div role="status">
          <p class="good">Done by {said.done.operation}, {said.done.units} units.</p>
          <p class="line"><button type="button" onClick={close}>Close</button></p>
        </div>
      )}
    </form>
  );
}

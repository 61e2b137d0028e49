// A write of an entity, or a named one: its form, the requests that it becomes, the consent, and the way back.

import { computed, signal } from "@preact/signals";
import { ask, file, place, view } from "../state.js";
import { again, edited, model } from "./data.js";
import { Field } from "./form.jsx";
import { json, plain, visible } from "./values.js";

const isWriting = signal(false);

/** The paths of what is no write of one entity. */
const PATHS = { run: "/explore/named", back: "/explore/transact" };

const formOf = (entity) => model.value?.entities.find((one) => one.name === entity);
/** Texts of values, as fields hold them. */
const texts = (pairs) => Object.fromEntries(pairs.map(([name, value]) => [name, plain(value)]));

export function edit(verb, entity, pairs = [], removed = []) {
  const first = texts(pairs);
  [edited.value, view.value] = [{ verb, entity, first, values: first, removed, said: null, isAgreed: false }, "explore"];
}

/** Shows the form of a named write. */
export function runWrite(name) {
  [edited.value, view.value] = [{ verb: "run", write: name, first: {}, values: {}, removed: [], said: null, isAgreed: false }, "explore"];
}

/** Changes or deletes an item that is shown. */
export function editItem(verb, item) {
  const form = formOf(item.entity ?? item.kind);
  if (form === undefined) return;
  const isOwn = ([name]) => (verb === "delete" ? form.identity.includes(name) : form.attributes.some((one) => one.name === name && !one.isKept));
  edit(verb, form.name, item.values.filter(isOwn));
}

/** What is sent: all of a new entity, and of a change the key and what is other than before. */
const question = computed(() => {
  const { verb, entity, first, values, removed, parts, write } = edited.value;
  if (verb === "back") return { file: file.value, parts };
  if (verb === "run") return { file: file.value, write, values: Object.fromEntries(Object.entries(values).filter(([, value]) => value !== "")) };
  const form = formOf(entity);
  const isKey = (name) => form?.identity.includes(name);
  const isSent = ([name, value]) => value !== "" && (verb !== "update" || isKey(name) || value !== first[name] || isBack());
  const isGone = (name) => verb === "update" && first[name] !== undefined && values[name] === "";
  return { file: file.value, verb, entity, values: Object.fromEntries(Object.entries(values).filter(isSent)), removed: [...removed, ...Object.keys(values).filter(isGone)] };
});
/** Whether the write undoes another one: all that it has is meant. */
const isBack = () => edited.value.isBack === true;

async function send(more) {
  isWriting.value = true;
  const said = await ask(PATHS[edited.value.verb] ?? "/explore/write", { ...question.value, ...more }).catch((error) => ({ error: error.message, fields: {} }));
  isWriting.value = false;
  return said;
}

async function show(event) {
  event?.preventDefault();
  const said = await send({});
  if (edited.value !== null) edited.value = { ...edited.value, said, isAgreed: false };
}

async function carryOut() {
  const own = edited.value;
  if (!place.value.isHere && !own.isAgreed) {
    edited.value = { ...own, isAgreed: true };
    return;
  }
  const said = await send({ shown: own.said.shown, isSure: own.isAgreed });
  if (edited.value === null) return;
  edited.value = { ...edited.value, isAgreed: false, said: said.done ? { inverse: own.said.inverse, anew: own.said.anew, ...said } : { ...said, actions: null } };
  if (said.done) again();
}

function undo() {
  const { verb, entity, values, removed, parts } = edited.value.said.inverse;
  if (parts === undefined) edit(verb, entity, values, removed);
  else edited.value = { verb: "back", write: edited.value.write, parts: parts.map((one) => ({ ...one, values: texts(one.values) })), values: {}, said: null, isAgreed: false };
  edited.value = { ...edited.value, isBack: true };
  show();
}

const close = () => (edited.value = null);

/** What a write is called. */
const TITLES = { create: "New", put: "Put", update: "Change", delete: "Delete", run: "Run", back: "Undo" };

/** An expression with what its placeholders stand for. */
function expression(text, { names, values }) {
  const of = (one) => (one[0] === "#" ? names?.[one] : values?.[one] && json(values[one])) ?? one;
  return visible(text.replace(/[#:]\w+/g, of));
}

function Action({ action }) {
  const key = Object.entries(action.key ?? {});
  return (
    <li class={`action ${action.verb}`}>
      <b>{action.label ?? action.verb}</b>{" "}
      {key.map(([name, value]) => (
        <code><bdi>{visible(name)} = {visible(plain(value))}</bdi> </code>
      ))}
      {action.update && <div class="soft"><code><bdi>{expression(action.update, action)}</bdi></code></div>}
      {action.condition && <div class="soft">only if <code><bdi>{expression(action.condition, action)}</bdi></code></div>}
      {action.indexes.length > 0 && <div class="soft">with its entry in {action.indexes.join(", ")}</div>}
    </li>
  );
}

function Shown() {
  const { said, isAgreed } = edited.value;
  const { isHere, shown } = place.value;
  if (said.done) {
    const { operation, changes, units } = said.done;
    return (
      <div role="status">
        <p class="good">{changes.length === 0 ? "Nothing had to be written." : `Done by ${operation}, ${units} units: ${changes.join(", ")}.`}</p>
        <p class="line">
          {said.inverse && <button type="button" onClick={undo}>Undo…</button>}
          <button type="button" onClick={close}>Close</button>
        </p>
        {said.inverse && said.anew?.length > 0 && <p class="warn">{said.anew.join(", ")} would start anew: the model keeps them.</p>}
      </div>
    );
  }
  if (said.error) return <p class="bad fault" role="alert">{visible(said.error)}</p>;
  if (said.actions.length === 0) return <p class="empty" role="status">Nothing has to be written: what is stored has these values already.</p>;
  return (
    <div role="status">
      <h3>{said.operation} <small>{said.actions.length === 1 ? "one action" : `${said.actions.length} actions, all or none`}</small></h3>
      {said.made.map(([name, value]) => <p>{name} is made: <code>{visible(plain(value))}</code></p>)}
      <ol class="actions">
        {said.actions.map((action) => <Action action={action} />)}
      </ol>
      {isAgreed && <p class="bad">This writes to {visible(shown)}, which is not on this machine. Carry it out?</p>}
      <p class="line">
        <button type="button" class={isHere ? "main" : "main danger"} disabled={isWriting.value} onClick={carryOut}>{isAgreed ? `Yes, write to ${shown}` : "Carry it out"}</button>
        <button type="button" onClick={() => (edited.value = { ...edited.value, said: null, isAgreed: false })}>Back</button>
      </p>
    </div>
  );
}

/** The sentence about a field, or about a place inside of it. */
const faultAt = (said, name) => Object.entries(said?.fields ?? {}).find(([path]) => path === name || path.startsWith(`${name}.`) || path.startsWith(`${name}[`))?.[1];

/** Whether a new entity may take the place of one that is there. */
function New({ verb, isLocked }) {
  const choose = ({ target }) => (edited.value = { ...edited.value, verb: target.value, said: null });
  return (
    <p class="line">
      <label>
        where one with this key is there{" "}
        <select value={verb} disabled={isLocked} onChange={choose}>
          <option value="create">refuse</option>
          <option value="put">put this one in its place</option>
        </select>
      </label>
    </p>
  );
}

export function Edit() {
  const { verb, entity, write, values, said } = edited.value;
  const form = verb === "run" ? model.value?.writes.find((one) => one.name === write) : verb === "back" ? { name: write } : formOf(entity);
  if (form === undefined) return <p class="bad">The stored model has no {verb === "run" ? `write ${visible(write)}` : `entity ${visible(entity)}`}.</p>;
  const isLocked = said !== null && said.error === undefined;
  const parameters = form.parameters ?? (form.attributes ?? []).filter((one) => (verb === "delete" ? form.identity.includes(one.name) : !one.isKept));
  const isFixed = ({ name }) => isLocked || verb === "delete" || (verb === "update" && form.identity.includes(name));
  const change = (name) => (value) => (edited.value = { ...edited.value, said: null, values: { ...values, [name]: value } });
  const isOfField = parameters.some(({ name }) => faultAt(said, name) !== undefined);
  return (
    <form class="head edit" onSubmit={show} noValidate aria-label="write">
      <h2>
        {TITLES[verb]} {form.name}
        <span class="grow" />
        <button type="button" class="link" aria-label="close the form" onClick={close}>×</button>
      </h2>
      {form.actions && <p class="soft">{form.actions.join("; ")}. {form.requests}.</p>}
      <div class="fields">
        {parameters.map((parameter) => (
          <Field key={parameter.name} parameter={parameter} value={values[parameter.name] ?? ""} fault={faultAt(said, parameter.name)} isFixed={isFixed(parameter)} onInput={change(parameter.name)} />
        ))}
      </div>
      {(verb === "create" || verb === "put") && edited.value.isBack !== true && <New verb={verb} isLocked={isLocked} />}
      {!isLocked && verb !== "back" && (
        <p class="line">
          <button class="main" disabled={isWriting.value}>Show what is written</button>
        </p>
      )}
      {said !== null && !isOfField && <Shown />}
    </form>
  );
}

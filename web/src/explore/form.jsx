// The form of a pattern, made from its parameters.

import { signal } from "@preact/signals";
import { useState } from "preact/hooks";
import { asked, busy, explore, faultOf, model } from "./data.js";
import { visible } from "./values.js";

const HINTS = { time: "2026-01-31T12:00:00Z", date: "2026-01-31", number: "0", json: "JSON", period: "2026-01" };

/** A typed input with its sentence. */
export function Field({ parameter, value, fault, onInput, isFixed = false }) {
  const { name, kind, input, words, isList, isOptional, isNow, example } = parameter;
  const id = `field-${name}`;
  const about = { id, disabled: isFixed, "aria-invalid": fault !== undefined, "aria-describedby": `${id}-about`, value, onInput: (event) => onInput(event.target.value) };
  const choices = isList ? null : input === "bool" ? ["true", "false"] : words;
  return (
    <div class={example ? "field long" : "field"}>
      <label for={id}>
        {name} <small>{isList ? "one or more: " : ""}{choices ? "" : kind}{isNow ? ", now by default" : isOptional ? " optional" : ""}</small>
      </label>
      {choices ? (
        <select {...about} onChange={about.onInput}>
          <option value=""></option>
          {choices.map((word) => (
            <option value={word}>{word}</option>
          ))}
        </select>
      ) : example ? (
        <textarea rows={4} spellcheck={false} placeholder={JSON.stringify(example, null, 1)} {...about} />
      ) : (
        <input type="text" autocomplete="off" spellcheck={false} inputMode={input === "number" ? "decimal" : undefined} placeholder={isList ? "a, b" : isNow ? "now" : HINTS[input]} {...about} />
      )}
      <span id={`${id}-about`} class="bad">{fault ? visible(fault) : ""}</span>
    </div>
  );
}

export function PatternForm() {
  const one = asked.value;
  const form = model.value?.patterns.find(({ name }) => name === one.pattern);
  const [values] = useState(() => signal(one.values));
  const [limit, setLimit] = useState(one.limit ?? "");
  const [skips, setSkips] = useState(one.skips);
  if (form === undefined) return model.value === null ? null : <p class="bad">The stored model has no pattern {visible(one.pattern)}.</p>;
  const run = (event) => {
    event.preventDefault();
    explore({ pattern: one.pattern, values: values.value, limit: Number(limit) > 0 ? Math.floor(Number(limit)) : null, after: null, skips });
  };
  return (
    <form class="head" onSubmit={run} noValidate>
      <h2>
        {form.name} <small>{form.returns}, {form.request} of {form.place}</small>
      </h2>
      <div class="fields">
        {form.parameters.map((parameter) => (
          <Field
            key={parameter.name} parameter={parameter} value={values.value[parameter.name] ?? ""} fault={faultOf(parameter.name)}
            onInput={(value) => (values.value = { ...values.value, [parameter.name]: value })}
          />
        ))}
        <div class="field small">
          <label for="page-limit">a page of</label>
          <input id="page-limit" type="text" inputMode="numeric" autocomplete="off" placeholder={form.page ?? "all"} value={limit} onInput={(event) => setLimit(event.target.value)} />
        </div>
      </div>
      <p class="line">
        <button class="main" disabled={busy.value}>Run</button>
        <label>
          <input type="checkbox" checked={skips} onChange={(event) => setSkips(event.target.checked)} /> leave out items that the model does not know
        </label>
      </p>
    </form>
  );
}

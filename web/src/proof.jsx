// The proof by execution of the model as it is edited: its progress, and when it fails, the rows.

import { signal } from "@preact/signals";
import { useEffect } from "preact/hooks";
import { ask, design, file, texts } from "./state.js";
import { visible } from "./explore/values.js";

const PAUSE_MS = 250;
/** What the workbench says of the proof; null before it has. */
const state = signal(null);
const fault = signal(null);

const set = (said) => ([state.value, fault.value] = said.error && said.isRunning === undefined ? [state.value, said.error] : [said, null]);

async function follow() {
  set(await ask("/proof").catch((error) => ({ error: error.message })));
  if (state.value?.isRunning && fault.value === null) setTimeout(follow, PAUSE_MS);
}

async function begin() {
  const text = texts.value[file.value];
  const said = await ask("/prove", { file: file.value, text }).catch((error) => ({ error: error.message }));
  if (said.error) {
    fault.value = said.error;
    return;
  }
  follow();
}

async function stop() {
  const said = await ask("/prove/stop", {}).catch((error) => ({ error: error.message }));
  if (said.error) fault.value = said.error;
}

function Difference({ one }) {
  return (
    <li>
      <b>{visible(one.what)}</b>
      <dl>
        <dt>expected</dt><dd><bdi>{visible(one.expected)}</bdi></dd>
        <dt>found</dt><dd><bdi>{visible(one.found)}</bdi></dd>
      </dl>
    </li>
  );
}

function Report({ report }) {
  const all = [...report.failures, ...report.patterns.flatMap((one) => one.failures)];
  const silent = report.patterns.filter((one) => one.answered === 0).map((one) => one.name);
  return (
    <div role="status">
      <p class={all.length === 0 ? "good" : "bad"}>
        {all.length === 0 ? "Proved by execution: every answer is that of SQL." : all.length === 1 ? "One answer differs from that of SQL." : `${all.length} answers differ from those of SQL.`}
      </p>
      <p class="soft">{report.rows} rows at first, {report.writes} writes of which {report.refused} had to be refused, {report.storedItems} stored items and {report.aggregates} aggregates compared, seed {report.seed}.</p>
      {silent.length > 0 && <p class="warn">These never found an item: {silent.join(", ")}.</p>}
      {report.never.length > 0 && <p class="warn">Nothing exercised these: {report.never.map(({ kind, name }) => `${kind} ${name}`).join(", ")}.</p>}
      <ul class="differs">{all.slice(0, 10).map((one) => <Difference one={one} />)}</ul>
      {report.smallest && (
        <>
          <h3>The shortest way to a difference</h3>
          <ol class="differs">{report.smallest.writes.slice(0, 20).map((one) => <li><code><bdi>{visible(one)}</bdi></code></li>)}</ol>
          <ul class="differs"><Difference one={report.smallest.failure} /></ul>
        </>
      )}
      <h3>Patterns</h3>
      <ul>
        {report.patterns.map((one) => (
          <li><b>{one.name}</b>: asked {one.runs} times, {one.answered} with an answer, {one.items} items by {one.requests} requests{one.failures.length > 0 && <span class="bad">, {one.failures.length} of them wrong</span>}</li>
        ))}
      </ul>
    </div>
  );
}

export function Proof() {
  useEffect(() => {
    follow();
  }, []);
  const said = state.value;
  const isOther = said?.text !== undefined && (said.file !== file.value || said.text !== texts.value[file.value]);
  return (
    <div class="proof">
      <h2>Proof by execution</h2>
      <p>Random rows are written through the model into an engine in memory. Then each pattern is asked, and its answers are compared with those of SQL, before and after many changes.</p>
      <p class="line">
        <button class="main" disabled={design.value?.isCurrent !== true || said?.isRunning === true} onClick={begin}>Prove the model</button>
        {said?.isRunning && <><button onClick={stop}>Stop</button> <progress aria-label="steps done" value={said.done} max={Math.max(said.total, 1)} /> {said.phase} {said.done} of {said.total}</>}
      </p>
      {fault.value !== null && <p class="bad fault" role="alert">{visible(fault.value)}</p>}
      {said?.error && <p class="bad fault" role="alert">{visible(said.error)}</p>}
      {said?.isStopped && <p class="warn" role="status">The proof was stopped: it says nothing of the model.</p>}
      {said?.report && isOther && <p class="warn">This is of another text: the model is another one, or was changed since.</p>}
      {said?.report && <Report report={said.report} />}
    </div>
  );
}

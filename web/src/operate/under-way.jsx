// The views of the model with how far they are behind, and the moves, evolutions and migrations that the place knows of.

import { signal } from "@preact/signals";
import { visible } from "../explore/values.js";
import { ask, file, files, notice } from "../state.js";
import { Said, counted, spanOf, timeOf } from "./said.jsx";

/** `{ views, moves, evolutions, migrations }`, each `{ all }` or `{ error }`; views are null without a model. */
const underWay = signal(null);

/** Asks what is under way, for the model that is shown. */
export async function look() {
  const own = files.value.length === 0 ? null : file.value;
  const said = await ask("/explore/under-way", { file: own }).catch((error) => ({ error: error.message }));
  // Another model may be shown meanwhile.
  if (own === (files.value.length === 0 ? null : file.value)) underWay.value = said;
}

async function copy(text) {
  try {
    await navigator.clipboard.writeText(text);
    notice.value = { kind: "good", text: "The command is copied." };
  } catch {
    notice.value = { kind: "bad", text: "The browser refuses to copy: mark the text and copy it." };
  }
}

const Command = ({ text }) =>
  text && (
    <div class="command">
      <code>{visible(text)}</code> <button onClick={() => copy(text)}>Copy</button>
    </div>
  );

function View({ one }) {
  const { name, live, isCurrent, next, behind, hasMore, lagMs, setAside, why, notes, moreNotes, command } = one;
  return (
    <>
      <dt>{visible(name)}</dt>
      <dd>
        {live === null ? (
          <span class="warn">no rows yet</span>
        ) : (
          <>
            generation {live} is live,{" "}
            <span class={behind > 0 ? "warn" : "good"}>
              {hasMore ? "at least " : ""}
              {counted(behind, "record")} behind{behind > 0 ? `, the oldest for ${spanOf(lagMs)}` : ""}
            </span>
          </>
        )}
        {live !== null && !isCurrent && <div class="warn">its definition has changed since</div>}
        {next && <div>generation {next.number}: {visible(next.progress)}</div>}
        {setAside > 0 && <div class="bad">{counted(setAside, "record")} set aside: {visible(why ?? "")}</div>}
        {notes.length > 0 && (
          <ul>
            {notes.map((note) => <li class="warn">{visible(note)}</li>)}
            {moreNotes > 0 && <li>and {counted(moreNotes, "more item")}</li>}
          </ul>
        )}
        <Command text={command} />
      </dd>
    </>
  );
}

function Work({ one }) {
  const { name, from, to, phase, progress, sinceMs, behindMs, notedMs, pausedMs, command } = one;
  const rows = [
    ["from", visible(from)],
    ["to", visible(to)],
    ["done", progress && visible(progress)],
    ["since", sinceMs !== null && timeOf(sinceMs / 1000)],
    ["behind", behindMs !== null && `${spanOf(behindMs)}, as noted at ${timeOf(notedMs / 1000)}`],
    ["stands still", pausedMs !== null && <span class="warn">since {timeOf(pausedMs / 1000)}</span>],
    ["goes on by", command && <Command text={command} />],
  ];
  return (
    <li>
      <b>{visible(name)}</b> {visible(phase)}
      <dl>
        {rows.filter(([, text]) => text).map(([term, text]) => (
          <>
            <dt>{term}</dt>
            <dd>{text}</dd>
          </>
        ))}
      </dl>
    </li>
  );
}

export function UnderWay() {
  const said = underWay.value;
  if (said === null) return null;
  if (said.error) return <p class="bad fault" role="alert">{visible(said.error)}</p>;
  return (
    <>
      {said.views && (
        <section class="state-of" aria-label="views">
          <h2>Views</h2>
          {said.views.error && <p class="soft">not said here: {visible(said.views.error)}</p>}
          {said.views.all?.length === 0 && <p class="soft">The model has none.</p>}
          {said.views.all?.length > 0 && <dl>{said.views.all.map((one) => <View key={one.name} one={one} />)}</dl>}
        </section>
      )}
      <section class="state-of" aria-label="under way">
        <h2>Under way</h2>
        <dl>
          {["moves", "evolutions", "migrations"].map((kind) => (
            <Said name={kind} said={said[kind]}>
              {said[kind].all?.length === 0 ? "none" : <ul class="works">{said[kind].all?.map((one) => <Work key={one.name} one={one} />)}</ul>}
            </Said>
          ))}
        </dl>
      </section>
    </>
  );
}

// The changes of a table as they come, and which partition keys they are of.

import { signal } from "@preact/signals";
import { useEffect } from "preact/hooks";
import { hueOf } from "../explore/data.js";
import { plain, visible } from "../explore/values.js";
import { ask, file, files } from "../state.js";

/** The changes that have come, the newest first. */
const changes = signal([]);
const streamFault = signal(null);
/** The most changes that are kept. */
const KEPT = 200;
const PAUSE_MS = 1000;
/** So many changes have come before it is said which keys have the most. */
const TRAFFIC_MIN = 10;
const KEYS_KEPT = 20_000;

/** The attributes of a change: all of one side, or those that differ. */
function Values({ change: { old, new: now } }) {
  const before = Object.fromEntries(old ?? []);
  const after = Object.fromEntries(now ?? []);
  const text = (value) => (value === undefined ? "nothing" : visible(plain(value).slice(0, 200)));
  const names = [...new Set([...Object.keys(after), ...Object.keys(before)])];
  const shown = old && now ? names.filter((name) => text(before[name]) !== text(after[name])) : names;
  return (
    <>
      {shown.map((name) => (
        <code><bdi>{visible(name)} = {old && now ? `${text(before[name])} → ${text(after[name])}` : text((now ? after : before)[name])}</bdi> </code>
      ))}
    </>
  );
}

const VERBS = { INSERT: "made", MODIFY: "changed", REMOVE: "deleted" };

function Change({ one }) {
  const { record, change, why, follows } = one;
  const key = Object.entries(record.dynamodb?.Keys ?? {});
  return (
    <li>
      <span class={`kind ${hueOf(change?.kind)}`}>{change?.kind ?? (follows ? "what follows" : "item")}</span> {VERBS[record.eventName] ?? record.eventName}{" "}
      <span class="soft">{key.map(([name, value]) => `${visible(name)} = ${visible(plain(value))}`).join(", ")}</span>
      {change && <div><Values change={change} /></div>}
      {why && <div class="warn">{visible(why)}</div>}
    </li>
  );
}

/** How many changes there were since, and of each partition key. */
const traffic = signal({ all: 0, keys: new Map() });

function count(records, name) {
  const keys = new Map(traffic.value.keys);
  for (const { record } of records) {
    const key = JSON.stringify(record.dynamodb?.Keys?.[name] ?? null);
    keys.set(key, (keys.get(key) ?? 0) + 1);
  }
  // Of very many keys none is hot that has had few changes.
  if (keys.size > KEYS_KEPT) for (const [key, count] of keys) if (count < 3) keys.delete(key);
  traffic.value = { all: traffic.value.all + records.length, keys };
}

/** The partition keys with the most changes: one that has nearly all of them is a hot one. */
function Traffic() {
  const { all, keys } = traffic.value;
  if (all < TRAFFIC_MIN) return null;
  const most = [...keys].sort(([, one], [, other]) => other - one).slice(0, 5);
  const isHot = (count) => keys.size > 1 && count > all / 2;
  return (
    <div aria-label="keys by traffic" role="group">
      <h3>Keys by traffic <small>of {all.toLocaleString("en")} changes</small></h3>
      <ol>
        {most.map(([key, count]) => (
          <li><code><bdi>{visible(plain(JSON.parse(key) ?? {}))}</bdi></code> <span class={isHot(count) ? "warn" : ""}>{Math.round((100 * count) / all)} % of them{isHot(count) ? ": a hot partition key" : ""}</span></li>
        ))}
      </ol>
    </div>
  );
}

/** Follows the stream of a table while it is shown. `partition` is the name of its partition key. */
export function Stream({ table, partition }) {
  const own = files.value.length === 0 ? null : file.value;
  useEffect(() => {
    let isOver = false;
    [changes.value, streamFault.value, traffic.value] = [[], null, { all: 0, keys: new Map() }];
    const step = async (positions) => {
      const said = await ask("/explore/stream", { file: own, table, positions }).catch((error) => ({ error: error.message }));
      if (isOver) return;
      if (said.error) {
        streamFault.value = said.error;
        return;
      }
      if (said.records.length > 0) {
        count(said.records, partition);
        changes.value = [...said.records.reverse(), ...changes.value].slice(0, KEPT);
      }
      setTimeout(() => isOver || step(said.positions), positions === null ? 0 : PAUSE_MS);
    };
    step(null);
    return () => (isOver = true);
  }, [table, partition, own]);
  return (
    <section class="stream" aria-label={`changes of ${visible(table)}`} tabIndex={0}>
      <h2>Changes of {visible(table)} <small>the newest first</small></h2>
      {streamFault.value && <p class="bad fault" role="alert">{visible(streamFault.value)}</p>}
      {!streamFault.value && changes.value.length === 0 && <p class="empty">Nothing has changed since.</p>}
      <Traffic />
      <ol>
        {changes.value.map((one) => (
          <Change key={one.record.eventID} one={one} />
        ))}
      </ol>
    </section>
  );
}

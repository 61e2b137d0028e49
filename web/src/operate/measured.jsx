// The largest collections and items of a table, which are found by reading all of it.

import { signal } from "@preact/signals";
import { plain, visible } from "../explore/values.js";
import { ask } from "../state.js";
import { counted, sizeOf } from "./said.jsx";

/** What was measured of each table, by its name. */
const measured = signal({});
const note = (name, said) => (measured.value = { ...measured.value, [name]: { ...measured.value[name], ...said } });
/** The most that a collection with a local index, and an item, may have. */
const COLLECTION_MAX = 10e9;
const ITEM_MAX = 400 * 1024;
const SHOWN = 10;
/** So many collections are remembered; the smaller ones are forgotten first. */
const REMEMBERED = 20_000;

const larger = (one, other) => other.bytes - one.bytes;

/** Reads a table to its end, or until it is stopped, and adds up how big its collections and items are. */
async function measure(name, keys) {
  let [collections, items, after] = [new Map(), [], undefined];
  const sum = { items: 0, bytes: 0, units: 0 };
  note(name, { isAsked: false, isRunning: true, isStopped: false, error: undefined, found: undefined });
  do {
    const said = await ask("/explore/measure", { table: name, keys, after }).catch((error) => ({ error: error.message }));
    if (said.error) return note(name, { isRunning: false, error: said.error });
    for (const one of said.collections) {
      const key = JSON.stringify(one.partition);
      const known = collections.get(key) ?? { partition: one.partition, items: 0, bytes: 0 };
      collections.set(key, { ...known, items: known.items + one.items, bytes: known.bytes + one.bytes });
      sum.items += one.items;
      sum.bytes += one.bytes;
    }
    if (collections.size > REMEMBERED) {
      // That of the last item may go on.
      const last = [...collections].at(-1);
      collections = new Map([...[...collections].sort(([, one], [, other]) => larger(one, other)).slice(0, REMEMBERED / 2), last]);
    }
    items = [...items, ...said.items].sort(larger).slice(0, SHOWN);
    sum.units += said.units ?? 0;
    after = said.next;
    note(name, { found: { ...sum, collections: [...collections.values()].sort(larger).slice(0, SHOWN), largest: items } });
  } while (after && !measured.value[name].isStopped);
  note(name, { isRunning: false });
}

const keyText = (key) => Object.entries(key).map(([name, value]) => `${visible(name)} = ${visible(plain(value))}`).join(", ");

/** A size beside its limit: a mark from nine tenths on. */
const Size = ({ bytes, most }) => <span class={bytes >= 0.9 * most ? "warn" : ""}>{sizeOf(bytes)}{bytes >= 0.9 * most ? `, of ${sizeOf(most)} at most` : ""}</span>;

export function Measured({ name, about }) {
  const keys = ["HASH", "RANGE"].flatMap((type) => (about.KeySchema ?? []).filter((one) => one.KeyType === type).map((one) => one.AttributeName));
  const { isAsked, isRunning, isStopped, error, found } = measured.value[name] ?? {};
  const hasLocal = (about.LocalSecondaryIndexes ?? []).length > 0;
  const units = Math.max(1, Math.ceil((about.TableSizeBytes ?? 0) / 8192));
  return (
    <>
      {!isRunning && !isAsked && <button onClick={() => note(name, { isAsked: true })}>Measure…</button>}
      {isAsked && (
        <span class="warn">
          This reads the whole table: {units.toLocaleString("en")} read {units === 1 ? "unit" : "units"} by its size when it was last counted.{" "}
          <button onClick={() => measure(name, keys)}>Read it all</button> <button onClick={() => note(name, { isAsked: false })}>Leave it</button>
        </span>
      )}
      {isRunning && <button onClick={() => note(name, { isStopped: true })}>Stop</button>}
      {error && <span class="bad" role="alert"> {visible(error)}</span>}
      {found && (
        <div role="status">
          {isRunning ? "So far " : isStopped ? "Stopped after " : ""}{counted(found.items, "item")}, {sizeOf(found.bytes)}, {found.units.toLocaleString("en")} read units
          <h3>The largest collections</h3>
          <ol>{found.collections.map((one) => <li><code><bdi>{visible(plain(one.partition))}</bdi></code>: {counted(one.items, "item")}, <Size bytes={one.bytes} most={hasLocal ? COLLECTION_MAX : Infinity} /></li>)}</ol>
          <h3>The largest items</h3>
          <ol>{found.largest.map((one) => <li><code><bdi>{keyText(one.key)}</bdi></code>: <Size bytes={one.bytes} most={ITEM_MAX} /></li>)}</ol>
        </div>
      )}
    </>
  );
}

// The place as a whole: its tables with what they say about themselves, and the changes of a table as they come.

import { signal } from "@preact/signals";
import { useEffect } from "preact/hooks";
import { exploreTable } from "./explore/data.js";
import { visible } from "./explore/values.js";
import { Jobs } from "./operate/jobs.jsx";
import { Measured } from "./operate/measured.jsx";
import { Requests } from "./operate/requests.jsx";
import { Said, counted, sizeOf, timeOf } from "./operate/said.jsx";
import { Stream } from "./operate/stream.jsx";
import { UnderWay, look } from "./operate/under-way.jsx";
import { ask, file, operated, place, view, watched } from "./state.js";

/** `{ tables, exports, imports }` as the place says; null before it has. */
const state = signal(null);
const fault = signal(null);

async function load() {
  const said = await ask("/explore/state", {}).catch((error) => ({ error: error.message }));
  [state.value, fault.value] = said.error ? [state.value, said.error] : [said, null];
}

function capacityOf({ BillingModeSummary, ProvisionedThroughput }) {
  const { ReadCapacityUnits: read, WriteCapacityUnits: write } = ProvisionedThroughput ?? {};
  return BillingModeSummary?.BillingMode === "PAY_PER_REQUEST" || !read ? "on demand" : `${read} read and ${write} write units a second`;
}

function Index({ one, kind }) {
  const { IndexName, IndexStatus, ItemCount = 0, IndexSizeBytes = 0, Backfilling } = one;
  return (
    <li>
      <b>{visible(IndexName)}</b> {kind}, {counted(ItemCount, "item")}, {sizeOf(IndexSizeBytes)}
      {IndexStatus && IndexStatus !== "ACTIVE" && <span class="warn"> {IndexStatus}{Backfilling ? ", it is being filled" : ""}</span>}
    </li>
  );
}

function Table({ one }) {
  const { name, table, expiry, recovery, backups } = one;
  const about = table.Table ?? {};
  const indexes = [...(about.GlobalSecondaryIndexes ?? []).map((index) => [index, "global"]), ...(about.LocalSecondaryIndexes ?? []).map((index) => [index, "local"])];
  const ttl = expiry.TimeToLiveDescription;
  const pitr = recovery.ContinuousBackupsDescription?.PointInTimeRecoveryDescription;
  const all = backups.BackupSummaries ?? [];
  const hasStream = about.StreamSpecification?.StreamEnabled === true;
  return (
    <section class="state-of" aria-label={`table ${visible(name)}`}>
      <h2>
        <button class="link" onClick={() => exploreTable(name)}>{visible(name)}</button>
        {about.TableStatus && about.TableStatus !== "ACTIVE" && <span class="warn">{about.TableStatus}</span>}
      </h2>
      <dl>
        <Said name="holds" said={table}>{counted(about.ItemCount ?? 0, "item")}, {sizeOf(about.TableSizeBytes ?? 0)}, as last counted</Said>
        <Said name="capacity" said={table}>{capacityOf(about)}</Said>
        {indexes.length > 0 && (
          <Said name="indexes" said={table}>
            <ul>
              {indexes.map(([index, kind]) => (
                <Index one={index} kind={kind} />
              ))}
            </ul>
          </Said>
        )}
        <Said name="stream" said={table}>
          {hasStream ? about.StreamSpecification.StreamViewType : "none"}{" "}
          {hasStream && (
            <button aria-pressed={operated.value === name} onClick={() => (operated.value = operated.value === name ? null : name)}>
              {operated.value === name ? "Stop following" : "Follow"}
            </button>
          )}
        </Said>
        <Said name="expiry" said={expiry}>{ttl?.AttributeName ? `${ttl.AttributeName}, ${ttl.TimeToLiveStatus.toLowerCase()}` : "none"}</Said>
        <Said name="recovery" said={recovery}>{pitr?.PointInTimeRecoveryStatus === "ENABLED" ? `to any time since ${timeOf(pitr.EarliestRestorableDateTime)}` : "no point in time"}</Said>
        <Said name="backups" said={backups}>
          {all.length === 0 ? "none" : (
            <ul>
              {all.map(({ BackupName, BackupStatus, BackupSizeBytes, BackupCreationDateTime }) => (
                <li>{visible(BackupName)}, {timeOf(BackupCreationDateTime)}, {sizeOf(BackupSizeBytes ?? 0)}{BackupStatus === "AVAILABLE" ? "" : `, ${BackupStatus}`}</li>
              ))}
            </ul>
          )}
        </Said>
        <Said name="sizes" said={table}>
          <Measured name={name} about={about} />
        </Said>
      </dl>
    </section>
  );
}

/** The name of a table's partition key. */
function partitionOf(name) {
  const found = state.value.tables.find((one) => one.name === name);
  return found?.table.Table?.KeySchema?.find((one) => one.KeyType === "HASH")?.AttributeName;
}

export function Operate() {
  useEffect(() => {
    load();
  }, []);
  useEffect(() => {
    look();
  }, [file.value]);
  const { shown, isHere } = place.value;
  return (
    <main class={operated.value === null ? "operate alone" : "operate"}>
      <section class="tables" aria-label="tables" tabIndex={0}>
        <p class={isHere ? "place" : "place away"}>{visible(shown)}</p>
        <p class="line">
          <button onClick={() => Promise.all([load(), look()])}>Look again</button>
          <button onClick={() => (view.value = "explore")}>Explore the items</button>
          <button aria-pressed={watched.value} onClick={() => (watched.value = !watched.value)}>{watched.value ? "Stop watching" : "Watch requests"}</button>
        </p>
        {fault.value && <p class="bad fault" role="alert">{visible(fault.value)}</p>}
        {watched.value && <Requests />}
        {state.value?.tables.length === 0 && <p class="empty">There is no table.</p>}
        {state.value?.tables.map((one) => (
          <Table key={one.name} one={one} />
        ))}
        {state.value && <UnderWay />}
        {state.value && <Jobs said={state.value} />}
      </section>
      {operated.value !== null && state.value && <Stream table={operated.value} partition={partitionOf(operated.value)} />}
    </main>
  );
}

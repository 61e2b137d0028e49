// The place as a whole: its tables with what they say about themselves, and the changes of a table as they come.

import { signal } from "@preact/signals";
import { useEffect } from "preact/hooks";
import { ask, file, files, operated, place, view } from "./state.js";
import { exploreTable, hueOf } from "./explore/data.js";
import { plain, visible } from "./explore/values.js";

/** `{ tables }` as the place says; null before it has. */
const state = signal(null);
const fault = signal(null);
/** The changes that have come, the newest first. */
const changes = signal([]);
const streamFault = signal(null);

/** The most changes that are kept. */
const KEPT = 200;
const PAUSE_MS = 1000;

async function load() {
  const said = await ask("/explore/state", {}).catch((error) => ({ error: error.message }));
  [state.value, fault.value] = said.error ? [state.value, said.error] : [said, null];
}

const counted = (count, thing) => `${count.toLocaleString("en")} ${thing}${count === 1 ? "" : "s"}`;
const sizeOf = (bytes) => (bytes < 1e4 ? `${bytes} bytes` : bytes < 1e7 ? `${Math.round(bytes / 1e3)} kB` : `${Math.round(bytes / 1e6)} MB`);
const timeOf = (seconds) => new Date(seconds * 1000).toISOString().replace(/\.\d+Z$/, "Z");

function capacityOf({ BillingModeSummary, ProvisionedThroughput }) {
  const { ReadCapacityUnits: read, WriteCapacityUnits: write } = ProvisionedThroughput ?? {};
  return BillingModeSummary?.BillingMode === "PAY_PER_REQUEST" || !read ? "on demand" : `${read} read and ${write} write units a second`;
}

/** What is said of one thing; a refusal is the sentence of the place. */
function Said({ name, said, children }) {
  return (
    <>
      <dt>{name}</dt>
      <dd>{said?.error ? <span class="soft">not said here: {visible(said.error)}</span> : children}</dd>
    </>
  );
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
      </dl>
    </section>
  );
}

const JOB_ENDED = { COMPLETED: "done", FAILED: "failed", CANCELLED: "cancelled" };

/** The word for how far a job is, and whether it is one to look at. */
const stateOf = (status) => <span class={status === "FAILED" || status === "CANCELLED" ? "bad" : JOB_ENDED[status] ? "soft" : "warn"}>{JOB_ENDED[status] ?? visible(String(status).toLowerCase().replaceAll("_", " "))}</span>;

/** The table that an ARN names. */
const tableOf = (arn) => visible(/table\/([^/]+)/.exec(arn ?? "")?.[1] ?? arn ?? "");

/** The exports and imports of the place, and the tables that are being restored. */
function Jobs({ said: { exports, imports, tables } }) {
  const restored = tables.filter(({ table }) => table.Table?.RestoreSummary?.RestoreInProgress);
  return (
    <section class="state-of" aria-label="jobs">
      <h2>Jobs</h2>
      <dl>
        <Said name="exports" said={exports}>
          {!exports.ExportSummaries?.length ? "none" : (
            <ul>
              {exports.ExportSummaries.map(({ ExportArn, ExportStatus, ExportType }) => (
                <li>{tableOf(ExportArn)}{ExportType === "INCREMENTAL_EXPORT" ? ", its changes" : ""}: {stateOf(ExportStatus)} <code>{visible(ExportArn.split("/").at(-1))}</code></li>
              ))}
            </ul>
          )}
        </Said>
        <Said name="imports" said={imports}>
          {!imports.ImportSummaryList?.length ? "none" : (
            <ul>
              {imports.ImportSummaryList.map(({ ImportArn, ImportStatus, TableArn, StartTime, EndTime }) => (
                <li>{tableOf(TableArn ?? ImportArn)}: {stateOf(ImportStatus)}{StartTime ? `, since ${timeOf(StartTime)}` : ""}{EndTime ? `, until ${timeOf(EndTime)}` : ""}</li>
              ))}
            </ul>
          )}
        </Said>
        {restored.length > 0 && <Said name="restores" said={{}}>{restored.map(({ name }) => visible(name)).join(", ")}</Said>}
      </dl>
    </section>
  );
}

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

/** Follows the stream of a table while it is shown. */
function Stream({ table }) {
  const own = files.value.length === 0 ? null : file.value;
  useEffect(() => {
    let isOver = false;
    [changes.value, streamFault.value] = [[], null];
    const step = async (positions) => {
      const said = await ask("/explore/stream", { file: own, table, positions }).catch((error) => ({ error: error.message }));
      if (isOver) return;
      if (said.error) {
        streamFault.value = said.error;
        return;
      }
      if (said.records.length > 0) changes.value = [...said.records.reverse(), ...changes.value].slice(0, KEPT);
      setTimeout(() => isOver || step(said.positions), positions === null ? 0 : PAUSE_MS);
    };
    step(null);
    return () => (isOver = true);
  }, [table, own]);
  return (
    <section class="stream" aria-label={`changes of ${visible(table)}`} tabIndex={0}>
      <h2>Changes of {visible(table)} <small>the newest first</small></h2>
      {streamFault.value && <p class="bad fault" role="alert">{visible(streamFault.value)}</p>}
      {!streamFault.value && changes.value.length === 0 && <p class="empty">Nothing has changed since.</p>}
      <ol>
        {changes.value.map((one) => (
          <Change key={one.record.eventID} one={one} />
        ))}
      </ol>
    </section>
  );
}

export function Operate() {
  useEffect(() => {
    load();
  }, []);
  const { shown, isHere } = place.value;
  return (
    <main class={operated.value === null ? "operate alone" : "operate"}>
      <section class="tables" aria-label="tables" tabIndex={0}>
        <p class={isHere ? "place" : "place away"}>{visible(shown)}</p>
        <p class="line">
          <button onClick={load}>Look again</button>
          <button onClick={() => (view.value = "explore")}>Explore the items</button>
        </p>
        {fault.value && <p class="bad fault" role="alert">{visible(fault.value)}</p>}
        {state.value?.tables.length === 0 && <p class="empty">There is no table.</p>}
        {state.value?.tables.map((one) => (
          <Table key={one.name} one={one} />
        ))}
        {state.value && <Jobs said={state.value} />}
      </section>
      {operated.value !== null && <Stream table={operated.value} />}
    </main>
  );
}

// The exports and imports of the place, and the tables that are being restored.

import { visible } from "../explore/values.js";
import { Said, timeOf } from "./said.jsx";

const JOB_ENDED = { COMPLETED: "done", FAILED: "failed", CANCELLED: "cancelled" };

/** The word for how far a job is, and whether it is one to look at. */
const stateOf = (status) => <span class={status === "FAILED" || status === "CANCELLED" ? "bad" : JOB_ENDED[status] ? "soft" : "warn"}>{JOB_ENDED[status] ?? visible(String(status).toLowerCase().replaceAll("_", " "))}</span>;

/** The table that an ARN names. */
const tableOf = (arn) => visible(/table\/([^/]+)/.exec(arn ?? "")?.[1] ?? arn ?? "");

/** The exports and imports of the place, and the tables that are being restored. */
export function Jobs({ said: { exports, imports, tables } }) {
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

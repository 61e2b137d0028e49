/** A model's tables: created if they are absent, compared if they exist. */

import { detailOf, failure, KeyfoldError } from "./error.js";
import { types } from "./features.js";
import { exceptionOf, type Io, isNoTable } from "./io.js";
import { type Model, physicalName } from "./model.js";
import type { TableOutcome } from "./options.js";
import type { TablePlan } from "./plan.js";
import { isOfPeriod } from "./value/period.js";
import { periodOf } from "./value/time.js";

/** The most times that a new table is asked for, each half a second after the other, until it is active. */
const TRIES = 240;
const HALF_A_SECOND = 500;

/** A member of a request or an answer. */
type Json = Readonly<Record<string, unknown>>;

/** Creates the tables of a model, or checks those that exist. A table with periods is created for the
 * present period; others are created when their first item is written. */
export async function ensureTables(io: Io, model: Model): Promise<TableOutcome[]> {
  // All tables are compared first: nothing is created for a model that contradicts one of them.
  const missing: [TablePlan, string][] = [];
  const outcomes: TableOutcome[] = [];
  for (const table of model.plan.tables) {
    const name = presentName(io, table);
    const existing = await described(io, name);
    if (existing === undefined) {
      missing.push([table, name]);
      continue;
    }
    const differences = [...differencesOf(table, existing), ...(await settingsOf(io, table, name, existing))];
    if (differences.length > 0) {
      const lines = differences.map((one) => `  - ${one}`).join("\n");
      throw new KeyfoldError(`the table ${name} exists and differs from the model:\n${lines}`, {
        code: "table_differs",
        table: name,
        differences,
      });
    }
    outcomes.push({ table: name, outcome: "existing" });
  }
  for (const [table, name] of missing) {
    await make(io, table, name);
    outcomes.push({ table: name, outcome: "created" });
  }
  return outcomes;
}

/** Creates those of the named tables that belong to a period and do not exist. Returns whether one was
 * created. */
export async function ensurePeriods(io: Io, model: Model, names: readonly string[]): Promise<boolean> {
  let made = false;
  for (const table of model.plan.tables) {
    for (const name of names.filter((one) => isOfPeriod(table, one))) {
      if ((await described(io, name)) === undefined) {
        await make(io, table, name);
        made = true;
      }
    }
  }
  return made;
}

/** The name of a table; with periods, of the table of the present period. */
function presentName(io: Io, table: TablePlan): string {
  if (table.period === undefined) return table.name;
  return physicalName(table, periodOf(table.period, types.timeOfEpochMs("time.ms", io.now) ?? ""));
}

/** Creates a table and waits until it is active. */
async function make(io: Io, table: TablePlan, name: string): Promise<void> {
  // The names of periods sort by time: those before the present one are in the past.
  const isOver = table.period !== undefined && name < presentName(io, table);
  const body = (isOver ? table.createPast : undefined) ?? table.create;
  try {
    await io.ask("CreateTable", { TableName: name, ...body });
  } catch (error) {
    // The answer was lost. The table shows whether the request was carried out.
    const isLost = detailOf(error)?.code === "outcome_unknown";
    const isThere = isLost && (await described(io, name)) !== undefined;
    // Another writer was faster.
    if (!isThere && exceptionOf(error) !== "ResourceInUseException") throw error;
  }
  await waitUntilActive(io, name);
  await settle(io, table, name);
}

async function described(io: Io, name: string): Promise<Json | undefined> {
  try {
    const answer = (await io.ask("DescribeTable", { TableName: name })) as { readonly Table?: Json };
    return answer.Table ?? {};
  } catch (error) {
    if (isNoTable(error)) return undefined;
    throw error;
  }
}

async function waitUntilActive(io: Io, name: string): Promise<void> {
  for (let tried = 0; tried < TRIES; tried += 1) {
    if ((await described(io, name))?.["TableStatus"] === "ACTIVE") return;
    await io.pause(HALF_A_SECOND, HALF_A_SECOND);
  }
  throw failure("transport", `the table ${name} did not become active in two minutes`);
}

/** Switches on what CreateTable does not take: expiry and point-in-time recovery. A setting that is on
 * already stays as it is. */
async function settle(io: Io, table: TablePlan, name: string): Promise<void> {
  const { ttlAttribute } = table;
  if (ttlAttribute !== undefined) {
    const TimeToLiveSpecification = { Enabled: true, AttributeName: ttlAttribute };
    const input = { TableName: name, TimeToLiveSpecification };
    await switchOn(io, "UpdateTimeToLive", input, async () => (await expiryOf(io, name)) === ttlAttribute);
  }
  if (table.recovery === true) {
    const PointInTimeRecoverySpecification = { PointInTimeRecoveryEnabled: true };
    const input = { TableName: name, PointInTimeRecoverySpecification };
    await switchOn(io, "UpdateContinuousBackups", input, () => hasRecovery(io, name));
  }
}

/** Sends a request unless its setting is on. After an error the setting shows whether another writer was
 * faster, or the answer was lost. Backups of a new table may not be ready yet. */
async function switchOn(io: Io, operation: string, input: object, isOn: () => Promise<boolean>): Promise<void> {
  for (let tried = 1; !(await isOn()); tried += 1) {
    try {
      await io.ask(operation, input);
      return;
    } catch (error) {
      const isEarly = exceptionOf(error) === "ContinuousBackupsUnavailableException";
      if (isEarly && tried < TRIES) await io.pause(HALF_A_SECOND, HALF_A_SECOND);
      else if (await isOn()) return;
      else throw error;
    }
  }
}

/** The attribute by which a table's items expire; `undefined` if they do not. */
async function expiryOf(io: Io, name: string): Promise<string | undefined> {
  const answer = (await io.ask("DescribeTimeToLive", { TableName: name })) as {
    readonly TimeToLiveDescription?: { readonly TimeToLiveStatus?: string; readonly AttributeName?: string };
  };
  const { TimeToLiveStatus: status, AttributeName } = answer.TimeToLiveDescription ?? {};
  return status === "ENABLED" || status === "ENABLING" ? AttributeName : undefined;
}

async function hasRecovery(io: Io, name: string): Promise<boolean> {
  const answer = (await io.ask("DescribeContinuousBackups", { TableName: name })) as {
    readonly ContinuousBackupsDescription?: {
      readonly PointInTimeRecoveryDescription?: { readonly PointInTimeRecoveryStatus?: string };
    };
  };
  const found = answer.ContinuousBackupsDescription?.PointInTimeRecoveryDescription;
  return found?.PointInTimeRecoveryStatus === "ENABLED";
}

/** All tags of a table. */
async function tagsOf(io: Io, existing: Json): Promise<Map<string, string>> {
  const all = new Map<string, string>();
  let next: string | undefined;
  do {
    const input = { ResourceArn: existing["TableArn"], ...(next !== undefined && { NextToken: next }) };
    const page = (await io.ask("ListTagsOfResource", input)) as {
      readonly Tags?: readonly { readonly Key?: string; readonly Value?: string }[];
      readonly NextToken?: string;
    };
    for (const { Key = "", Value = "" } of page.Tags ?? []) all.set(Key, Value);
    next = page.NextToken;
  } while (next !== undefined);
  return all;
}

function said(subject: string, wanted: string, actual: string): string {
  return `${subject}: the model says ${wanted}, the table has ${actual}`;
}

/** The differences between the declared settings and those of an existing table. A setting that the model
 * does not declare is not compared. */
async function settingsOf(io: Io, table: TablePlan, name: string, existing: Json): Promise<string[]> {
  const found: string[] = [];
  const compare = (subject: string, wanted: string, actual = "none"): void => {
    if (wanted !== actual) found.push(said(subject, wanted, actual));
  };
  if (table.ttlAttribute !== undefined) compare("ttl", table.ttlAttribute, await expiryOf(io, name));
  const stream = table.create["StreamSpecification"] as Json | undefined;
  if (stream !== undefined) {
    const own = existing["StreamSpecification"] as Json | undefined;
    const view = own?.["StreamEnabled"] === true ? String(own["StreamViewType"]) : undefined;
    compare("stream", String(stream["StreamViewType"]), view);
  }
  if (table.recovery === true && !(await hasRecovery(io, name))) compare("point in time recovery", "on", "it off");
  if (table.create["DeletionProtectionEnabled"] === true && existing["DeletionProtectionEnabled"] !== true) {
    compare("deletion protection", "on", "it off");
  }
  const kind = table.create["TableClass"];
  if (kind !== undefined) {
    // The service leaves the usual class out.
    const own = (existing["TableClassSummary"] as Json | undefined)?.["TableClass"] ?? "STANDARD";
    compare("class", String(kind), String(own));
  }
  const tags = (table.create["Tags"] ?? []) as readonly { readonly Key: string; readonly Value: string }[];
  const actual = tags.length === 0 ? new Map<string, string>() : await tagsOf(io, existing);
  for (const { Key, Value } of tags) {
    const own = actual.get(Key);
    compare(`tag ${Key}`, `"${Value}"`, own === undefined ? undefined : `"${own}"`);
  }
  return found;
}

/** The key and the projection of a table or an index. */
interface Described {
  readonly IndexName?: string;
  readonly KeySchema?: readonly { readonly AttributeName: string; readonly KeyType: string }[];
  readonly Projection?: { readonly ProjectionType?: string; readonly NonKeyAttributes?: readonly string[] };
}

/** The types of the key attributes, by name. */
function typesOf(of: Json): Map<string, string> {
  const all = (of["AttributeDefinitions"] ?? []) as readonly { AttributeName: string; AttributeType: string }[];
  return new Map(all.map((one) => [one.AttributeName, one.AttributeType]));
}

function printKey(of: Described, types: Map<string, string>): string {
  const order = (type: string): number => (type === "HASH" ? 0 : 1);
  const keys = [...(of.KeySchema ?? [])].sort((one, other) => order(one.KeyType) - order(other.KeyType));
  const names = keys.map(({ AttributeName: name }) => (types.has(name) ? `${name}: ${types.get(name)}` : name));
  return `(${names.join(", ")})`;
}

function printProjection({ Projection }: Described): string {
  const names = [...(Projection?.NonKeyAttributes ?? [])].sort();
  return Projection?.ProjectionType === "INCLUDE" ? `INCLUDE (${names.join(", ")})` : (Projection?.ProjectionType ?? "ALL");
}

/** The differences between an existing table's keys and the model's. An index that the model does not have is
 * no difference. */
function differencesOf({ create }: TablePlan, existing: Json): string[] {
  const found: string[] = [];
  const types = [typesOf(create), typesOf(existing)] as const;
  const compare = (subject: string, wanted: Described, actual: Described): void => {
    const [one, other] = [printKey(wanted, types[0]), printKey(actual, types[1])];
    if (one !== other) found.push(said(subject, one, other));
  };
  compare("key", create, existing);
  for (const [kind, member] of [
    ["lsi", "LocalSecondaryIndexes"],
    ["gsi", "GlobalSecondaryIndexes"],
  ] as const) {
    const all = (existing[member] ?? []) as readonly Described[];
    for (const wanted of (create[member] ?? []) as readonly Described[]) {
      const actual = all.find((one) => one.IndexName === wanted.IndexName);
      const subject = `${kind} ${wanted.IndexName}`;
      if (actual === undefined) {
        found.push(`${subject}: the model has it, the table has not`);
        continue;
      }
      compare(subject, wanted, actual);
      const [one, other] = [printProjection(wanted), printProjection(actual)];
      if (one !== other) found.push(`${subject}: the model projects ${one}, the table ${other}`);
    }
  }
  return found;
}

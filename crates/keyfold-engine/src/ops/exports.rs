//! ExportTableToPointInTime, DescribeExport, ListExports.

use crate::base::error::internal;
use crate::base::fingerprint::Fingerprint;
use crate::base::pending::Pending;
use crate::catalog;
use crate::check::{Constraints, TableName};
use crate::core::Core;
use crate::core::tasks::Task;
use crate::ops::backups::table_not_found;
use crate::ops::definition::sentence;
use crate::ops::list_cursor::{self, Place, cursor};
use crate::read::export_filter::{self, Chosen};
use crate::table::Table;
use crate::table::arn::{self, Part};
use crate::table::transfer::{Export, OtherRequest, begun_with};
use crate::window::open_window;
use keyfold_api::{
    ApiError, DescribeExportInput, DescribeExportOutput, ErrorKind, ExportDescription,
    ExportFormat, ExportStatus, ExportSummary, ExportTableToPointInTimeInput,
    ExportTableToPointInTimeOutput, ExportType, ExportViewType, IncrementalExportSpecification,
    ListExportsInput, ListExportsOutput, Moment, S3SseAlgorithm, WireName, known,
};
use keyfold_codec::key::TableId;
use keyfold_store::Batch;
use std::sync::Arc;

/// Exports of one answer at the most.
const PAGE_MAX: i64 = 25;

pub(crate) fn begin(
    core: &Core,
    input: ExportTableToPointInTimeInput,
) -> Pending<ExportTableToPointInTimeOutput> {
    begun(core, input).unwrap_or_else(|error| Pending::ready(Err(error)))
}

/// Refuses transfers without a folder for buckets.
pub(crate) fn check_buckets(core: &Core, what: &str) -> Result<(), ApiError> {
    if core.options().buckets.is_some() {
        return Ok(());
    }
    sentence(format!(
        "{what} need a folder that stands for S3: start the server with --buckets DIR"
    ))
}

fn begun(
    core: &Core,
    input: ExportTableToPointInTimeInput,
) -> Result<Pending<ExportTableToPointInTimeOutput>, ApiError> {
    check_constraints(&input)?;
    let bound = export_filter::check(input.filter_specification.as_ref())?;
    check_buckets(core, "Exports")?;
    let print = print_of(&input);
    let answer = |export: &Export| ExportTableToPointInTimeOutput {
        export_description: Some(description(core, export)),
    };
    if let Some(export) = begun_before(core, input.client_token.as_deref(), print)? {
        return Ok(Pending::ready(Ok(answer(&export))));
    }
    let given = TableName::new(input.table_arn.clone());
    // Writers hold the catalog's lock from the time of a change until its staging. With the lock,
    // all changes of earlier times are staged.
    let tables = core.catalog().write();
    let table = tables
        .get(given.name())
        .cloned()
        .ok_or_else(|| table_not_found(given.name()))?;
    let kind = known(&input.export_type).unwrap_or(ExportType::FullExport);
    let moments = moments(core, &table, &input, kind)?;
    // A filter that does not fit the table is refused now. The job binds it again, from the record.
    Chosen::of(&table, bound)?;
    let mut batch = Batch::new();
    let id = core.catalog().take_id(&mut batch);
    let asked = Asked {
        input,
        print,
        kind,
        moments,
    };
    let export = Arc::new(asked.record(core, id, &table));
    catalog::put_export(&mut batch, &export);
    let ticket = core.store().stage(batch).map_err(internal)?;
    core.catalog().write_exports().insert(
        (table.name.clone(), export.label.clone()),
        Arc::clone(&export),
    );
    let answer = answer(&export);
    core.tasks().add(Task::Export { export, table });
    drop(tables);
    core.signal().wake();
    Ok(Pending::after(ticket, Ok(answer)))
}

fn check_constraints(input: &ExportTableToPointInTimeInput) -> Result<(), ApiError> {
    let mut constraints = Constraints::default();
    constraints.table("tableArn", &input.table_arn);
    constraints.bucket("s3Bucket", &input.s3_bucket);
    constraints.word("exportFormat", &input.export_format);
    constraints.word("exportType", &input.export_type);
    constraints.word("s3SseAlgorithm", &input.s3_sse_algorithm);
    if let Some(given) = &input.incremental_export_specification {
        constraints.word(
            "incrementalExportSpecification.exportViewType",
            &given.export_view_type,
        );
    }
    constraints.finish()
}

/// Finds the export that the same request has begun, by its token.
fn begun_before(
    core: &Core,
    token: Option<&str>,
    print: u64,
) -> Result<Option<Arc<Export>>, ApiError> {
    let exports = core.catalog().exports();
    let found = begun_with(token, print, core.now_ms(), exports.values());
    found
        .map(Option::<&Arc<Export>>::cloned)
        .map_err(|OtherRequest| conflict())
}

/// A checked request for an export.
struct Asked {
    input: ExportTableToPointInTimeInput,
    print: u64,
    kind: ExportType,
    moments: Moments,
}

impl Asked {
    /// The record of the export when it begins.
    fn record(self, core: &Core, id: TableId, table: &Table) -> Export {
        let input = self.input;
        Export {
            id,
            label: core.label(),
            table_name: table.name.clone(),
            table_uuid: table.uuid.clone(),
            status: ExportStatus::InProgress,
            begun: core.now_ms(),
            ended: None,
            is_begun: false,
            moment: self.moments.from,
            to: self.moments.to,
            token: input.client_token,
            print: self.print,
            bucket: input.s3_bucket.unwrap_or_default(),
            prefix: input.s3_prefix,
            format: known(&input.export_format).unwrap_or(ExportFormat::DynamodbJson),
            kind: self.kind,
            view: self.moments.view,
            filter: input.filter_specification,
            items: 0,
            bytes: 0,
            manifest: None,
            failure: None,
        }
    }
}

/// The hash of the request that a repetition with the same token must have.
fn print_of(input: &ExportTableToPointInTimeInput) -> u64 {
    let mut print = Fingerprint::default();
    print.optional(input.table_arn.as_deref());
    print.optional(input.s3_bucket.as_deref());
    print.optional(input.s3_prefix.as_deref());
    print.optional(known(&input.export_format).map(WireName::word));
    print.optional(known(&input.export_type).map(WireName::word));
    let moment = |moment: Option<Moment>| moment.map(|moment| moment.0.to_string());
    print.optional(moment(input.export_time).as_deref());
    let window = input
        .incremental_export_specification
        .clone()
        .unwrap_or_default();
    print.optional(moment(window.export_from_time).as_deref());
    print.optional(moment(window.export_to_time).as_deref());
    print.optional(known(&window.export_view_type).map(WireName::word));
    let filter = input.filter_specification.clone().unwrap_or_default();
    print.optional(filter.filter_expression.as_deref());
    print.optional(filter.projection_expression.as_deref());
    print.optional(filter.key_condition_expression.as_deref());
    for (placeholder, name) in filter.expression_attribute_names.iter().flatten() {
        print.text(placeholder);
        print.text(name);
    }
    print.attributes(filter.expression_attribute_values.as_ref());
    // The hash is stored as a number of the data model, which has a sign.
    print.short() >> 1
}

fn conflict() -> ApiError {
    ApiError::Plain(
        ErrorKind::ExportConflict,
        "The client token was used for another export".to_owned(),
    )
}

/// The moments of an export: one of a full export, two and a view of an incremental one.
struct Moments {
    from: u64,
    to: Option<u64>,
    view: ExportViewType,
}

/// Checks the moments of a request against the table's window.
fn moments(
    core: &Core,
    table: &Table,
    input: &ExportTableToPointInTimeInput,
    kind: ExportType,
) -> Result<Moments, ApiError> {
    let (first, last) = open_window(core, table)?;
    let in_window = |moment: u64| {
        if (first..=last).contains(&moment) {
            return Ok(moment);
        }
        Err(ApiError::Plain(
            ErrorKind::InvalidExportTime,
            format!(
                "The moment of an export must lie between {} and {} seconds since the epoch",
                first / 1000,
                last / 1000
            ),
        ))
    };
    let view = ExportViewType::NewAndOldImages;
    match (kind, &input.incremental_export_specification) {
        (ExportType::FullExport, Some(_)) => sentence(
            "Invalid Request: IncrementalExportSpecification requires ExportType INCREMENTAL_EXPORT",
        ),
        (ExportType::FullExport, None) => {
            let moment = input.export_time.map_or(last, |moment| moment.0);
            Ok(Moments {
                from: in_window(moment)?,
                to: None,
                view,
            })
        }
        (ExportType::IncrementalExport, given) => {
            let given = given.clone().unwrap_or_default();
            let Some(from) = given.export_from_time else {
                return sentence(
                    "Invalid Request: ExportFromTime must be provided in IncrementalExportSpecification",
                );
            };
            let to = given.export_to_time.map_or(last, |moment| moment.0);
            if to <= from.0 {
                return sentence("Invalid Request: ExportToTime must be later than ExportFromTime");
            }
            let view = known(&given.export_view_type).unwrap_or(view);
            Ok(Moments {
                from: in_window(from.0)?,
                to: Some(in_window(to)?),
                view,
            })
        }
    }
}

fn place(export: &Export) -> Place<'_> {
    (&export.table_name, &export.label)
}

fn arn(core: &Core, export: &Export) -> String {
    core.arn(&export.table_name, Part::Export(&export.label))
}

fn description(core: &Core, export: &Export) -> ExportDescription {
    let number = |value: u64| i64::try_from(value).ok();
    let is_done = export.status == ExportStatus::Completed;
    ExportDescription {
        export_arn: Some(arn(core, export)),
        export_status: Some(export.status.into()),
        start_time: Some(Moment(export.begun)),
        end_time: export.ended.map(Moment),
        export_manifest: export.manifest.clone(),
        table_arn: Some(core.table_arn(&export.table_name)),
        table_id: Some(export.table_uuid.clone()),
        export_time: export.to.is_none().then_some(Moment(export.moment)),
        client_token: export.token.clone(),
        s3_bucket: Some(export.bucket.clone()),
        s3_prefix: export.prefix.clone(),
        s3_sse_algorithm: Some(S3SseAlgorithm::Aes256.into()),
        failure_code: export.failure.as_ref().map(|(code, _)| code.clone()),
        failure_message: export.failure.as_ref().map(|(_, message)| message.clone()),
        export_format: Some(export.format.into()),
        billed_size_bytes: is_done.then(|| number(export.bytes)).flatten(),
        item_count: is_done.then(|| number(export.items)).flatten(),
        export_type: Some(export.kind.into()),
        incremental_export_specification: export.to.map(|to| IncrementalExportSpecification {
            export_from_time: Some(Moment(export.moment)),
            export_to_time: Some(Moment(to)),
            export_view_type: Some(export.view.into()),
        }),
        filter_specification: export.filter.clone(),
        s3_bucket_owner: None,
        s3_sse_kms_key_id: None,
    }
}

pub(crate) fn describe(core: &Core, input: DescribeExportInput) -> Pending<DescribeExportOutput> {
    Pending::ready(described(core, input))
}

fn described(core: &Core, input: DescribeExportInput) -> Result<DescribeExportOutput, ApiError> {
    let mut constraints = Constraints::default();
    constraints.part_arn("exportArn", &input.export_arn);
    constraints.finish()?;
    let given = input.export_arn.unwrap_or_default();
    let Some(key) = arn::export(&given) else {
        return sentence("Invalid Request: Invalid Export ARN");
    };
    let found = core.catalog().exports().get(&key).cloned();
    let export = found.ok_or_else(|| {
        ApiError::Plain(
            ErrorKind::ExportNotFound,
            format!("Export not found: {given}"),
        )
    })?;
    Ok(DescribeExportOutput {
        export_description: Some(description(core, &export)),
    })
}

pub(crate) fn list(core: &Core, input: ListExportsInput) -> Pending<ListExportsOutput> {
    Pending::ready(listed(core, input))
}

fn listed(core: &Core, input: ListExportsInput) -> Result<ListExportsOutput, ApiError> {
    let mut constraints = Constraints::default();
    if input.table_arn.is_some() {
        constraints.table("tableArn", &input.table_arn);
    }
    constraints.range("maxResults", input.max_results, 1, PAGE_MAX);
    constraints.finish()?;
    let given = input.table_arn.map(|arn| TableName::new(Some(arn)));
    let limit = usize::try_from(input.max_results.unwrap_or(PAGE_MAX)).unwrap_or(1);
    let after = list_cursor::place(input.next_token.as_deref())?;
    let exports = core.catalog().exports();
    let mut rest = exports.values().filter(|export| {
        given
            .as_ref()
            .is_none_or(|given| given.name() == export.table_name)
            && after.is_none_or(|after| place(export) > after)
    });
    let page: Vec<&Arc<Export>> = rest.by_ref().take(limit).collect();
    let next_token = rest
        .next()
        .and_then(|_| page.last().map(|export| cursor(place(export))));
    let summary = |export: &&Arc<Export>| ExportSummary {
        export_arn: Some(arn(core, export)),
        export_status: Some(export.status.into()),
        export_type: Some(export.kind.into()),
    };
    Ok(ListExportsOutput {
        export_summaries: Some(page.iter().map(summary).collect()),
        next_token,
    })
}

//! ImportTable, DescribeImport, ListImports.

use crate::base::error::internal;
use crate::base::fingerprint::Fingerprint;
use crate::base::pending::Pending;
use crate::catalog;
use crate::check::Constraints;
use crate::core::Core;
use crate::core::tasks::Task;
use crate::ops::create_table;
use crate::ops::definition::sentence;
use crate::ops::describe_table;
use crate::ops::exports::check_buckets;
use crate::ops::list_cursor::{self, Place, cursor};
use crate::table::arn::{self, Part};
use crate::table::transfer::{Import, OtherRequest, begun_with};
use crate::table::{IndexKind, Table};
use keyfold_api::{
    ApiError, BillingMode, CreateTableInput, CsvOptions, DescribeImportInput, DescribeImportOutput,
    ErrorKind, ImportStatus, ImportSummary, ImportTableDescription, ImportTableInput,
    ImportTableOutput, InputCompressionType, InputFormat, InputFormatOptions, KeySchemaElement,
    ListImportsInput, ListImportsOutput, Moment, ProvisionedThroughput, S3BucketSource,
    SecondaryIndex, TableCreationParameters, TableStatus, WireName, known,
};
use keyfold_codec::key::TableId;
use keyfold_store::Batch;
use std::sync::Arc;

/// Imports of one answer at the most.
const PAGE_MAX: i64 = 25;
/// The delimiter of CSV files, unless a request names another.
const DELIMITER: &str = ",";
/// The delimiters of CSV files that the service accepts.
const DELIMITERS: [&str; 6] = [DELIMITER, "\t", ":", ";", "|", " "];

pub(crate) fn begin(core: &Core, input: ImportTableInput) -> Pending<ImportTableOutput> {
    begun(core, input).unwrap_or_else(|error| Pending::ready(Err(error)))
}

fn begun(core: &Core, mut input: ImportTableInput) -> Result<Pending<ImportTableOutput>, ApiError> {
    check_constraints(&input)?;
    check_buckets(core, "Imports")?;
    let print = print_of(&input);
    let answer = |import: &Import| -> Result<ImportTableOutput, ApiError> {
        let import_table_description = Some(description(core, import)?);
        Ok(ImportTableOutput {
            import_table_description,
        })
    };
    if let Some(import) = begun_before(core, input.client_token.as_deref(), print)? {
        return Ok(Pending::ready(Ok(answer(&import)?)));
    }
    let options = input.input_format_options.take().unwrap_or_default();
    let csv = options.csv.unwrap_or_default();
    let delimiter = delimiter(csv.delimiter)?;
    let given = input.table_creation_parameters.take().unwrap_or_default();
    let (table, _) = create_table::check(core, create_input(given))?;
    let mut tables = core.catalog().write();
    create_table::check_is_new(&tables, &table.name)?;
    let mut batch = Batch::new();
    let mut table = create_table::identified(core, &mut batch, table);
    table.status = TableStatus::Creating;
    let id = core.catalog().take_id(&mut batch);
    let asked = Asked {
        input,
        print,
        delimiter,
        header: csv.header_list,
    };
    let import = Arc::new(asked.record(core, id, &table));
    catalog::put_record(&mut batch, &table);
    catalog::put_import(&mut batch, &import);
    let answer = answer(&import)?;
    let ticket = core.store().stage(batch).map_err(internal)?;
    core.catalog().write_imports().insert(
        (table.name.clone(), import.label.clone()),
        Arc::clone(&import),
    );
    let table = Arc::new(table);
    tables.insert(table.name.clone(), Arc::clone(&table));
    core.tasks().add(Task::Import { import, table });
    drop(tables);
    core.signal().wake();
    Ok(Pending::after(ticket, Ok(answer)))
}

fn check_constraints(input: &ImportTableInput) -> Result<(), ApiError> {
    let mut constraints = Constraints::default();
    constraints.required("s3BucketSource", &input.s3_bucket_source);
    if let Some(source) = &input.s3_bucket_source {
        constraints.bucket("s3BucketSource.s3Bucket", &source.s3_bucket);
    }
    constraints.required("inputFormat", &input.input_format);
    constraints.word("inputFormat", &input.input_format);
    constraints.word("inputCompressionType", &input.input_compression_type);
    constraints.required("tableCreationParameters", &input.table_creation_parameters);
    constraints.finish()
}

/// Finds the import that the same request has begun, by its token.
fn begun_before(
    core: &Core,
    token: Option<&str>,
    print: u64,
) -> Result<Option<Arc<Import>>, ApiError> {
    let imports = core.catalog().imports();
    let found = begun_with(token, print, core.now_ms(), imports.values());
    found
        .map(Option::<&Arc<Import>>::cloned)
        .map_err(|OtherRequest| conflict())
}

/// The delimiter of a CSV file.
fn delimiter(given: Option<String>) -> Result<String, ApiError> {
    let delimiter = given.unwrap_or_else(|| DELIMITER.to_owned());
    if !DELIMITERS.contains(&delimiter.as_str()) {
        return sentence("Delimiter must be one of comma, tab, colon, semicolon, pipe and space");
    }
    Ok(delimiter)
}

/// A checked request for an import, without the members that became the table.
struct Asked {
    input: ImportTableInput,
    print: u64,
    delimiter: String,
    header: Option<Vec<String>>,
}

impl Asked {
    /// The record of the import when it begins.
    fn record(self, core: &Core, id: TableId, table: &Table) -> Import {
        let input = self.input;
        let source = input.s3_bucket_source.unwrap_or_default();
        Import {
            id,
            label: core.label(),
            status: ImportStatus::InProgress,
            begun: core.now_ms(),
            ended: None,
            is_begun: false,
            token: input.client_token,
            print: self.print,
            bucket: source.s3_bucket.unwrap_or_default(),
            prefix: source.s3_key_prefix.unwrap_or_default(),
            format: known(&input.input_format).unwrap_or(InputFormat::DynamodbJson),
            compression: known(&input.input_compression_type).unwrap_or(InputCompressionType::None),
            delimiter: self.delimiter,
            header: self.header,
            table: table.clone(),
            bytes: 0,
            processed: 0,
            imported: 0,
            errors: 0,
            failure: None,
        }
    }
}

/// The hash of the request that a repetition with the same token must have.
fn print_of(input: &ImportTableInput) -> u64 {
    let mut print = Fingerprint::default();
    let source = input.s3_bucket_source.clone().unwrap_or_default();
    print.optional(source.s3_bucket.as_deref());
    print.optional(source.s3_key_prefix.as_deref());
    print.optional(known(&input.input_format).map(WireName::word));
    print.optional(known(&input.input_compression_type).map(WireName::word));
    let csv = input
        .input_format_options
        .clone()
        .unwrap_or_default()
        .csv
        .unwrap_or_default();
    print.optional(csv.delimiter.as_deref());
    csv.header_list
        .iter()
        .flatten()
        .for_each(|name| print.text(name));
    let table = input.table_creation_parameters.clone().unwrap_or_default();
    print.optional(table.table_name.as_deref());
    print.optional(known(&table.billing_mode).map(WireName::word));
    for definition in table.attribute_definitions.iter().flatten() {
        print.optional(definition.attribute_name.as_deref());
        print.optional(known(&definition.attribute_type).map(WireName::word));
    }
    print_key(&mut print, table.key_schema.as_deref());
    for index in table.global_secondary_indexes.iter().flatten() {
        print.optional(index.index_name.as_deref());
        print_key(&mut print, index.key_schema.as_deref());
    }
    // The hash is stored as a number of the data model, which has a sign.
    print.short() >> 1
}

fn print_key(print: &mut Fingerprint, key: Option<&[KeySchemaElement]>) {
    for element in key.into_iter().flatten() {
        print.optional(element.attribute_name.as_deref());
        print.optional(known(&element.key_type).map(WireName::word));
    }
}

fn conflict() -> ApiError {
    ApiError::Plain(
        ErrorKind::ImportConflict,
        "The client token was used for another import".to_owned(),
    )
}

fn create_input(given: TableCreationParameters) -> CreateTableInput {
    CreateTableInput {
        table_name: given.table_name,
        attribute_definitions: given.attribute_definitions,
        key_schema: given.key_schema,
        billing_mode: given.billing_mode,
        provisioned_throughput: given.provisioned_throughput,
        on_demand_throughput: given.on_demand_throughput,
        sse_specification: given.sse_specification,
        global_secondary_indexes: given.global_secondary_indexes,
        vector_indexes: given.vector_indexes,
        ..CreateTableInput::default()
    }
}

fn place(import: &Import) -> Place<'_> {
    (&import.table.name, &import.label)
}

fn arn(core: &Core, import: &Import) -> String {
    core.arn(&import.table.name, Part::Import(&import.label))
}

fn source(import: &Import) -> S3BucketSource {
    S3BucketSource {
        s3_bucket_owner: None,
        s3_bucket: Some(import.bucket.clone()),
        s3_key_prefix: (!import.prefix.is_empty()).then(|| import.prefix.clone()),
    }
}

fn log_group(core: &Core) -> String {
    let options = core.options();
    format!(
        "arn:aws:logs:{}:{}:log-group:/aws-dynamodb/imports:*",
        core.region(),
        options.account
    )
}

fn parameters(core: &Core, table: &Table) -> Result<TableCreationParameters, ApiError> {
    let described = describe_table::describe(core, table, TableStatus::Creating)?;
    let capacity = &table.settings.capacity;
    let units = |(read, write): (u64, u64)| ProvisionedThroughput {
        read_capacity_units: i64::try_from(read).ok(),
        write_capacity_units: i64::try_from(write).ok(),
    };
    let is_provisioned = capacity.mode == BillingMode::Provisioned;
    let globals: Vec<SecondaryIndex> = table
        .indexes
        .iter()
        .filter(|index| index.kind == IndexKind::Global)
        .zip(described.global_secondary_indexes.into_iter().flatten())
        .map(|(index, shown)| SecondaryIndex {
            index_name: shown.index_name,
            key_schema: shown.key_schema,
            projection: shown.projection,
            provisioned_throughput: is_provisioned.then(|| units(index.capacity.units)),
            on_demand_throughput: shown.on_demand_throughput,
            warm_throughput: None,
        })
        .collect();
    Ok(TableCreationParameters {
        table_name: Some(table.name.clone()),
        attribute_definitions: described.attribute_definitions,
        key_schema: described.key_schema,
        billing_mode: Some(capacity.mode.into()),
        provisioned_throughput: is_provisioned.then(|| units(capacity.units)),
        on_demand_throughput: described.on_demand_throughput,
        sse_specification: None,
        global_secondary_indexes: (!globals.is_empty()).then_some(globals),
        vector_indexes: None,
    })
}

fn description(core: &Core, import: &Import) -> Result<ImportTableDescription, ApiError> {
    let number = |value: u64| i64::try_from(value).ok();
    let is_csv = import.format == InputFormat::Csv;
    Ok(ImportTableDescription {
        import_arn: Some(arn(core, import)),
        import_status: Some(import.status.into()),
        table_arn: Some(core.table_arn(&import.table.name)),
        table_id: Some(import.table.uuid.clone()),
        client_token: import.token.clone(),
        s3_bucket_source: Some(source(import)),
        error_count: number(import.errors),
        cloud_watch_log_group_arn: Some(log_group(core)),
        input_format: Some(import.format.into()),
        input_format_options: is_csv.then(|| InputFormatOptions {
            csv: Some(CsvOptions {
                delimiter: Some(import.delimiter.clone()),
                header_list: import.header.clone(),
            }),
        }),
        input_compression_type: Some(import.compression.into()),
        table_creation_parameters: Some(parameters(core, &import.table)?),
        start_time: Some(Moment(import.begun)),
        end_time: import.ended.map(Moment),
        processed_size_bytes: number(import.bytes),
        processed_item_count: number(import.processed),
        imported_item_count: number(import.imported),
        failure_code: import.failure.as_ref().map(|(code, _)| code.clone()),
        failure_message: import.failure.as_ref().map(|(_, message)| message.clone()),
    })
}

pub(crate) fn describe(core: &Core, input: DescribeImportInput) -> Pending<DescribeImportOutput> {
    Pending::ready(described(core, input))
}

fn described(core: &Core, input: DescribeImportInput) -> Result<DescribeImportOutput, ApiError> {
    let mut constraints = Constraints::default();
    constraints.part_arn("importArn", &input.import_arn);
    constraints.finish()?;
    let given = input.import_arn.unwrap_or_default();
    let Some(key) = arn::import(&given) else {
        return sentence("Invalid Request: Invalid Import ARN");
    };
    let found = core.catalog().imports().get(&key).cloned();
    let import = found.ok_or_else(|| {
        ApiError::Plain(
            ErrorKind::ImportNotFound,
            format!("Import not found: {given}"),
        )
    })?;
    Ok(DescribeImportOutput {
        import_table_description: Some(description(core, &import)?),
    })
}

pub(crate) fn list(core: &Core, input: ListImportsInput) -> Pending<ListImportsOutput> {
    Pending::ready(listed(core, input))
}

fn listed(core: &Core, input: ListImportsInput) -> Result<ListImportsOutput, ApiError> {
    let mut constraints = Constraints::default();
    constraints.range("pageSize", input.page_size, 1, PAGE_MAX);
    constraints.finish()?;
    let limit = usize::try_from(input.page_size.unwrap_or(PAGE_MAX)).unwrap_or(1);
    let after = list_cursor::place(input.next_token.as_deref())?;
    let imports = core.catalog().imports();
    let mut rest = imports.values().filter(|import| {
        input
            .table_arn
            .as_ref()
            .is_none_or(|given| arn::named_table(given) == import.table.name)
            && after.is_none_or(|after| place(import) > after)
    });
    let page: Vec<&Arc<Import>> = rest.by_ref().take(limit).collect();
    let next_token = rest
        .next()
        .and_then(|_| page.last().map(|import| cursor(place(import))));
    let summary = |import: &&Arc<Import>| ImportSummary {
        import_arn: Some(arn(core, import)),
        import_status: Some(import.status.into()),
        table_arn: Some(core.table_arn(&import.table.name)),
        s3_bucket_source: Some(source(import)),
        cloud_watch_log_group_arn: Some(log_group(core)),
        input_format: Some(import.format.into()),
        start_time: Some(Moment(import.begun)),
        end_time: import.ended.map(Moment),
    };
    Ok(ListImportsOutput {
        import_summary_list: Some(page.iter().map(summary).collect()),
        next_token,
    })
}

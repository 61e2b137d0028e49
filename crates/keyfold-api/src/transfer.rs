//! Shapes of exports to, and imports from, a bucket.

use crate::Named;
use crate::named::words;
use crate::shape::{Moment, Present, shapes};
use crate::table::{
    AttributeDefinition, BillingMode, KeySchemaElement, OnDemandThroughput, ProvisionedThroughput,
    SecondaryIndex, SseSpecification,
};
use crate::value::Attributes;
use std::collections::BTreeMap;

words! {
    /// The encryption of exported files.
    S3SseAlgorithm {
        /// `AES256`.
        Aes256 = "AES256",
        /// `KMS`.
        Kms = "KMS",
    }
}

words! {
    /// The format of exported items.
    ExportFormat {
        /// `DYNAMODB_JSON`.
        DynamodbJson = "DYNAMODB_JSON",
        /// `ION`.
        Ion = "ION",
    }
}

words! {
    /// The items of an export: all, or the changed ones.
    ExportType {
        /// `FULL_EXPORT`.
        FullExport = "FULL_EXPORT",
        /// `INCREMENTAL_EXPORT`.
        IncrementalExport = "INCREMENTAL_EXPORT",
    }
}

words! {
    /// The images of a change in an export.
    ExportViewType {
        /// `NEW_IMAGE`.
        NewImage = "NEW_IMAGE",
        /// `NEW_AND_OLD_IMAGES`.
        NewAndOldImages = "NEW_AND_OLD_IMAGES",
    }
}

words! {
    /// The status of an export.
    ExportStatus {
        /// `IN_PROGRESS`.
        InProgress = "IN_PROGRESS",
        /// `COMPLETED`.
        Completed = "COMPLETED",
        /// `FAILED`.
        Failed = "FAILED",
    }
}

words! {
    /// The format of imported items.
    InputFormat {
        /// `DYNAMODB_JSON`.
        DynamodbJson = "DYNAMODB_JSON",
        /// `ION`.
        Ion = "ION",
        /// `CSV`.
        Csv = "CSV",
    }
}

words! {
    /// The compression of the input.
    InputCompressionType {
        /// `GZIP`.
        Gzip = "GZIP",
        /// `ZSTD`.
        Zstd = "ZSTD",
        /// `NONE`.
        None = "NONE",
    }
}

words! {
    /// The status of an import.
    ImportStatus {
        /// `IN_PROGRESS`.
        InProgress = "IN_PROGRESS",
        /// `COMPLETED`.
        Completed = "COMPLETED",
        /// `CANCELLING`.
        Cancelling = "CANCELLING",
        /// `CANCELLED`.
        Cancelled = "CANCELLED",
        /// `FAILED`.
        Failed = "FAILED",
    }
}

shapes! {
    /// The window and view of an incremental export.
    IncrementalExportSpecification {
        export_from_time: Moment = "ExportFromTime",
        export_to_time: Moment = "ExportToTime",
        export_view_type: Named<ExportViewType> = "ExportViewType",
    }

    /// The items to export, and their attributes.
    FilterSpecification {
        filter_expression: String = "FilterExpression",
        projection_expression: String = "ProjectionExpression",
        key_condition_expression: String = "KeyConditionExpression",
        expression_attribute_names: BTreeMap<String, String> = "ExpressionAttributeNames",
        expression_attribute_values: Attributes = "ExpressionAttributeValues",
    }

    /// Exports a table to a bucket.
    ExportTableToPointInTimeInput {
        table_arn: String = "TableArn",
        export_time: Moment = "ExportTime",
        client_token: String = "ClientToken",
        s3_bucket: String = "S3Bucket",
        s3_bucket_owner: String = "S3BucketOwner",
        s3_prefix: String = "S3Prefix",
        s3_sse_algorithm: Named<S3SseAlgorithm> = "S3SseAlgorithm",
        s3_sse_kms_key_id: String = "S3SseKmsKeyId",
        export_format: Named<ExportFormat> = "ExportFormat",
        export_type: Named<ExportType> = "ExportType",
        incremental_export_specification: IncrementalExportSpecification = "IncrementalExportSpecification",
        filter_specification: FilterSpecification = "FilterSpecification",
    }

    /// An export's state.
    ExportDescription {
        export_arn: String = "ExportArn",
        export_status: Named<ExportStatus> = "ExportStatus",
        start_time: Moment = "StartTime",
        end_time: Moment = "EndTime",
        export_manifest: String = "ExportManifest",
        table_arn: String = "TableArn",
        table_id: String = "TableId",
        export_time: Moment = "ExportTime",
        client_token: String = "ClientToken",
        s3_bucket: String = "S3Bucket",
        s3_bucket_owner: String = "S3BucketOwner",
        s3_prefix: String = "S3Prefix",
        s3_sse_algorithm: Named<S3SseAlgorithm> = "S3SseAlgorithm",
        s3_sse_kms_key_id: String = "S3SseKmsKeyId",
        failure_code: String = "FailureCode",
        failure_message: String = "FailureMessage",
        export_format: Named<ExportFormat> = "ExportFormat",
        billed_size_bytes: i64 = "BilledSizeBytes",
        item_count: i64 = "ItemCount",
        export_type: Named<ExportType> = "ExportType",
        incremental_export_specification: IncrementalExportSpecification = "IncrementalExportSpecification",
        filter_specification: FilterSpecification = "FilterSpecification",
    }

    /// The new export.
    ExportTableToPointInTimeOutput {
        export_description: ExportDescription = "ExportDescription",
    }

    /// Requests an export's state.
    DescribeExportInput {
        export_arn: String = "ExportArn",
    }

    /// An export's state.
    DescribeExportOutput {
        export_description: ExportDescription = "ExportDescription",
    }

    /// Lists exports.
    ListExportsInput {
        table_arn: String = "TableArn",
        max_results: i64 = "MaxResults",
        next_token: String = "NextToken",
    }

    /// An export's name and state.
    ExportSummary {
        export_arn: String = "ExportArn",
        export_status: Named<ExportStatus> = "ExportStatus",
        export_type: Named<ExportType> = "ExportType",
    }

    /// A page of exports.
    ListExportsOutput {
        export_summaries: Vec<ExportSummary> = "ExportSummaries",
        next_token: String = "NextToken",
    }

    /// The source of an import.
    S3BucketSource {
        s3_bucket_owner: String = "S3BucketOwner",
        s3_bucket: String = "S3Bucket",
        s3_key_prefix: String = "S3KeyPrefix",
    }

    /// The options for comma-separated values.
    CsvOptions {
        delimiter: String = "Delimiter",
        header_list: Vec<String> = "HeaderList",
    }

    /// The options of the input format.
    InputFormatOptions {
        csv: CsvOptions = "Csv",
    }

    /// The table that an import creates.
    TableCreationParameters {
        table_name: String = "TableName",
        attribute_definitions: Vec<AttributeDefinition> = "AttributeDefinitions",
        key_schema: Vec<KeySchemaElement> = "KeySchema",
        billing_mode: Named<BillingMode> = "BillingMode",
        provisioned_throughput: ProvisionedThroughput = "ProvisionedThroughput",
        on_demand_throughput: OnDemandThroughput = "OnDemandThroughput",
        sse_specification: SseSpecification = "SSESpecification",
        global_secondary_indexes: Vec<SecondaryIndex> = "GlobalSecondaryIndexes",
        vector_indexes: Present = "VectorIndexes",
    }

    /// Creates a table from the objects of a bucket.
    ImportTableInput {
        client_token: String = "ClientToken",
        s3_bucket_source: S3BucketSource = "S3BucketSource",
        input_format: Named<InputFormat> = "InputFormat",
        input_format_options: InputFormatOptions = "InputFormatOptions",
        input_compression_type: Named<InputCompressionType> = "InputCompressionType",
        table_creation_parameters: TableCreationParameters = "TableCreationParameters",
    }

    /// An import's state.
    ImportTableDescription {
        import_arn: String = "ImportArn",
        import_status: Named<ImportStatus> = "ImportStatus",
        table_arn: String = "TableArn",
        table_id: String = "TableId",
        client_token: String = "ClientToken",
        s3_bucket_source: S3BucketSource = "S3BucketSource",
        error_count: i64 = "ErrorCount",
        cloud_watch_log_group_arn: String = "CloudWatchLogGroupArn",
        input_format: Named<InputFormat> = "InputFormat",
        input_format_options: InputFormatOptions = "InputFormatOptions",
        input_compression_type: Named<InputCompressionType> = "InputCompressionType",
        table_creation_parameters: TableCreationParameters = "TableCreationParameters",
        start_time: Moment = "StartTime",
        end_time: Moment = "EndTime",
        processed_size_bytes: i64 = "ProcessedSizeBytes",
        processed_item_count: i64 = "ProcessedItemCount",
        imported_item_count: i64 = "ImportedItemCount",
        failure_code: String = "FailureCode",
        failure_message: String = "FailureMessage",
    }

    /// The new import.
    ImportTableOutput {
        import_table_description: ImportTableDescription = "ImportTableDescription",
    }

    /// Requests an import's state.
    DescribeImportInput {
        import_arn: String = "ImportArn",
    }

    /// An import's state.
    DescribeImportOutput {
        import_table_description: ImportTableDescription = "ImportTableDescription",
    }

    /// Lists imports.
    ListImportsInput {
        table_arn: String = "TableArn",
        page_size: i64 = "PageSize",
        next_token: String = "NextToken",
    }

    /// An import's name and state.
    ImportSummary {
        import_arn: String = "ImportArn",
        import_status: Named<ImportStatus> = "ImportStatus",
        table_arn: String = "TableArn",
        s3_bucket_source: S3BucketSource = "S3BucketSource",
        cloud_watch_log_group_arn: String = "CloudWatchLogGroupArn",
        input_format: Named<InputFormat> = "InputFormat",
        start_time: Moment = "StartTime",
        end_time: Moment = "EndTime",
    }

    /// A page of imports.
    ListImportsOutput {
        import_summary_list: Vec<ImportSummary> = "ImportSummaryList",
        next_token: String = "NextToken",
    }
}

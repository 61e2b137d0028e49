//! Shapes of the streams endpoint.

use crate::Named;
use crate::named::words;
use crate::shape::{Moment, shapes};
use crate::table::{KeySchemaElement, StreamViewType};
use crate::value::Attributes;

words! {
    /// The kind of a shard filter.
    ShardFilterType {
        /// `CHILD_SHARDS`.
        ChildShards = "CHILD_SHARDS",
    }
}

words! {
    /// The status of a stream.
    StreamStatus {
        /// `ENABLING`.
        Enabling = "ENABLING",
        /// `ENABLED`.
        Enabled = "ENABLED",
        /// `DISABLING`.
        Disabling = "DISABLING",
        /// `DISABLED`.
        Disabled = "DISABLED",
    }
}

words! {
    /// The kind of a position in a shard.
    ShardIteratorType {
        /// `TRIM_HORIZON`.
        TrimHorizon = "TRIM_HORIZON",
        /// `LATEST`.
        Latest = "LATEST",
        /// `AT_SEQUENCE_NUMBER`.
        AtSequenceNumber = "AT_SEQUENCE_NUMBER",
        /// `AFTER_SEQUENCE_NUMBER`.
        AfterSequenceNumber = "AFTER_SEQUENCE_NUMBER",
        /// `AT_TIMESTAMP`.
        AtTimestamp = "AT_TIMESTAMP",
    }
}

words! {
    /// The kind of change of an item.
    OperationType {
        /// `INSERT`.
        Insert = "INSERT",
        /// `MODIFY`.
        Modify = "MODIFY",
        /// `REMOVE`.
        Remove = "REMOVE",
    }
}

shapes! {
    /// Lists streams.
    ListStreamsInput {
        table_name: String = "TableName",
        limit: i64 = "Limit",
        exclusive_start_stream_arn: String = "ExclusiveStartStreamArn",
    }

    /// A stream's names.
    StreamSummary {
        stream_arn: String = "StreamArn",
        table_name: String = "TableName",
        stream_label: String = "StreamLabel",
    }

    /// A page of streams.
    ListStreamsOutput {
        streams: Vec<StreamSummary> = "Streams",
        last_evaluated_stream_arn: String = "LastEvaluatedStreamArn",
    }

    /// The shards to list.
    ShardFilter {
        kind: Named<ShardFilterType> = "Type",
        shard_id: String = "ShardId",
    }

    /// Requests a stream's state and shards.
    DescribeStreamInput {
        stream_arn: String = "StreamArn",
        limit: i64 = "Limit",
        exclusive_start_shard_id: String = "ExclusiveStartShardId",
        shard_filter: ShardFilter = "ShardFilter",
    }

    /// The first record of a shard, and the last of a closed one.
    SequenceNumberRange {
        starting_sequence_number: String = "StartingSequenceNumber",
        ending_sequence_number: String = "EndingSequenceNumber",
    }

    /// A part of a stream.
    Shard {
        shard_id: String = "ShardId",
        sequence_number_range: SequenceNumberRange = "SequenceNumberRange",
        parent_shard_id: String = "ParentShardId",
    }

    /// A stream's state and shards.
    StreamDescription {
        stream_arn: String = "StreamArn",
        stream_label: String = "StreamLabel",
        stream_status: Named<StreamStatus> = "StreamStatus",
        stream_view_type: Named<StreamViewType> = "StreamViewType",
        creation_request_date_time: Moment = "CreationRequestDateTime",
        table_name: String = "TableName",
        key_schema: Vec<KeySchemaElement> = "KeySchema",
        shards: Vec<Shard> = "Shards",
        last_evaluated_shard_id: String = "LastEvaluatedShardId",
    }

    /// A stream's state and shards.
    DescribeStreamOutput {
        stream_description: StreamDescription = "StreamDescription",
    }

    /// Requests a position in a shard.
    GetShardIteratorInput {
        stream_arn: String = "StreamArn",
        shard_id: String = "ShardId",
        shard_iterator_type: Named<ShardIteratorType> = "ShardIteratorType",
        sequence_number: String = "SequenceNumber",
        timestamp: Moment = "Timestamp",
    }

    /// A position in a shard.
    GetShardIteratorOutput {
        shard_iterator: String = "ShardIterator",
    }

    /// Reads records from a position on.
    GetRecordsInput {
        shard_iterator: String = "ShardIterator",
        limit: i64 = "Limit",
    }

    /// The change of an item: its key and images.
    StreamRecord {
        approximate_creation_date_time: Moment = "ApproximateCreationDateTime",
        keys: Attributes = "Keys",
        new_image: Attributes = "NewImage",
        old_image: Attributes = "OldImage",
        sequence_number: String = "SequenceNumber",
        size_bytes: i64 = "SizeBytes",
        stream_view_type: Named<StreamViewType> = "StreamViewType",
    }

    /// The identity of the service, if expiry deleted the item.
    Identity {
        principal_id: String = "PrincipalId",
        kind: String = "Type",
    }

    /// One record of a stream. Only events of Lambda have the ARN of the stream.
    StreamEvent {
        event_id: String = "eventID",
        event_name: Named<OperationType> = "eventName",
        event_version: String = "eventVersion",
        event_source: String = "eventSource",
        aws_region: String = "awsRegion",
        event_source_arn: String = "eventSourceARN",
        dynamodb: StreamRecord = "dynamodb",
        user_identity: Identity = "userIdentity",
    }

    /// Records, and the position after them.
    GetRecordsOutput {
        records: Vec<StreamEvent> = "Records",
        next_shard_iterator: String = "NextShardIterator",
    }
}

//! The stored fields of records, and their names.

use super::stored::{Stored, record, stored_words};
use crate::table::backup::Backup;
use crate::table::shard::Shard;
use crate::table::stream::Stream;
use crate::table::transfer::{Export, Import};
use crate::table::{
    ActiveStream, Capacity, Expiry, Failure, Index, IndexKind, IndexProjection, Recovery, Restored,
    Settings, Table,
};
use keyfold_api::{
    BackupType, BillingMode, ContributorInsightsMode, ExportFormat, ExportStatus, ExportType,
    ExportViewType, FilterSpecification, ImportStatus, InputCompressionType, InputFormat,
    StreamViewType, TableClass, TableStatus,
};
use keyfold_codec::RawItem;
use keyfold_types::{Item, Value};

/// The version of records. It is raised when this version could not read the new ones.
const VERSION: u64 = 2;

/// Encodes data as a record.
pub(crate) fn encode(data: &impl Stored) -> RawItem {
    let item: Item = [("version", VERSION.to_value()), ("data", data.to_value())]
        .into_iter()
        .collect();
    RawItem::encode(&item)
}

/// Decodes a record; none when this version does not write it.
pub(crate) fn decode<T: Stored>(item: &RawItem) -> Option<T> {
    let item = item.to_item();
    if u64::from_value(item.get("version")?)? != VERSION {
        return None;
    }
    T::from_value(item.get("data")?)
}

stored_words!(
    BackupType,
    BillingMode,
    ContributorInsightsMode,
    ExportFormat,
    ExportStatus,
    ExportType,
    ExportViewType,
    ImportStatus,
    InputCompressionType,
    InputFormat,
    StreamViewType,
    TableClass,
    TableStatus
);

record! { Table {
    required {
        id = "id", name = "name", uuid = "uuid", creation_epoch_ms = "created", status = "status", key = "key",
    }
    indexes = "indexes",
    settings = "settings",
} }

record! { Settings {
    required {}
    capacity = "capacity",
    table_class = "class",
    deletion_protection = "protected",
    tags = "tags",
    stream = "stream",
    latest_stream = "latestStream",
    expiry = "expiry",
    encryption_key = "encryptionKey",
    recovery = "recovery",
    insights = "insights",
    policies = "policies",
    restored = "restored",
    keeps_changes = "keepsChanges",
    failure = "failure",
} }

record! { Capacity {
    required { mode = "mode", }
    on_demand_since = "onDemandSince",
    units = "units",
    last_increase = "lastIncrease",
    last_decrease = "lastDecrease",
    decreases = "decreases",
    on_demand_max = "onDemandMax",
    warm = "warm",
} }

record! { ActiveStream { required { id = "id", label = "label", view = "view", } shards = "shards", } }

record! { Expiry { required { attribute = "attribute", } is_complete = "complete", begun = "begun", } }

record! { Recovery { required { since_epoch_ms = "since", days = "days", } } }

record! { Restored {
    required { table_arn = "table", epoch_ms = "time", }
    backup_arn = "backup",
    source_uuid = "sourceUuid",
} }

record! { Failure { required { epoch_ms = "time", reason = "reason", } } }

record! { Index {
    required { id = "id", name = "name", kind = "kind", key = "key", projection = "projection", }
    capacity = "capacity",
    is_building = "building",
} }

record! { Stream {
    required {
        id = "id", table_name = "table", label = "label", view = "view", creation_epoch_ms = "created",
        key = "key", first_sequence = "first",
    }
    closed = "closed",
    shards = "shards",
} }

record! { Shard {
    required { id = "id", creation_epoch_ms = "created", first_sequence = "first", hashes = "hashes", }
    parent = "parent",
    closed = "closed",
} }

record! { Backup {
    required {
        id = "id", label = "label", name = "name", creation_epoch_ms = "created", table = "table", size = "size",
        kind = "kind", sequence = "sequence",
    }
    expires_epoch_ms = "expires",
    is_complete = "complete",
} }

record! { Export {
    required {
        id = "id", label = "label", table_name = "table", table_uuid = "uuid", status = "status",
        begun = "begun", moment = "moment", print = "print", bucket = "bucket", format = "format",
        kind = "kind", view = "view",
    }
    ended = "ended",
    is_begun = "isBegun",
    to = "to",
    token = "token",
    prefix = "prefix",
    filter = "filter",
    items = "items",
    bytes = "bytes",
    manifest = "manifest",
    failure = "failure",
} }

record! { FilterSpecification {
    required {}
    filter_expression = "filter",
    projection_expression = "projection",
    key_condition_expression = "keyCondition",
    expression_attribute_names = "names",
    expression_attribute_values = "values",
} }

record! { Import {
    required {
        id = "id", label = "label", status = "status", begun = "begun", print = "print", bucket = "bucket",
        prefix = "prefix", format = "format", compression = "compression", delimiter = "delimiter",
        table = "table",
    }
    ended = "ended",
    is_begun = "isBegun",
    token = "token",
    header = "header",
    bytes = "bytes",
    processed = "processed",
    imported = "imported",
    errors = "errors",
    failure = "failure",
} }

impl Stored for IndexKind {
    fn to_value(&self) -> Value {
        Value::from(if *self == IndexKind::Local {
            "local"
        } else {
            "global"
        })
    }

    fn from_value(value: &Value) -> Option<Self> {
        match String::from_value(value)?.as_str() {
            "local" => Some(IndexKind::Local),
            "global" => Some(IndexKind::Global),
            _ => None,
        }
    }
}

impl Stored for IndexProjection {
    fn to_value(&self) -> Value {
        match self {
            IndexProjection::All => Value::from("ALL"),
            IndexProjection::KeysOnly => Value::from("KEYS_ONLY"),
            IndexProjection::Include(names) => names.to_value(),
        }
    }

    fn from_value(value: &Value) -> Option<Self> {
        if matches!(value, Value::L(_)) {
            return Vec::from_value(value).map(IndexProjection::Include);
        }
        match String::from_value(value)?.as_str() {
            "ALL" => Some(IndexProjection::All),
            "KEYS_ONLY" => Some(IndexProjection::KeysOnly),
            _ => None,
        }
    }
}

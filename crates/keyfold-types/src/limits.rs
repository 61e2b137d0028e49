//! The limits of the data model and the API, each with its unit.
//!
//! Code and messages both use these constants. Sources: the DynamoDB developer guide ("Service, account,
//! and table quotas") and the API model's constraints.

/// Largest item, in bytes, attribute names included (400 KB).
pub const ITEM_BYTES_MAX: u64 = 400 * 1024;
/// Largest partition key value, in bytes.
pub const PARTITION_KEY_BYTES_MAX: usize = 2048;
/// Largest sort key value, in bytes.
pub const SORT_KEY_BYTES_MAX: usize = 1024;
/// Deepest nesting of lists and maps around a value, in levels.
pub const NESTING_LEVELS_MAX: usize = 31;
/// Significant digits of a number.
pub const NUMBER_DIGITS_MAX: u32 = 38;
/// Evaluated bytes after which a Query or Scan page ends (1 MB).
pub const PAGE_BYTES_MAX: u64 = 1024 * 1024;
/// Bytes of items in one BatchGetItem answer (16 MB).
pub const BATCH_GET_BYTES_MAX: u64 = 16 * 1024 * 1024;
/// Keys in one BatchGetItem request.
pub const BATCH_GET_KEYS_MAX: usize = 100;
/// Put and delete requests in one BatchWriteItem request.
pub const BATCH_WRITE_REQUESTS_MAX: usize = 25;
/// Actions in one transaction.
pub const TRANSACTION_ACTIONS_MAX: usize = 100;
/// Bytes of items in one transaction (4 MB).
pub const TRANSACTION_BYTES_MAX: u64 = 4 * 1024 * 1024;
/// The time for which a ClientRequestToken makes a request idempotent, in seconds.
pub const TOKEN_LIFETIME_S: u64 = 600;
/// Bytes of one expression string.
pub const EXPRESSION_BYTES_MAX: usize = 4096;
/// Bytes of all placeholders, with their names and values, in one request (2 MB).
pub const SUBSTITUTION_BYTES_MAX: u64 = 2 * 1024 * 1024;
/// Bytes of one placeholder, its `#` or `:` included.
pub const PLACEHOLDER_BYTES_MAX: usize = 255;
/// Operators and functions in one expression.
pub const EXPRESSION_OPERATORS_MAX: usize = 300;
/// Operands of one IN list.
pub const IN_OPERANDS_MAX: usize = 100;
/// Characters of a PartiQL statement.
pub const STATEMENT_CHARS_MAX: usize = 8192;
/// Largest index of a list element in an expression. The service refuses 4,294,967,295; its exact
/// limit is not known.
pub const LIST_INDEX_MAX: usize = i32::MAX as usize;
/// Bytes that the evaluation of a page's filter may examine; then the page ends early (64 MB). Our
/// own limit.
pub const PAGE_WORK_BYTES_MAX: u64 = 64 * 1024 * 1024;
/// Bytes that the evaluation of one write request's conditions may examine (512 MB). Our own limit.
pub const WRITE_WORK_BYTES_MAX: u64 = 512 * 1024 * 1024;
/// Dereferences in one document path.
pub const PATH_DEPTH_MAX: usize = 32;
/// Least characters of a table or index name.
pub const NAME_CHARS_MIN: usize = 3;
/// Most characters of a table or index name.
pub const NAME_CHARS_MAX: usize = 255;
/// Bytes of the name of a key attribute or a projected attribute.
pub const KEY_NAME_BYTES_MAX: usize = 255;
/// Bytes of any attribute name.
pub const ATTRIBUTE_NAME_BYTES_MAX: usize = 65535;
/// Local secondary indexes of one table.
pub const LOCAL_INDEXES_MAX: usize = 5;
/// Global secondary indexes of one table.
pub const GLOBAL_INDEXES_MAX: usize = 20;
/// Partition (or sort) key attributes of one global secondary index.
pub const INDEX_KEY_ATTRIBUTES_MAX: usize = 4;
/// NonKeyAttributes of one index.
pub const INDEX_PROJECTED_ATTRIBUTES_MAX: usize = 20;
/// NonKeyAttributes over all indexes of a table.
pub const PROJECTED_ATTRIBUTES_MAX: usize = 100;
/// Segments of a parallel scan.
pub const SCAN_SEGMENTS_MAX: u32 = 1_000_000;
/// Tables listed by one ListTables page.
pub const LIST_TABLES_MAX: u32 = 100;
/// Tags of one resource.
pub const TAGS_MAX: usize = 50;
/// Characters in the key of a tag, which has at least one.
pub const TAG_KEY_CHARS_MAX: usize = 128;
/// Characters in the value of a tag.
pub const TAG_VALUE_CHARS_MAX: usize = 256;

/// Whether keys and values of tags may have this character.
pub fn is_tag_text(c: char) -> bool {
    c.is_alphanumeric() || c.is_whitespace() || "_.:/=+-@".contains(c)
}

/// The least and the most use, in percent, that autoscaling of tables can hold. Source: "Managing
/// throughput capacity automatically with DynamoDB auto scaling".
pub const SCALING_TARGET_PERCENT: (u64, u64) = (20, 90);
/// Bytes of an item collection on a table with local secondary indexes (10 GB).
pub const ITEM_COLLECTION_BYTES_MAX: u64 = 10 * 1024 * 1024 * 1024;
/// Read units one partition serves in a second.
pub const PARTITION_READ_UNITS_S: u64 = 3000;
/// Write units one partition serves in a second.
pub const PARTITION_WRITE_UNITS_S: u64 = 1000;
/// Bytes one read unit covers.
pub const READ_UNIT_BYTES: u64 = 4096;
/// Bytes one write unit covers.
pub const WRITE_UNIT_BYTES: u64 = 1024;
/// Bytes of one HTTP request body: more than a 16 MB batch in base64 and JSON takes.
pub const REQUEST_BODY_BYTES_MAX: usize = 32 * 1024 * 1024;

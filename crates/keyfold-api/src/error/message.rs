//! The reasons of a ValidationException, and their words.
//!
//! The wording follows quotes of the service by its users; where no quote is known, the message is
//! our own.

use crate::value::{NESTING, ValueError};
use keyfold_expr::{ExprError, PlaceholderError, UpdateError};
use keyfold_types::ValueKind;
use keyfold_types::limits::{
    ATTRIBUTE_NAME_BYTES_MAX, BATCH_GET_BYTES_MAX, PARTITION_KEY_BYTES_MAX, SORT_KEY_BYTES_MAX,
    TRANSACTION_BYTES_MAX, WRITE_WORK_BYTES_MAX,
};
use std::fmt;

/// The reason for which a request is wrong.
#[derive(Debug, Clone, PartialEq)]
pub enum Validation {
    /// All members that break the model's lengths, ranges, patterns and words.
    Constraints(Vec<ConstraintBreach>),
    /// A value of a request member is wrong.
    Value(ValueError),
    /// A value of ExpressionAttributeValues is wrong.
    ExpressionValue {
        /// The placeholder.
        key: String,
        /// The error.
        error: ValueError,
    },
    /// An expression is wrong.
    Expression(ExprError),
    /// The placeholders are wrong.
    Placeholders(PlaceholderError),
    /// An update does not fit its item.
    Update(UpdateError),
    /// There are placeholders, but no expression.
    PlaceholdersWithoutExpression {
        /// `ExpressionAttributeNames` or `ExpressionAttributeValues`.
        member: &'static str,
        /// The expressions that could have used them.
        expressions: &'static str,
    },
    /// Legacy and expression parameters in one request.
    MixedParameters {
        /// The legacy parameters.
        legacy: Vec<&'static str>,
        /// The expression parameters.
        expressions: Vec<&'static str>,
    },
    /// A member that Keyfold does not support.
    Unsupported {
        /// The member.
        member: &'static str,
        /// The operation.
        operation: &'static str,
    },
    /// A key attribute is missing from an item.
    MissingKey(String),
    /// A key attribute of an item has the wrong type.
    KeyType {
        /// The attribute.
        name: String,
        /// The required type.
        expected: &'static str,
        /// The actual type.
        actual: &'static str,
    },
    /// A key attribute is empty.
    EmptyKey {
        /// The attribute.
        name: String,
        /// The type: text or binary.
        kind: ValueKind,
    },
    /// An index key attribute has the wrong type.
    IndexKeyType {
        /// The attribute.
        name: String,
        /// The required type.
        expected: &'static str,
        /// The actual type.
        actual: &'static str,
        /// The index.
        index: String,
    },
    /// An index key attribute is empty.
    EmptyIndexKey {
        /// The attribute.
        name: String,
        /// The index.
        index: String,
        /// The type: text or binary.
        kind: ValueKind,
    },
    /// An update that makes an index key attribute empty.
    UpdatedEmptyIndexKey {
        /// The attribute.
        name: String,
        /// The index.
        index: String,
        /// The type: text or binary.
        kind: ValueKind,
    },
    /// A path into a key attribute.
    KeyPath {
        /// The attribute.
        name: String,
        /// `Key` or `IndexKey`.
        member: &'static str,
    },
    /// The conditions of a request examine too many bytes.
    TooMuchWork,
    /// An index key attribute is too long.
    IndexKeySize {
        /// The attribute.
        name: String,
        /// Its length in bytes.
        actual: usize,
        /// The longest allowed.
        max: usize,
        /// The index.
        index: String,
    },
    /// The partition key value is above 2,048 bytes.
    PartitionKeySize,
    /// The sort key value is above 1,024 bytes.
    SortKeySize,
    /// A `Key` does not consist of exactly the key attributes with their types.
    KeySchemaMismatch,
    /// An item above 400 KB.
    ItemSize,
    /// An update that makes an item above 400 KB.
    UpdatedItemSize,
    /// Values nested too deeply.
    Nesting,
    /// An update of a key attribute.
    KeyUpdate(String),
    /// An update that gives an index key attribute a wrong type.
    UpdatedIndexKeyType,
    /// An update that makes an index key attribute too long.
    UpdatedIndexKeySize,
    /// A ReturnValues word that the operation does not accept.
    ReturnValues,
    /// The table has no such index.
    NoSuchIndex(String),
    /// A strong read of a global index.
    ConsistentReadOnGlobalIndex,
    /// The query has no key condition.
    NoKeyCondition,
    /// A key condition without the partition key.
    MissedKeyElement(String),
    /// A key condition that is not a range of keys.
    UnsupportedKeyCondition,
    /// A key condition with a value of another type than the attribute.
    ConditionType,
    /// A filter on a key attribute of a query.
    FilterOnKey {
        /// `Filter Expression` or `QueryFilter`.
        parameter: &'static str,
        /// The attribute.
        name: String,
    },
    /// A start key that does not fit the schema (Query).
    StartKey,
    /// A start key that does not fit the schema (Scan).
    ScanStartKey,
    /// A start key outside the requested range.
    StartKeyOutside,
    /// A start key of another partition.
    StartKeyPartition,
    /// A start key of another segment.
    StartKeySegment,
    /// ALL_ATTRIBUTES of a global index that does not project all attributes.
    SelectNotProjected(String),
    /// Requested attributes that a global index does not project.
    NotProjected {
        /// The index.
        index: String,
        /// The attributes.
        attributes: Vec<String>,
    },
    /// The same key twice in a batch.
    DuplicateKeys,
    /// Too many keys or requests in a batch.
    TooManyInBatch(&'static str),
    /// A batch above its size limit.
    BatchSize(&'static str),
    /// A write request that is neither or both of put and delete.
    WriteRequestShape,
    /// A transaction item that has no action or several.
    TransactItemShape,
    /// Two actions on one item.
    TransactDuplicate,
    /// A transaction above 4 MB.
    TransactSize,
    /// Parameters that do not fit each other or the table; the detail follows the usual prefix.
    Parameter(String),
    /// A complete message.
    Sentence(String),
    /// A key attribute of a table to create has no definition.
    KeyDefinition,
    /// An attribute name that is empty or above 65,535 bytes.
    AttributeName {
        /// Its length in bytes.
        bytes: usize,
    },
    /// A protected table cannot be deleted.
    DeletionProtected,
}

/// One member outside its constraint.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ConstraintBreach {
    /// The value as the message prints it.
    pub value: Breached,
    /// The member's path in lower camel case.
    pub path: String,
    /// The broken constraint.
    pub constraint: Constraint,
}

/// A value outside its constraint.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Breached {
    /// The member is missing.
    Null,
    /// The value as the message prints it.
    Text(String),
    /// The message omits the value.
    Omitted,
}

/// A constraint of the API model.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Constraint {
    /// The member is required.
    NotNull,
    /// Shortest length.
    LengthMin(usize),
    /// Longest length.
    LengthMax(usize),
    /// Lengths of a map's values.
    MapValueLength(usize, usize),
    /// Lengths of a list's members.
    MemberLength(usize, usize),
    /// Least value.
    Min(i64),
    /// Greatest value.
    Max(i64),
    /// A pattern.
    Pattern(&'static str),
    /// The words of which one is required.
    Words(Vec<&'static str>),
}

impl fmt::Display for Constraint {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Constraint::NotNull => write!(f, "Member must not be null"),
            Constraint::LengthMin(min) => {
                write!(f, "Member must have length greater than or equal to {min}")
            }
            Constraint::LengthMax(max) => {
                write!(f, "Member must have length less than or equal to {max}")
            }
            Constraint::MapValueLength(min, max) => write!(
                f,
                "Map value must satisfy constraint: [Member must have length less than or equal to {max}, Member must have length greater than or equal to {min}]"
            ),
            Constraint::MemberLength(min, max) => write!(
                f,
                "Member must satisfy constraint: [Member must have length less than or equal to {max}, Member must have length greater than or equal to {min}]"
            ),
            Constraint::Min(min) => {
                write!(f, "Member must have value greater than or equal to {min}")
            }
            Constraint::Max(max) => write!(f, "Member must have value less than or equal to {max}"),
            Constraint::Pattern(pattern) => {
                write!(
                    f,
                    "Member must satisfy regular expression pattern: {pattern}"
                )
            }
            Constraint::Words(words) => {
                write!(
                    f,
                    "Member must satisfy enum value set: [{}]",
                    words.join(", ")
                )
            }
        }
    }
}

impl fmt::Display for ConstraintBreach {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.value {
            Breached::Text(value) => write!(f, "Value '{value}'")?,
            Breached::Null => write!(f, "Value null")?,
            Breached::Omitted => write!(f, "Value")?,
        }
        write!(
            f,
            " at '{}' failed to satisfy constraint: {}",
            self.path, self.constraint
        )
    }
}

/// The type name of an empty key in messages.
fn long_name(kind: ValueKind) -> &'static str {
    if kind == ValueKind::B {
        "binary"
    } else {
        "string"
    }
}

/// Bytes of what messages call a megabyte.
const MIB: u64 = 1024 * 1024;
const INVALID: &str = "One or more parameter values were invalid: ";
const NOT_VALID: &str = "One or more parameter values are not valid. A value specified for a secondary index key is not supported. ";

impl fmt::Display for Validation {
    #[expect(
        clippy::too_many_lines,
        reason = "a table of sentences, one for each reason"
    )]
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Validation::Constraints(breaches) => {
                let noun = if breaches.len() == 1 {
                    "error"
                } else {
                    "errors"
                };
                write!(f, "{} validation {noun} detected: ", breaches.len())?;
                for (at, breach) in breaches.iter().enumerate() {
                    write!(f, "{}{breach}", if at > 0 { "; " } else { "" })?;
                }
                Ok(())
            }
            Validation::Value(error) => error.fmt(f),
            Validation::ExpressionValue { key, error } => {
                write!(
                    f,
                    "ExpressionAttributeValues contains invalid value: {error} for key {key}"
                )
            }
            Validation::Expression(error) => error.fmt(f),
            Validation::Placeholders(error) => error.fmt(f),
            Validation::Update(error) => error.fmt(f),
            Validation::PlaceholdersWithoutExpression {
                member,
                expressions,
            } => {
                write!(f, "{member} can only be specified when using expressions")?;
                if *member == "ExpressionAttributeValues" {
                    write!(f, ": {expressions}")
                } else {
                    Ok(())
                }
            }
            Validation::MixedParameters {
                legacy,
                expressions,
            } => write!(
                f,
                "Can not use both expression and non-expression parameters in the same request: Non-expression parameters: {{{}}} Expression parameters: {{{}}}",
                legacy.join(", "),
                expressions.join(", ")
            ),
            Validation::Unsupported { member, operation } => {
                write!(
                    f,
                    "Keyfold does not support {member} in {operation} (see COMPAT.md)"
                )
            }
            Validation::MissingKey(name) => {
                write!(f, "{INVALID}Missing the key {name} in the item")
            }
            Validation::KeyType {
                name,
                expected,
                actual,
            } => {
                write!(
                    f,
                    "{INVALID}Type mismatch for key {name} expected: {expected} actual: {actual}"
                )
            }
            Validation::EmptyKey { name, kind } => write!(
                f,
                "One or more parameter values are not valid. The AttributeValue for a key attribute cannot contain an empty {} value. Key: {name}",
                long_name(*kind)
            ),
            Validation::UpdatedEmptyIndexKey { name, index, kind } => write!(
                f,
                "One or more parameter values are not valid. The update expression attempted to update a secondary index key to a value that is not supported. The AttributeValue for a key attribute cannot contain an empty {} value. IndexName: {index}, IndexKey: {name}",
                long_name(*kind)
            ),
            Validation::KeyPath { name, member } => write!(
                f,
                "Key attributes must be scalars; list random access '[]' and map lookup '.' are not allowed: {member}: {name}"
            ),
            Validation::TooMuchWork => {
                write!(
                    f,
                    "{INVALID}The conditions of the request look at more than {WRITE_WORK_BYTES_MAX} bytes"
                )
            }
            Validation::IndexKeyType {
                name,
                expected,
                actual,
                index,
            } => write!(
                f,
                "{INVALID}Type mismatch for Index Key {name} Expected: {expected} Actual: {actual} IndexName: {index}"
            ),
            Validation::EmptyIndexKey { name, index, kind } => write!(
                f,
                "{NOT_VALID}The AttributeValue for a key attribute cannot contain an empty {} value. IndexName: {index}, IndexKey: {name}",
                long_name(*kind)
            ),
            Validation::IndexKeySize {
                name,
                actual,
                max,
                index,
            } => write!(
                f,
                "{INVALID}Size limit exceeded for Index Key {name} Actual Size: {actual} bytes Max Size: {max} bytes IndexName: {index}"
            ),
            Validation::PartitionKeySize => {
                write!(
                    f,
                    "{INVALID}Size of hashkey has exceeded the maximum size limit of{PARTITION_KEY_BYTES_MAX} bytes"
                )
            }
            Validation::SortKeySize => {
                write!(
                    f,
                    "{INVALID}Aggregated size of all range keys has exceeded the size limit of {SORT_KEY_BYTES_MAX} bytes"
                )
            }
            Validation::KeySchemaMismatch => {
                write!(f, "The provided key element does not match the schema")
            }
            Validation::ItemSize => write!(f, "Item size has exceeded the maximum allowed size"),
            Validation::UpdatedItemSize => {
                write!(
                    f,
                    "Item size to update has exceeded the maximum allowed size"
                )
            }
            Validation::Nesting => f.write_str(NESTING),
            Validation::KeyUpdate(name) => {
                write!(
                    f,
                    "{INVALID}Cannot update attribute {name}. This attribute is part of the key"
                )
            }
            Validation::UpdatedIndexKeyType => {
                write!(
                    f,
                    "The update expression attempted to update the secondary index key to unsupported type"
                )
            }
            Validation::UpdatedIndexKeySize => write!(
                f,
                "The update expression attempted to update the secondary index key beyond allowed size limits"
            ),
            Validation::ReturnValues => write!(f, "ReturnValues can only be ALL_OLD or NONE"),
            Validation::NoSuchIndex(index) => {
                write!(f, "The table does not have the specified index: {index}")
            }
            Validation::ConsistentReadOnGlobalIndex => {
                write!(
                    f,
                    "Consistent reads are not supported on global secondary indexes"
                )
            }
            Validation::NoKeyCondition => write!(
                f,
                "Either the KeyConditions or KeyConditionExpression parameter must be specified in the request."
            ),
            Validation::MissedKeyElement(name) => {
                write!(f, "Query condition missed key schema element: {name}")
            }
            Validation::UnsupportedKeyCondition => write!(f, "Query key condition not supported"),
            Validation::ConditionType => {
                write!(
                    f,
                    "{INVALID}Condition parameter type does not match schema type"
                )
            }
            Validation::FilterOnKey { parameter, name } => write!(
                f,
                "{parameter} can only contain non-primary key attributes: Primary key attribute: {name}"
            ),
            Validation::StartKey => write!(f, "The provided starting key is invalid"),
            Validation::ScanStartKey => write!(
                f,
                "The provided starting key is invalid: The provided key element does not match the schema"
            ),
            Validation::StartKeyOutside => {
                write!(
                    f,
                    "The provided starting key does not match the range key predicate"
                )
            }
            Validation::StartKeyPartition => {
                write!(
                    f,
                    "The provided starting key is outside query boundaries based on provided conditions"
                )
            }
            Validation::StartKeySegment => {
                write!(
                    f,
                    "The provided starting key is invalid: Invalid ExclusiveStartKey. Please use ExclusiveStartKey with correct Segment. TotalSegments and Segment must not change within a scan"
                )
            }
            Validation::SelectNotProjected(index) => write!(
                f,
                "{INVALID}Select type ALL_ATTRIBUTES is not supported for global secondary index {index} because its projection type is not ALL"
            ),
            Validation::NotProjected { index, attributes } => write!(
                f,
                "{INVALID}Global secondary index {index} does not project [{}]",
                attributes.join(", ")
            ),
            Validation::DuplicateKeys => {
                write!(f, "Provided list of item keys contains duplicates")
            }
            Validation::TooManyInBatch(operation) => {
                write!(f, "Too many items requested for the {operation} call")
            }
            Validation::BatchSize(operation) => {
                write!(
                    f,
                    "{INVALID}The items of a {operation} call exceed {} MB in total",
                    BATCH_GET_BYTES_MAX / MIB
                )
            }
            Validation::WriteRequestShape => write!(
                f,
                "Supplied AttributeValue has more than one datatypes set, must contain exactly one of the supported datatypes"
            ),
            Validation::TransactItemShape => {
                write!(
                    f,
                    "TransactItems can only contain one of Check, Put, Update or Delete"
                )
            }
            Validation::TransactDuplicate => {
                write!(
                    f,
                    "Transaction request cannot include multiple operations on one item"
                )
            }
            Validation::TransactSize => {
                write!(
                    f,
                    "{INVALID}The items of a transaction exceed {} MB in total",
                    TRANSACTION_BYTES_MAX / MIB
                )
            }
            Validation::Parameter(detail) => write!(f, "{INVALID}{detail}"),
            Validation::Sentence(sentence) => f.write_str(sentence),
            Validation::KeyDefinition => {
                write!(
                    f,
                    "Invalid KeySchema: Some index key attribute have no definition"
                )
            }
            Validation::AttributeName { bytes } => {
                write!(
                    f,
                    "{INVALID}Attribute names have 1 to {ATTRIBUTE_NAME_BYTES_MAX} bytes; one has {bytes}"
                )
            }
            Validation::DeletionProtected => write!(
                f,
                "Resource cannot be deleted as it is currently protected against deletion. Disable deletion protection first."
            ),
        }
    }
}

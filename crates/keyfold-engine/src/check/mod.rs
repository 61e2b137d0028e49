//! Checks that need no table, shared by all operations: the constraints of the service's model,
//! which are reported together, and the rules between parameters.

pub(crate) mod expressions;
pub(crate) mod keys;
pub(crate) mod legacy;

use crate::table::arn::{self, is_name_byte};
use keyfold_api::{
    ApiError, Breached, Constraint, ConstraintBreach, Named, ReturnConsumedCapacity,
    ReturnItemCollectionMetrics, Returns, Validation, WireName,
};
use keyfold_types::limits::{NAME_CHARS_MAX, NAME_CHARS_MIN, NESTING_LEVELS_MAX};

/// Breaches in one answer at the most.
const BREACHES_MAX: usize = 100;
/// Characters of the full name of a stream, backup, export or import.
const PART_ARN_CHARS: (usize, usize) = (37, 1024);
/// Characters of a bucket's name at the most.
const BUCKET_CHARS_MAX: usize = 255;
/// Characters of a ClientRequestToken at the most.
const REQUEST_TOKEN_CHARS_MAX: usize = 36;
/// The pattern of the names of tables and indexes.
const NAME_PATTERN: &str = "[a-zA-Z0-9_.-]+";

/// Collects breaches of constraints, so that one answer reports all.
#[derive(Default)]
pub(crate) struct Constraints {
    breaches: Vec<ConstraintBreach>,
}

impl Constraints {
    /// Adds a breach with its value, which is null if there is none.
    pub(crate) fn breach(
        &mut self,
        value: Option<String>,
        path: impl Into<String>,
        constraint: Constraint,
    ) {
        let value = value.map_or(Breached::Null, Breached::Text);
        self.add(ConstraintBreach {
            value,
            path: path.into(),
            constraint,
        });
    }

    /// Adds a breach whose value is not printed.
    pub(crate) fn breach_without_value(&mut self, path: impl Into<String>, constraint: Constraint) {
        self.add(ConstraintBreach {
            value: Breached::Omitted,
            path: path.into(),
            constraint,
        });
    }

    fn add(&mut self, breach: ConstraintBreach) {
        // A request may have a hundred thousand breaches.
        if self.breaches.len() < BREACHES_MAX {
            self.breaches.push(breach);
        }
    }

    /// A member that must be present.
    pub(crate) fn required<T>(&mut self, path: &str, member: &Option<T>) {
        if member.is_none() {
            self.breach(None, path, Constraint::NotNull);
        }
    }

    /// A member with a fixed set of words. Returns a known word.
    pub(crate) fn word<T: WireName>(&mut self, path: &str, member: &Option<Named<T>>) -> Option<T> {
        match member {
            None => None,
            Some(Named::Known(word)) => Some(*word),
            Some(Named::Unknown(text)) => {
                let words = T::WORDS.iter().map(|(_, word)| *word).collect();
                self.breach(Some(text.clone()), path, Constraint::Words(words));
                None
            }
        }
    }

    /// The range of a number.
    pub(crate) fn range(&mut self, path: &str, member: Option<i64>, min: i64, max: i64) {
        if let Some(value) = member {
            if value < min {
                self.breach(Some(value.to_string()), path, Constraint::Min(min));
            } else if value > max {
                self.breach(Some(value.to_string()), path, Constraint::Max(max));
            }
        }
    }

    /// The length of a text or list, which is `printed` in the breach.
    pub(crate) fn count(
        &mut self,
        path: &str,
        count: usize,
        printed: &str,
        min: usize,
        max: usize,
    ) {
        if count < min {
            self.breach(Some(printed.to_owned()), path, Constraint::LengthMin(min));
        } else if count > max {
            self.breach(Some(printed.to_owned()), path, Constraint::LengthMax(max));
        }
    }

    /// The length of a list, whose members are not printed.
    pub(crate) fn list(&mut self, path: &str, count: usize, min: usize, max: usize) {
        self.count(
            path,
            count,
            if count == 0 { "[]" } else { "[...]" },
            min,
            max,
        );
    }

    /// A table's name or ARN, which is required.
    pub(crate) fn table(&mut self, path: &str, member: &Option<String>) {
        match member {
            None => self.breach(None, path, Constraint::NotNull),
            Some(text) if text.is_empty() => {
                self.breach(Some(String::new()), path, Constraint::LengthMin(1));
            }
            Some(text) => self.name(path, arn::named_table(text), text),
        }
    }

    /// The full name of a part of a table (a stream, a backup, an export, an import), which is
    /// required.
    pub(crate) fn part_arn(&mut self, path: &str, member: &Option<String>) {
        self.required(path, member);
        self.part_arn_length(path, member);
    }

    /// The length of such a name, if there is one.
    pub(crate) fn part_arn_length(&mut self, path: &str, member: &Option<String>) {
        if let Some(arn) = member {
            let (min, max) = PART_ARN_CHARS;
            self.count(path, arn.len(), arn, min, max);
        }
    }

    /// The name of a bucket, which is required.
    pub(crate) fn bucket(&mut self, path: &str, member: &Option<String>) {
        self.required(path, member);
        if let Some(bucket) = member {
            self.count(path, bucket.len(), bucket, 1, BUCKET_CHARS_MAX);
        }
    }

    /// The token by which a repetition of a transaction is recognised.
    pub(crate) fn request_token(&mut self, member: &Option<String>) {
        if let Some(token) = member {
            let chars = token.chars().count();
            self.count(
                "clientRequestToken",
                chars,
                token,
                1,
                REQUEST_TOKEN_CHARS_MAX,
            );
        }
    }

    /// The table of a control operation. Its absence has a message of its own.
    pub(crate) fn control_table(&mut self, member: &Option<String>) -> Result<(), ApiError> {
        if member.is_none() {
            return Err(missing_table());
        }
        self.table("tableName", member);
        Ok(())
    }

    /// The name of a table, index or backup, which is `printed` in the breach.
    pub(crate) fn name(&mut self, path: &str, name: &str, printed: &str) {
        let printed = || Some(printed.to_owned());
        if !name.is_empty() && !name.bytes().all(is_name_byte) {
            self.breach(printed(), path, Constraint::Pattern(NAME_PATTERN));
        }
        let path: &str = path;
        if name.len() < NAME_CHARS_MIN {
            self.breach(printed(), path, Constraint::LengthMin(NAME_CHARS_MIN));
            if name.is_empty() {
                self.breach(printed(), path, Constraint::Pattern(NAME_PATTERN));
            }
        } else if name.len() > NAME_CHARS_MAX {
            self.breach(printed(), path, Constraint::LengthMax(NAME_CHARS_MAX));
        }
    }

    /// The options for the answer's extras.
    pub(crate) fn returns(&mut self, returns: &Returns) -> CheckedReturns {
        let capacity = self.word("returnConsumedCapacity", &returns.consumed_capacity);
        let metrics = self.word(
            "returnItemCollectionMetrics",
            &returns.item_collection_metrics,
        );
        CheckedReturns {
            capacity: capacity.unwrap_or(ReturnConsumedCapacity::None),
            collection_metrics: metrics == Some(ReturnItemCollectionMetrics::Size),
        }
    }

    /// Fails if there is a breach.
    pub(crate) fn finish(self) -> Result<(), ApiError> {
        if self.breaches.is_empty() {
            Ok(())
        } else {
            Err(Validation::Constraints(self.breaches).into())
        }
    }
}

/// The extras of an answer: capacity and collection metrics.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct CheckedReturns {
    pub(crate) capacity: ReturnConsumedCapacity,
    pub(crate) collection_metrics: bool,
}

/// A table's name or ARN in a request.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct TableName {
    /// The text of the request, which answers repeat.
    pub(crate) given: String,
}

impl TableName {
    pub(crate) fn new(given: Option<String>) -> TableName {
        TableName {
            given: given.unwrap_or_default(),
        }
    }

    pub(crate) fn name(&self) -> &str {
        arn::named_table(&self.given)
    }
}

/// The refusal of a control operation without a table.
pub(crate) fn missing_table() -> ApiError {
    let missing = "The parameter 'TableName' is required but was not present in the request";
    Validation::Sentence(missing.to_owned()).into()
}

/// A member that is present after the constraints were checked.
pub(crate) fn present<T>(member: Option<T>, path: &'static str) -> Result<T, ApiError> {
    member.ok_or_else(|| {
        let breach = ConstraintBreach {
            value: Breached::Null,
            path: path.to_owned(),
            constraint: Constraint::NotNull,
        };
        Validation::Constraints(vec![breach]).into()
    })
}

/// The attributes of a request.
///
/// # Errors
/// `Validation` when a value is invalid or nested too deeply.
pub(crate) fn attributes(
    member: Option<keyfold_api::Attributes>,
    path: &'static str,
) -> Result<keyfold_types::Item, ApiError> {
    let item = present(member, path)?.map_err(Validation::Value)?;
    if item.depth() > NESTING_LEVELS_MAX {
        return Err(Validation::Nesting.into());
    }
    Ok(item)
}

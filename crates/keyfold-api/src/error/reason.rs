//! The codes of a cancelled transaction's reasons.

/// The code of one action of a cancelled transaction.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum ReasonCode {
    /// The action itself did not fail.
    None,
    /// The condition does not hold.
    ConditionalCheckFailed,
    /// The action does not fit the present item.
    ValidationError,
    /// The item collection is above 10 GB.
    ItemCollectionSizeLimitExceeded,
    /// Another transaction holds the item.
    TransactionConflict,
    /// The statement inserts an item that exists.
    DuplicateItem,
    /// The capacity of an on-demand table is exhausted.
    ThrottlingError,
    /// The capacity of a provisioned table is exhausted.
    ProvisionedThroughputExceeded,
    /// The code is unknown here.
    Other,
}

impl ReasonCode {
    /// Every known code, once.
    pub const ALL: &'static [ReasonCode] = &[
        ReasonCode::None,
        ReasonCode::ConditionalCheckFailed,
        ReasonCode::ValidationError,
        ReasonCode::ItemCollectionSizeLimitExceeded,
        ReasonCode::TransactionConflict,
        ReasonCode::DuplicateItem,
        ReasonCode::ThrottlingError,
        ReasonCode::ProvisionedThroughputExceeded,
    ];

    /// The code's text in answers.
    pub const fn name(self) -> &'static str {
        match self {
            ReasonCode::None => "None",
            ReasonCode::ConditionalCheckFailed => "ConditionalCheckFailed",
            ReasonCode::ValidationError => "ValidationError",
            ReasonCode::ItemCollectionSizeLimitExceeded => "ItemCollectionSizeLimitExceeded",
            ReasonCode::TransactionConflict => "TransactionConflict",
            ReasonCode::DuplicateItem => "DuplicateItem",
            ReasonCode::ThrottlingError => "ThrottlingError",
            ReasonCode::ProvisionedThroughputExceeded => "ProvisionedThroughputExceeded",
            ReasonCode::Other => "Other",
        }
    }

    /// Parses the code of an answer.
    pub fn of(name: &str) -> ReasonCode {
        ReasonCode::ALL
            .iter()
            .copied()
            .find(|code| code.name() == name)
            .unwrap_or(ReasonCode::Other)
    }
}

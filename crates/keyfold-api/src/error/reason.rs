//! Codes of the reasons why a transaction was cancelled.

/// Why an action of a cancelled transaction was in its way.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum ReasonCode {
    /// It was not.
    None,
    /// Its condition does not hold.
    ConditionalCheckFailed,
    /// It does not fit the item it met.
    ValidationError,
    /// The item collection is above 10 GB.
    ItemCollectionSizeLimitExceeded,
    /// Another transaction holds the item.
    TransactionConflict,
    /// The statement inserts an item that exists.
    DuplicateItem,
    /// Capacity of an on-demand table is used up.
    ThrottlingError,
    /// Capacity of a provisioned table is used up.
    ProvisionedThroughputExceeded,
    /// One that is not known here.
    Other,
}

impl ReasonCode {
    /// Every code that is known, once.
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

    /// The code as answers have it.
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

    /// The code that an answer has.
    pub fn of(name: &str) -> ReasonCode {
        ReasonCode::ALL
            .iter()
            .copied()
            .find(|code| code.name() == name)
            .unwrap_or(ReasonCode::Other)
    }
}

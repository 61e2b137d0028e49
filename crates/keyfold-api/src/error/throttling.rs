//! The answer to a request that meets used-up capacity.

use super::{ErrorKind, ReasonCode};

/// Why a request has to wait.
#[derive(Debug, Clone, PartialEq)]
pub struct Throttling {
    /// Whether the table is paid by request, which makes it another exception.
    pub is_on_demand: bool,
    /// Whether an index lacks the capacity, not the table.
    pub is_index: bool,
    /// The exhausted resources; never empty.
    pub reasons: Vec<ThrottlingReason>,
}

/// One thing that is used up.
#[derive(Debug, Clone, PartialEq)]
pub struct ThrottlingReason {
    /// Such as `TableReadProvisionedThroughputExceeded`.
    pub reason: String,
    /// The full name of the table or index.
    pub resource: String,
}

impl Throttling {
    /// The exception's kind.
    pub fn kind(&self) -> ErrorKind {
        if self.is_on_demand {
            ErrorKind::Throttling
        } else {
            ErrorKind::ProvisionedThroughputExceeded
        }
    }

    /// The reason's code in a cancelled transaction or a batch of statements.
    pub fn code(&self) -> ReasonCode {
        if self.is_on_demand {
            ReasonCode::ThrottlingError
        } else {
            ReasonCode::ProvisionedThroughputExceeded
        }
    }

    /// The sentence.
    pub fn message(&self) -> &'static str {
        if self.is_on_demand {
            "Throughput exceeds the current capacity of your table or index. DynamoDB is automatically scaling \
             your table or index so please try again shortly. If exceptions persist, check if you have a hot \
             key: https://docs.aws.amazon.com/amazondynamodb/latest/developerguide/bp-partition-key-design.html"
        } else if self.is_index {
            "The level of configured provisioned throughput for one or more global secondary indexes of the \
             table was exceeded. Consider provisioning your under-provisioned global secondary indexes with \
             the UpdateTable API"
        } else {
            "The level of configured provisioned throughput for the table was exceeded. Consider increasing \
             your provisioning level with the UpdateTable API."
        }
    }
}

//! The answer to a request for which capacity is exhausted.

use super::kind::ErrorKind;
use super::reason::ReasonCode;

/// The exhausted capacity that a request met.
#[derive(Debug, Clone, PartialEq)]
pub struct Throttling {
    /// Whether the table is on-demand, which has another exception.
    pub is_on_demand: bool,
    /// Whether the capacity of an index is exhausted, not that of the table.
    pub is_index: bool,
    /// The exhausted resources; never empty.
    pub reasons: Vec<ThrottlingReason>,
}

/// One exhausted resource.
#[derive(Debug, Clone, PartialEq)]
pub struct ThrottlingReason {
    /// The reason, such as `TableReadProvisionedThroughputExceeded`.
    pub reason: String,
    /// The ARN of the table or index.
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

    /// The exception's message.
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

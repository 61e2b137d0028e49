//! Records that a function handles together, and what may become of them.

/// What came of an invocation.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Reply {
    /// The function returned this text, which is JSON as a rule.
    Returned(String),
    /// The function failed: `Handled` or `Unhandled`, and its error.
    Failed(&'static str, String),
    /// The function was not called, or nobody knows. This uses up no retry.
    Unreachable(String),
}

/// A record that a function handles.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Entry {
    pub(crate) number: String,
    /// The moment of the change, milliseconds since 1970.
    pub(crate) written_ms: u64,
    /// The record in the event.
    pub(crate) json: String,
    /// A hash of the item's key.
    pub(crate) key: u64,
}

/// Records that are handled together.
#[derive(Debug, Clone, Default, PartialEq)]
pub(crate) struct Part {
    pub(crate) entries: Vec<Entry>,
    /// How often the function was called with them.
    pub(crate) invoked: u32,
    /// The ID of the last call.
    pub(crate) id: String,
    /// The function's last answer; `None` before there is one.
    pub(crate) answer: Option<Answer>,
    /// The failures that use up retries.
    pub(crate) failures: u32,
    /// The failures for which the next try waits longer.
    pub(crate) pauses: u32,
}

/// What a function has answered that has not handled all records.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Answer {
    /// It has returned, and said that records are left.
    Returned,
    /// It has failed: the kind of its error.
    Failed(&'static str),
}

impl Answer {
    /// The kind of its error.
    pub(crate) fn error(self) -> Option<&'static str> {
        match self {
            Answer::Returned => None,
            Answer::Failed(kind) => Some(kind),
        }
    }
}

/// What an answer means for a batch.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Outcome {
    /// All records are handled.
    All,
    /// Those before this one are handled.
    UpTo(usize),
    /// None is: what the function has answered, and why.
    Failed(Answer, String),
    /// The function was not called.
    Unreachable(String),
}

/// Why a batch is discarded.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Condition {
    RetryAttemptsExhausted,
    RecordAgeExceeded,
}

impl Condition {
    pub(crate) fn name(self) -> &'static str {
        match self {
            Condition::RetryAttemptsExhausted => "RetryAttemptsExhausted",
            Condition::RecordAgeExceeded => "RecordAgeExceeded",
        }
    }
}

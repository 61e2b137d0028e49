//! The report of a proof.

use std::fmt;

/// What is being done.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Phase {
    /// Rows are made and written.
    Writing,
    /// Patterns are asked.
    Asking,
    /// Rows are changed and deleted.
    Changing,
    /// Patterns are asked again.
    AskingAgain,
    /// Everything in the tables is looked at.
    Checking,
    /// The shortest way to a failure is looked for.
    Shrinking,
}

impl fmt::Display for Phase {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Phase::Writing => "writing",
            Phase::Asking => "asking",
            Phase::Changing => "changing",
            Phase::AskingAgain => "asking again",
            Phase::Checking => "checking",
            Phase::Shrinking => "shortening",
        })
    }
}

/// How far a phase is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Progress {
    /// The phase.
    pub phase: Phase,
    /// Steps done.
    pub done: usize,
    /// Steps in all.
    pub total: usize,
}

/// What a pattern answered.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct PatternReport {
    /// Its name.
    pub name: String,
    /// How often it was asked, with how many arguments and page sizes.
    pub runs: usize,
    /// Items in all answers.
    pub items: usize,
    /// Answers with at least one item.
    pub answered: usize,
    /// Requests in all.
    pub requests: u64,
    /// What went wrong.
    pub failures: Vec<Failure>,
}

/// Something that is not as it must be.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Failure {
    /// What was done: a pattern with its arguments, a write, the look at the tables.
    pub what: String,
    /// What must be.
    pub expected: String,
    /// What is.
    pub found: String,
}

/// What a proof found.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Report {
    /// The seed, with which it can be repeated.
    pub seed: u64,
    /// Rows that were written at first.
    pub rows: usize,
    /// Writes that were made.
    pub writes: usize,
    /// Writes that had to be refused, and were.
    pub refused: usize,
    /// Items that were looked at in the end.
    pub stored_items: usize,
    /// Aggregates that were compared with SQL.
    pub aggregates: usize,
    /// Each pattern.
    pub patterns: Vec<PatternReport>,
    /// What went wrong outside of patterns.
    pub failures: Vec<Failure>,
    /// The fewest writes after which something is wrong, and what that is.
    pub smallest: Option<Smallest>,
}

/// The shortest way to a failure that was found.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Smallest {
    /// The writes, one a line, in their order.
    pub writes: Vec<String>,
    /// What is wrong after them.
    pub failure: Failure,
}

impl Report {
    /// Everything that went wrong.
    pub fn all_failures(&self) -> impl Iterator<Item = &Failure> {
        self.patterns
            .iter()
            .flat_map(|pattern| &pattern.failures)
            .chain(&self.failures)
    }

    /// Whether nothing went wrong.
    pub fn is_proved(&self) -> bool {
        self.all_failures().next().is_none()
    }

    /// Patterns that never answered an item: nothing is proved of them.
    pub fn unanswered(&self) -> impl Iterator<Item = &str> {
        self.patterns
            .iter()
            .filter(|pattern| pattern.answered == 0)
            .map(|pattern| pattern.name.as_str())
    }
}

//! The progress and the report of a proof.

use std::fmt;

/// A phase of a proof.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Phase {
    /// Rows are generated and written.
    Writing,
    /// Patterns are asked.
    Asking,
    /// Rows are changed and deleted.
    Changing,
    /// Patterns are asked again.
    AskingAgain,
    /// Everything that is stored is checked.
    Checking,
    /// The smallest history of a failure is searched.
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

/// The progress of a phase.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Progress {
    /// The phase.
    pub phase: Phase,
    /// Steps done.
    pub done: usize,
    /// Steps in all.
    pub total: usize,
}

/// Sees how far a proof is, and may stop it. A closure that takes [`Progress`] is one that never does.
pub trait Watch {
    /// A proof is so far: whether it goes on.
    fn step(&mut self, progress: Progress) -> bool;
}

impl<F: FnMut(Progress)> Watch for F {
    fn step(&mut self, progress: Progress) -> bool {
        self(progress);
        true
    }
}

/// The questions and answers of a pattern.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct PatternReport {
    /// Its name.
    pub name: String,
    /// The number of questions, with different arguments and page sizes.
    pub runs: usize,
    /// Items in all answers.
    pub items: usize,
    /// Answers with at least one item.
    pub answered: usize,
    /// Requests in all.
    pub requests: u64,
    /// The failures.
    pub failures: Vec<Failure>,
}

/// A difference between the model and SQL, or a broken promise.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Failure {
    /// The question: a pattern with its arguments, a write, or a stored item.
    pub what: String,
    /// The required outcome.
    pub expected: String,
    /// The actual outcome.
    pub found: String,
}

/// The report of a proof.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Report {
    /// The seed that repeats the proof.
    pub seed: u64,
    /// Rows after the first phase.
    pub rows: usize,
    /// Writes in all.
    pub writes: usize,
    /// Writes that both sides refused.
    pub refused: usize,
    /// Transactions of several writes.
    pub transactions: usize,
    /// Transactions of several writes that were carried out.
    pub transacted: usize,
    /// Transactions that were refused because two of their writes meet in an item.
    pub met: usize,
    /// Requests that were delivered twice.
    pub repeated: usize,
    /// Requests whose answer was lost, so that the client reported an unknown outcome.
    pub unknown: usize,
    /// Batches of keys that were read.
    pub batches: usize,
    /// Stored items that were checked at the end.
    pub stored_items: usize,
    /// Workers that were killed while they kept views.
    pub killed: usize,
    /// Aggregates that were compared with SQL.
    pub aggregates: usize,
    /// What never held, never was stored or never counted: nothing of it was proved.
    pub never: Vec<Never>,
    /// The patterns, in the model's order.
    pub patterns: Vec<PatternReport>,
    /// The failures outside of patterns.
    pub failures: Vec<Failure>,
    /// The smallest history of the first failure.
    pub smallest: Option<Smallest>,
}

/// A part of the model that had no effect in the whole proof.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Never {
    /// What it is.
    pub kind: NeverKind,
    /// Its name: `Author.books`, `Order.byDay`, "`update Product` in place_order", `DailySales`.
    pub name: String,
}

/// The kind of a part that had no effect.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum NeverKind {
    /// An aggregate that never counted an item.
    Aggregate,
    /// A copy that was never stored.
    Copy,
    /// The condition of an action of a write, which never held.
    Condition,
    /// A view that never had a row.
    View,
}

impl NeverKind {
    /// Its word in reports.
    pub fn word(self) -> &'static str {
        match self {
            NeverKind::Aggregate => "aggregate",
            NeverKind::Copy => "copy",
            NeverKind::Condition => "condition",
            NeverKind::View => "view",
        }
    }
}

impl fmt::Display for Never {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let name = &self.name;
        match self.kind {
            NeverKind::Aggregate => write!(f, "the aggregate {name} never counted an item"),
            NeverKind::Copy => write!(f, "the copy {name} was never stored"),
            NeverKind::Condition => write!(f, "the condition of {name} never held"),
            NeverKind::View => write!(f, "the view {name} never had a row"),
        }
    }
}

/// The smallest history of a failure.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Smallest {
    /// The writes in order, each as a line of the command.
    pub writes: Vec<String>,
    /// The failure after them.
    pub failure: Failure,
}

impl Report {
    /// All failures.
    pub fn all_failures(&self) -> impl Iterator<Item = &Failure> {
        self.patterns
            .iter()
            .flat_map(|pattern| &pattern.failures)
            .chain(&self.failures)
    }

    /// Whether there are no failures.
    pub fn is_proved(&self) -> bool {
        self.all_failures().next().is_none()
    }
}

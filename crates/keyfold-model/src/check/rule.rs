//! A rule of the compiler: a code, what it means, why it matters, and an example that breaks it
//! beside one that does not.
//!
//! The table of all rules is in `rules.rs`.

use std::fmt::Write as _;

/// A rule of the compiler.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Rule {
    /// `KF010`.
    pub code: &'static str,
    /// Its name in a word.
    pub name: &'static str,
    /// The demand, in a sentence.
    pub summary: &'static str,
    /// Why that matters.
    pub why: &'static str,
    /// A model that breaks it.
    pub failing: &'static str,
    /// The same model, repaired.
    pub repaired: &'static str,
}

impl Rule {
    /// Whether a model that breaks it can be used all the same.
    pub fn is_warning(&self) -> bool {
        self.code >= "KF030"
    }

    /// The rule as a page of Markdown.
    pub fn markdown(&self) -> String {
        let mut out = String::new();
        let kind = if self.is_warning() {
            "warning"
        } else {
            "error"
        };
        let _infallible = write!(
            out,
            "## {} {} ({kind})\n\n**{}**\n\n{}\n\nThis breaks it:\n\n```text\n{}```\n\nThis does not:\n\n```text\n{}```\n",
            self.code, self.name, self.summary, self.why, self.failing, self.repaired
        );
        out
    }
}

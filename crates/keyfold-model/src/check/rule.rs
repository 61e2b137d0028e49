//! A rule of the compiler: its code, its demand, the reason, and an example that breaks it beside
//! one that does not.
//!
//! The table of all rules is in `rules.rs`.

use super::markdown;

/// A rule of the compiler.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Rule {
    /// Its code: `KF010`.
    pub code: &'static str,
    /// Its name, in one word.
    pub name: &'static str,
    /// The demand of the rule, in one or two sentences of Markdown.
    pub summary: &'static str,
    /// The reason for the rule, as a paragraph of Markdown.
    pub why: &'static str,
    /// A model that breaks it.
    pub failing: &'static str,
    /// The same model, repaired.
    pub repaired: &'static str,
}

impl Rule {
    /// Whether a violation is a warning: the model can still be used.
    pub fn is_warning(&self) -> bool {
        self.code >= "KF030"
    }

    /// The section of the rule in `docs/rules.md`.
    pub(super) fn markdown(&self) -> String {
        let kind = if self.is_warning() {
            "warning"
        } else {
            "error"
        };
        let summary = markdown::wrapped(&format!("**{}**", self.summary));
        let why = markdown::wrapped(self.why);
        format!(
            "## {} {} ({kind})\n\n{summary}\n\n{why}\n\nThis breaks it:\n\n```text\n{}```\n\nThis does not:\n\n```text\n{}```\n",
            self.code, self.name, self.failing, self.repaired
        )
    }
}

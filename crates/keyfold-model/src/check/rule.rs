//! What a rule is: a code, what it means, why it matters, and an example that breaks it beside one that does not.
//!
//! `keyfold explain` and `docs/rules.md` are made from these texts; a test compiles every example.

use super::{
    bounded_item, covered, declared_once, disjoint, exact, filtered, fits, followed, grammar, hot_partition,
    injective, known, one_value, ordered, over_indexed, served, single, unbounded, unused_index, up_to_now,
};
use std::fmt::Write as _;

/// A rule of the compiler.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Rule {
    /// `KF010`.
    pub code: &'static str,
    /// Its name in a word.
    pub name: &'static str,
    /// What it demands, in a sentence.
    pub summary: &'static str,
    /// Why that matters.
    pub why: &'static str,
    /// A model that breaks it.
    pub failing: &'static str,
    /// The same model, repaired.
    pub repaired: &'static str,
}

/// All rules, by code. Up to KF029 they are errors, from KF030 on warnings.
pub const RULES: [Rule; 20] = [
    grammar::RULE,
    known::RULE,
    declared_once::RULE,
    fits::RULE,
    served::RULE,
    exact::RULE,
    disjoint::RULE,
    injective::RULE,
    ordered::RULE,
    covered::RULE,
    followed::RULE,
    single::RULE,
    one_value::RULE,
    hot_partition::RULE,
    unbounded::RULE,
    unused_index::RULE,
    over_indexed::RULE,
    filtered::RULE,
    bounded_item::RULE,
    up_to_now::RULE,
];

impl Rule {
    /// The rule of a code, in any case: `kf012`, of its number, or of its name.
    pub fn of_code(code: &str) -> Option<&'static Rule> {
        let number = code.trim_start_matches(['K', 'F', 'k', 'f']);
        let is_it = |rule: &&Rule| {
            rule.code.eq_ignore_ascii_case(code)
                || rule.name.eq_ignore_ascii_case(code)
                || rule
                    .code
                    .strip_prefix("KF")
                    .is_some_and(|own| own.trim_start_matches('0') == number.trim_start_matches('0'))
        };
        RULES.iter().find(is_it)
    }

    /// Whether a model that breaks it can be used all the same.
    pub fn is_warning(&self) -> bool {
        self.code >= "KF030"
    }

    /// The rule as a page of Markdown.
    pub fn markdown(&self) -> String {
        let mut out = String::new();
        let kind = if self.is_warning() { "warning" } else { "error" };
        let _infallible = write!(
            out,
            "## {} {} ({kind})\n\n**{}**\n\n{}\n\nThis breaks it:\n\n```text\n{}```\n\nThis does not:\n\n```text\n{}```\n",
            self.code, self.name, self.summary, self.why, self.failing, self.repaired
        );
        out
    }
}

/// The page with all rules, as `docs/rules.md` holds it.
pub fn all_markdown() -> String {
    let mut out = String::from(
        "# Rules\n\nWhat the compiler proves, and what it warns of. `keyfold explain KF012` prints the same text.\n\n",
    );
    out.push_str("| code | rule | |\n|---|---|---|\n");
    for rule in &RULES {
        let _infallible = writeln!(
            out,
            "| [{}](#{}-{}-{}) | {} | {} |",
            rule.code,
            rule.code.to_lowercase(),
            rule.name.replace(' ', "-"),
            if rule.is_warning() { "warning" } else { "error" },
            rule.name,
            rule.summary
        );
    }
    for rule in &RULES {
        out.push('\n');
        out.push_str(&rule.markdown());
    }
    out
}

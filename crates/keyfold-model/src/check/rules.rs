//! The table of all rules. `keyfold explain` and `docs/rules.md` show their texts; a test compiles
//! every example.

use super::markdown;
use super::rule::Rule;
use super::{
    bounded_item, covered, declared_once, disjoint, exact, filtered, fits, followed, grammar,
    hot_partition, injective, kept, keyless_copy, known, meant, never_made, one_value, ordered,
    over_indexed, served, shared, single, unbounded, unused_index, up_to_now, used, whole,
};
use std::fmt::Write as _;

/// All rules, by code. Up to KF029 they are errors, from KF030 on warnings.
pub const RULES: [Rule; 27] = [
    grammar::RULE,
    known::RULE,
    declared_once::RULE,
    fits::RULE,
    whole::RULE,
    shared::RULE,
    served::RULE,
    exact::RULE,
    disjoint::RULE,
    injective::RULE,
    ordered::RULE,
    covered::RULE,
    followed::RULE,
    single::RULE,
    one_value::RULE,
    kept::RULE,
    hot_partition::RULE,
    unbounded::RULE,
    unused_index::RULE,
    over_indexed::RULE,
    filtered::RULE,
    bounded_item::RULE,
    up_to_now::RULE,
    meant::RULE,
    never_made::RULE,
    used::RULE,
    keyless_copy::RULE,
];

impl Rule {
    /// The rule with a code (`kf012`, in any case), a number (`12`) or a name; `None` if there is
    /// none.
    pub fn of_code(code: &str) -> Option<&'static Rule> {
        let number = code.trim_start_matches(['K', 'F', 'k', 'f']);
        let matches = |rule: &&Rule| {
            rule.code.eq_ignore_ascii_case(code)
                || rule.name.eq_ignore_ascii_case(code)
                || rule.code.strip_prefix("KF").is_some_and(|own| {
                    own.trim_start_matches('0') == number.trim_start_matches('0')
                })
        };
        RULES.iter().find(matches)
    }
}

/// The document of all rules, as `docs/rules.md` holds it: prose wrapped, tables and code not.
pub fn all_markdown() -> String {
    let introduction = "The compiler refuses a model that breaks a rule marked as an error, and \
        reports a warning for each of the others. `keyfold explain KF012` prints the text of a rule.";
    let mut out = format!(
        "# Rules\n\n{}\n\n| code | rule | |\n|---|---|---|\n",
        markdown::wrapped(introduction)
    );
    for rule in &RULES {
        let _infallible = writeln!(
            out,
            "| [{}](#{}-{}-{}) | {} | {} |",
            rule.code,
            rule.code.to_lowercase(),
            rule.name.replace(' ', "-"),
            if rule.is_warning() {
                "warning"
            } else {
                "error"
            },
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

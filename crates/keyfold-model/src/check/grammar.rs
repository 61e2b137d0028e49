//! KF001, grammar: the text follows the language. Judged by `syntax`.

use super::rule::Rule;

pub(crate) const RULE: Rule = Rule {
    code: "KF001",
    name: "grammar",
    summary: "The text follows the grammar of the language.",
    why: "A line that cannot be read is reported with what was expected there, and left out; the lines behind it are still read, so that one run reports everything. A declaration starts in the first column, what belongs to it is indented.",
    failing: r##"model m 1
tabel Shop (PK, SK)
"##,
    repaired: r##"model m 1
table Shop (PK, SK)
"##,
};

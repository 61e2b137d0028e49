//! KF001, grammar: the text follows the grammar of the language. `syntax` checks it.

use super::rule::Rule;

pub(crate) const RULE: Rule = Rule {
    code: "KF001",
    name: "grammar",
    summary: "The text follows the grammar of the language.",
    why: "The compiler skips a line that it cannot read, and reports what it expected there. It \
        still reads the lines behind it, so one run reports everything. A declaration starts in \
        the first column; the lines that belong to it are indented.",
    failing: r##"model m 1
tabel Shop (PK, SK)
"##,
    repaired: r##"model m 1
table Shop (PK, SK)
"##,
};

//! KF003, declared once: every name is declared once. `resolve` checks it.

use super::rule::Rule;

pub(crate) const RULE: Rule = Rule {
    code: "KF003",
    name: "declared-once",
    summary: "Every name is declared once.",
    why: "If two entities, patterns or attributes had the same name, a reference to it would be \
        ambiguous.",
    failing: r##"model m 1
table Shop (PK, SK)
entity User
  userId: string, userId: int
  key  "USER#{userId}"  "PROFILE"
"##,
    repaired: r##"model m 1
table Shop (PK, SK)
entity User
  userId: string, age: int
  key  "USER#{userId}"  "PROFILE"
"##,
};

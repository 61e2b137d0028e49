//! KF003, declared once: no name means two things. Judged by `resolve`.

use super::rule::Rule;

pub(crate) const RULE: Rule = Rule {
    code: "KF003",
    name: "declared-once",
    summary: "No name means two things.",
    why: "Two entities, patterns or attributes of one name would make every mention of it a riddle.",
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

//! KF002, known: every name means something. Judged by `resolve`.

use super::rule::Rule;

pub(crate) const RULE: Rule = Rule {
    code: "KF002",
    name: "known",
    summary: "Every name means something: entities, attributes, indexes, types are declared.",
    why: "A key is made of attributes that the entity has, a pattern returns entities that exist. A name that is nearly one that exists is most often a slip of the pen; the compiler proposes it.",
    failing: r##"model m 1
table Shop (PK, SK)
entity User
  userId: string
  key  "USER#{usrId}"  "PROFILE"
"##,
    repaired: r##"model m 1
table Shop (PK, SK)
entity User
  userId: string
  key  "USER#{userId}"  "PROFILE"
"##,
};

//! KF002, known: every name is declared. `resolve` checks it.

use super::rule::Rule;

pub(crate) const RULE: Rule = Rule {
    code: "KF002",
    name: "known",
    summary: "Every name is declared: entities, attributes, indexes and types.",
    why: "A key is made of attributes that the entity has, and a pattern returns entities that \
        exist. A name that is close to a declared one is most often a typing error, so the \
        compiler proposes the declared one.",
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

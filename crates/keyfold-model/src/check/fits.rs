//! KF004, fits: keys have the types of their attributes, and names and numbers are within
//! DynamoDB's limits. `resolve` checks it.

use super::rule::Rule;

pub(crate) const RULE: Rule = Rule {
    code: "KF004",
    name: "fits",
    summary: "Values fit where they are used: keys have the types of their attributes, and names and \
        numbers are within DynamoDB's limits.",
    why: "A key attribute is a text, a number or bytes, and is never missing or empty. A number key \
        is a single attribute without quotes; a text key is a template. The compiler refuses what \
        DynamoDB would refuse when the first item is written. Tables whose names begin with `keyfold_` \
        are those in which Keyfold keeps leases, failures and the states of views.",
    failing: r##"model m 1
table Game (PK, SK: number)
entity Score
  userId: string, points: int
  key  "USER#{userId}"  "{points}"
"##,
    repaired: r##"model m 1
table Game (PK, SK: number)
entity Score
  userId: string, points: int
  key  "USER#{userId}"  {points}
"##,
};

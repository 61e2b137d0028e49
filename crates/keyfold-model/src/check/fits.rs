//! KF004, fits: keys have the types of their attributes, names and numbers are what DynamoDB
//! accepts. Judged by `resolve`.

use super::rule::Rule;

pub(crate) const RULE: Rule = Rule {
    code: "KF004",
    name: "fits",
    summary: "Values fit where they stand: keys have the types of their attributes, names and numbers are those that DynamoDB accepts.",
    why: "A key attribute is text, a number or bytes, and is never missing or empty. A number key is one attribute without quotes; a text key is made of texts. What would be refused when the first item is written is refused here.",
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

//! KF016, followed: what is derived follows every change. Judged by `resolve` and
//! `plan::next_greatest`.

use super::rule::Rule;

pub(crate) const RULE: Rule = Rule {
    code: "KF016",
    name: "followed",
    summary: "A change of an attribute carries everything along that follows from it: index keys, copies, guards, aggregates, as one update or one transaction. A change that cannot is an error.",
    why: "The second most frequent mistake with a single table is to update an item and to forget its copies. Writes through the model compute what follows from the old and the new attributes and change all of it together. What cannot follow is refused: a key does not change, what the model keeps (`count`, `sum`, `max`, `version`) is not written by hand, and two actions of one write must not meet one item.",
    failing: r##"model m 1
table Shop (PK, SK)
entity Order
  orderId: string, status: string
  key  "ORDER#{orderId}"  "STATUS#{status}"
write ship(status)
  update Order set status = "shipped"
"##,
    repaired: r##"model m 1
table Shop (PK, SK)
entity Order
  orderId: string, status: string
  key  "ORDER#{orderId}"  "META"
write ship()
  update Order set status = "shipped"
"##,
};

//! KF016, followed: everything derived from an attribute changes with it. `resolve` and
//! `plan::next_greatest` check it.

use super::rule::Rule;

pub(crate) const RULE: Rule = Rule {
    code: "KF016",
    name: "followed",
    summary: "A change of an attribute also changes everything that follows from it (index keys, \
        copies, guards, aggregates), in one update or one transaction. A change that cannot do \
        this is an error.",
    why: "A frequent mistake with a single table is to update an item and to forget its copies. \
        Writes through the model compute everything that follows from the old and the new \
        attributes, and change it together. The compiler refuses changes that nothing can follow: \
        a key does not change unless its entity has an `id`, attributes that the model maintains (`count`, `sum`, `max`, \
        `version`) are not written by hand, and two actions of one write must not change the same \
        item.",
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

//! KF006, shared: what a file uses of another is shared by it. `resolve` checks it.

use super::rule::Rule;

pub(crate) const RULE: Rule = Rule {
    code: "KF006",
    name: "shared",
    summary: "What a file uses of another file is declared `shared` there.",
    why: "Whoever owns a file may change what is private to it without asking others. A `shared` \
        entity, table or record is a promise to them: their entities may lie in the table, refer to \
        the entity, count it, return it and write it. Names are one for the whole model, private \
        ones too, and keys are proved over all files.",
    failing: r##"model m 1
owner platform
use "orders.keyfold"
table Shop (PK, SK)

# orders.keyfold:
owner orders
entity Order
  orderId: string
  key  "ORDER#{orderId}"  "META"
"##,
    repaired: r##"model m 1
owner platform
use "orders.keyfold"
shared table Shop (PK, SK)

# orders.keyfold:
owner orders
entity Order
  orderId: string
  key  "ORDER#{orderId}"  "META"
"##,
};

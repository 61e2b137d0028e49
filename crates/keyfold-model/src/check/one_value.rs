//! KF018, one value: an attribute that several keys share is made by one template.
//! `resolve::index_key` checks it.

use super::rule::Rule;

pub(crate) const RULE: Rule = Rule {
    code: "KF018",
    name: "one-value",
    summary: "An attribute that several keys share is made by one template.",
    why: "An item has one value of each attribute. Indexes may share key attributes: an inverted \
        index swaps PK and SK, and a local and a global index may be ordered by the same number. \
        Two different templates for one attribute would overwrite each other.",
    failing: r##"model m 1
table Shop (PK, SK)
  gsi GSI1 (GSI1PK, SK)
  gsi GSI2 (GSI1PK, PK)
entity Order
  orderId: string, status: string, region: string
  key   "ORDER#{orderId}"  "META"
  GSI1  "STATUS#{status}"
  GSI2  "REGION#{region}"
"##,
    repaired: r##"model m 1
table Shop (PK, SK)
  gsi GSI1 (GSI1PK, SK)
  gsi GSI2 (GSI2PK, PK)
entity Order
  orderId: string, status: string, region: string
  key   "ORDER#{orderId}"  "META"
  GSI1  "STATUS#{status}"
  GSI2  "REGION#{region}"
pattern by_status(status)  -> Order[]  page 20
pattern by_region(region)  -> Order[]  page 20
"##,
};

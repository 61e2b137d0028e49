//! KF019, kept: a view can be kept from its source. `resolve` checks it.

use super::rule::Rule;

pub(crate) const RULE: Rule = Rule {
    code: "KF019",
    name: "kept",
    summary: "The rows of a view follow from the items of its source, through a stream that has them \
        before and after each change.",
    why: "Upkeep takes what an item was out of its row and puts in what it is. So the row's key must \
        follow from the item alone: each of its attributes is one that the source always has. All \
        items of a row share what is in its key, and nothing else; any other attribute of a row is \
        made of all of them (`count`, `sum`, `max`, `top`), or each item has a row of its own, whose key \
        has all that identifies the item. Lists that are split and tables per period have no one \
        stream of whole items, and a view of a view would follow it late.",
    failing: r##"model m 1
table Shop (PK, SK)
entity Order
  orderId: string, productId: string, total: int
  key  "ORDER#{orderId}"  "META"
view ProductSales of Order
  key  "SALES#{productId}"  "META"
  total: sum total
"##,
    repaired: r##"model m 1
table Shop (PK, SK)
  stream new and old images
entity Order
  orderId: string, productId: string, total: int
  key  "ORDER#{orderId}"  "META"
view ProductSales of Order
  key  "SALES#{productId}"  "META"
  total: sum total
"##,
};

//! KF005, whole: the files of a model can be read, each once, and name their owners. `resolve`
//! checks it.

use super::rule::Rule;

pub(crate) const RULE: Rule = Rule {
    code: "KF005",
    name: "whole",
    summary: "The files of a model can be read, are used once each, and name their owners.",
    why: "A model may lie in several files: the first one has the line `model` and uses the others, \
        which may use further ones. They are one model, proved as a whole. A finding names the owner \
        of the file that it concerns, so each file of several has one. A path starts in the folder \
        of the file that uses it and never leaves this folder: the model stays whole when it is \
        moved or copied.",
    failing: r##"model m 1
owner platform
use "orders.keyfold"
shared table Shop (PK, SK)

# orders.keyfold:
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

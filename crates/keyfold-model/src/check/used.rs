//! KF039, used: a parameter of a write that no action uses.
//!
//! `resolve` finds the parameters: afterwards those that stand in parentheses are no longer
//! distinguished from those that follow from the actions.

use super::rule::Rule;
use crate::diagnostic::Diagnostic;
use crate::syntax::ast::Name;
use crate::written::{in_braces, written};

pub(crate) const RULE: Rule = Rule {
    code: "KF039",
    name: "used",
    summary: "Every parameter of a write is used by one of its actions.",
    why: "A caller who gives an argument believes that it is stored or compared. `write rename(userId, \
        name, v)` that sets the name only does not compare the version `v`, and `delete` of an \
        entity with `id` compares no other part of its key: the write would be done although \
        another item is meant. A condition compares: `when v = v`.",
    failing: r##"model m 1
table Shop (PK, SK)
entity User
  userId: string, name: string, v: int
  key      "USER#{userId}"  "PROFILE"
  version  v
write rename(userId, name, v)
  update User set name = name
"##,
    repaired: r##"model m 1
table Shop (PK, SK)
entity User
  userId: string, name: string, v: int
  key      "USER#{userId}"  "PROFILE"
  version  v
write rename(userId, name, v)
  update User set name = name when v = v
"##,
};

/// The warning about a parameter of a write that no action uses. `entity` is one whose stored item
/// has an attribute of the same name.
pub(crate) fn report(write: &str, parameter: &Name, entity: Option<&str>) -> Diagnostic {
    let name = &parameter.text;
    let message = format!("no action of {write} uses `{name}`");
    let label = "a caller's argument would be ignored";
    let mut warning = Diagnostic::warning("KF039", parameter.span, message, label);
    if written(name).starts_with('"') {
        let braced = in_braces(name);
        warning = warning.help(format!(
            "write `{braced}` where its value is needed: in quotes it is a fixed text"
        ));
    }
    let warning = warning.help("remove it from the parameters");
    let Some(entity) = entity else { return warning };
    let (attribute, value) = (written(name), written(name));
    let value = if value.starts_with('"') {
        in_braces(name)
    } else {
        value
    };
    warning.help(format!(
        "or require that the {entity} has it: `when {attribute} = {value}`"
    ))
}

/// The warning about fields of the records of a list, each of which an action takes.
pub(crate) fn report_fields(write: &str, parameter: &Name, fields: &[&str]) -> Diagnostic {
    let each: Vec<String> = fields.iter().map(|name| format!("`{name}`")).collect();
    let message = format!(
        "no action of {write} uses {} of `{}`",
        each.join(", "),
        parameter.text
    );
    let label = "what a caller gives there would be ignored";
    Diagnostic::warning("KF039", parameter.span, message, label)
        .help("take the records of a list that has no other fields")
}

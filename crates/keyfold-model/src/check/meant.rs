//! KF037, meant: a plain word that became a text, though a name is nearly the same.
//!
//! `resolve` finds the words: afterwards a text is no longer distinguished from a word. Texts in keys
//! that other languages would take for fields are found in the model.

use super::rule::Rule;
use crate::diagnostic::{Diagnostic, Edit};
use crate::near::nearest;
use crate::schema::{Entity, KeyPair, Model, Type};
use crate::syntax::ast::Name;
use crate::template::{KeyTemplate, Part};

pub(crate) const RULE: Rule = Rule {
    code: "KF037",
    name: "meant",
    summary: "A plain word that is taken as a text is not nearly the name of something.",
    why: "A fixed value or a default of a string may be a plain word: `where city = Berlin`. A \
        misspelt name is such a word, too: `where state = nmae` finds the items whose state is \
        the text `nmae`, which there are none of, and nothing says so. Quotes show that a text is \
        meant. In a key, `:userId` and `<userId>` are texts, too, and the `$` of `${userId}` is a \
        part of the key: a field stands in braces alone.",
    failing: r##"model m 1
table Shop (PK, SK)
entity User
  userId: string, name: string, label: string = nmae
  key  "USER#{userId}"  "PROFILE"
pattern user(userId)  -> User?
"##,
    repaired: r##"model m 1
table Shop (PK, SK)
entity User
  userId: string, name: string, label: string = "nmae"
  key  "USER#{userId}"  "PROFILE"
pattern user(userId)  -> User?
"##,
};

/// The warning about a fixed value that is nearly one of these names; `None` for other values.
pub(crate) fn report<'n>(
    value: &Name,
    kind: &Type,
    names: impl Iterator<Item = &'n str>,
) -> Option<Diagnostic> {
    let is_word = value
        .text
        .starts_with(|c: char| c.is_alphabetic() || c == '_');
    if *kind != Type::String || !is_word {
        return None;
    }
    let near = (*nearest(&value.text, names).first()?).to_owned();
    let message = format!(
        "`{}` is taken as a text, and is nearly the name `{near}`",
        value.text
    );
    let quoted = format!("\"{}\"", value.text);
    Some(
        Diagnostic::warning("KF037", value.span, message, "a text without quotes")
            .note(
                "a fixed value is the same for all items; it cannot be an attribute or a parameter",
            )
            .help(format!(
                "if the text is meant, write it in quotes: {quoted}"
            ))
            .repair(vec![Edit::replace(value.span, quoted)]),
    )
}

/// Warns of texts in keys that are fields in other languages: `:userId`, `<userId>`, `${userId}`.
pub(crate) fn check(model: &Model, diagnostics: &mut Vec<Diagnostic>) {
    for entity in &model.entities {
        for template in entity.keys().flat_map(KeyPair::templates) {
            diagnostics.extend(other_fields(entity, template));
        }
    }
}

/// The warning about the first such text of a template.
fn other_fields(entity: &Entity, template: &KeyTemplate) -> Option<Diagnostic> {
    let names = entity.attributes.iter().map(|one| one.name.as_str());
    for (at, part) in template.parts.iter().enumerate() {
        let Part::Text(text) = part else { continue };
        let behind = template.parts.get(at + 1);
        if let Some(Part::Field { name, .. }) = behind.filter(|_| text.ends_with('$')) {
            let message = format!("the key has a `$` in front of `{{{name}}}`");
            return Some(
                Diagnostic::warning("KF037", template.span, message, "a part of the key")
                    .help("remove it, if it was meant to begin the field"),
            );
        }
        if !text.contains([':', '<', '$']) {
            continue;
        }
        let found = names.clone().find(|name| {
            let forms = [format!(":{name}"), format!("<{name}>"), format!("${name}")];
            forms.iter().any(|form| is_whole_in(form, text))
        });
        if let Some(name) = found {
            let message = format!("the text of this key names `{name}`, and does not hold it");
            return Some(
                Diagnostic::warning("KF037", template.span, message, "the same for all items")
                    .help(format!("an attribute stands in braces: `{{{name}}}`")),
            );
        }
    }
    None
}

/// Whether a text has a form that no letter, digit or `_` continues.
fn is_whole_in(form: &str, text: &str) -> bool {
    text.match_indices(form).any(|(at, _)| {
        let rest = text.get(at + form.len()..).unwrap_or_default();
        !rest.starts_with(|c: char| c.is_alphanumeric() || c == '_')
    })
}

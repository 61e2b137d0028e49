//! KF037, meant: a plain word that became a text, though a name is nearly the same.
//!
//! `resolve` finds the words: afterwards a text is no longer distinguished from a word.

use super::rule::Rule;
use crate::diagnostic::{Diagnostic, Edit};
use crate::near::nearest;
use crate::schema::Type;
use crate::syntax::ast::Name;

pub(crate) const RULE: Rule = Rule {
    code: "KF037",
    name: "meant",
    summary: "A plain word that is taken as a text is not nearly the name of something.",
    why: "A fixed value or a default of a string may be a plain word: `where city = Berlin`. A \
        misspelt name is such a word, too: `where state = nmae` finds the items whose state is \
        the text `nmae`, which there are none of, and nothing says so. Quotes show that a text is \
        meant.",
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

//! Names as the language writes them: a plain word, or a text in quotes.

/// Most bytes of an attribute's name in a key or an expression.
pub(crate) const NAME_BYTES_MAX: usize = 255;

/// Words that mean something where a name may stand, too. Such a name is written in quotes.
const WORDS_BESIDE_NAMES: [&str; 25] = [
    "all",
    "ascending",
    "by",
    "contains",
    "day",
    "descending",
    "exists",
    "expect",
    "filter",
    "for",
    "highest",
    "hour",
    "in",
    "keys",
    "lowest",
    "missing",
    "month",
    "newest",
    "oldest",
    "only",
    "page",
    "scan",
    "starts",
    "strong",
    "where",
];

/// Whether a text is one word of the language: letters, digits and `_`, and no digit first.
pub fn is_word(text: &str) -> bool {
    !text.is_empty()
        && !text.starts_with(|c: char| c.is_ascii_digit())
        && text.chars().all(|c| c.is_alphanumeric() || c == '_')
}

/// A name of an attribute, a parameter, a table or an index, or a word of an enumeration, as the
/// language writes it: in quotes, unless it is a plain word.
pub fn written(name: &str) -> String {
    if is_word(name) && !WORDS_BESIDE_NAMES.contains(&name) {
        name.to_owned()
    } else {
        format!("\"{name}\"")
    }
}

/// Names separated by commas, as the language writes them.
pub fn written_list<'n>(names: impl IntoIterator<Item = &'n str>) -> String {
    names
        .into_iter()
        .map(written)
        .collect::<Vec<_>>()
        .join(", ")
}

/// A name inside braces: a field of a template, or an operand.
pub fn in_braces(name: &str) -> String {
    if name.contains('}') || name.starts_with('"') {
        format!("{{\"{name}\"}}")
    } else {
        format!("{{{name}}}")
    }
}

/// Whether a template's text may have the attribute as a field: braces in its name would end it.
pub fn fits_in_text(name: &str) -> bool {
    !name.contains(['{', '}'])
}

/// The reason that a text cannot be the name of an attribute, and its repair; `None` if it can.
pub fn unwritable(name: &str) -> Option<(&'static str, &'static str)> {
    let rename = "give the attribute another name";
    if name.is_empty() {
        return Some(("a name has at least one character", rename));
    }
    if name.len() > NAME_BYTES_MAX {
        return Some(("a name has at most 255 bytes of UTF-8", rename));
    }
    if name.contains(':') {
        return Some((
            "names with `:` are those of attributes that the model itself keeps, like `total:items`",
            rename,
        ));
    }
    if name.contains(['"', '\n', '\r', '\0']) {
        return Some((
            "quotes, line breaks and the character 0 end or hide a name",
            rename,
        ));
    }
    None
}

/// A name or a word with its article: `an Order`, `a User`, `an hour`.
pub(crate) fn one(name: &str) -> String {
    let is_vowel = name == "hour" || name.starts_with(|c: char| "AEIOaeio".contains(c));
    let article = if is_vowel { "an" } else { "a" };
    format!("{article} {name}")
}

//! Names that the language takes, and guesses from names.

/// Turns a text into a name that the language takes.
pub(crate) fn identifier(text: &str) -> String {
    let mut out: String = text
        .chars()
        .map(|c| if c.is_ascii_alphanumeric() { c } else { '_' })
        .collect();
    if !out.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_') {
        out.insert(0, 'x');
    }
    out
}

/// The name of a table or index, in quotes where the language would not take it.
pub(super) fn title(text: &str) -> String {
    let is_reserved = keyfold_model::MEMBER_WORDS.contains(&text);
    if identifier(text) == text && !is_reserved {
        text.to_owned()
    } else {
        format!("\"{text}\"")
    }
}

/// Words of attributes that only hold a key.
const KEY_WORDS: [&str; 12] = [
    "pk",
    "sk",
    "gsi",
    "lsi",
    "hash",
    "range",
    "partition",
    "sort",
    "hashkey",
    "sortkey",
    "gsipk",
    "gsisk",
];

/// Whether an attribute is named for a key that it holds, like GSI1PK. Any other key attribute of
/// an index is an attribute of the items.
pub(super) fn is_key_name(name: &str) -> bool {
    let lower = name.to_ascii_lowercase();
    let mut words = lower.split(|c: char| !c.is_ascii_alphabetic());
    ["PK", "SK", "Pk", "Sk"]
        .iter()
        .any(|end| name.ends_with(end))
        || words.any(|word| KEY_WORDS.contains(&word))
        || lower.ends_with("hashkey")
        || lower.ends_with("sortkey")
}

/// A word with a capital first letter.
pub(super) fn capital(word: &str) -> String {
    let mut chars = word.chars();
    let first = chars.next().map(|c| c.to_ascii_uppercase());
    first.into_iter().chain(chars).collect()
}

/// A word with a small first letter.
pub(super) fn uncapitalized(word: &str) -> String {
    let mut chars = word.chars();
    let first = chars.next().map(|c| c.to_ascii_lowercase());
    first.into_iter().chain(chars).collect()
}

/// The plural of a word: `addresses` of `address`, `cities` of `city`.
pub(super) fn plural(word: &str) -> String {
    let ends = |all: &[&str]| all.iter().any(|end| word.ends_with(end));
    match word.strip_suffix('y') {
        Some(stem) if !stem.ends_with(['a', 'e', 'i', 'o', 'u']) => format!("{stem}ies"),
        _ if ends(&["s", "x", "z", "ch", "sh"]) => format!("{word}es"),
        _ => format!("{word}s"),
    }
}

/// A name, with a number behind it if it is taken.
pub(super) fn distinct(base: &str, is_taken: impl Fn(&str) -> bool) -> String {
    let mut name = base.to_owned();
    let mut number = 2;
    while is_taken(&name) {
        name = format!("{base}{number}");
        number += 1;
    }
    name
}

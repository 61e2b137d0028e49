//! Names of a model as identifiers of Rust.

/// The words of the language.
const KEYWORDS: [&str; 52] = [
    "abstract", "as", "async", "await", "become", "box", "break", "const", "continue", "crate",
    "do", "dyn", "else", "enum", "extern", "false", "final", "fn", "for", "gen", "if", "impl",
    "in", "let", "loop", "macro", "match", "mod", "move", "mut", "override", "priv", "pub", "ref",
    "return", "self", "static", "struct", "super", "trait", "true", "try", "type", "typeof",
    "unsafe", "unsized", "use", "virtual", "where", "while", "yield", "_",
];

/// The names of types that a generated file uses; `S` is the parameter of its clients.
pub(super) const RESERVED_TYPES: [&str; 23] = [
    "AsRef",
    "Box",
    "Clone",
    "Copy",
    "Debug",
    "Default",
    "Eq",
    "Err",
    "From",
    "Hash",
    "Into",
    "None",
    "Ok",
    "Option",
    "Ord",
    "PartialEq",
    "PartialOrd",
    "Result",
    "S",
    "Self",
    "Some",
    "String",
    "Vec",
];

/// The members that every client has, and methods that every type may have.
const OWN_METHODS: [&str; 18] = [
    "clone",
    "database",
    "effects",
    "event",
    "events",
    "events_with_copies",
    "fakes",
    "fmt",
    "into",
    "new",
    "of",
    "on_unknown",
    "part",
    "strong",
    "transact",
    "try_into",
    "with_cursor_secret",
    "within",
];

/// The words that no method can have. The list of a constant has a fixed length.
pub(super) const RESERVED_METHODS: [&str; 70] = {
    let mut all = [""; 70];
    let mut at = 0;
    while at < KEYWORDS.len() {
        all[at] = KEYWORDS[at];
        at += 1;
    }
    while at < all.len() {
        all[at] = OWN_METHODS[at - KEYWORDS.len()];
        at += 1;
    }
    all
};

/// All names that attributes and parameters cannot have: those of the language, and the variables of
/// generated methods.
pub(super) fn reserved_attributes() -> Vec<&'static str> {
    let own = ["arguments", "call", "choice", "typed", "None", "Some"];
    KEYWORDS.into_iter().chain(own).collect()
}

/// The spelling of a type or variant: an abbreviation has one capital letter, and a name without
/// letters is a symbol.
pub(super) fn type_name(wanted: String) -> String {
    if wanted == "_" {
        return "Symbol".to_owned();
    }
    let is_shouted = wanted.chars().count() > 1 && !wanted.chars().any(char::is_lowercase);
    if !is_shouted {
        return wanted;
    }
    let mut is_first = true;
    let small = |c: char| {
        let is_kept = std::mem::take(&mut is_first) || !c.is_uppercase();
        if is_kept {
            c.to_string()
        } else {
            c.to_lowercase().collect()
        }
    };
    wanted.chars().map(small).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn abbreviations_have_one_capital_letter() {
        for (wanted, spelled) in [
            ("SKU", "Sku"),
            ("DNSRecord", "DNSRecord"),
            ("A", "A"),
            ("_", "Symbol"),
            ("B2B", "B2b"),
        ] {
            assert_eq!(type_name(wanted.to_owned()), spelled);
        }
    }
}

//! The 573 reserved words that a name in an expression must not be.
//!
//! Source: "Reserved words in DynamoDB".

use std::sync::LazyLock;

static WORDS: LazyLock<Vec<&'static str>> =
    LazyLock::new(|| include_str!("reserved_words.txt").lines().collect());

/// Whether `word` is reserved, in any case.
pub fn is_reserved(word: &str) -> bool {
    let upper = word.to_ascii_uppercase();
    WORDS.binary_search(&upper.as_str()).is_ok()
}

/// The words, upper case, ascending.
pub fn words() -> &'static [&'static str] {
    &WORDS
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_list_is_whole_and_sorted() {
        assert_eq!(words().len(), 573);
        assert!(words().is_sorted());
        assert!(is_reserved("name") && is_reserved("Status") && is_reserved("ZONE"));
        assert!(!is_reserved("PK") && !is_reserved("nope"));
    }
}

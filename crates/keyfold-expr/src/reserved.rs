//! The 573 reserved words, which a bare name in an expression must not be.
//!
//! Source: "Reserved words in DynamoDB".

use std::sync::LazyLock;

/// The words, upper case, ascending.
static WORDS: LazyLock<Vec<&'static str>> =
    LazyLock::new(|| include_str!("reserved_words.txt").lines().collect());

/// Whether `word` is reserved, in upper or lower case.
pub(crate) fn is_reserved(word: &str) -> bool {
    let upper = word.to_ascii_uppercase();
    WORDS.binary_search(&upper.as_str()).is_ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_list_is_complete_and_sorted() {
        assert_eq!(WORDS.len(), 573);
        assert!(WORDS.is_sorted());
        assert!(is_reserved("name") && is_reserved("Status") && is_reserved("ZONE"));
        assert!(!is_reserved("PK") && !is_reserved("nope"));
    }
}

//! Text as HTML.

/// Escapes the characters that have a meaning in HTML, in its texts and between double quotes.
pub fn escape(text: &str) -> String {
    text.replace('&', "&amp;")
        .replace('<', "&lt;")
        .replace('>', "&gt;")
        .replace('"', "&quot;")
}

/// Characters of the longest word that is not broken.
const UNBROKEN_CHARS_MAX: usize = 16;

/// Escapes a text, and lets a line end inside its long words: behind punctuation, and before a
/// capital that follows a small letter.
pub(crate) fn breakable(text: &str) -> String {
    let long = |word: &str| word.chars().count() > UNBROKEN_CHARS_MAX;
    let word = |word: &str| {
        if long(word) {
            with_breaks(word)
        } else {
            escape(word)
        }
    };
    text.split(' ').map(word).collect::<Vec<_>>().join(" ")
}

fn with_breaks(word: &str) -> String {
    let mut out = String::new();
    let mut before = ' ';
    for letter in word.chars() {
        let is_hump = before.is_lowercase() && letter.is_uppercase();
        if is_hump
            || (matches!(before, '#' | '_' | '.' | '}' | '(' | '/' | ':')
                && letter.is_alphanumeric())
        {
            out.push_str("<wbr>");
        }
        out.push_str(&escape(&letter.to_string()));
        before = letter;
    }
    out
}

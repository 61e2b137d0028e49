//! Text as HTML.

/// Text without signs that HTML takes for its own.
pub(super) fn escape(text: &str) -> String {
    text.replace('&', "&amp;")
        .replace('<', "&lt;")
        .replace('>', "&gt;")
        .replace('"', "&quot;")
}

/// Words that are longer than this may be broken.
const UNBROKEN_CHARS_MAX: usize = 16;

/// Text in which a line may end inside long words: behind signs, and before a capital that follows
/// a small letter.
pub(super) fn breakable(text: &str) -> String {
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

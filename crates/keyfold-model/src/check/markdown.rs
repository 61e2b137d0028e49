//! Prose of Markdown, wrapped as the documents are.

/// The number of columns of a line.
const COLUMNS: usize = 100;

/// Wraps a paragraph. A code span stays on one line, and no line starts with a sign that would
/// begin a list or a heading.
pub(super) fn wrapped(paragraph: &str) -> String {
    let mut out = String::new();
    let mut column = 0;
    for piece in pieces(paragraph) {
        let width = piece.chars().count();
        if column > 0 && column + 1 + width > COLUMNS {
            out.push('\n');
            column = 0;
        } else if column > 0 {
            out.push(' ');
            column += 1;
        }
        out.push_str(&piece);
        column += width;
    }
    out
}

/// The pieces of a paragraph that a line may end after.
fn pieces(paragraph: &str) -> Vec<String> {
    let mut pieces: Vec<String> = Vec::new();
    let mut in_code = false;
    for word in paragraph.split_whitespace() {
        match pieces.last_mut() {
            Some(piece) if in_code || starts_block(word) => {
                piece.push(' ');
                piece.push_str(word);
            }
            Some(_) | None => pieces.push(word.to_owned()),
        }
        in_code ^= word.matches('`').count() % 2 == 1;
    }
    pieces
}

/// Whether a line that starts with the word would begin a list, a quote or a heading.
fn starts_block(word: &str) -> bool {
    let is_number = |text: &str| !text.is_empty() && text.chars().all(|c| c.is_ascii_digit());
    matches!(word, "+" | "-" | "*" | ">")
        || word.chars().all(|c| c == '#')
        || word.strip_suffix(['.', ')']).is_some_and(is_number)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_end_between_words_and_outside_of_code() {
        let word = "x".repeat(48);
        assert_eq!(
            wrapped(&format!("{word} {word} ab `c d` e")),
            format!("{word} {word} ab\n`c d` e")
        );
        assert_eq!(
            wrapped(&format!("{word} {word} `c d` + e")),
            format!("{word} {word}\n`c d` + e")
        );
        assert_eq!(
            wrapped(&format!("{word} {word}xx + e")),
            format!("{word}\n{word}xx + e")
        );
    }
}

//! A file of queries: one statement up to each `;`.

use crate::catalog::Asked;

/// The statements of a text, without comments in front of them.
pub fn statements(text: &str) -> Vec<Asked> {
    let mut all = Vec::new();
    let mut one = String::new();
    let mut letters = text.chars().peekable();
    while let Some(letter) = letters.next() {
        match letter {
            ';' => all.push(std::mem::take(&mut one)),
            '-' if letters.peek() == Some(&'-') => {
                while letters.next_if(|one| *one != '\n').is_some() {}
                one.push(' ');
            }
            '/' if letters.peek() == Some(&'*') => {
                let mut before = ' ';
                letters.next();
                for next in letters.by_ref() {
                    if (before, next) == ('*', '/') {
                        break;
                    }
                    before = next;
                }
                one.push(' ');
            }
            '\'' | '"' | '`' => {
                one.push(letter);
                for next in letters.by_ref() {
                    one.push(next);
                    if next == letter {
                        break;
                    }
                }
            }
            _ => one.push(letter),
        }
    }
    all.push(one);
    let all = all.into_iter().map(|one| one.trim().to_owned());
    all.filter(|one| !one.is_empty())
        .map(|sql| Asked {
            sql,
            calls: None,
            mean_ms: None,
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::statements;

    #[test]
    fn a_statement_ends_at_a_semicolon_that_is_no_text() {
        let text = "-- the first;\nSELECT ';' FROM a; /* b; */ SELECT \"x;y\" FROM b\n;;";
        let all: Vec<String> = statements(text).into_iter().map(|one| one.sql).collect();
        assert_eq!(all, ["SELECT ';' FROM a", "SELECT \"x;y\" FROM b"]);
    }
}

//! The line that is typed: its declaration, and the tokens before the cursor.

/// Where the cursor stands inside a token.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Inside {
    /// Between tokens, or in a word.
    Nothing,
    /// In a text, outside of a field.
    Text,
    /// In the name of a field: `{user`.
    Field,
    /// In a format of a field with this name: `{createdAt:`.
    Format(String),
}

/// The tokens before a place.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Line {
    /// The word that starts the declaration: `entity`, without `shared`; empty in no declaration.
    pub(super) declaration: String,
    /// The name of the declaration.
    pub(super) name: String,
    /// Whether the line belongs to the declaration above.
    pub(super) is_member: bool,
    /// The words, texts and signs of the line, or of a whole pattern, before the word that is typed.
    pub(super) tokens: Vec<String>,
    /// The rest of the declaration.
    pub(super) behind: String,
    /// Where the word that is typed starts.
    pub(super) typed_from: usize,
    pub(super) inside: Inside,
}

impl Line {
    /// The line at a place of a text.
    pub(super) fn at(text: &str, place: usize) -> Line {
        let before = text.get(..place).unwrap_or(text);
        let start = before.rfind('\n').map_or(0, |end| end + 1);
        let own = before.get(start..).unwrap_or_default();
        let is_member = own.starts_with([' ', '\t']);
        let head_start = if is_member {
            head_start(before)
        } else {
            Some(start)
        };
        let head = head_start.and_then(|from| text.get(from..)).unwrap_or("");
        let (declaration, name) = head_of(head.lines().next().unwrap_or_default());
        // The lines of a pattern are one.
        let from = match (declaration.as_str(), head_start) {
            ("pattern", Some(from)) => from,
            _ => start,
        };
        let scanned = scan(before.get(from..).unwrap_or_default());
        Line {
            behind: rest(text.get(place..).unwrap_or_default(), &declaration),
            typed_from: from + scanned.typed_from,
            tokens: scanned.tokens,
            inside: scanned.inside,
            declaration,
            name,
            is_member,
        }
    }

    /// The last token but a number of others.
    pub(super) fn last(&self, but: usize) -> &str {
        let at = self.tokens.len().checked_sub(but + 1);
        at.and_then(|at| self.tokens.get(at))
            .map_or("", String::as_str)
    }

    /// The token at a place.
    pub(super) fn token(&self, at: usize) -> &str {
        self.tokens.get(at).map_or("", String::as_str)
    }

    /// The last of these words that stands in the line.
    pub(super) fn clause<'w>(&self, words: &[&'w str]) -> &'w str {
        let mut tokens = self.tokens.iter().rev();
        let found = tokens.find_map(|token| words.iter().find(|word| *word == token));
        found.copied().unwrap_or("")
    }
}

/// Where the declaration of an indented line starts.
fn head_start(before: &str) -> Option<usize> {
    let mut end = before.rfind('\n')?;
    loop {
        let start = before.get(..end)?.rfind('\n').map_or(0, |end| end + 1);
        let line = before.get(start..end)?;
        let is_head = !line.trim().is_empty() && !line.starts_with([' ', '\t', '#']);
        if is_head {
            return Some(start);
        }
        end = start.checked_sub(1)?;
    }
}

/// The first word of a declaration, and its name.
fn head_of(line: &str) -> (String, String) {
    let is_letter = |c: char| c.is_alphanumeric() || c == '_';
    let mut words = line
        .split(|c: char| !is_letter(c))
        .filter(|word| !word.is_empty());
    let first = words.next().filter(|word| line.starts_with(word));
    let mut first = first.unwrap_or_default();
    if first == "shared" {
        first = words.next().unwrap_or_default();
    }
    (
        first.to_owned(),
        words.next().unwrap_or_default().to_owned(),
    )
}

/// The rest of the declaration behind the cursor: of a pattern, all its lines.
fn rest(behind: &str, declaration: &str) -> String {
    let mut lines = behind.split_inclusive('\n');
    let mut out = lines.next().unwrap_or_default().to_owned();
    if declaration == "pattern" {
        for line in lines.take_while(|line| line.starts_with([' ', '\t'])) {
            out.push_str(line);
        }
    }
    out
}

struct Scanned {
    tokens: Vec<String>,
    typed_from: usize,
    inside: Inside,
}

/// Splits a text into words, texts and signs. The last word belongs to what is typed.
fn scan(text: &str) -> Scanned {
    let is_letter = |c: char| c.is_alphanumeric() || c == '_';
    let mut tokens = Vec::new();
    let mut at = 0;
    while let Some(rest) = text.get(at..).filter(|rest| !rest.is_empty()) {
        let first = rest.chars().next().unwrap_or(' ');
        let length = match first {
            '"' => match rest.get(1..).and_then(|body| body.find(['"', '\n'])) {
                Some(end) => end + 2,
                None => return in_text(tokens, rest, at),
            },
            '{' => match rest.find(['}', '\n']) {
                Some(end) => end + 1,
                None => return in_field(tokens, rest, at),
            },
            '#' => match rest.find('\n') {
                Some(end) => {
                    at += end;
                    continue;
                }
                // Nothing is offered in a comment.
                None => return in_text(tokens, rest, at),
            },
            c if is_letter(c) => rest.find(|c| !is_letter(c)).unwrap_or(rest.len()),
            '-' if rest.starts_with("->") => 2,
            c => c.len_utf8(),
        };
        let is_last_word = is_letter(first) && at + length == text.len();
        if is_last_word {
            break;
        }
        if !first.is_whitespace() {
            tokens.push(rest.get(..length).unwrap_or_default().to_owned());
        }
        at += length;
    }
    Scanned {
        tokens,
        typed_from: at,
        inside: Inside::Nothing,
    }
}

/// The cursor stands in a text that is not closed before it.
fn in_text(tokens: Vec<String>, rest: &str, at: usize) -> Scanned {
    let open = rest
        .rfind('{')
        .filter(|open| !rest.get(*open..).unwrap_or("").contains('}'));
    match open {
        Some(open) if rest.starts_with('"') => {
            in_field(tokens, rest.get(open..).unwrap_or_default(), at + open)
        }
        Some(_) | None => Scanned {
            tokens,
            typed_from: at + rest.len(),
            inside: Inside::Text,
        },
    }
}

/// The cursor stands in a field, whose `{` is at a place.
fn in_field(tokens: Vec<String>, rest: &str, at: usize) -> Scanned {
    let body = rest.get(1..).unwrap_or_default();
    let (typed_from, inside) = match (body.find(':'), body.rfind(':')) {
        (Some(first), Some(last)) => {
            let name = body.get(..first).unwrap_or_default().trim_matches('"');
            (at + last + 2, Inside::Format(name.to_owned()))
        }
        _ => (at + 1, Inside::Field),
    };
    Scanned {
        tokens,
        typed_from,
        inside,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(text: &str) -> Line {
        let place = text.find('‸').unwrap();
        Line::at(&text.replace('‸', ""), place)
    }

    #[test]
    fn the_place_of_the_cursor_is_found_in_its_declaration() {
        let line = at("shared entity Order\n\n  # a comment\n  key \"ORDER#{or‸");
        assert_eq!(
            (line.declaration.as_str(), line.name.as_str()),
            ("entity", "Order")
        );
        assert_eq!(line.inside, Inside::Field);
        assert_eq!(line.tokens, ["key"]);
        let line = at("entity Order\n  key \"{createdAt:day:re‸verse}\"");
        assert_eq!(line.inside, Inside::Format("createdAt".to_owned()));
        let line = at("pattern orders(userId)\n  -> Order[] new‸\n  page 20\nwrite w");
        assert_eq!(line.tokens[..3], ["pattern", "orders", "("]);
        assert_eq!(line.last(0), "]");
        assert!(line.is_member);
        assert!(line.behind.contains("page 20") && !line.behind.contains("write"));
        assert_eq!(at("ent‸").tokens, Vec::<String>::new());
        assert_eq!(at("entity A # in {‸").inside, Inside::Text);
    }
}

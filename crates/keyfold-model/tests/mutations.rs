//! One mistake brings one message: each token of three models goes, comes twice, or becomes another,
//! and the messages are counted. Repairs that are shown are carried out.
#![allow(
    clippy::disallowed_methods,
    clippy::disallowed_types,
    clippy::unwrap_used,
    reason = "a test fails by panicking"
)]

use keyfold_model::diagnostic::apply;
use keyfold_model::{Compiled, Diagnostic, Severity, compile};
use std::ops::Range;
use std::path::Path;

/// The models whose tokens are changed.
const MODELS: [&str; 3] = ["shop", "shop_techniques", "santa"];

/// Most messages about one mistake.
const MESSAGES_MAX: usize = 2;

/// What a token becomes.
const REPLACEMENTS: [&str; 7] = ["x", "5", "\"t\"", "?", ",", "set", "string"];

fn read(name: &str) -> String {
    let path = format!("../../models/{name}.keyfold");
    std::fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join(path)).unwrap()
}

/// The tokens of a model outside comments: words, numbers, texts in quotes, and signs. Fields in
/// braces are tokens inside of their text.
fn tokens(source: &str) -> Vec<Range<usize>> {
    let mut all = Vec::new();
    let mut start = 0;
    for line in source.split_inclusive('\n') {
        let code = match line.find(" #") {
            _ if line.starts_with('#') => "",
            Some(at) => &line[..at],
            None => line,
        };
        let mut word: Option<usize> = None;
        for (at, c) in code.char_indices().chain([(code.len(), ' ')]) {
            if c.is_alphanumeric() || c == '_' {
                word.get_or_insert(at);
                continue;
            }
            if let Some(from) = word.take() {
                all.push(start + from..start + at);
            }
            if !c.is_whitespace() {
                all.push(start + at..start + at + c.len_utf8());
            }
        }
        start += line.len();
    }
    all
}

fn errors(compiled: &Compiled) -> Vec<&Diagnostic> {
    let all = compiled.diagnostics.iter();
    all.filter(|one| one.severity == Severity::Error).collect()
}

fn count(found: &[Diagnostic], wanted: &Diagnostic) -> usize {
    let same = |one: &&Diagnostic| one.code == wanted.code && one.message == wanted.message;
    found.iter().filter(same).count()
}

/// The text with one token changed, in each way.
fn mutations(source: &str, at: &Range<usize>) -> Vec<String> {
    let token = &source[at.clone()];
    let (head, tail) = (&source[..at.start], &source[at.end..]);
    let starts_line = head.ends_with('\n') || head.is_empty();
    let rest = if starts_line {
        tail.trim_start_matches(' ')
    } else {
        tail
    };
    let doubled = format!("{token} {token}");
    let news = std::iter::once(doubled).chain(REPLACEMENTS.map(str::to_owned));
    // Words stay apart.
    let apart = |new: String| {
        let joins = |c: Option<char>| c.is_some_and(char::is_alphanumeric);
        let before = if joins(head.chars().last()) { " " } else { "" };
        let behind = if joins(tail.chars().next()) { " " } else { "" };
        format!("{head}{before}{new}{behind}{tail}")
    };
    news.filter(|new| new != token)
        .map(apart)
        .chain([format!("{head}{rest}")])
        .collect()
}

/// The repairs of a text that do not remove their finding.
fn unhelpful(text: &str, compiled: &Compiled) -> Vec<String> {
    let mut all = Vec::new();
    for one in &compiled.diagnostics {
        for help in one.help.iter().filter(|help| !help.edits.is_empty()) {
            let again = compile(&apply(text, &help.edits));
            if count(&again.diagnostics, one) >= count(&compiled.diagnostics, one) {
                all.push(format!("{}: {:?}", one.message, help.lines));
            }
        }
    }
    all
}

/// `MUTATIONS=all` tries each change of each token, instead of one of them.
#[test]
fn one_wrong_token_brings_few_messages() {
    let tries_all = std::env::var("MUTATIONS").is_ok();
    let (mut tried, mut many, mut wrong) = (0, Vec::new(), Vec::new());
    for name in MODELS {
        let source = read(name);
        for (number, at) in tokens(&source).iter().enumerate() {
            let line = source[..at.start].matches('\n').count();
            let all = mutations(&source, at);
            let chosen = number % all.len();
            let is_tried = |one: usize| tries_all || one == chosen;
            for (_, text) in all.iter().enumerate().filter(|(one, _)| is_tried(*one)) {
                tried += 1;
                let compiled = compile(text);
                let place = format!("{name}:{}: {}", line + 1, text.lines().nth(line).unwrap());
                let found = errors(&compiled);
                if found.len() > MESSAGES_MAX {
                    let messages: Vec<&str> =
                        found.iter().map(|one| one.message.as_str()).collect();
                    many.push(format!("{place}\n    {}", messages.join("\n    ")));
                }
                let of_text = unhelpful(text, &compiled);
                wrong.extend(of_text.iter().map(|one| format!("{place}\n    {one}")));
            }
        }
    }
    assert!(tried > 1_000, "{tried}");
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    // A changed type or delimiter is wrong in several ways.
    assert!(
        many.len() * 500 <= tried,
        "{} of {tried}\n{}",
        many.len(),
        many.join("\n")
    );
}

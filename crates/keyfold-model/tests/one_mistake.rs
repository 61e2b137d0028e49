//! One mistake brings one message, or a few: each model of the repository is changed at each token,
//! and the findings are counted.
#![allow(
    clippy::disallowed_methods,
    clippy::disallowed_types,
    clippy::unwrap_used,
    reason = "a test fails by panicking"
)]

use keyfold_model::{Severity, compile};
use std::path::Path;

/// Most messages about one mistake.
const MESSAGES_MAX: usize = 3;

/// Words of the language, which are misspelt.
const KEYWORDS: &str = "model record table entity pattern write gsi lsi key copy unique only count sum max sparse when shard bucket where filter newest oldest highest lowest page expect create update delete check set for each in of by per type ttl version split compress string int number time bool list project";

fn models() -> Vec<(String, String)> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../models");
    let paths = std::fs::read_dir(folder)
        .unwrap()
        .map(|entry| entry.unwrap().path());
    let mut all: Vec<(String, String)> = paths
        .filter(|path| path.extension().is_some_and(|found| found == "keyfold"))
        .map(|path| {
            let name = path.file_name().unwrap().to_string_lossy().into_owned();
            (name, std::fs::read_to_string(path).unwrap())
        })
        .collect();
    all.sort();
    all
}

/// The text with one change at each place that `changed` finds in a line: the name of the change,
/// its line and the text.
fn each_change(
    source: &str,
    changed: impl Fn(&str) -> Vec<(usize, usize, String)>,
) -> Vec<(usize, String)> {
    let (mut start, mut all) = (0, Vec::new());
    for (number, line) in source.split_inclusive('\n').enumerate() {
        let code = line.split(" #").next().unwrap();
        if !code.starts_with('#') {
            for (from, to, new) in changed(code) {
                let (head, tail) = (&source[..start + from], &source[start + to..]);
                all.push((number + 1, format!("{head}{new}{tail}")));
            }
        }
        start += line.len();
    }
    all
}

/// The words of a line outside quotes, with their places.
fn words(line: &str) -> Vec<(usize, &str)> {
    let mut all = Vec::new();
    let (mut start, mut is_quoted) = (None, false);
    for (at, c) in line.char_indices().chain([(line.len(), ' ')]) {
        if c.is_alphanumeric() || c == '_' {
            start.get_or_insert(at);
        } else if let Some(from) = start.take()
            && !is_quoted
        {
            all.push((from, &line[from..at]));
        }
        is_quoted ^= c == '"';
    }
    all
}

fn check(what: &str, change: impl Fn(&str) -> Vec<(usize, usize, String)> + Copy) {
    let (mut count, mut faults) = (0, Vec::new());
    for (name, source) in models() {
        for (line, text) in each_change(&source, change) {
            let compiled = compile(&text);
            let errors: Vec<_> = compiled
                .diagnostics
                .iter()
                .filter(|one| one.severity == Severity::Error)
                .collect();
            count += 1;
            let Some(first) = errors.first() else {
                continue;
            };
            // A line that can be read may mean something else, which does not fit elsewhere.
            let is_unread = first.code == "KF001";
            let is_elsewhere = is_unread && first.line_and_column(&text).0 != line;
            if errors.len() > MESSAGES_MAX || is_elsewhere {
                let messages: Vec<String> = errors
                    .iter()
                    .map(|one| format!("{}: {}", one.line_and_column(&text).0, one.message))
                    .collect();
                let shown = text.lines().nth(line - 1).unwrap();
                faults.push(format!(
                    "{name}:{line}: {shown}\n    {}",
                    messages.join("\n    ")
                ));
            }
        }
    }
    assert!(count > 100, "{what}: {count}");
    assert!(
        faults.is_empty(),
        "{what}: {} of {count}\n{}",
        faults.len(),
        faults
            .iter()
            .take(25)
            .cloned()
            .collect::<Vec<_>>()
            .join("\n")
    );
}

#[test]
fn a_misspelt_keyword() {
    let keywords: Vec<&str> = KEYWORDS.split(' ').collect();
    check("misspelt keyword", |line| {
        let found = words(line)
            .into_iter()
            .filter(|(_, word)| keywords.contains(word));
        found
            .filter(|(_, word)| word.len() > 2)
            .map(|(at, word)| {
                // Two letters change their places.
                let (head, tail) = word.split_at(word.len() - 2);
                let swapped: String = tail.chars().rev().collect();
                let new = if swapped == tail {
                    format!("{head}x{tail}")
                } else {
                    format!("{head}{swapped}")
                };
                (at, at + word.len(), new)
            })
            .collect()
    });
}

#[test]
fn a_stray_question_mark() {
    check("stray question mark", |line| {
        let end = |(at, word): (usize, &str)| (at + word.len(), at + word.len(), "?".to_owned());
        words(line).into_iter().map(end).collect()
    });
}

/// One sign of these goes.
fn without(line: &str, signs: &[char]) -> Vec<(usize, usize, String)> {
    line.char_indices()
        .filter(|(_, c)| signs.contains(c))
        .map(|(at, c)| (at, at + c.len_utf8(), String::new()))
        .collect()
}

#[test]
fn a_missing_bracket() {
    check("missing bracket", |line| {
        without(line, &['(', ')', '{', '}'])
    });
}

#[test]
fn a_missing_quote() {
    check("missing quote", |line| without(line, &['"']));
}

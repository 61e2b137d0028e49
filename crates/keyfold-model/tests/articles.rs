//! No message has a wrong article: `a int`, `a Order`, `an date`. The wrong models are asked, each
//! with every type changed to others.
#![allow(
    clippy::disallowed_methods,
    clippy::disallowed_types,
    clippy::unwrap_used,
    reason = "a test fails by panicking"
)]

use keyfold_model::{Diagnostic, RULES, compile};
use std::collections::BTreeSet;
use std::path::Path;

/// The models of the golden scripts, and the examples of the rules.
fn models() -> Vec<String> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("testscripts");
    let scripts = std::fs::read_dir(folder)
        .unwrap()
        .map(|entry| entry.unwrap().path());
    let scripts = scripts.filter(|path| path.extension().is_some_and(|found| found == "keyfold"));
    let mut all: Vec<String> = scripts
        .map(|path| std::fs::read_to_string(path).unwrap())
        .collect();
    all.extend(RULES.iter().map(|rule| rule.failing.to_owned()));
    all.sort();
    all
}

/// The text without what stands in quotes and backticks: names and values as a model has them.
fn outside_quotes(text: &str) -> String {
    let mut open = None;
    let mut kept = String::new();
    for c in text.chars() {
        match open {
            None if matches!(c, '`' | '"') => open = Some(c),
            Some(mark) if mark == c => {
                open = None;
                kept.push('_');
            }
            None => kept.push(c),
            Some(_) => {}
        }
    }
    kept
}

/// The articles that do not fit the word behind them.
fn wrong_articles(text: &str) -> Vec<String> {
    let text = outside_quotes(text);
    let words: Vec<&str> = text.split_whitespace().collect();
    let pairs = words.windows(2).filter_map(|pair| {
        let (article, word) = (pair[0].trim_start_matches('('), pair[1]);
        let is_vowel = word.starts_with(|c: char| "AEIOaeio".contains(c))
            && !word.starts_with("one-")
            || word.starts_with("hour");
        // `A` may be a name.
        let is_wrong = (article == "a" && is_vowel)
            || (article == "an" && !is_vowel && word.starts_with(char::is_alphabetic));
        is_wrong.then(|| format!("{article} {word}"))
    });
    pairs.collect()
}

fn texts(one: &Diagnostic) -> impl Iterator<Item = &str> {
    let labels = one.labels.iter().map(|(_, label)| label.as_str());
    let notes = one.notes.iter().map(String::as_str);
    let help = one.help_lines();
    std::iter::once(one.message.as_str())
        .chain(labels)
        .chain(notes)
        .chain(help)
}

#[test]
fn articles_fit_the_words_behind_them() {
    const TYPES: [&str; 5] = ["string", "int", "number", "time", "date"];
    let (mut faults, mut asked) = (BTreeSet::new(), 0);
    for source in models() {
        let pairs = TYPES.iter().flat_map(|old| TYPES.map(|new| (*old, new)));
        let changed = pairs
            .map(|(old, new)| source.replace(&format!(": {old}"), &format!(": {new}")))
            .filter(|text| *text != source);
        for text in changed.chain([source.clone()]) {
            for one in &compile(&text).diagnostics {
                asked += 1;
                for wrong in texts(one).flat_map(wrong_articles) {
                    faults.insert(format!("{wrong}: {}", one.message));
                }
            }
        }
    }
    assert!(asked > 1000, "{asked}");
    assert_eq!(
        wrong_articles("`a` is a int, an date, an int"),
        ["a int,", "an date,"]
    );
    assert!(faults.is_empty(), "{faults:#?}");
}

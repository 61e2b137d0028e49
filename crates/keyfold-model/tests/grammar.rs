//! The documented grammar contains exactly the words of the parser, and the editors highlight them.
#![allow(
    clippy::disallowed_methods,
    clippy::disallowed_types,
    clippy::unwrap_used,
    reason = "a test fails by panicking"
)]

use keyfold_model::{GRAMMAR, grammar_markdown};
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

fn is_word(text: &str) -> bool {
    !text.is_empty() && text.chars().all(|c| c.is_ascii_lowercase())
}

/// The words in double quotes.
fn quoted(text: &str) -> BTreeSet<String> {
    text.split('"')
        .skip(1)
        .step_by(2)
        .filter(|word| is_word(word))
        .map(str::to_owned)
        .collect()
}

/// The words in the source of the parser.
fn of_parser() -> BTreeSet<String> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("src/syntax/parser");
    let mut words = BTreeSet::new();
    for path in std::fs::read_dir(folder)
        .unwrap()
        .map(|entry| entry.unwrap().path())
    {
        let source = std::fs::read_to_string(path).unwrap();
        let code: Vec<&str> = source
            .lines()
            .filter(|line| !line.trim_start().starts_with("//"))
            .collect();
        words.extend(quoted(&code.join("\n")));
    }
    words
}

#[test]
fn the_grammar_has_the_words_of_the_parser() {
    let grammar = quoted(GRAMMAR);
    // Types and formats, which are resolved after parsing.
    let resolved_later = [
        "time", "now", "string", "number", "binary", "all", "s", "ms", "us", "ns", "reverse",
        "lower", "hash", "escape", "kind", "signed",
    ];
    let parser = of_parser();
    let missing: Vec<&String> = grammar
        .iter()
        .filter(|word| !parser.contains(*word) && !resolved_later.contains(&word.as_str()))
        .collect();
    assert_eq!(
        missing,
        Vec::<&String>::new(),
        "the parser does not know these"
    );
    let undocumented: Vec<&String> = parser.difference(&grammar).collect();
    assert_eq!(
        undocumented,
        Vec::<&String>::new(),
        "the grammar does not say these"
    );
}

#[test]
fn the_document_shows_the_grammar() {
    let path = root().join("docs/grammar.md");
    if std::env::var_os("UPDATE_GOLDENFILES").is_some() {
        std::fs::write(&path, grammar_markdown()).unwrap();
    }
    assert_eq!(
        std::fs::read_to_string(&path).unwrap(),
        grammar_markdown(),
        "run with UPDATE_GOLDENFILES=1"
    );
}

#[test]
fn editors_know_every_word() {
    let types = [
        "string", "int", "number", "bool", "time", "date", "binary", "ulid", "uuid",
    ];
    let mut words: BTreeSet<String> = quoted(GRAMMAR)
        .into_iter()
        .chain(types.map(str::to_owned))
        .collect();
    // The article in `20 writes a second` is not highlighted.
    words.remove("a");
    for file in [
        "vscode/syntaxes/keyfold.tmLanguage.json",
        "vim/syntax/keyfold.vim",
        "emacs/keyfold-mode.el",
    ] {
        let text = std::fs::read_to_string(root().join("editors").join(file)).unwrap();
        let known: BTreeSet<&str> = text.split(|c: char| !c.is_ascii_alphabetic()).collect();
        let missing: Vec<&String> = words
            .iter()
            .filter(|word| !known.contains(word.as_str()))
            .collect();
        assert_eq!(missing, Vec::<&String>::new(), "{file}");
    }
}

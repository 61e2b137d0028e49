//! Errors that only follow from others. A declaration with a line that cannot be read lacks what
//! that line declares; errors in it, and in declarations that mention it, would repeat the mistake.

use super::lexer::{self, Line, TokenKind};
use crate::diagnostic::Diagnostic;
use crate::sources::{SourceFile, Sources};
use std::collections::HashSet;

/// A declaration with its lines: its head and its place, the words in it, and whether it is faulty.
#[derive(Default)]
struct Declaration {
    head: String,
    name: String,
    start: usize,
    end: usize,
    words: HashSet<String>,
    is_affected: bool,
    /// Whether a type that it uses is faulty.
    is_mistyped: bool,
}

/// Removes the errors that follow from lines that cannot be read and from faulty types, which are
/// given by their places. The errors about the types stay.
pub(crate) fn remove_consequences(
    sources: &Sources,
    broken: &[usize],
    faulty: &[usize],
    errors: &mut Vec<Diagnostic>,
) {
    if (broken.is_empty() && faulty.is_empty()) || errors.is_empty() {
        return;
    }
    let files = sources.files().iter();
    let mut all: Vec<Declaration> = files.flat_map(|file| declarations(sources, file)).collect();
    for one in &mut all {
        one.is_affected = broken.iter().any(|at| one.contains(*at));
        one.is_mistyped = faulty.iter().any(|at| one.contains(*at));
    }
    // What no declaration mentions may be what the broken line declares.
    let is_nameless =
        |one: &Declaration| one.is_affected && (one.name.is_empty() || one.head == "use");
    let is_before_all = |at: &usize| {
        let of_file = sources.file_at(*at).map(SourceFile::span);
        let first = all
            .iter()
            .find(|one| of_file.is_some_and(|file| one.start >= file.start));
        first.is_none_or(|first| *at < first.start)
    };
    if all.iter().any(is_nameless) || broken.iter().any(is_before_all) {
        errors.clear();
        return;
    }
    spread(&mut all, |one| &mut one.is_affected);
    spread(&mut all, |one| &mut one.is_mistyped);
    errors.retain(|error| {
        let at = error.place();
        // What concerns the whole file has no place.
        let is_of_file = error.labels.iter().all(|(span, _)| span.end == 0);
        let owner = all.iter().rev().find(|one| one.start <= at);
        let is_own = faulty.contains(&at);
        let follows = |owner: &Declaration| {
            owner.is_affected || (owner.is_mistyped && error.code == "KF004" && !is_own)
        };
        (broken.is_empty() || !is_of_file) && !owner.is_some_and(follows)
    });
}

/// Marks the declarations that mention a marked one. The entities of a model with one table do not
/// mention it.
fn spread(all: &mut [Declaration], mark: impl Fn(&mut Declaration) -> &mut bool) {
    let tables = all.iter().filter(|one| one.head == "table").count();
    loop {
        let marked = all.iter_mut().filter_map(|one| {
            let is_named = !matches!(one.head.as_str(), "model" | "pattern" | "write");
            (*mark(one) && is_named).then_some(&*one)
        });
        let (mut names, mut has_table) = (HashSet::new(), false);
        for one in marked {
            names.insert(one.name.clone());
            has_table |= tables <= 1 && one.head == "table";
        }
        let mut has_spread = false;
        for one in all.iter_mut() {
            let follows = one.words.iter().any(|word| names.contains(word))
                || (has_table && one.head == "entity");
            has_spread |= follows && !*mark(one);
            *mark(one) |= follows;
        }
        if !has_spread {
            return;
        }
    }
}

impl Declaration {
    fn contains(&self, at: usize) -> bool {
        (self.start..self.end).contains(&at)
    }
}

fn declarations(sources: &Sources, file: &SourceFile) -> Vec<Declaration> {
    let mut all: Vec<Declaration> = Vec::new();
    let place = file.span();
    for line in lexer::lines(sources.text_of(file), place.start, &mut Vec::new()) {
        let (Some(first), Some(last)) = (line.tokens.first(), line.tokens.last()) else {
            continue;
        };
        if !line.indented {
            let is_shared = usize::from(word(&line, 0) == "shared");
            all.push(Declaration {
                head: word(&line, is_shared),
                name: word(&line, is_shared + 1),
                start: first.span.start,
                ..Declaration::default()
            });
        }
        if let Some(current) = all.last_mut() {
            current.end = line.end.max(last.span.end);
            let words = line.tokens.iter().filter_map(|token| match &token.kind {
                TokenKind::Word(text) | TokenKind::Text(text) => Some(text.clone()),
                TokenKind::Number(_) | TokenKind::Braces(_) | TokenKind::Sign(_) => None,
            });
            current.words.extend(words);
        }
    }
    if let Some(last) = all.last_mut() {
        last.end = place.end + 1;
    }
    all
}

fn word(line: &Line, place: usize) -> String {
    match line.tokens.get(place).map(|token| &token.kind) {
        Some(TokenKind::Word(text) | TokenKind::Text(text)) => text.clone(),
        Some(TokenKind::Number(_) | TokenKind::Braces(_) | TokenKind::Sign(_)) | None => {
            String::new()
        }
    }
}

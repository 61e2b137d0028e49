//! Completions of a half-written line: the patterns, writes, entities and attributes of the model
//! that it names.
//!
//! The shell's script (`keyfold completions`) calls the command with the words so far behind `--`.
//! A completer of `clap_complete` is only told the word under the cursor; the words before it are
//! read from there.

use clap_complete::CompletionCandidate;
use keyfold_model::{Entity, Model, Type};
use std::collections::BTreeSet;
use std::ffi::OsStr;

/// A name that may stand before `=`, and its type.
type Known<'m> = (&'m str, &'m Type);

/// Patterns and named writes, for `run`.
pub(crate) fn patterns_and_writes(current: &OsStr) -> Vec<CompletionCandidate> {
    let Some((_, model)) = Line::read() else {
        return Vec::new();
    };
    let patterns = model
        .patterns
        .iter()
        .map(|pattern| (pattern.name.as_str(), "pattern"));
    let writes = model
        .writes
        .iter()
        .map(|write| (write.name.as_str(), "write"));
    beginning(&current.to_string_lossy(), patterns.chain(writes))
}

/// Arguments of the pattern or write that the line names.
pub(crate) fn arguments(current: &OsStr) -> Vec<CompletionCandidate> {
    let Some((line, model)) = Line::read() else {
        return Vec::new();
    };
    let name = line.words.get(line.file + 1).map_or("", String::as_str);
    let parameters = match (model.pattern(name), model.write(name)) {
        (Some(pattern), _) => pattern
            .parameters
            .iter()
            .map(|one| (one.name.as_str(), &one.kind))
            .collect(),
        (None, Some(write)) => write
            .parameters
            .iter()
            .map(|one| (one.name.as_str(), &one.kind))
            .collect(),
        (None, None) => Vec::new(),
    };
    line.assignments(&current.to_string_lossy(), &parameters)
}

/// Entities, for `put`, `update` and `delete`.
pub(crate) fn entities(current: &OsStr) -> Vec<CompletionCandidate> {
    let Some((_, model)) = Line::read() else {
        return Vec::new();
    };
    let names = model
        .entities
        .iter()
        .map(|entity| (entity.name.as_str(), "entity"));
    beginning(&current.to_string_lossy(), names)
}

/// Attributes with `=`, but for those that the model keeps itself.
pub(crate) fn attributes(current: &OsStr) -> Vec<CompletionCandidate> {
    of_entity(current, |_, _| true)
}

/// Attributes of the entity's key, with `=`.
pub(crate) fn key_attributes(current: &OsStr) -> Vec<CompletionCandidate> {
    of_entity(current, |entity, name| {
        entity.key.fields().any(|field| field == name)
    })
}

/// Optional attributes, for `--remove`.
pub(crate) fn optional_attributes(current: &OsStr) -> Vec<CompletionCandidate> {
    let Some((line, model)) = Line::read() else {
        return Vec::new();
    };
    let Some(entity) = line.entity(&model) else {
        return Vec::new();
    };
    let optional = entity
        .attributes
        .iter()
        .filter(|one| one.optional && !one.is_kept);
    beginning(
        &current.to_string_lossy(),
        optional.map(|one| (one.name.as_str(), "attribute")),
    )
}

fn of_entity(current: &OsStr, wanted: impl Fn(&Entity, &str) -> bool) -> Vec<CompletionCandidate> {
    let Some((line, model)) = Line::read() else {
        return Vec::new();
    };
    let Some(entity) = line.entity(&model) else {
        return Vec::new();
    };
    let known: Vec<Known<'_>> = entity
        .attributes
        .iter()
        .filter(|one| !one.is_kept && wanted(entity, &one.name))
        .map(|one| (one.name.as_str(), &one.kind))
        .collect();
    line.assignments(&current.to_string_lossy(), &known)
}

/// The words of the line.
struct Line {
    /// All before the word under the cursor.
    words: Vec<String>,
    /// Which of them is the model's file.
    file: usize,
}

impl Line {
    /// The line that the shell asks about, and the model that it names; none without a model that
    /// compiles.
    fn read() -> Option<(Line, Model)> {
        let mut words: Vec<String> = std::env::args_os()
            .skip_while(|word| word != "--")
            .skip(1)
            .map(|word| word.to_string_lossy().into_owned())
            .collect();
        // Fish and the others send the line up to the cursor; these two say which word it is in.
        let at = std::env::var("_CLAP_COMPLETE_INDEX")
            .ok()
            .and_then(|text| text.parse().ok());
        words.truncate(at.unwrap_or(words.len().saturating_sub(1)));
        let (file, source) = words.iter().enumerate().skip(2).find_map(|(at, word)| {
            std::fs::read_to_string(unquoted(word))
                .ok()
                .map(|source| (at, source))
        })?;
        let model = keyfold_model::compile(&source).model?;
        Some((Line { words, file }, model))
    }

    fn entity<'m>(&self, model: &'m Model) -> Option<&'m Entity> {
        self.words
            .get(self.file + 1)
            .and_then(|name| model.entity(name))
    }

    /// `name=` of what is not given yet; behind the `=` the values, where a type has few.
    fn assignments(&self, current: &str, known: &[Known<'_>]) -> Vec<CompletionCandidate> {
        let type_of = |name: &str| {
            known
                .iter()
                .find(|(other, _)| *other == name)
                .map(|(_, kind)| *kind)
        };
        if let Some((name, begun)) = current.split_once('=') {
            let values = type_of(name).map(values).unwrap_or_default();
            let whole: Vec<String> = values
                .iter()
                .map(|value| format!("{name}={value}"))
                .collect();
            return beginning(
                &format!("{name}={begun}"),
                whole.iter().map(|one| (one.as_str(), "")),
            );
        }
        // Bash takes the sign for a word of its own, or for none where the cursor is right behind
        // it.
        let last = |back: usize| {
            self.words
                .len()
                .checked_sub(back)
                .and_then(|at| self.words.get(at))
        };
        let name = match (last(1).map(String::as_str), last(2)) {
            (Some("="), Some(name)) => Some(name.as_str()),
            (Some(name), _) => Some(name),
            (None, _) => None,
        };
        if let Some(kind) = name.and_then(type_of) {
            return beginning(
                current,
                values(kind).iter().map(|value| (value.as_str(), "")),
            );
        }
        let given: BTreeSet<&str> = self
            .words
            .iter()
            .skip(self.file + 2)
            .map(|word| word.split_once('=').map_or(word.as_str(), |(name, _)| name))
            .collect();
        let open: Vec<(String, String)> = known
            .iter()
            .filter(|(name, _)| !given.contains(name))
            .map(|(name, kind)| (format!("{name}="), kind.to_string()))
            .collect();
        beginning(
            current,
            open.iter()
                .map(|(name, kind)| (name.as_str(), kind.as_str())),
        )
    }
}

/// A word as the shell would pass it, where quotes are still around it.
fn unquoted(word: &str) -> &str {
    word.trim_matches(|c| c == '"' || c == '\'')
}

/// The values of a type that has few.
fn values(kind: &Type) -> Vec<String> {
    match kind {
        Type::Words(words) => words.clone(),
        Type::Bool => vec!["true".to_owned(), "false".to_owned()],
        _ => Vec::new(),
    }
}

/// Those that begin like the word under the cursor, each with what it is.
fn beginning<'n>(
    current: &str,
    all: impl Iterator<Item = (&'n str, &'n str)>,
) -> Vec<CompletionCandidate> {
    all.filter(|(name, _)| name.starts_with(current))
        .map(|(name, about)| {
            let help = (!about.is_empty()).then(|| about.to_owned().into());
            CompletionCandidate::new(name).help(help)
        })
        .collect()
}

//! Completes names of the model in a line: patterns, writes, entities, attributes and values.
//!
//! The shell's script (`keyfold completions`) calls the command with the words of the line behind
//! `--`. A completer of `clap_complete` gets only the word under the cursor; this module reads the
//! words before it from there.

use crate::project;
use clap_complete::CompletionCandidate;
use clap_complete::engine::{PathCompleter, ValueCompleter};
use keyfold_client::{arguments, model_file};
use keyfold_model::{Entity, Model, RULES, Type};
use std::collections::BTreeSet;
use std::ffi::OsStr;
use std::path::Path;

/// A name that may stand before `=`, and its type.
type Known<'m> = (&'m str, &'m Type);

/// Completes the model's file, or a pattern or named write of the project's model.
pub(crate) fn file_or_pattern(current: &OsStr) -> Vec<CompletionCandidate> {
    with_files(patterns_and_writes(current), current)
}

/// Completes the model's file, or an entity of the project's model.
pub(crate) fn file_or_entity(current: &OsStr) -> Vec<CompletionCandidate> {
    with_files(entities(current), current)
}

fn with_files(
    mut candidates: Vec<CompletionCandidate>,
    current: &OsStr,
) -> Vec<CompletionCandidate> {
    candidates.extend(PathCompleter::any().complete(current));
    candidates
}

/// Completes patterns and named writes, for `run`; arguments where the line has the name.
pub(crate) fn patterns_and_writes(current: &OsStr) -> Vec<CompletionCandidate> {
    let Some((line, model)) = Line::read() else {
        return Vec::new();
    };
    let name = line.words.get(line.name).map_or("", String::as_str);
    if model.pattern(name).is_some() || model.write(name).is_some() {
        return arguments(current);
    }
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

/// Completes arguments of the pattern or write that the line names.
pub(crate) fn arguments(current: &OsStr) -> Vec<CompletionCandidate> {
    let Some((line, model)) = Line::read() else {
        return Vec::new();
    };
    let name = line.words.get(line.name).map_or("", String::as_str);
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

/// Completes entities, for `put` and `update`; attributes where the line has the entity.
pub(crate) fn entities(current: &OsStr) -> Vec<CompletionCandidate> {
    entities_or(current, attributes)
}

/// Completes entities, for `delete`; attributes of the key where the line has the entity.
pub(crate) fn entities_by_key(current: &OsStr) -> Vec<CompletionCandidate> {
    entities_or(current, key_attributes)
}

fn entities_or(
    current: &OsStr,
    behind: fn(&OsStr) -> Vec<CompletionCandidate>,
) -> Vec<CompletionCandidate> {
    let Some((line, model)) = Line::read() else {
        return Vec::new();
    };
    if line.entity(&model).is_some() {
        return behind(current);
    }
    let names = model
        .entities
        .iter()
        // Nobody writes a view.
        .filter(|entity| entity.view.is_none())
        .map(|entity| (entity.name.as_str(), "entity"));
    beginning(&current.to_string_lossy(), names)
}

/// Completes attributes with `=`, except for those that the model maintains.
pub(crate) fn attributes(current: &OsStr) -> Vec<CompletionCandidate> {
    of_entity(current, |_, _| true)
}

/// Completes attributes that identify the entity, with `=`.
pub(crate) fn key_attributes(current: &OsStr) -> Vec<CompletionCandidate> {
    of_entity(current, |entity, name| entity.identifies(name))
}

/// Completes optional attributes, for `--remove`.
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

/// Completes views.
pub(crate) fn views(current: &OsStr) -> Vec<CompletionCandidate> {
    let Some((_, model)) = Line::read() else {
        return Vec::new();
    };
    let views = model.entities.iter().filter(|one| one.view.is_some());
    beginning(
        &current.to_string_lossy(),
        views.map(|view| (view.name.as_str(), "view")),
    )
}

/// Completes the codes of rules, and `grammar`.
pub(crate) fn rules(current: &OsStr) -> Vec<CompletionCandidate> {
    let current = current.to_string_lossy();
    // The command takes a code in any case.
    let begun = match current.get(..2) {
        Some(start) if start.eq_ignore_ascii_case("KF") => current.to_uppercase(),
        Some(_) | None => current.into_owned(),
    };
    let rules = RULES.iter().map(|rule| (rule.code, rule.name));
    beginning(
        &begun,
        rules.chain(std::iter::once(("grammar", "the language"))),
    )
}

/// Completes those attributes of the entity that are wanted.
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

/// The line that the shell asks about.
struct Line {
    /// The words before the word under the cursor.
    words: Vec<String>,
    /// The position of the name behind the model's file, or behind the command where keyfold.toml
    /// names the model.
    name: usize,
}

impl Line {
    /// Reads the line and the model that it or keyfold.toml names; none where that does not compile.
    fn read() -> Option<(Line, Model)> {
        let mut words: Vec<String> = std::env::args_os()
            .skip_while(|word| word != "--")
            .skip(1)
            .map(|word| word.to_string_lossy().into_owned())
            .collect();
        // Bash and Zsh send the whole line with the index of the word under the cursor. Other
        // shells send the line up to the cursor.
        let at = std::env::var("_CLAP_COMPLETE_INDEX")
            .ok()
            .and_then(|text| text.parse().ok());
        words.truncate(at.unwrap_or(words.len().saturating_sub(1)));
        let named = words.iter().enumerate().skip(2).find_map(|(at, word)| {
            let sources = model_file::read(Path::new(unquoted(word))).ok()?;
            Some((at + 1, sources))
        });
        let (name, sources) = match named {
            Some(found) => found,
            None => {
                let mut given = words.iter().skip(1);
                let command = given.position(|word| !word.starts_with('-'))? + 1;
                let model = project::model().ok()?;
                (command + 1, model_file::read(&model).ok()?)
            }
        };
        let model = keyfold_model::compile_sources(&sources).model?;
        Some((Line { words, name }, model))
    }

    fn entity<'m>(&self, model: &'m Model) -> Option<&'m Entity> {
        self.words
            .get(self.name)
            .and_then(|name| model.entity(name))
    }

    /// Completes `name=` for names that the line does not have yet, and values behind the `=` of a
    /// type that has few.
    fn assignments(&self, current: &str, known: &[Known<'_>]) -> Vec<CompletionCandidate> {
        let type_of = |name: &str| {
            known
                .iter()
                .find(|(other, _)| *other == name)
                .map(|(_, kind)| *kind)
        };
        if let Some((name, begun)) = arguments::name_and_text(current) {
            let written = arguments::written_name(name);
            let values = type_of(name).map(values).unwrap_or_default();
            let assignments: Vec<String> = values
                .iter()
                .map(|value| format!("{written}={value}"))
                .collect();
            return beginning(
                &format!("{written}={begun}"),
                assignments.iter().map(|one| (one.as_str(), "")),
            );
        }
        // Bash sends the `=` as a word of its own, or omits it if the cursor is right behind it.
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
            .skip(self.name + 1)
            .map(|word| arguments::name_and_text(word).map_or(word.as_str(), |(name, _)| name))
            .collect();
        let open: Vec<(String, String)> = known
            .iter()
            .filter(|(name, _)| !given.contains(name))
            .map(|(name, kind)| {
                (
                    format!("{}=", arguments::written_name(name)),
                    kind.to_string(),
                )
            })
            .collect();
        beginning(
            current,
            open.iter()
                .map(|(name, kind)| (name.as_str(), kind.as_str())),
        )
    }
}

/// A word without the quotes that the shell has not removed yet.
fn unquoted(word: &str) -> &str {
    word.trim_matches(|c| c == '"' || c == '\'')
}

/// The values of a type that has few; none for other types.
fn values(kind: &Type) -> Vec<String> {
    match kind {
        Type::Words(words) => words.clone(),
        Type::Bool => vec!["true".to_owned(), "false".to_owned()],
        Type::String
        | Type::Int
        | Type::Number
        | Type::Time(_)
        | Type::Date
        | Type::Period(_)
        | Type::Binary
        | Type::Ulid
        | Type::Uuid
        | Type::List(_)
        | Type::Map(_)
        | Type::Set(_)
        | Type::Record(_) => Vec::new(),
    }
}

/// The names that begin with the word under the cursor, each with its description.
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

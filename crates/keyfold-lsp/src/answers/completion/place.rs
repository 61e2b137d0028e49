//! What may be written at a place, by the declaration and the tokens before.

use super::line::{Inside, Line};
use super::offers::{
    Offer, UNITS, all_attributes, attributes, entities, named, parameters_of, types, words,
};
use super::pattern;
use keyfold_model::MEMBER_WORDS;
use keyfold_model::names::{NameKind, Names};

const DECLARATIONS: [&str; 10] = [
    "entity", "pattern", "write", "table", "record", "view", "shared", "model", "use", "owner",
];
const FORMATS: [&str; 10] = [
    "08", "signed", "reverse", "hour", "day", "month", "year", "lower", "hash", "escape",
];
/// What may be written.
pub(super) fn offers(line: &Line, names: &Names) -> Vec<Offer> {
    match &line.inside {
        Inside::Text => return Vec::new(),
        Inside::Field => return attributes(names, &line.name),
        Inside::Format(_) => return words(&FORMATS),
        Inside::Nothing => {}
    }
    if !line.is_member {
        return first_line(line, names);
    }
    match line.declaration.as_str() {
        "table" => table_member(line, names),
        "record" => attribute_line(line, names),
        "entity" => entity_member(line, names),
        "view" => view_member(line, names),
        "pattern" => pattern::offers(line, names),
        "write" => action(line, names),
        _ => Vec::new(),
    }
}

fn first_line(line: &Line, names: &Names) -> Vec<Offer> {
    if line.tokens.is_empty() {
        return words(&DECLARATIONS);
    }
    if line.tokens == ["shared"] {
        return words(&["table", "entity", "view", "record"]);
    }
    let named_already = line
        .tokens
        .iter()
        .filter(|token| *token != "shared")
        .count()
        > 1;
    match line.declaration.as_str() {
        "pattern" => pattern::offers(line, names),
        "write" if line.last(0) == ":" => types(names),
        "write" if matches!(line.last(0), "(" | ",") => all_attributes(names),
        "entity" | "view" => match line.last(0) {
            "in" => named(names, &[NameKind::Table]),
            "of" => entities(names),
            "where" | "and" | "or" => {
                source(line).map_or_else(Vec::new, |of| attributes(names, of))
            }
            _ if !named_already => Vec::new(),
            // The names of an earlier version are not in this one.
            "was" if line.declaration == "entity" => Vec::new(),
            _ if line.declaration == "entity" => match line.last(1) {
                "was" => words(&["or", "where", "in"]),
                "or" => words(&["or", "in"]),
                _ => words(&["in", "was"]),
            },
            _ => words(&["of", "in", "where"]),
        },
        "table" => match line.last(0) {
            "per" => words(&UNITS),
            ")" => words(&["type", "ttl", "per"]),
            ":" => words(&["string", "number", "binary"]),
            _ => Vec::new(),
        },
        _ => Vec::new(),
    }
}

/// The source of a view, in its first line.
fn source(line: &Line) -> Option<&str> {
    let of = line.tokens.iter().position(|token| token == "of")?;
    line.tokens.get(of + 1).map(String::as_str)
}

/// A line of attributes with their types.
fn attribute_line(line: &Line, names: &Names) -> Vec<Offer> {
    match (line.last(0), line.last(1)) {
        (":" | "|", _) => types(names),
        ("of", "list" | "map" | "set") => types(names),
        (".", entity) => attributes(names, entity),
        ("=", _) => words(&["now", "now always", "new", "true", "false"]),
        ("", _) | (",", _) | ("was" | "or", _) => Vec::new(),
        (_, "was" | "or") => words(&["or"]),
        _ if line.tokens.iter().any(|token| token == ":") => words(&["was"]),
        _ => Vec::new(),
    }
}

fn table_member(line: &Line, names: &Names) -> Vec<Offer> {
    match (line.token(0), line.last(0)) {
        ("", _) => words(&[
            "gsi",
            "lsi",
            "capacity",
            "stream",
            "point in time recovery",
            "deletion protection",
            "class",
            "tags",
        ]),
        ("gsi" | "lsi", "project") => words(&["all", "keys", "("]),
        ("gsi" | "lsi", "(" | ",") if line.clause(&["project"]) == "project" => {
            all_attributes(names)
        }
        ("gsi" | "lsi", ")") => words(&["project", "capacity"]),
        ("gsi", "capacity") | ("capacity", "capacity") => words(&["on demand"]),
        ("capacity", _) => words(&["read", "write", "at", "then", "percent"]),
        ("stream", "stream") => words(&["new and old images", "new images", "old images", "keys"]),
        ("class", "class") => words(&["standard", "infrequent access"]),
        _ => Vec::new(),
    }
}

/// The indexes of the tables.
fn indexes(names: &Names) -> Vec<Offer> {
    named(names, &[NameKind::Index])
}

fn entity_member(line: &Line, names: &Names) -> Vec<Offer> {
    let first = line.token(0);
    let own = || attributes(names, &line.name);
    if first.is_empty() {
        let mut all = words(&MEMBER_WORDS);
        all.extend(indexes(names));
        return all;
    }
    if line.token(1) == ":" {
        return attribute_line(line, names);
    }
    match first {
        "id" | "ttl" | "version" | "compress" | "unstored" | "unique" => match line.last(0) {
            "(" if line.last(1) == "lower" => own(),
            _ if first == "unique" => [own(), words(&["lower"])].concat(),
            _ => own(),
        },
        "split" if line.last(0) == "split" => own(),
        "split" => words(&["by"]),
        "count" | "sum" | "max" => aggregate(line, names),
        "expect" => expected(line, own),
        "from" => words(&["join", "left join", "on", "where", "set", "back"]),
        _ => key(line, own),
    }
}

fn expected(line: &Line, own: impl Fn() -> Vec<Offer>) -> Vec<Offer> {
    let is_number = line.last(0).starts_with(|c: char| c.is_ascii_digit());
    match line.last(0) {
        "per" => own(),
        "writes" => words(&["a second"]),
        _ if is_number => words(&["items", "bytes", "writes a second", "per"]),
        _ => Vec::new(),
    }
}

/// `count orders of Order by userId where status = paid`.
fn aggregate(line: &Line, names: &Names) -> Vec<Offer> {
    let counted = || source(line).map_or_else(Vec::new, |of| attributes(names, of));
    match line.last(0) {
        "of" => entities(names),
        "." => counted(),
        "by" | "where" => counted(),
        _ if line.tokens.len() == 2 => words(&["of"]),
        _ if line.tokens.len() > 3 => words(&["by", "where"]),
        _ => Vec::new(),
    }
}

/// The line of a key, an index key or a copy.
fn key(line: &Line, own: impl Fn() -> Vec<Offer>) -> Vec<Offer> {
    let is_copy = line.token(0) == "copy";
    match line.last(0) {
        "bucket" => return words(&UNITS),
        "of" | "only" | "when" | "and" | "or" | "," => return own(),
        "sparse" => return words(&["when"]),
        "copy" | "shard" => return Vec::new(),
        _ => {}
    }
    if UNITS.contains(&line.last(0)) {
        return words(&["of"]);
    }
    match is_copy {
        true => words(&["only", "when", "shard", "bucket"]),
        false => words(&["shard", "bucket", "sparse when"]),
    }
}

fn view_member(line: &Line, names: &Names) -> Vec<Offer> {
    let source = names
        .named(&[NameKind::View], &line.name)
        .and_then(|view| source_of(names, view.span.end));
    let of_source = || {
        source
            .as_deref()
            .map_or_else(Vec::new, |of| attributes(names, of))
    };
    let folds = ["count", "sum", "min", "max", "average", "distinct", "top"];
    match (line.token(0), line.last(0)) {
        ("", _) => [words(&["key", "only", "expect"]), indexes(names)].concat(),
        (_, ":") => [words(&folds), of_source(), entities(names)].concat(),
        (_, "only" | "by") | ("only", _) => of_source(),
        (_, ".") => attributes(names, line.last(1)),
        (_, last) if folds.contains(&last) => of_source(),
        ("key", _) => key(line, || attributes(names, &line.name)),
        ("expect", _) => expected(line, || attributes(names, &line.name)),
        _ => Vec::new(),
    }
}

/// The entity that a view is kept from: the first one that is mentioned behind its name.
fn source_of(names: &Names, behind: usize) -> Option<String> {
    let mut mentions = names.mentions().iter();
    let found = mentions.find_map(|mention| {
        let one = names.all().get(mention.name)?;
        let is_entity = matches!(one.kind, NameKind::Entity | NameKind::View);
        (is_entity && !mention.is_declaration && mention.span.start >= behind).then_some(one)
    });
    found.map(|one| one.text.clone())
}

/// A line of a write.
fn action(line: &Line, names: &Names) -> Vec<Offer> {
    const CLAUSES: [&str; 6] = ["set", "where", "when", "remove", "else", "each"];
    let verbs = [
        "create",
        "put",
        "update",
        "delete",
        "check",
        "create or update",
    ];
    let after_verb = match (line.token(0), line.token(1), line.token(2)) {
        ("create", "or", "update") => 3,
        _ => 1,
    };
    let entity = line.token(after_verb);
    let parameters = || parameters_of(names, &line.name);
    match line.last(0) {
        "" => words(&verbs),
        "create" if line.tokens.len() == 1 => [entities(names), words(&["or update"])].concat(),
        _ if line.tokens.len() == after_verb => entities(names),
        "as" => Vec::new(),
        "for" => words(&["each"]),
        "each" => parameters(),
        "set" | "where" | "when" | "remove" | "else" | "," | "and" | "or" | "not" | "("
            if !line.clause(&CLAUSES).is_empty() =>
        {
            attributes(names, entity)
        }
        "=" | "+" | "-" | ">" | "<" | "in" => [parameters(), attributes(names, entity)].concat(),
        "." => attributes(names, line.last(1)),
        _ => words(&[
            "set", "where", "when", "remove", "for each", "as", "else", "and", "or",
        ]),
    }
}

//! Names to meanings: declarations become a [`Model`] whose references are places, not words.
//!
//! What has no meaning is reported and left out, so that everything else is still resolved.

mod columns;
mod entity;
mod pattern;
mod table;
mod write;

use crate::diagnostic::{Diagnostic, Span};
use crate::schema::{Model, Type};
use crate::syntax::ast::{AttributeDecl, EntityDecl, Name, Tree, TypeDecl};
use std::collections::BTreeMap;

pub(crate) fn resolve(tree: &Tree, diagnostics: &mut Vec<Diagnostic>) -> Model {
    let mut model = Model {
        name: tree.name.as_ref().map_or_else(|| "model".to_owned(), |name| name.text.clone()),
        version: tree.version.unwrap_or(1),
        ..Model::default()
    };
    if tree.name.is_none() {
        let missing =
            Diagnostic::error("KF001", Span::default(), "the model has no name", "the first line names it");
        diagnostics.push(missing.help("start with `model shop 1`: a name and a version"));
    }
    if tree.tables.is_empty() {
        let missing =
            Diagnostic::error("KF002", Span::default(), "the model has no table", "nothing can be stored");
        diagnostics.push(missing.help("add `table Shop (PK, SK)`"));
    }
    check_names(tree, diagnostics);
    let types = Types::new(tree);
    model.tables = tree.tables.iter().map(|table| table::resolve(table, diagnostics)).collect();
    tree.tables.iter().for_each(|declared| columns::check(declared, diagnostics));
    table::collect_delimiters(tree, &mut model);
    for declared in &tree.entities {
        if let Some(entity) = entity::resolve(declared, &model, &types, diagnostics) {
            model.entities.push(entity);
        }
    }
    let declared_entities: Vec<&str> = tree.entities.iter().map(|entity| entity.name.text.as_str()).collect();
    for declared in &tree.patterns {
        if let Some(pattern) = pattern::resolve(declared, &declared_entities, &model, diagnostics) {
            model.patterns.push(pattern);
        }
    }
    for declared in &tree.writes {
        if let Some(write) = write::resolve(declared, &model, diagnostics) {
            model.writes.push(write);
        }
    }
    model
}

/// Refuses a name declared twice.
fn check_names(tree: &Tree, diagnostics: &mut Vec<Diagnostic>) {
    let groups: [(&str, Vec<&Name>); 4] = [
        ("table", tree.tables.iter().map(|table| &table.name).collect()),
        ("entity", tree.entities.iter().map(|entity| &entity.name).collect()),
        ("pattern", tree.patterns.iter().map(|pattern| &pattern.name).collect()),
        ("write", tree.writes.iter().map(|write| &write.name).collect()),
    ];
    for (what, names) in groups {
        distinct(what, names.into_iter(), diagnostics);
    }
}

fn distinct<'n>(what: &str, names: impl Iterator<Item = &'n Name>, diagnostics: &mut Vec<Diagnostic>) {
    let mut seen: BTreeMap<&str, Span> = BTreeMap::new();
    for name in names {
        if let Some(first) = seen.insert(&name.text, name.span) {
            diagnostics.push(
                Diagnostic::error(
                    "KF003",
                    name.span,
                    format!("the {what} `{}` is declared twice", name.text),
                    "again here",
                )
                .label(first, "first here")
                .help("rename or remove one of them"),
            );
        }
    }
}

/// An error about a name that means nothing, with the nearest one that does.
fn unknown<'n>(what: &str, name: &Name, known: impl Iterator<Item = &'n str>) -> Diagnostic {
    let known: Vec<&str> = known.collect();
    let diagnostic =
        Diagnostic::error("KF002", name.span, format!("there is no {what} `{}`", name.text), "not declared");
    let nearest = known.iter().min_by_key(|other| distance(other, &name.text));
    match nearest {
        Some(near) if distance(near, &name.text) <= 2 => diagnostic.help(format!("did you mean `{near}`?")),
        Some(_) => diagnostic.help(format!("declared: {}", known.join(", "))),
        None => diagnostic,
    }
}

/// How many letters must change between two words.
fn distance(one: &str, two: &str) -> usize {
    let two: Vec<char> = two.to_lowercase().chars().collect();
    let mut row: Vec<usize> = (0..=two.len()).collect();
    for (at, letter) in one.to_lowercase().chars().enumerate() {
        let mut next = vec![at + 1];
        for (place, other) in two.iter().enumerate() {
            let get = |row: &[usize], at: usize| row.get(at).copied().unwrap_or(usize::MAX / 2);
            let change = get(&row, place) + usize::from(letter != *other);
            next.push(change.min(get(&row, place + 1) + 1).min(get(&next, place) + 1));
        }
        row = next;
    }
    row.last().copied().unwrap_or(0)
}

/// The types of all attributes, references followed.
struct Types<'t> {
    tree: &'t Tree,
}

impl<'t> Types<'t> {
    fn new(tree: &'t Tree) -> Types<'t> {
        Types { tree }
    }

    fn entity(&self, name: &str) -> Option<&'t EntityDecl> {
        self.tree.entities.iter().find(|entity| entity.name.text == name)
    }

    /// The type of an attribute; `Err` says what is wrong with it.
    fn of(&self, attribute: &AttributeDecl) -> Result<Type, Diagnostic> {
        let mut declared = &attribute.kind;
        // As many steps as there are entities suffice, unless references go round.
        for _ in 0..=self.tree.entities.len() {
            match declared {
                TypeDecl::Named(name) => return named(name),
                TypeDecl::Words(words) => {
                    return Ok(Type::Words(words.iter().map(|word| word.text.clone()).collect()));
                }
                TypeDecl::Reference(entity, target) => {
                    let names = || self.tree.entities.iter().map(|entity| entity.name.text.as_str());
                    let found =
                        self.entity(&entity.text).ok_or_else(|| unknown("entity", entity, names()))?;
                    let attributes = || found.attributes.iter().map(|attribute| attribute.name.text.as_str());
                    let next = found.attributes.iter().find(|attribute| attribute.name.text == target.text);
                    declared = &next
                        .ok_or_else(|| {
                            unknown(&format!("attribute of {}", entity.text), target, attributes())
                        })?
                        .kind;
                }
            }
        }
        let message = format!("the type of `{}` refers to itself", attribute.name.text);
        Err(Diagnostic::error("KF002", attribute.name.span, message, "references go round in a circle"))
    }
}

fn named(name: &Name) -> Result<Type, Diagnostic> {
    match name.text.as_str() {
        "string" => Ok(Type::String),
        "int" => Ok(Type::Int),
        "number" => Ok(Type::Number),
        "bool" => Ok(Type::Bool),
        "time" => Ok(Type::Time),
        "date" => Ok(Type::Date),
        _ => {
            let types = ["string", "int", "number", "bool", "time", "date"];
            Err(unknown("type", name, types.into_iter())
                .note("a type is one of these, words (`pending | paid`), or another entity's attribute (`User.userId`)"))
        }
    }
}

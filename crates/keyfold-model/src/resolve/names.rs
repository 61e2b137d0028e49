//! Names: the entities that are declared, names that mean nothing, and names declared twice.

use crate::diagnostic::{Diagnostic, Edit, Span};
use crate::near::nearest;
use crate::period::Unit;
use crate::schema::{Attribute, Entity, Model, Type};
use crate::syntax::ast::{Name, Tree};
use crate::written::written;
use std::collections::{BTreeMap, BTreeSet, HashMap};

/// Most names that the help of an unknown name lists.
const NAMES_SHOWN_MAX: usize = 40;

/// The places of entities by name. An entity that was not resolved was reported where it stands.
pub(super) struct Places<'t>(HashMap<&'t str, Option<usize>>);

impl<'t> Places<'t> {
    pub(super) fn new(tree: &'t Tree, model: &Model) -> Places<'t> {
        let entities = model.entities.iter().enumerate().rev();
        let resolved: HashMap<&str, usize> = entities
            .map(|(at, entity)| (entity.name.as_str(), at))
            .collect();
        let names = tree.entities.iter().map(|entity| entity.name.text.as_str());
        Places(
            names
                .map(|name| (name, resolved.get(name).copied()))
                .collect(),
        )
    }

    pub(super) fn is_declared(&self, name: &Name) -> bool {
        self.0.contains_key(name.text.as_str())
    }

    /// The place of the first resolved entity of a name.
    pub(super) fn place(&self, name: &Name) -> Option<usize> {
        self.0.get(name.text.as_str()).copied().flatten()
    }
}

/// The names of entities: all that are declared, and the places of those that were resolved.
pub(super) struct Entities<'t> {
    declared: Vec<&'t str>,
    places: Places<'t>,
    /// The type of the first attribute of each name.
    attributes: HashMap<String, Type>,
}

impl<'t> Entities<'t> {
    pub(super) fn new(tree: &'t Tree, model: &Model, places: Places<'t>) -> Entities<'t> {
        let declared = tree
            .entities
            .iter()
            .map(|entity| entity.name.text.as_str())
            .collect();
        let mut attributes = HashMap::new();
        for one in model.entities.iter().flat_map(|entity| &entity.attributes) {
            if !attributes.contains_key(&one.name) {
                attributes.insert(one.name.clone(), one.kind.clone());
            }
        }
        Entities {
            declared,
            places,
            attributes,
        }
    }

    /// The type of the first attribute of a name.
    pub(super) fn attribute_type(&self, name: &str) -> Option<&Type> {
        self.attributes.get(name)
    }

    /// The place of a declared entity. `None` when it was not resolved: an undeclared name is
    /// reported here, a faulty declaration was reported where it stands.
    pub(super) fn place(&self, name: &Name, diagnostics: &mut Vec<Diagnostic>) -> Option<usize> {
        let place = self.places.place(name);
        if place.is_none() && !self.places.is_declared(name) {
            diagnostics.push(unknown("entity", name, self.declared.iter().copied()));
        }
        place
    }
}

/// Refuses declarations of one kind that share a name.
pub(super) fn check(tree: &Tree, diagnostics: &mut Vec<Diagnostic>) {
    let groups: [(&str, Vec<&Name>); 5] = [
        (
            "record",
            tree.records.iter().map(|record| &record.name).collect(),
        ),
        (
            "table",
            tree.tables.iter().map(|table| &table.name).collect(),
        ),
        (
            "entity",
            tree.entities.iter().map(|entity| &entity.name).collect(),
        ),
        (
            "pattern",
            tree.patterns.iter().map(|pattern| &pattern.name).collect(),
        ),
        (
            "write",
            tree.writes.iter().map(|write| &write.name).collect(),
        ),
    ];
    for (what, names) in groups {
        distinct(what, names.into_iter(), diagnostics);
    }
    check_period_names(tree, diagnostics);
}

/// Refuses a table whose name is that of another table's period: `Metrics_2024_01`.
fn check_period_names(tree: &Tree, diagnostics: &mut Vec<Diagnostic>) {
    for table in &tree.tables {
        let Some(unit) = table
            .period
            .as_ref()
            .and_then(|word| Unit::of_word(&word.text))
        else {
            continue;
        };
        let is_of_period = |name: &str| {
            let period = name
                .strip_prefix(table.name.text.as_str())
                .and_then(|rest| rest.strip_prefix('_'));
            period.is_some_and(|period| unit.of_name(period).is_some())
        };
        for other in tree
            .tables
            .iter()
            .filter(|other| other.period.is_none() && is_of_period(&other.name.text))
        {
            let message = format!(
                "`{}` is the name of a table of {}",
                other.name.text, table.name.text
            );
            diagnostics.push(
                Diagnostic::error(
                    "KF003",
                    other.name.span,
                    message,
                    "items of both would lie in one table",
                )
                .label(
                    table.name.span,
                    format!("one table for each {}", unit.word()),
                )
                .help("rename one of them"),
            );
        }
    }
}

/// Refuses a name that stands twice in a list of declarations.
pub(super) fn distinct<'n>(
    what: &str,
    names: impl Iterator<Item = &'n Name>,
    diagnostics: &mut Vec<Diagnostic>,
) {
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

/// The attribute of a name, or the error that the entity has none.
pub(super) fn attribute_of<'e>(
    entity: &'e Entity,
    name: &Name,
) -> Result<&'e Attribute, Box<Diagnostic>> {
    entity
        .attribute(&name.text)
        .ok_or_else(|| Box::new(unknown_attribute(entity, name)))
}

/// The error about a name that is no attribute of an entity.
pub(super) fn unknown_attribute(entity: &Entity, name: &Name) -> Diagnostic {
    if let Some(unclosed) = unclosed(entity, name) {
        return unclosed;
    }
    let names = entity
        .attributes
        .iter()
        .map(|attribute| attribute.name.as_str());
    unknown(&format!("attribute of {}", entity.name), name, names)
}

/// The error about a field of a key that is not closed, so that the next one is part of its name:
/// `{status#{ticketId}`.
fn unclosed(entity: &Entity, name: &Name) -> Option<Diagnostic> {
    let (_, next) = name.text.split_once('{')?;
    let names = entity.attributes.iter().map(|one| one.name.as_str());
    let begun = |known: &&str| {
        let rest = name.text.strip_prefix(known).unwrap_or_default();
        rest.starts_with(|c: char| !c.is_alphanumeric() && c != '_')
    };
    let meant = names.filter(begun).max_by_key(|known| known.len())?;
    let between = name.text.len() - next.len() - 1;
    let between = name.text.get(meant.len()..between)?;
    let message = format!("the field {{{meant}}} is not closed");
    let label = "the next field begins inside it";
    let diagnostic = Diagnostic::error("KF002", name.span, message, label);
    Some(
        diagnostic
            .help(format!("write {{{meant}}}{between}{{{next}}}"))
            .repair(vec![Edit::insert(name.span.start + meant.len(), "}")]),
    )
}

/// The error about an undeclared name. It suggests the nearest known name, or lists the known ones.
pub(super) fn unknown<'n>(
    what: &str,
    name: &Name,
    known: impl Iterator<Item = &'n str>,
) -> Diagnostic {
    let mut known: Vec<&str> = known.collect();
    let mut seen = BTreeSet::new();
    known.retain(|one| seen.insert(*one));
    let message = match what.split_once(" of ") {
        Some((what, owner)) => format!("{owner} has no {what} `{}`", name.text),
        None => format!("there is no {what} `{}`", name.text),
    };
    let diagnostic = Diagnostic::error("KF002", name.span, message, "not declared");
    match nearest(&name.text, known.iter().copied()).as_slice() {
        // Several names are equally near: the author has to choose.
        [first, second, ..] => diagnostic.help(format!("did you mean `{first}` or `{second}`?")),
        [near] => {
            let diagnostic = diagnostic.help(format!("did you mean `{near}`?"));
            match replacement(name, near) {
                Some(text) => diagnostic.repair(vec![Edit::replace(name.span, text)]),
                None => diagnostic,
            }
        }
        [] if known.is_empty() => diagnostic,
        [] => diagnostic.help(declared(&known)),
    }
}

/// The known name as it is written in the place of the unknown one, if that place is sure to take
/// it: in quotes where those of the unknown name are replaced, or without where it needs none.
fn replacement(name: &Name, near: &str) -> Option<String> {
    let written = written(near);
    let replaces_quotes = name.span.end - name.span.start > name.text.len();
    (written == near || replaces_quotes).then_some(written)
}

/// The list of declared names, shortened to [`NAMES_SHOWN_MAX`].
fn declared(known: &[&str]) -> String {
    let shown: Vec<&str> = known.iter().take(NAMES_SHOWN_MAX).copied().collect();
    let more = known.len().saturating_sub(NAMES_SHOWN_MAX);
    let rest = if more > 0 {
        format!(" and {more} more")
    } else {
        String::new()
    };
    format!("declared: {}{rest}", shown.join(", "))
}

//! What one file uses of another: entities, tables and records that the other file shares.

use crate::diagnostic::{Diagnostic, Edit};
use crate::sources::{SourceFile, Sources};
use crate::syntax::ast::{
    ActionDecl, AggregateDecl, EntityDecl, FromDecl, Head, LimitDecl, Name, PatternDecl,
    RecordDecl, Tree, TypeDecl, ViewDecl, WriteDecl,
};
use std::collections::{HashMap, HashSet};

/// The kinds of declarations that other files may use.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
enum Kind {
    Entity,
    Table,
    Record,
}

impl Kind {
    /// Its word in the language.
    fn word(self) -> &'static str {
        match self {
            Kind::Entity => "entity",
            Kind::Table => "table",
            Kind::Record => "record",
        }
    }
}

/// The use of a declaration: its kind, its name, and the place of the use.
type Use<'t> = (Kind, &'t str, &'t Name);

/// Refuses what a file uses of another that does not share it: the first use in each file.
pub(super) fn check(tree: &Tree, sources: &Sources, diagnostics: &mut Vec<Diagnostic>) {
    if sources.files().len() < 2 {
        return;
    }
    let mut declared: HashMap<(Kind, &str), (&Name, Head)> = HashMap::new();
    let entities = tree
        .entities
        .iter()
        .map(|one| (Kind::Entity, &one.name, one.head));
    let tables = tree
        .tables
        .iter()
        .map(|one| (Kind::Table, &one.name, one.head));
    let records = tree
        .records
        .iter()
        .map(|one| (Kind::Record, &one.name, one.head));
    let mut own = HashSet::new();
    for (kind, name, head) in entities.chain(tables).chain(records) {
        declared.entry((kind, &name.text)).or_insert((name, head));
        own.insert((kind, name.text.as_str(), sources.index_at(name.span.start)));
    }
    let mut seen = HashSet::new();
    for (kind, name, at) in uses(tree) {
        let Some((declared, head)) = declared.get(&(kind, name)) else {
            continue;
        };
        let user = sources.index_at(at.span.start);
        let home = sources.index_at(declared.span.start);
        // A file that declares the name again means its own: that is an error by itself.
        if own.contains(&(kind, name, user)) || head.is_shared || !seen.insert((kind, name, user)) {
            continue;
        }
        let file = sources.files().get(home);
        diagnostics.push(private((kind, name, at), declared, *head, file));
    }
}

/// The error about a declaration that its file does not share.
fn private(
    (kind, name, at): Use<'_>,
    declared: &Name,
    head: Head,
    file: Option<&SourceFile>,
) -> Diagnostic {
    let word = kind.word();
    let home = file.map_or("", SourceFile::name);
    let owner = file.and_then(SourceFile::owner);
    let owned = owner.map_or(String::new(), |owner| format!(", which {owner} owns"));
    let message = format!("the {word} {name} is private to {home}{owned}");
    let label = if at.text == name {
        "used here".to_owned()
    } else {
        format!("{} lies in {name}", at.text)
    };
    let may = match owner {
        Some(owner) => format!("{owner} may share it"),
        None => "its owner may share it".to_owned(),
    };
    Diagnostic::error("KF006", at.span, message, label)
        .label(declared.span, "declared without `shared`")
        .help(format!("{may}: `shared {word} {name}`"))
        .offer(vec![Edit::insert(head.span.start, "shared ")])
}

/// Everything that declarations use of others.
fn uses(tree: &Tree) -> Vec<Use<'_>> {
    let mut all = Vec::new();
    for RecordDecl {
        fields,
        name: _,
        head: _,
    } in &tree.records
    {
        fields.iter().for_each(|one| of_type(&one.kind, &mut all));
    }
    for entity in &tree.entities {
        of_entity(entity, tree, &mut all);
    }
    for pattern in &tree.patterns {
        of_pattern(pattern, &mut all);
    }
    for WriteDecl {
        parameters,
        actions,
        name: _,
    } in &tree.writes
    {
        let kinds = parameters.iter().filter_map(|one| one.kind.as_ref());
        kinds.for_each(|kind| of_type(kind, &mut all));
        // The sources of keys are other actions of the write.
        let entities = actions.iter().map(|ActionDecl { entity, .. }| entity);
        all.extend(entities.map(|name| (Kind::Entity, name.text.as_str(), name)));
    }
    all
}

/// The entity or the record that a type names.
fn of_type<'t>(declared: &'t TypeDecl, all: &mut Vec<Use<'t>>) {
    match declared {
        TypeDecl::Named(name, _) => all.push((Kind::Record, &name.text, name)),
        TypeDecl::Reference(entity, _) => all.push((Kind::Entity, &entity.text, entity)),
        TypeDecl::Words(_) => {}
        TypeDecl::Of(_, _, inner) => of_type(inner, all),
    }
}

fn of_entity<'t>(declared: &'t EntityDecl, tree: &'t Tree, all: &mut Vec<Use<'t>>) {
    let EntityDecl {
        name,
        table,
        attributes,
        aggregates,
        view,
        // It is no declaration of the model any more.
        was: _,
        part: _,
        // The others name attributes of the entity and indexes of its table.
        head: _,
        key: _,
        id: _,
        indexes: _,
        copies: _,
        uniques: _,
        ttl: _,
        version: _,
        splits: _,
        unstored: _,
        compressed: _,
        expects: _,
        origin: _,
        end: _,
    } = declared;
    match (table, tree.tables.as_slice()) {
        (Some(table), _) => all.push((Kind::Table, &table.text, table)),
        (None, [only]) => all.push((Kind::Table, &only.name.text, name)),
        (None, _) => {}
    }
    attributes.iter().for_each(|one| of_type(&one.kind, all));
    let counted = aggregates.iter().map(|AggregateDecl { entity, .. }| entity);
    all.extend(counted.map(|name| (Kind::Entity, name.text.as_str(), name)));
    let Some(ViewDecl {
        source,
        columns,
        // They name attributes of the source.
        when: _,
    }) = view
    else {
        return;
    };
    all.push((Kind::Entity, &source.text, source));
    for column in columns {
        match &column.from {
            FromDecl::Joined { entity, .. } => all.push((Kind::Entity, &entity.text, entity)),
            FromDecl::Count
            | FromDecl::Fold(..)
            | FromDecl::Top { .. }
            | FromDecl::Attribute(_) => {}
        }
    }
}

fn of_pattern<'t>(declared: &'t PatternDecl, all: &mut Vec<Use<'t>>) {
    for parameter in &declared.parameters {
        match &parameter.limit {
            LimitDecl::Free(kind) => of_type(kind, all),
            LimitDecl::Equal
            | LimitDecl::AtLeast(_)
            | LimitDecl::AtMost(_)
            | LimitDecl::Above(_)
            | LimitDecl::Below(_)
            | LimitDecl::Within(..)
            | LimitDecl::Starts(_)
            | LimitDecl::Period(..)
            | LimitDecl::Periods(..)
            | LimitDecl::Among => {}
        }
    }
    // A filter by kind names entities that the pattern returns.
    let returned = declared.returned.iter().map(|one| &one.entity);
    all.extend(returned.map(|name| (Kind::Entity, name.text.as_str(), name)));
}

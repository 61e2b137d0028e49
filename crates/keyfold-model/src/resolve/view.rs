//! Views: entities that are kept from the stream of another entity's table.

use super::entity;
use super::follower::Follower;
use super::names::{distinct, unknown};
use super::view_columns::Scope;
use crate::diagnostic::{Diagnostic, Edit, Span, report};
use crate::schema::view::{Column, From, View};
use crate::schema::{Entity, Model, StreamView, Table};
use crate::syntax::ast::{EntityDecl, FromDecl, Name, Tree, ViewDecl};
use crate::template::{Format, Part, fields_of};

/// Resolves the views of a model, whose entities are resolved. A view with an error is left out.
pub(super) fn resolve_all(tree: &Tree, model: &mut Model, diagnostics: &mut Vec<Diagnostic>) {
    for declared in &tree.entities {
        if let Some(view) = &declared.view
            && let Some(entity) = resolve(declared, view, (tree, model), diagnostics)
        {
            model.entities.push(entity);
        }
    }
}

fn resolve(
    declared: &EntityDecl,
    view: &ViewDecl,
    (tree, model): (&Tree, &Model),
    diagnostics: &mut Vec<Diagnostic>,
) -> Option<Entity> {
    let (source_at, source) = report(source_of(view, tree, model), diagnostics)??;
    let table_at = report(entity::table_of(declared, model, diagnostics), diagnostics)?;
    let table = model.tables.get(table_at)?;
    distinct(
        "column",
        view.columns.iter().map(|column| &column.name),
        diagnostics,
    );
    let known = diagnostics.len();
    diagnostics.extend(unfit_source(view, source));
    diagnostics.extend(periods(declared.name.span, table));
    let follower = Follower {
        word: "view",
        name: &declared.name.text,
        entity: source,
        check: &|_, _| Ok(()),
    };
    let when = report(follower.conditions(&view.when), diagnostics)?;
    let is_grouped = is_grouped(view);
    let scope = Scope {
        declared,
        view,
        source,
        when: &when,
        is_grouped,
        known: (tree, model),
    };
    let (attributes, columns): (Vec<_>, Vec<_>) = scope.columns(diagnostics)?.into_iter().unzip();
    let mut entity = entity::with_attributes(declared, attributes, (model, table_at), diagnostics)?;
    let followed = std::iter::once(source_at).chain(joined(&columns));
    for at in followed {
        diagnostics.extend(unstreamed(view, at, model));
    }
    diagnostics.extend(unkept_index_key(&entity, &columns, table));
    if diagnostics.len() == known {
        diagnostics.extend(shared_row(&entity, &columns, source, is_grouped));
    }
    entity.view = Some(View {
        source: source_at,
        when,
        columns,
        is_grouped,
    });
    Some(entity)
}

/// The entities of joined columns; one may appear twice.
fn joined(columns: &[Column]) -> impl Iterator<Item = usize> {
    columns.iter().filter_map(|column| match &column.from {
        From::Joined { entity, .. } => Some(*entity),
        From::Group { .. }
        | From::Copied { .. }
        | From::Count
        | From::Sum { .. }
        | From::Min { .. }
        | From::Max { .. }
        | From::Average { .. }
        | From::Distinct { .. }
        | From::Top { .. } => None,
    })
}

/// Whether some column is made of several items.
fn is_grouped(view: &ViewDecl) -> bool {
    view.columns.iter().any(|column| match column.from {
        FromDecl::Count | FromDecl::Fold(..) | FromDecl::Top { .. } => true,
        FromDecl::Attribute(_) | FromDecl::Joined { .. } => false,
    })
}

/// The source of a view and its position; `None` for a declared one that has an error.
fn source_of<'m>(
    view: &ViewDecl,
    tree: &Tree,
    model: &'m Model,
) -> Result<Option<(usize, &'m Entity)>, Box<Diagnostic>> {
    let name = &view.source;
    let mut entities = model.entities.iter().enumerate();
    let found = entities.find(|(_, entity)| entity.name == name.text);
    match found {
        Some((_, entity)) if entity.view.is_some() => {}
        Some(found) => return Ok(Some(found)),
        None => {}
    }
    let mut all = tree.entities.iter();
    let declared = all.find(|one| one.name.text == name.text);
    match declared.map(|one| &one.view) {
        Some(Some(of)) => {
            let message = format!("{} is a view itself", name.text);
            let label = "a view is kept from an entity";
            let help = format!("keep it from the same source: `of {}`", of.source.text);
            Err(Box::new(
                Diagnostic::error("KF019", name.span, message, label)
                    .help(help)
                    .repair(vec![Edit::replace(name.span, of.source.text.as_str())]),
            ))
        }
        Some(None) => Ok(None),
        None => {
            let names = model.entities.iter().filter(|one| one.view.is_none());
            let names = names.map(|entity| entity.name.as_str());
            Err(Box::new(unknown("entity", name, names)))
        }
    }
}

/// The error about a source whose items do not come whole, each in one record of its stream.
fn unfit_source(view: &ViewDecl, source: &Entity) -> Option<Diagnostic> {
    let (list, _) = source.split.as_ref()?;
    let message = format!(
        "no view can be kept from {}: its `{list}` is split over several items",
        source.name
    );
    let label = "their changes come one by one";
    Some(
        Diagnostic::error("KF019", view.source.span, message, label)
            .label(source.span, "declared here")
            .help(
                "make the elements of the list an entity of their own, and keep the view from it",
            ),
    )
}

/// The error about a table per period.
fn periods(at: Span, table: &Table) -> Option<Diagnostic> {
    let unit = table.period?;
    let message = format!(
        "{} is a table per {unit}, and no view is kept there",
        table.name
    );
    let label = "each period has a table and a stream of its own";
    Some(
        Diagnostic::error("KF019", at, message, label)
            .label(table.span, format!("per {unit}"))
            .help("declare it in a table without periods"),
    )
}

/// The error about an entity whose table has no stream from which a view can be kept.
fn unstreamed(view: &ViewDecl, at: usize, model: &Model) -> Option<Diagnostic> {
    let entity = model.entities.get(at)?;
    let table = model.tables.get(entity.table)?;
    let span = match &view.source {
        source if source.text == entity.name => source.span,
        _ => place_of(view, &entity.name),
    };
    if table.period.is_some() {
        return periods(span, table);
    }
    let line = format!("stream {}", StreamView::NewAndOld.words());
    let add = format!("add `{line}` to {}", table.name);
    let (message, repair) = match table.settings.stream {
        Some(StreamView::NewAndOld) => return None,
        None => (
            format!("{} has no stream from which a view is kept", table.name),
            Some(Edit::insert(table.end, format!("\n  {line}"))),
        ),
        Some(other @ (StreamView::New | StreamView::Old | StreamView::Keys)) => (
            format!(
                "the stream of {} has `{}`, and a view needs items before and after",
                table.name,
                other.words()
            ),
            None,
        ),
    };
    let label = format!("its items lie in {}", table.name);
    let error = Diagnostic::error("KF019", span, message, label)
        .label(table.span, "declared here")
        .note("a row follows what an item was and what it is");
    Some(match repair {
        Some(edit) => error.help(add).repair(vec![edit]),
        None => error.help(format!("write `{line}`")),
    })
}

/// The place at which a view names an entity that it joins.
fn place_of(view: &ViewDecl, name: &str) -> Span {
    let mut joined = view.columns.iter().filter_map(|column| match &column.from {
        FromDecl::Joined { entity, .. } => Some(entity),
        FromDecl::Count | FromDecl::Fold(..) | FromDecl::Top { .. } | FromDecl::Attribute(_) => {
            None
        }
    });
    let found: Option<&Name> = joined.find(|entity| entity.text == name);
    found.map_or(view.source.span, |entity| entity.span)
}

/// The error about an index key that is made of what changes without the row being read: only an
/// attribute that is the key itself can follow.
fn unkept_index_key(entity: &Entity, columns: &[Column], table: &Table) -> Option<Diagnostic> {
    let moving = |name: &str| {
        let column = columns.iter().find(|one| one.attribute == name)?;
        let is_moving =
            column.from.is_aggregate() || joined(std::slice::from_ref(column)).count() > 0;
        is_moving.then_some(column)
    };
    for key in &entity.indexes {
        let index = table.indexes.get(key.index)?;
        let parts = key
            .key
            .templates()
            .flat_map(crate::template::KeyTemplate::columns);
        for (of, parts) in index.columns().zip(parts) {
            let is_itself = matches!(parts, [Part::Field { name, format: Format::Bare, .. }] if *name == of.name);
            let Some(column) = fields_of(parts).into_iter().find_map(moving) else {
                continue;
            };
            if is_itself {
                continue;
            }
            let name = &column.attribute;
            let message = format!(
                "a key of {} is made of `{name}`, which is kept by adding to it",
                index.name
            );
            let help = format!(
                "let the attribute itself be the key: name the key attribute of {} `{name}`, and write it here without quotes: `{{{name}}}`",
                index.name
            );
            return Some(
                Diagnostic::error("KF019", key.key.span, message, "would not follow")
                    .label(column.span, "kept from here")
                    .help(help),
            );
        }
    }
    None
}

/// The error about a row that several items would share although no column is made of several.
fn shared_row(
    entity: &Entity,
    columns: &[Column],
    source: &Entity,
    is_grouped: bool,
) -> Option<Diagnostic> {
    if is_grouped {
        return None;
    }
    if source.moves() {
        let (of, name) = (&source.name, &entity.name);
        let message =
            format!("{of} moves, and a row of {name} would be written and deleted in no order");
        let label = "its items at two places have records in different shards";
        return Some(
            Diagnostic::error("KF019", entity.span, message, label)
                .label(source.key.span, "this key changes")
                .help("make rows of several items, which take no order: add a column such as `items: count`"),
        );
    }
    let is_whole = |name: &str| {
        columns
            .iter()
            .any(|one| matches!(&one.from, From::Group { of, cut: None } if of == name))
    };
    let missing = source.key.fields().find(|name| !is_whole(name))?;
    let (name, of) = (&entity.name, &source.name);
    let message = format!("two {of} items can share a row of {name}: its key lacks `{missing}`");
    let label = format!("`{missing}` is not in this key");
    Some(
        Diagnostic::error("KF019", entity.key.span, message, label)
            .label(source.key.span, "what identifies an item")
            .note("a row with columns of one item would show either of them")
            .help(format!(
                "add {{{missing}}} to the key, or a column made of several items, such as `items: count`"
            )),
    )
}

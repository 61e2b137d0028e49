//! Entities: attributes, keys, copies, unique attributes, and what else is declared of them.

use super::types::Types;
use super::{attribute, index_key, template, unknown, unknown_attribute};
use crate::diagnostic::{Diagnostic, Edit};
use crate::schema::{Column, Copy, Entity, Expected, KeyPair, Model, Table, Type};
use crate::syntax::ast::{CopyDecl, EntityDecl, ExpectDecl, ExpectUnit, KeyDecl, Name};
use crate::template::{KeyTemplate, Part};
use keyfold_types::KeyKind;

pub(super) fn resolve(
    declared: &EntityDecl,
    model: &Model,
    types: &Types<'_>,
    diagnostics: &mut Vec<Diagnostic>,
) -> Option<Entity> {
    let table_at = match &declared.table {
        None => 0,
        Some(name) => match model
            .tables
            .iter()
            .position(|table| table.name == name.text)
        {
            Some(at) => at,
            None => {
                let names = model.tables.iter().map(|table| table.name.as_str());
                diagnostics.push(unknown("table", name, names));
                return None;
            }
        },
    };
    let table = model.tables.get(table_at)?;
    let attributes = attribute::resolve_all(declared, types, diagnostics);
    let Some(key_declared) = &declared.key else {
        if !declared.is_broken {
            diagnostics.push(no_key(declared, table));
        }
        return None;
    };
    let mut entity = Entity {
        name: declared.name.text.clone(),
        span: declared.name.span,
        end: declared.end,
        table: table_at,
        attributes,
        key: empty_key(key_declared),
        indexes: Vec::new(),
        copies: Vec::new(),
        uniques: Vec::new(),
        ttl: None,
        version: None,
        aggregates: Vec::new(),
        split: None,
        compressed: Vec::new(),
        expected: expected(&declared.expects),
        period_attribute: None,
    };
    entity.version = declared.version.as_ref().map(|name| name.text.clone());
    let sort: Vec<&Column> = table.sort.iter().collect();
    entity.key = template::key(
        key_declared,
        &[&table.partition],
        &sort,
        &entity,
        diagnostics,
    )?;
    let identity = identity(&entity.key);
    template::add_shard(&mut entity.key, key_declared, &identity);
    check_required(&entity, &entity.key, "the key", diagnostics);
    split(declared, &mut entity, diagnostics);
    for name in &declared.compressed {
        match entity.attribute(&name.text) {
            Some(found) if entity.key.fields().any(|field| field == found.name) => diagnostics
                .push(Diagnostic::error(
                    "KF004",
                    name.span,
                    "a key cannot be compressed",
                    "part of the key",
                )),
            Some(_) => entity.compressed.push(name.text.clone()),
            None => diagnostics.push(unknown_attribute(&entity, name)),
        }
    }
    index_key::resolve_all(declared, table, &mut entity, &identity, diagnostics);
    super::distinct(
        "copy",
        declared.copies.iter().map(|copy| &copy.name),
        diagnostics,
    );
    for declared in &declared.copies {
        entity
            .copies
            .extend(copy(declared, table, &entity, &identity, diagnostics));
    }
    uniques(declared, table, &mut entity, diagnostics);
    ttl(declared, table, &mut entity, diagnostics);
    period(table, &mut entity, diagnostics);
    Some(entity)
}

fn no_key(declared: &EntityDecl, table: &Table) -> Diagnostic {
    let message = format!("the entity {} has no key", declared.name.text);
    let first = declared
        .attributes
        .first()
        .map_or("id", |attribute| attribute.name.text.as_str());
    let sort = if table.sort.is_some() {
        " \"META\""
    } else {
        ""
    };
    let line = format!(
        "key \"{}#{{{first}}}\"{sort}",
        declared.name.text.to_uppercase()
    );
    let diagnostic = Diagnostic::error("KF002", declared.name.span, message, "it cannot be stored")
        .help(format!("add a line like `{line}`"));
    if declared.attributes.is_empty() {
        return diagnostic;
    }
    diagnostic.repair(vec![Edit::insert(declared.end, format!("\n  {line}"))])
}

fn empty_key(declared: &KeyDecl) -> KeyPair {
    KeyPair {
        partition: KeyTemplate::of_text("", declared.span),
        sort: None,
        span: declared.span,
    }
}

/// The identity of an item: its whole key, as one text.
fn identity(key: &KeyPair) -> Vec<Part> {
    let mut parts = key.partition.parts.clone();
    if let Some(sort) = &key.sort {
        parts.push(Part::Text("#".to_owned()));
        parts.extend(sort.parts.iter().cloned());
    }
    parts
}

/// A key must be made of attributes that every item has.
fn check_required(entity: &Entity, key: &KeyPair, what: &str, diagnostics: &mut Vec<Diagnostic>) {
    for field in key.fields() {
        let Some(attribute) = entity.attribute(field) else {
            continue;
        };
        if attribute.optional {
            let message = format!(
                "{what} of {} is made of `{field}`, which may be missing",
                entity.name
            );
            diagnostics.push(
                Diagnostic::error(
                    "KF004",
                    key.span,
                    message,
                    "an item without it would have no key",
                )
                .label(attribute.span, "declared optional here")
                .help(format!(
                    "make it required: remove the `?` behind the type of `{field}`"
                )),
            );
        } else if attribute.is_kept {
            let message = format!(
                "{what} of {} is made of `{field}`, which the model itself keeps",
                entity.name
            );
            diagnostics.push(
                Diagnostic::error("KF016", key.span, message, "it changes with every write")
                    .label(attribute.span, "kept up to date from here")
                    .help("leave it out of keys, copies and `unique`"),
            );
        }
    }
}

/// `split list by N`: the item becomes the first of several, in the order of their sort keys.
fn split(declared: &EntityDecl, entity: &mut Entity, diagnostics: &mut Vec<Diagnostic>) {
    if let Some((extra, _)) = declared.splits.get(1) {
        diagnostics.push(
            Diagnostic::error(
                "KF003",
                extra.span,
                "an entity splits one list",
                "a second one",
            )
            .help("make it an entity of its own"),
        );
    }
    let Some((name, count)) = declared.splits.first() else {
        return;
    };
    let Some(attribute) = entity.attribute(&name.text) else {
        diagnostics.push(unknown_attribute(entity, name));
        return;
    };
    if !matches!(attribute.kind, Type::List(_)) || *count == 0 {
        let message = format!(
            "`{}` is a {} and cannot be split into items of {count}",
            name.text, attribute.kind
        );
        diagnostics.push(
            Diagnostic::error(
                "KF004",
                name.span,
                message,
                "only a list has elements, one or more an item",
            )
            .label(attribute.span, "declared here"),
        );
        return;
    }
    match &mut entity.key.sort {
        Some(sort) if !sort.is_bare() => {
            sort.parts.extend([Part::Text("#".to_owned()), Part::Chunk]);
            entity.split = Some((name.text.clone(), *count));
        }
        _ => diagnostics.push(
            Diagnostic::error(
                "KF004",
                name.span,
                "`split` needs a text sort key",
                "there is none",
            )
            .note("the parts lie side by side, their number at the end of the sort key")
            .help("give the table a sort key of text"),
        ),
    }
}

fn copy(
    declared: &CopyDecl,
    table: &Table,
    entity: &Entity,
    identity: &[Part],
    diagnostics: &mut Vec<Diagnostic>,
) -> Option<Copy> {
    let sort: Vec<&Column> = table.sort.iter().collect();
    let mut key = template::key(
        &declared.key,
        &[&table.partition],
        &sort,
        entity,
        diagnostics,
    )?;
    template::add_shard(&mut key, &declared.key, identity);
    check_required(
        entity,
        &key,
        &format!("the copy {}", declared.name.text),
        diagnostics,
    );
    let is_split = |name: &str| {
        entity
            .split
            .as_ref()
            .is_some_and(|(split, _)| split == name)
    };
    let attributes: Vec<String> = match &declared.only {
        None => {
            let may = |a: &&crate::schema::Attribute| !a.is_kept && !is_split(&a.name);
            entity
                .attributes
                .iter()
                .filter(may)
                .map(|attribute| attribute.name.clone())
                .collect()
        }
        Some(names) => {
            for name in names {
                match entity.attribute(&name.text) {
                    None => diagnostics.push(unknown_attribute(entity, name)),
                    Some(found) if found.is_kept || is_split(&found.name) => diagnostics.push(
                        Diagnostic::error(
                            "KF016",
                            name.span,
                            format!("a copy cannot hold `{}`", name.text),
                            if found.is_kept {
                                "the model keeps it in the item itself"
                            } else {
                                "it is split"
                            },
                        )
                        .help("leave it out of `only`"),
                    ),
                    Some(_) => {}
                }
            }
            names.iter().map(|name| name.text.clone()).collect()
        }
    };
    for (column, template) in
        std::iter::once((&table.partition, &key.partition)).chain(table.sort.iter().zip(&key.sort))
    {
        let is_itself = template.is_bare() && template.fields().any(|field| field == column.name);
        if attributes.contains(&column.name) && !is_itself {
            let message = format!(
                "the copy {} holds `{}`, which is its key",
                declared.name.text, column.name
            );
            diagnostics.push(
                Diagnostic::error(
                    "KF018",
                    declared.name.span,
                    message,
                    "the key would overwrite it",
                )
                .help("leave it out of the copy with `only`, or rename the attribute"),
            );
            return None;
        }
    }
    Some(Copy {
        name: declared.name.text.clone(),
        span: declared.name.span,
        key,
        attributes,
    })
}

fn uniques(
    declared: &EntityDecl,
    table: &Table,
    entity: &mut Entity,
    diagnostics: &mut Vec<Diagnostic>,
) {
    let columns = std::iter::once(&table.partition).chain(&table.sort);
    let not_text = columns.into_iter().find(|column| column.kind != KeyKind::S);
    if let (Some(first), Some(column)) = (declared.uniques.iter().flatten().next(), not_text) {
        let message = format!("`unique` needs text keys, and {} is none", column.name);
        diagnostics.push(
            Diagnostic::error(
                "KF004",
                first.span,
                message,
                "its guard could not be stored",
            )
            .note("a unique value is guarded by an item of its own, whose key is a text")
            .help(format!("declare {} as string", column.name)),
        );
    }
    if let (Some(first), Some(unit)) = (declared.uniques.iter().flatten().next(), table.period) {
        let message = format!("`unique` would hold within one {unit} only");
        diagnostics.push(
            Diagnostic::error(
                "KF004",
                first.span,
                message,
                "the guard lies in one period's table",
            )
            .help("keep what is unique in a table without periods"),
        );
    }
    for unique in &declared.uniques {
        let mut names = Vec::new();
        for name in unique {
            match entity.attribute(&name.text) {
                Some(found) if found.kind.fits_key() && !found.is_kept => {
                    names.push(name.text.clone())
                }
                Some(found) => {
                    let message = format!("`{}`, a {}, cannot be unique", name.text, found.kind);
                    diagnostics.push(Diagnostic::error(
                        "KF004",
                        name.span,
                        message,
                        "no text or number",
                    ));
                }
                None => diagnostics.push(unknown_attribute(entity, name)),
            }
        }
        if names.len() != unique.len() {
            continue;
        }
        if let (true, Some(name)) = (entity.uniques.contains(&names), unique.first()) {
            let message = format!("{} is declared unique twice", names.join(", "));
            diagnostics.push(
                Diagnostic::error("KF003", name.span, message, "again here").help("remove it"),
            );
            continue;
        }
        entity.uniques.push(names);
    }
}

fn ttl(
    declared: &EntityDecl,
    table: &Table,
    entity: &mut Entity,
    diagnostics: &mut Vec<Diagnostic>,
) {
    let Some(name) = &declared.ttl else { return };
    match entity.attribute(&name.text) {
        None => diagnostics.push(unknown_attribute(entity, name)),
        Some(found) if !matches!(found.kind, Type::Time(_) | Type::Date) => diagnostics.push(
            Diagnostic::error("KF004", name.span, format!("`{}` is no time", name.text), "an item expires at a time")
                .label(found.span, format!("a {}", found.kind))
                .help(format!("declare `{}: time`", name.text)),
        ),
        Some(_) if table.ttl_attribute.is_none() => diagnostics.push(
            Diagnostic::error("KF002", name.span, format!("the table {} says no ttl attribute", table.name), "needed")
                .label(table.span, "declared here")
                .note("DynamoDB deletes items by one number attribute of the table, seconds since 1970; the model fills it")
                .help("write `ttl expires` behind the table's key, a name that no attribute has"),
        ),
        Some(_) => {
            diagnostics.extend(expires_in_pieces(name, declared, entity));
            entity.ttl = Some(name.text.clone());
        }
    }
}

/// DynamoDB deletes expired items one by one, each within days: what lies in several items is there
/// in part meanwhile.
fn expires_in_pieces(ttl: &Name, declared: &EntityDecl, entity: &Entity) -> Option<Diagnostic> {
    if let Some(kept) = declared.aggregates.first() {
        let message = format!(
            "a {} would expire while others are counted in it",
            entity.name
        );
        return Some(
            Diagnostic::error("KF016", ttl.span, message, "one that came again would count from nothing")
                .label(kept.kind.span, format!("`{}` is kept here", kept.attribute.text))
                .help("delete it by a write of the model instead of `ttl`, which looks whether others are counted in it"),
        );
    }
    let (what, consequence, help) = if let Some(unique) = entity.uniques.first() {
        let names = unique.join(", ");
        (
            format!("the guards of `unique {names}`"),
            "a value would be taken whose item is gone, or free while its item is still there".to_owned(),
            "let the key hold what is unique, or delete the items by a write of the model instead of `ttl`"
                .to_owned(),
        )
    } else if let Some(copy) = entity.copies.first() {
        (
            format!("its copy {}", copy.name),
            "a copy would be found whose item is gone, or the other way round".to_owned(),
            "reach it by an index instead of a copy, or delete the items by a write of the model"
                .to_owned(),
        )
    } else {
        let (list, _) = entity.split.as_ref()?;
        (
            format!("the parts of `{list}`"),
            "a list would be found that lacks some of its parts".to_owned(),
            "keep the list in one item, or delete the items by a write of the model".to_owned(),
        )
    };
    let message = format!("a {} and {what} would expire one by one", entity.name);
    Some(
        Diagnostic::error(
            "KF016",
            ttl.span,
            message,
            "each item is deleted at a moment of its own",
        )
        .label(entity.span, "lies in several items")
        .note(consequence)
        .help(help),
    )
}

/// In a table with periods, a time in the key says in which table an item lies.
fn period(table: &Table, entity: &mut Entity, diagnostics: &mut Vec<Diagnostic>) {
    let Some(unit) = table.period else { return };
    let fits = |field: &&str| {
        entity
            .attribute(field)
            .is_some_and(|attribute| match attribute.kind {
                Type::Time(_) => true,
                Type::Date => unit >= crate::period::Unit::Day,
                _ => false,
            })
    };
    entity.period_attribute = entity.key.fields().find(fits).map(str::to_owned);
    if entity.period_attribute.is_none() {
        let message = format!(
            "the key of {} has no time, and {} has a table per {unit}",
            entity.name, table.name
        );
        diagnostics.push(
            Diagnostic::error(
                "KF004",
                entity.key.span,
                message,
                "which table is not known",
            )
            .label(table.span, format!("per {unit}"))
            .help("add the time to the key, so that an item is found without asking every table"),
        );
    }
}

fn expected(declared: &[ExpectDecl]) -> Expected {
    let mut expected = Expected::default();
    for one in declared {
        expected.span.get_or_insert(one.span);
        match &one.unit {
            ExpectUnit::Items => expected.items = Some(one.count),
            ExpectUnit::Bytes => expected.bytes = Some(one.count),
            ExpectUnit::WritesASecond | ExpectUnit::ASecond => expected.writes = Some(one.count),
            ExpectUnit::Per(attribute) => expected.per.push((attribute.text.clone(), one.count)),
        }
    }
    expected
}

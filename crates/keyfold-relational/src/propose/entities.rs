//! Tables become entities: their attributes, references and what is unique. Where they lie is decided by
//! `place`.

use super::conditions::{self, Condition};
use super::draft::{Attribute, Draft, Entity, Link, Ruling, Sole};
use super::names::{self, EntityName};
use super::values::{self, Judged, Kind};
use crate::catalog::{Catalog, Measured, Table};
use crate::dialect::Dialect as Database;
use sqlparser::dialect::Dialect;

/// What is known of a database.
pub(super) struct Known<'k> {
    pub(super) catalog: &'k Catalog,
    /// The figures of each column of each table.
    pub(super) measured: &'k [Vec<Measured>],
    pub(super) dialect: &'k dyn Dialect,
    /// Whose types and SQL they are.
    pub(super) database: Database,
    pub(super) is_typed: bool,
    /// A column inside of a text of the model.
    pub(super) unquoted: &'k dyn Fn(&str) -> Option<String>,
}

impl Known<'_> {
    fn measured(&self, table: usize, column: usize) -> Measured {
        let of_table = self.measured.get(table);
        of_table
            .and_then(|one| one.get(column))
            .copied()
            .unwrap_or_default()
    }
}

/// The entities of the tables that have one.
pub(super) fn of(known: &Known<'_>, draft: &mut Draft) {
    for (at, table) in known.catalog.tables.iter().enumerate() {
        let name = distinct_name(&draft.entities, EntityName::of(&table.name, at + 1));
        if let Some(why) = draft.ruling.banned.get(&at) {
            draft.left_out.push((table.shown(), why.clone()));
            continue;
        }
        match entity(known, &draft.ruling, (at, table), name) {
            Ok(entity) => draft.entities.push(entity),
            Err(why) => draft.left_out.push((table.shown(), why)),
        }
    }
    for (name, why) in &known.catalog.passed {
        draft.left_out.push((name.clone(), why.clone()));
    }
    for at in 0..draft.entities.len() {
        let links = links(known, &draft.entities, at);
        let Some(entity) = draft.entities.get_mut(at) else {
            continue;
        };
        for link in links.iter().filter(|link| link.is_exact) {
            for (own, to) in link.attributes.iter().zip(&link.to) {
                if let Some(attribute) = entity.attributes.get_mut(*own)
                    && attribute.refers.is_none()
                    && (link.target, *to) != (at, *own)
                {
                    attribute.refers = Some((link.target, *to));
                }
            }
        }
        entity.links = links;
    }
}

fn distinct_name(entities: &[Entity], base: EntityName) -> EntityName {
    let is_taken = |name: &EntityName| {
        let is_same = |one: &Entity| {
            one.name.entity == name.entity
                || one.name.label == name.label
                || one.name.one == name.one
        };
        entities.iter().any(is_same)
    };
    let mut name = base.clone();
    let mut number = 2;
    while is_taken(&name) {
        name = base.numbered(number);
        number += 1;
    }
    name
}

/// Why a name of SQL cannot stand in a model.
fn unwritable(name: &str) -> bool {
    name.is_empty() || name.contains(['"', '\n', '\r', '\0'])
}

/// What the constraints of a table say of its columns.
struct Said {
    words: Vec<(usize, Vec<String>)>,
    present: Vec<usize>,
    /// Conditions that nothing keeps.
    others: Vec<String>,
}

fn said(known: &Known<'_>, table: &Table) -> Said {
    let mut said = Said {
        words: Vec::new(),
        present: Vec::new(),
        others: Vec::new(),
    };
    for check in &table.checks {
        match conditions::of(check, known.dialect) {
            Condition::Words(name, words) => {
                said.words
                    .extend(table.position(&name).map(|at| (at, words)));
            }
            Condition::Present(name) => said.present.extend(table.position(&name)),
            Condition::Other => said.others.push(one_line(check)),
        }
    }
    said
}

/// A text as a part of a comment.
pub(super) fn one_line(text: &str) -> String {
    let words: Vec<&str> = text.split_whitespace().collect();
    let line = words.join(" ");
    match line.chars().count() > 120 {
        true => line.chars().take(118).chain("…".chars()).collect(),
        false => line,
    }
}

fn entity(
    known: &Known<'_>,
    ruling: &Ruling,
    (at, table): (usize, &Table),
    name: EntityName,
) -> Result<Entity, String> {
    let identity = table.identity();
    if identity.is_empty() {
        return Err("has no primary key, by which an item would be found".to_owned());
    }
    if [Some(&table.name), table.schema.as_ref()]
        .into_iter()
        .flatten()
        .any(|one| unwritable(one))
    {
        return Err("has a name that a model cannot write".to_owned());
    }
    let said = said(known, table);
    let mut entity = Entity::of(at, name);
    add_attributes(known, ruling, (table, &said), &mut entity);
    entity.identity = entity
        .of_columns(&identity)
        .ok_or("has a column in its key whose name a model cannot write")?;
    for at in &entity.identity {
        let Some(attribute) = entity.attributes.get_mut(*at) else {
            continue;
        };
        attribute.is_optional = false;
        if attribute.judged.cast != values::Cast::None || !attribute.judged.kind.fits_key() {
            return Err(format!(
                "has the key column {}, whose values cannot be a key",
                attribute.name
            ));
        }
    }
    bound(known, table, &mut entity);
    if let Some(why) = ruling.blocked.get(&at) {
        entity.blocked = Some(why.clone());
    }
    for unique in &table.uniques {
        if let Some(why) = ruling.no_unique.get(&(at, unique.columns.clone())) {
            entity
                .remarks
                .push(format!("what is unique is not kept: {why}"));
            continue;
        }
        add_unique(
            table,
            unique.columns.as_slice(),
            unique.is_folded,
            &mut entity,
        );
    }
    let others = said.others.iter();
    let others = others.map(|one| format!("CHECK {one} is not kept: `when` in a write can say it"));
    entity.remarks.extend(others);
    entity.remarks.extend(table.remarks.iter().cloned());
    Ok(entity)
}

fn add_attributes(
    known: &Known<'_>,
    ruling: &Ruling,
    (table, said): (&Table, &Said),
    entity: &mut Entity,
) {
    let key = table.identity();
    for (position, column) in table.columns.iter().enumerate() {
        if unwritable(&column.name) {
            let remark = format!(
                "the column {} is left out: a model cannot write its name",
                position + 1
            );
            entity.remarks.push(remark);
            continue;
        }
        let measured = known.measured(entity.table, position);
        let words = said.words.iter().find(|(at, _)| *at == position);
        let words = words.map(|(_, words)| words.as_slice());
        let words = words.or(column.words.as_deref());
        let judged = match known.database {
            Database::Postgres => values::of_typed(column, words, &measured),
            Database::Mariadb => super::mariadb::judged(column, words, &measured),
            Database::Sqlite => values::of_untyped(column, words, &measured),
        };
        if words.is_some() && !matches!(judged.kind, Kind::Words(_)) {
            entity.remarks.push(format!(
                "{} is no enumeration: not all of its values can be words",
                column.name
            ));
        }
        let judged = ruling
            .weaker
            .get(&(entity.table, position))
            .cloned()
            .unwrap_or(judged);
        let base = match key.as_slice() == [position] && column.name.eq_ignore_ascii_case("id") {
            true => names::attribute(&format!("{}_id", entity.name.one), position + 1),
            false => names::attribute(&column.name, position + 1),
        };
        let is_taken = |name: &str| entity.attributes.iter().any(|one| one.name == name);
        let name = names::distinct(&base, is_taken);
        let is_required =
            (column.is_required || said.present.contains(&position)) && measured.nulls == 0;
        let default = column
            .default
            .as_deref()
            .filter(|_| is_required && !key.contains(&position));
        let default = default.and_then(|sql| values::default(sql, &judged.kind));
        if let Some(why) = &judged.why {
            entity
                .remarks
                .push(format!("{name} is {}: {why}", judged.kind.written()));
        }
        entity.attributes.push(Attribute {
            column: position,
            name,
            judged,
            is_optional: !is_required,
            default,
            refers: None,
            is_emptied: false,
            measured,
        });
    }
}

/// Leaves out rows whose key is NULL or empty, and says where a log tells too little of a key.
fn bound(known: &Known<'_>, table: &Table, entity: &mut Entity) {
    for at in entity.identity.clone() {
        let Some(attribute) = entity.attributes.get(at) else {
            continue;
        };
        let column = table.columns.get(attribute.column);
        let name = column.map_or("", |one| one.name.as_str());
        let sql = (known.unquoted)(name);
        let mut bound = |condition: &str, what: &str, count: u64| {
            let Some(sql) = sql.as_ref().filter(|_| count > 0) else {
                return;
            };
            entity.only.push(format!("{sql} {condition}"));
            entity.remarks.push(format!(
                "{count} of its rows are left out: {name} is {what}, and no key is"
            ));
        };
        bound("IS NOT NULL", "NULL", attribute.measured.nulls);
        bound("<> ''", "an empty text", attribute.measured.empty);
        if column.is_some_and(|one| one.is_generated) && known.is_typed {
            entity.blocked = Some(format!(
                "{name} is a generated column, which the log does not hold"
            ));
        }
    }
    let columns = entity.identity.iter();
    let mut columns = columns.filter_map(|at| entity.attributes.get(*at).map(|one| one.column));
    if let Some(told) = &table.told
        && columns.any(|one| !told.contains(&one))
    {
        entity.blocked = Some(format!(
            "the log does not tell its key: ALTER TABLE {} REPLICA IDENTITY FULL",
            table.shown()
        ));
    }
}

fn add_unique(table: &Table, columns: &[usize], is_folded: bool, entity: &mut Entity) {
    let names = columns.iter();
    let names = names.filter_map(|at| table.columns.get(*at).map(|one| one.name.as_str()));
    let names: Vec<&str> = names.collect();
    let Some(attributes) = entity.of_columns(columns) else {
        return;
    };
    if Entity::is_set(&attributes, &entity.identity) {
        return;
    }
    let of = |at: &usize| entity.attributes.get(*at);
    let kinds: Vec<&Judged> = attributes
        .iter()
        .filter_map(of)
        .map(|one| &one.judged)
        .collect();
    let longest: u64 = attributes
        .iter()
        .filter_map(of)
        .map(|one| one.measured.longest)
        .sum();
    if kinds.iter().any(|one| !one.kind.fits_key()) || longest > values::IN_KEY_MAX {
        entity.remarks.push(format!(
            "UNIQUE ({}) is not kept: its values do not fit a key",
            names.join(", ")
        ));
        return;
    }
    let is_citext = |at: &usize| {
        let column = of(at).and_then(|one| table.columns.get(one.column));
        column.is_some_and(|one| one.kind == "citext")
    };
    let is_folded = (is_folded || attributes.iter().any(is_citext))
        && kinds.iter().all(|one| one.kind == Kind::Text)
        && kinds.len() == 1;
    for at in &attributes {
        if let Some(one) = entity.attributes.get_mut(*at)
            && one.measured.empty > 0
            && !entity.identity.contains(at)
        {
            one.is_emptied = true;
            one.is_optional = true;
        }
    }
    let is_same = |one: &Sole| Entity::is_set(&one.attributes, &attributes);
    if !entity.uniques.iter().any(is_same) {
        entity.uniques.push(Sole {
            attributes,
            is_folded,
        });
    }
}

/// The foreign keys of an entity whose target is one.
fn links(known: &Known<'_>, entities: &[Entity], at: usize) -> Vec<Link> {
    let Some(entity) = entities.get(at) else {
        return Vec::new();
    };
    let Some(table) = known.catalog.tables.get(entity.table) else {
        return Vec::new();
    };
    let mut links: Vec<Link> = Vec::new();
    for reference in &table.references {
        let position = entities.iter().position(|one| one.table == reference.table);
        let Some((position, target)) = position.and_then(|at| Some((at, entities.get(at)?))) else {
            continue;
        };
        let attributes = entity.of_columns(&reference.columns);
        let to = target.of_columns(&reference.to);
        let (Some(attributes), Some(to)) = (attributes, to) else {
            continue;
        };
        if links
            .iter()
            .any(|one| Entity::is_set(&one.attributes, &attributes))
        {
            continue;
        }
        let mut pairs = attributes.iter().zip(&to);
        let is_exact = Entity::is_set(&to, &target.identity)
            && pairs.all(|(own, other)| {
                let (own, other) = (entity.attributes.get(*own), target.attributes.get(*other));
                own.zip(other).is_some_and(|(own, other)| {
                    own.judged.kind.is_like(&other.judged.kind)
                        && own.judged.cast == values::Cast::None
                })
            });
        // In the order of what identifies the target.
        let mut pairs: Vec<(usize, usize)> = attributes.into_iter().zip(to).collect();
        pairs.sort_by_key(|(_, to)| target.identity.iter().position(|one| one == to));
        links.push(Link {
            attributes: pairs.iter().map(|(own, _)| *own).collect(),
            target: position,
            to: pairs.iter().map(|(_, to)| *to).collect(),
            is_exact,
            cascades: reference.cascades,
        });
    }
    links
}

//! Items of one version where the other does not expect them: in the range of a pattern, or under a
//! key that another item gets. Both are decided on languages: the texts that keys can be.

use super::beside::copies_of;
use super::change::{ALL_ITEMS, Change, Class, Place, Verdict, Verdicts, Work};
use super::collect::Collect;
use super::pair::{Pair, of_new, of_old};
use super::text::{example, is_same_key};
use crate::check::exact::quote;
use crate::check::shape::{Owner, Shape, Space, Spaces};
use crate::plan::range::range;
use crate::schema::{Model, Pattern, PatternPlan, RequestKind, Table};

/// A model with the keys that its items can have.
struct Side<'m> {
    model: &'m Model,
    spaces: Spaces,
    is_old: bool,
}

/// Reports items in ranges where the other version has none, and keys of two kinds of items.
pub(super) fn ranges(old_model: &Model, new_model: &Model, all: &mut Collect<'_>) {
    let [old, new] = [(old_model, true), (new_model, false)].map(|(model, is_old)| Side {
        model,
        spaces: Spaces::new(model),
        is_old,
    });
    for (reader, writer) in [(&old, &new), (&new, &old)] {
        for pattern in &reader.model.patterns {
            strangers(reader, writer, pattern, all);
        }
    }
    collisions(&old, &new, all);
}

/// The place of a table in a model.
fn table_of<'m>(model: &'m Model, name: &str) -> Option<(usize, &'m Table)> {
    let mut tables = model.tables.iter().enumerate();
    tables.find(|(_, table)| table.name == name)
}

/// The space that a plan reads, in a table of a model.
fn space_of(table: &Table, plan: &PatternPlan) -> Option<Space> {
    let Some(name) = &plan.index else {
        return Some(Space::Table);
    };
    let place = table.indexes.iter().position(|index| index.name == *name);
    place.map(Space::Index)
}

/// The pairs of the entity of an owner.
fn pairs_of<'p, 'm>(side: &Side<'_>, owner: Owner, pairs: &'p [Pair<'m>]) -> Vec<&'p Pair<'m>> {
    let Some(own) = side.model.entities.get(owner.entity) else {
        return Vec::new();
    };
    match side.is_old {
        true => of_old(pairs, &own.name).collect(),
        false => of_new(pairs, &own.name).collect(),
    }
}

/// The owners in the other model that an owner of this one is.
fn counterparts(side: &Side<'_>, owner: Owner, pairs: &[Pair<'_>]) -> Vec<Owner> {
    let all = pairs_of(side, owner, pairs).into_iter();
    all.filter_map(|pair| counterpart(side, owner, pair))
        .collect()
}

/// The owner in the other model that an owner of this one is in a pair; `None` where it has none.
fn counterpart(side: &Side<'_>, owner: Owner, pair: &Pair<'_>) -> Option<Owner> {
    let own = side.model.entities.get(owner.entity)?;
    let (model, entity) = match side.is_old {
        true => (pair.new_model, pair.new),
        false => (pair.old_model, pair.old),
    };
    let copy = match owner.copy.and_then(|at| own.copies.get(at)) {
        None => None,
        Some(copy) => Some(entity.copies.iter().position(|one| one.name == copy.name)?),
    };
    let entity = model
        .entities
        .iter()
        .position(|one| one.name == entity.name)?;
    Some(Owner {
        entity,
        copy,
        is_guard: owner.is_guard,
    })
}

/// Whether the other model has items of the same kind under the same keys: what it proves of them
/// holds for these.
fn is_known(side: &Side<'_>, shape: &Shape, others: &[Shape], pairs: &[Pair<'_>]) -> bool {
    let is_same = |pair: &Pair<'_>, other: &Shape| match side.is_old {
        true => is_same_key(pair, &shape.key, &other.key),
        false => is_same_key(pair, &other.key, &shape.key),
    };
    pairs_of(side, shape.owner, pairs).into_iter().any(|pair| {
        let owner = counterpart(side, shape.owner, pair);
        let mut alike = others.iter().filter(|other| Some(other.owner) == owner);
        alike.any(|other| is_same(pair, other))
    })
}

/// Reports items of the writer's version in the ranges of the reader's pattern.
fn strangers(reader: &Side<'_>, writer: &Side<'_>, pattern: &Pattern, all: &mut Collect<'_>) {
    let members: Vec<Owner> = pattern
        .returned
        .iter()
        .map(|one| Owner {
            entity: one.entity,
            copy: one.copy,
            is_guard: false,
        })
        .collect();
    let mut seen: Vec<String> = Vec::new();
    for (_, plan) in pattern.plans() {
        let is_range = matches!(plan.request, RequestKind::Query) && plan.gets.is_empty();
        let own = table_of(reader.model, &plan.table).filter(|_| is_range);
        let (Some((own_at, own)), Some((at, table))) = (own, table_of(writer.model, &plan.table))
        else {
            continue;
        };
        let (Some(own_space), Some(space)) = (space_of(own, plan), space_of(table, plan)) else {
            continue;
        };
        let range = range(plan, pattern);
        let own_shapes = reader.spaces.shapes(own_at, own_space);
        for shape in writer.spaces.shapes(at, space) {
            let owners = counterparts(writer, shape.owner, &all.pairs);
            let is_main = shape.owner.copy.is_none() && !shape.owner.is_guard;
            let is_member = owners.iter().any(|owner| members.contains(owner));
            // An item of another key is a change of its own.
            let is_moved = is_main && !owners.is_empty() && space == Space::Table;
            let is_told = is_member || is_moved || seen.contains(&shape.what);
            if is_told || is_known(writer, shape, own_shapes, &all.pairs) {
                continue;
            }
            let found = shape.partition.common_text(&range.partition);
            let found = found.zip(shape.sort.common_text(&range.sort));
            if let Some((partition, sort)) = found {
                seen.push(shape.what.clone());
                let key = format!("{} {}", quote(&partition), quote(&sort));
                all.add(stranger(
                    reader,
                    (pattern, &plan.table),
                    (writer, shape),
                    &key,
                ));
            }
        }
    }
}

/// A side and the other one, in words.
fn versions(side: &Side<'_>) -> (&'static str, &'static str) {
    match side.is_old {
        true => ("old", "new"),
        false => ("new", "old"),
    }
}

fn stranger(
    reader: &Side<'_>,
    (pattern, table): (&Pattern, &str),
    (writer, shape): (&Side<'_>, &Shape),
    key: &str,
) -> Change {
    let (own, other) = versions(reader);
    let owner = writer.model.entities.get(shape.owner.entity);
    let entity = owner.map_or(String::new(), |entity| entity.name.clone());
    let copy = owner.and_then(|owner| owner.copies.get(shape.owner.copy?));
    let what = match copy {
        Some(copy) => copies_of(copy),
        None if shape.owner.is_guard => shape.what.clone(),
        None => ALL_ITEMS.to_owned(),
    };
    let because = format!(
        "the range of pattern {} of the {own} version also holds {} of the {other} version",
        pattern.name, shape.what
    );
    let verdict = Verdict::no_as(because, key);
    let gone = format!("{} is deleted before the new version reads", shape.what);
    let (place, class, reason, verdicts, work) = match reader.is_old {
        true => (
            Place::Old(pattern.span),
            Class::NewWritersOnly,
            "the pattern of the old version returns or refuses items that it does not know"
                .to_owned(),
            Verdicts {
                old_reader: verdict,
                ..Verdicts::all()
            },
            Vec::new(),
        ),
        false => (
            Place::New(pattern.span),
            Class::Backfill,
            format!(
                "{} of the old version is deleted before the new version reads",
                shape.what
            ),
            Verdicts {
                old_reader: Verdict::no(gone),
                new_reader: verdict,
                writers: Verdict::no(format!(
                    "a writer of the old version goes on to write {}",
                    shape.what
                )),
            },
            vec![Work::Drop {
                entity: entity.clone(),
                what,
                is_in_the_way: true,
                is_of_items: false,
            }],
        ),
    };
    Change {
        what: format!("pattern {}", pattern.name),
        how: format!("{} of the {other} version is in its range", shape.what),
        place,
        class,
        reason,
        help: None,
        entities: vec![entity],
        tables: vec![table.to_owned()],
        verdicts,
        work,
    }
}

/// Reports keys that items of the new version get, and others of the old version have.
fn collisions(old: &Side<'_>, new: &Side<'_>, all: &mut Collect<'_>) {
    for (old_at, old_table) in old.model.tables.iter().enumerate() {
        let Some((new_at, _)) = table_of(new.model, &old_table.name) else {
            continue;
        };
        let before = old.spaces.shapes(old_at, Space::Table);
        let after = new.spaces.shapes(new_at, Space::Table);
        let left: Vec<&Shape> = before
            .iter()
            .filter(|shape| !is_known(old, shape, after, &all.pairs))
            .collect();
        for shape in after {
            if is_known(new, shape, before, &all.pairs) {
                continue;
            }
            let found = left.iter().find_map(|other| {
                let partition = shape.partition.common_text(&other.partition)?;
                let sort = shape.sort.common_text(&other.sort)?;
                Some((other, format!("{} {}", quote(&partition), quote(&sort))))
            });
            if let Some((other, key)) = found {
                let is_own = counterparts(new, shape.owner, &all.pairs).contains(&other.owner);
                // Some items keep their keys: the text in common is one of theirs.
                if is_own && example(&shape.key) == example(&other.key) {
                    continue;
                }
                let change = collision((old, new), &old_table.name, (shape, other), &key, is_own);
                all.add(change);
            }
        }
    }
}

/// Whether these are the items of an entity itself: no copies, no guards, no rows of a view.
fn is_entity(side: &Side<'_>, shape: &Shape) -> bool {
    let entity = side.model.entities.get(shape.owner.entity);
    let is_own = shape.owner.copy.is_none() && !shape.owner.is_guard;
    is_own && entity.is_some_and(|entity| entity.view.is_none())
}

fn collision(
    (old, new): (&Side<'_>, &Side<'_>),
    table: &str,
    (shape, other): (&Shape, &Shape),
    key: &str,
    is_own: bool,
) -> Change {
    let entity = new.model.entities.get(shape.owner.entity);
    let (because, class, reason, help) = match is_own {
        true => (
            format!("a new key of {} can be an old key of it", shape.what),
            Class::Rekey,
            "an item whose new key another one still has waits until that one has moved; a put never takes its place",
            "begin the new key with a text of its own, so that no key is one of both versions"
                .to_owned(),
        ),
        false => (
            format!(
                "{} of the new version can have the key of {} of the old version",
                shape.what, other.what
            ),
            Class::Impossible,
            "an item under such a key would take the place of one that is still there",
            match is_entity(new, shape) && is_entity(old, other) {
                true => format!(
                    "begin the new key with a text of its own; or, if it is the same entity under another name, say what it `was`: `entity {} was {}`",
                    shape.what, other.what
                ),
                false => "begin the new key with a text of its own".to_owned(),
            },
        ),
    };
    Change {
        what: entity.map_or(String::new(), super::pair::title),
        how: because.clone(),
        place: Place::New(shape.span),
        class,
        reason: reason.to_owned(),
        help: Some(help),
        entities: entity
            .map(|entity| entity.name.clone())
            .into_iter()
            .collect(),
        tables: vec![table.to_owned()],
        verdicts: Verdicts::none(&Verdict::no_as(because, key)),
        work: Vec::new(),
    }
}

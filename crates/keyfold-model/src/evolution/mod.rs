//! The evolution of a running design: what the change from one model to another needs of the data,
//! which versions may run together meanwhile, and the phases that follow from it.
//!
//! Nothing here is looked up by the name of a change. An entity is what it stores: the texts of its
//! keys, the names and values of its attributes, its copies, guards, index keys and aggregates. A
//! version may read what the other wrote where each pattern finds the same items under the same
//! texts, with every attribute that it needs and values of its types, and no items of another kind in
//! its ranges. Two versions may write together where each keeps what the other keeps.
//!
//! ```text
//! old  key "USER#{id}" "P"                       new  key "USER#{id}" "P"
//!                                                     GSI1 "CITY#{city}" "{id}"    pattern by_city
//!      old reader, new data   yes                the key and all attributes are the same
//!      new reader, old data   no                 by_city reads GSI1, where old items are not
//!      both writing           no                 an old writer does not write GSI1PK
//!      => writers, backfill, index, verify, readers
//! ```
//!
//! Nothing is read or written here. The proofs hold for items that were written through the models.

mod attributes;
mod beside;
mod change;
mod collect;
mod entity;
mod estimate;
mod former;
mod kept;
mod keys;
mod names;
mod pair;
mod patterns;
mod phases;
mod ranges;
mod split;
mod stored;
mod tables;
mod text;
mod unknown;
mod values;

pub use change::{Change, Class, Place, Verdict, Verdicts, Work};
pub use estimate::{Basis, Estimate, TableCounts, estimate};
pub use former::Made;
pub use kept::computed;
pub use keys::moves;
pub use pair::{Pair, Takes, pairs};
pub use phases::{Phase, Runs, Step};

use crate::schema::{Entity, Model};
use collect::Collect;
use pair::title;

/// The change from one model to another.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Evolution {
    /// The differences: of tables, entities, patterns and writes.
    pub changes: Vec<Change>,
    /// Who may run beside whom, all changes together.
    pub verdicts: Verdicts,
    /// The phases, in their order; none where there is no change, or something cannot be done.
    pub phases: Vec<Phase>,
}

impl Evolution {
    /// The greatest class of its changes; `Nothing` where there are none.
    pub fn class(&self) -> Class {
        let classes = self.changes.iter().map(|one| one.class);
        classes.max().unwrap_or(Class::Nothing)
    }
}

/// The change from the old model to the new one. Both are models without errors.
///
/// # Example
/// ```
/// use keyfold_model::evolution::{Class, evolve};
///
/// let old = r#"
/// model notes 1
/// table Notes (PK, SK)
/// entity Note
///   author: string, id: string
///   key "AUTHOR#{author}" "NOTE#{id}"
/// pattern notes_of(author) -> Note[]
/// "#;
/// let new = old.replace("id: string", "id: string, text: string?");
/// let model = |text: &str| keyfold_model::compile(text).model.expect("no errors");
/// let evolution = evolve(&model(old), &model(&new));
/// assert_eq!(evolution.class(), Class::NewWritersOnly);
/// assert!(evolution.verdicts.old_reader.is_yes() && evolution.verdicts.writers.is_yes());
/// ```
pub fn evolve(old: &Model, new: &Model) -> Evolution {
    let mut all = Collect {
        pairs: pairs(old, new),
        changes: Vec::new(),
    };
    unknown::entities(old, new, &mut all);
    tables::tables(old, new, &mut all);
    for pair in all.pairs.clone() {
        entity(&pair, &mut all);
    }
    for added in new.entities.iter() {
        if pair::of_new(&all.pairs, &added.name).next().is_none() {
            all.add(alone(new, added, Place::New(added.span)));
        }
    }
    for removed in old.entities.iter() {
        if pair::of_old(&all.pairs, &removed.name).next().is_none() {
            let mut change = alone(old, removed, Place::Old(removed.span));
            names::gone(old, new, removed, &mut change);
            all.add(change);
        }
    }
    patterns::patterns(old, new, &mut all);
    ranges::ranges(old, new, &mut all);
    let changes = std::mem::take(&mut all.changes);
    let verdicts = changes.iter().fold(Verdicts::all(), |known, one| {
        known.and(one.verdicts.clone())
    });
    let refused = all.pairs.iter().filter_map(|pair| {
        let because = beside::refused(pair).or_else(|| kept::written_over(pair))?;
        Some((pair.new.name.as_str(), because))
    });
    let phases = phases::phases(&changes, &verdicts, &refused.collect::<Vec<_>>());
    Evolution {
        changes,
        verdicts,
        phases,
    }
}

/// Reports the changes of an entity that is in both models.
fn entity(pair: &Pair<'_>, all: &mut Collect<'_>) {
    beside::kind(pair, all);
    if pair.old.view.is_some() || pair.new.view.is_some() {
        return kept::view(pair, all);
    }
    split::split(pair, all);
    split::merge(pair, all);
    keys::place(pair, all);
    names::names(pair, all);
    attributes::attributes(pair, all);
    keys::excluded(pair, all);
    keys::indexes(pair, all);
    beside::copies(pair, all);
    beside::guards(pair, all);
    kept::aggregates(pair, all);
    kept::expiry(pair, all);
    kept::version(pair, all);
    kept::stored_form(pair, all);
}

/// An entity that one model has alone.
fn alone(model: &Model, entity: &Entity, place: Place) -> Change {
    let table = model.tables.get(entity.table);
    let mut change = Change {
        what: title(entity),
        how: "added".to_owned(),
        place,
        class: Class::NewWritersOnly,
        reason: "there are no items of it yet".to_owned(),
        help: None,
        entities: vec![entity.name.clone()],
        tables: table.map(|table| table.name.clone()).into_iter().collect(),
        verdicts: Verdicts::all(),
        work: Vec::new(),
    };
    match place {
        Place::New(_) if entity.view.is_some() => kept::view_added(entity, &mut change),
        Place::New(_) => {}
        Place::Old(_) => {
            change.how = "removed".to_owned();
            change.reason =
                "its items are deleted when nothing of the old version is left".to_owned();
            change.help = entity.view.is_none().then(|| {
                format!(
                    "if it has another name now, say so in the new model: `entity NAME was {}`",
                    entity.name
                )
            });
            change.work = vec![Work::Drop {
                entity: entity.name.clone(),
                what: change::ALL_ITEMS.to_owned(),
                is_in_the_way: false,
                is_of_items: false,
            }];
        }
    }
    change
}

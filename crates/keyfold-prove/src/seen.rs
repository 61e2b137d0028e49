//! What a proof has seen at least once: aggregates that count an item, copies that are stored,
//! conditions of writes that hold, views that have a row. What it has never seen, it proves nothing of.

use crate::report::{Never, NeverKind};
use keyfold_model::{Action, Entity, Model};
use std::collections::BTreeSet;

/// A part of the model that a proof must see. The numbers are places in the model: of an entity and
/// its aggregate or copy, of a write and its action, of a view.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Sight {
    Aggregate(usize, usize),
    Copy(usize, usize),
    Condition(usize, usize),
    View(usize),
}

/// What was not seen yet.
pub(crate) struct Seen {
    open: BTreeSet<Sight>,
    /// What the write at hand has shown, which counts if it is kept.
    shown: Vec<Sight>,
}

impl Seen {
    pub(crate) fn nothing_of(model: &Model) -> Seen {
        let mut open = BTreeSet::new();
        for (at, entity) in model.entities.iter().enumerate() {
            open.extend((0..entity.aggregates.len()).map(|one| Sight::Aggregate(at, one)));
            open.extend((0..entity.copies.len()).map(|one| Sight::Copy(at, one)));
            open.extend(entity.view.iter().map(|_| Sight::View(at)));
        }
        for (at, write) in model.writes.iter().enumerate() {
            let actions = write.actions.iter().enumerate();
            let conditional = actions.filter(|(_, action)| !action.conditions.is_empty());
            open.extend(conditional.map(|(one, _)| Sight::Condition(at, one)));
        }
        Seen {
            open,
            shown: Vec::new(),
        }
    }

    /// Whether a sight was not seen yet.
    pub(crate) fn is_open(&self, sight: Sight) -> bool {
        self.open.contains(&sight)
    }

    /// Records what the write at hand shows.
    pub(crate) fn show(&mut self, sight: Sight) {
        if self.open.contains(&sight) {
            self.shown.push(sight);
        }
    }

    /// The write at hand is kept.
    pub(crate) fn keep(&mut self) {
        for sight in self.shown.drain(..) {
            self.open.remove(&sight);
        }
    }

    /// The write at hand is undone.
    pub(crate) fn forget(&mut self) {
        self.shown.clear();
    }

    /// What was never seen. Views are left out where they are not kept.
    pub(crate) fn never(&self, model: &Model, keeps_views: bool) -> Vec<Never> {
        let open = self.open.iter();
        let open = open.filter(|one| keeps_views || !matches!(one, Sight::View(_)));
        open.filter_map(|one| named(model, *one)).collect()
    }
}

/// A sight with its name.
fn named(model: &Model, sight: Sight) -> Option<Never> {
    let entity = |at: usize| model.entities.get(at);
    let (kind, name) = match sight {
        Sight::Aggregate(at, one) => {
            let aggregate = entity(at)?.aggregates.get(one)?;
            let name = format!("{}.{}", entity(at)?.name, aggregate.attribute);
            (NeverKind::Aggregate, name)
        }
        Sight::Copy(at, one) => {
            let copy = entity(at)?.copies.get(one)?;
            (
                NeverKind::Copy,
                format!("{}.{}", entity(at)?.name, copy.name),
            )
        }
        Sight::Condition(at, one) => {
            let write = model.writes.get(at)?;
            let action = write.actions.get(one)?;
            let line = line(action, entity(action.entity)?);
            (NeverKind::Condition, format!("`{line}` in {}", write.name))
        }
        Sight::View(at) => (NeverKind::View, entity(at)?.name.clone()),
    };
    Some(Never { kind, name })
}

/// The beginning of an action's line.
fn line(action: &Action, entity: &Entity) -> String {
    let alias = action.alias.iter().map(|alias| format!(" as {alias}"));
    let alias: String = alias.collect();
    format!("{} {}{alias}", action.verb.word(), entity.name)
}

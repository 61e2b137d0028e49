//! KF032, unused index: an index that no pattern reads adds a cost to every write, and so does an entity's line of
//! one that patterns read for other entities only.

use super::rule::Rule;
use crate::diagnostic::Diagnostic;
use crate::schema::{Entity, IndexKey, Model, PatternPlan, Table};
use std::collections::BTreeSet;

pub(crate) const RULE: Rule = Rule {
    code: "KF032",
    name: "unused-index",
    summary: "Each index is read by a pattern, and so is each entity's line of it.",
    why: "A write of an item that is in an index causes a second write, which costs money and time, \
        and the index stores the item once more. An index is declared for a pattern. If no \
        pattern reads it, its cost has no use, or the model lacks a pattern. The same holds for an \
        entity's line of an index that patterns read for other entities only.",
    failing: r##"model m 1
table Shop (PK, SK)
  gsi GSI1 (GSI1PK, GSI1SK)
entity User
  userId: string, city: string
  key   "USER#{userId}"  "PROFILE"
  GSI1  "CITY#{city}"    "USER#{userId}"
pattern user(userId)  -> User?
"##,
    repaired: r##"model m 1
table Shop (PK, SK)
  gsi GSI1 (GSI1PK, GSI1SK)
entity User
  userId: string, city: string
  key   "USER#{userId}"  "PROFILE"
  GSI1  "CITY#{city}"    "USER#{userId}"
pattern user(userId)    -> User?
pattern users_in(city)  -> User[]  page 20
"##,
};

pub(crate) fn check(model: &Model, diagnostics: &mut Vec<Diagnostic>) {
    // A model without patterns is not finished yet.
    if model.patterns.is_empty() {
        return;
    }
    let reads = Reads::of(model);
    for (at, table) in model.tables.iter().enumerate() {
        for (place, index) in table.indexes.iter().enumerate() {
            let mut members = model
                .entities
                .iter()
                .enumerate()
                .filter_map(|(own, entity)| {
                    let mut keys = entity.indexes.iter();
                    let key = keys.find(|key| entity.table == at && key.index == place)?;
                    Some((own, entity, key))
                });
            if reads
                .all
                .contains(&(table.name.as_str(), index.name.as_str()))
            {
                diagnostics.extend(members.filter_map(|of| unread(&reads, table, of)));
                continue;
            }
            let names: Vec<&str> = members
                .by_ref()
                .map(|(_, one, _)| one.name.as_str())
                .collect();
            let message = format!("no pattern reads {}", index.name);
            let cost = match names.as_slice() {
                [] => "no entity is in it, so it stays empty".to_owned(),
                some => format!("each write of {} pays for it once more", some.join(", ")),
            };
            diagnostics.push(
                Diagnostic::warning("KF032", index.span, message, cost)
                    .help("remove it, or declare the pattern that it is for"),
            );
        }
    }
}

/// What the plans of a model read of indexes.
#[derive(Default)]
struct Reads<'m> {
    /// The indexes, each with the name of its table.
    all: BTreeSet<(&'m str, &'m str)>,
    /// The same with the position of an entity whose own items are returned.
    of_entities: BTreeSet<(usize, &'m str, &'m str)>,
}

impl<'m> Reads<'m> {
    fn of(model: &'m Model) -> Reads<'m> {
        let mut reads = Reads::default();
        for pattern in &model.patterns {
            let items = pattern.returned.iter().filter(|one| one.copy.is_none());
            let entities: Vec<usize> = items.map(|one| one.entity).collect();
            for (_, plan) in pattern.plans() {
                reads.add(plan, &entities);
            }
        }
        let aggregates = model.entities.iter().flat_map(|entity| &entity.aggregates);
        for aggregate in aggregates {
            if let Some(plan) = &aggregate.next {
                reads.add(plan, &[aggregate.entity]);
            }
        }
        reads
    }

    fn add(&mut self, plan: &'m PatternPlan, entities: &[usize]) {
        if let Some(index) = &plan.index {
            self.all.insert((plan.table.as_str(), index.as_str()));
            let each = entities
                .iter()
                .map(|at| (*at, plan.table.as_str(), index.as_str()));
            self.of_entities.extend(each);
        }
    }

    /// Whether an entity is read by its key in an index.
    fn has(&self, own: usize, table: &'m Table, key: &IndexKey) -> bool {
        let index = table.indexes.get(key.index);
        index.is_some_and(|index| {
            let of = (own, table.name.as_str(), index.name.as_str());
            self.of_entities.contains(&of)
        })
    }
}

/// The warning about an entity's line of an index that patterns read for others.
fn unread<'m>(
    reads: &Reads<'m>,
    table: &'m Table,
    (own, entity, key): (usize, &Entity, &IndexKey),
) -> Option<Diagnostic> {
    let index = table.indexes.get(key.index)?;
    if !key.is_declared || reads.has(own, table, key) {
        return None;
    }
    // What the line makes may be a part of a key in another index, which has no line.
    let is_made_here = |name: &str| {
        index.columns().any(|column| column.name == name)
            && table.columns().all(|column| column.name != name)
    };
    let mut others = entity.indexes.iter().filter(|other| {
        let found = table.indexes.get(other.index);
        let made = found.filter(|_| !other.is_declared);
        made.is_some_and(|other| other.columns().any(|column| is_made_here(&column.name)))
    });
    if others.any(|other| reads.has(own, table, other)) {
        return None;
    }
    let message = format!("no pattern reads {} in {}", entity.name, index.name);
    let cost = format!("each write of {} pays for it once more", entity.name);
    Some(
        Diagnostic::warning("KF032", key.key.span, message, cost)
            .help("remove the line, or declare the pattern that it is for"),
    )
}

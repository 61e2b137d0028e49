//! The change from one model to another as a run sees it: the entities that both have, the kinds of stored
//! items in each, the work of each phase, and the changes that a run does not carry out.

use crate::arrivals::{Arrival, arrivals};
use keyfold_client::kinds::{Kind, Kinds, Role};
use keyfold_lower::kind_name::says_another;
use keyfold_lower::stored::value_of;
use keyfold_model::evolution::{
    Class, Evolution, Pair, Phase, Takes, Work, computed, evolve, moves, pairs,
};
use keyfold_model::schema::Aggregate;
use keyfold_model::{Entity, KeyTemplate, Model, Table, value};
use keyfold_types::Item;
use std::collections::BTreeSet;

/// The change from one model to another.
pub struct Course<'m> {
    /// The old model.
    pub old: &'m Model,
    /// The new model.
    pub new: &'m Model,
    /// The changes, with their phases.
    pub evolution: Evolution,
    pub(crate) pairs: Vec<Pair<'m>>,
    old_kinds: Vec<Kinds<'m>>,
    new_kinds: Vec<Kinds<'m>>,
    pub(crate) arrivals: Vec<Arrival<'m>>,
}

/// An aggregate that is computed of the items that are there.
#[derive(Debug, Clone)]
pub(crate) struct Kept<'m> {
    /// The entity of the new model that keeps it.
    pub(crate) parent: &'m Entity,
    /// The pairs of that entity: several where the items of several entities become its own.
    pub(crate) parents: BTreeSet<usize>,
    pub(crate) aggregate: &'m Aggregate,
    /// The pairs of the entity that it counts; none where no item of it is there.
    pub(crate) children: BTreeSet<usize>,
}

/// What a stored item is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Sort {
    /// The main item of a pair of entities, by its position.
    Main(usize),
    /// The main item of one pair for the old model, and of another for the new one.
    Either,
    /// Another item that one of the models knows.
    Known,
    /// An item of an entity of the old model that no entity of the new model takes.
    Untaken,
    /// An item of neither model.
    Unknown,
}

fn kinds(model: &Model) -> Vec<Kinds<'_>> {
    let tables = model.tables.iter().enumerate();
    tables
        .map(|(at, table)| Kinds::of(model, at, table))
        .collect()
}

/// The table of a model that a stored table is, or of which it is a period.
pub(crate) fn table_of<'m>(model: &'m Model, name: &str) -> Option<(usize, &'m Table)> {
    let mut tables = model.tables.iter().enumerate();
    tables.find(|(_, table)| match table.period {
        None => table.name == name,
        Some(_) => table.period_of(name).is_some(),
    })
}

impl<'m> Course<'m> {
    /// The change from the old model to the new one. Both are models without errors.
    pub fn of(old: &'m Model, new: &'m Model) -> Course<'m> {
        let mut course = Course {
            old,
            new,
            evolution: evolve(old, new),
            pairs: pairs(old, new),
            old_kinds: kinds(old),
            new_kinds: kinds(new),
            arrivals: Vec::new(),
        };
        course.arrivals = arrivals((old, new), &course.pairs, &course.expiring());
        course
    }

    /// The kind that an item of a table is of, for one of the models.
    fn kind<'k>(
        (model, kinds): (&Model, &'k [Kinds<'m>]),
        table: &str,
        item: &Item,
    ) -> Option<(&'k Kinds<'m>, &'k Kind)> {
        let kinds = kinds.get(table_of(model, table)?.0)?;
        let kind = kinds.kind_of(item)?;
        let is_it = !says_another(kinds.table, kind.name_of(kinds.table, item), item);
        is_it.then_some((kinds, kind))
    }

    /// The kind of an item for the old model.
    pub(crate) fn old_kind(&self, table: &str, item: &Item) -> Option<&Kind> {
        Some(Course::kind((self.old, &self.old_kinds), table, item)?.1)
    }

    /// The kind of an item for the new model.
    pub(crate) fn new_kind(&self, table: &str, item: &Item) -> Option<&Kind> {
        Some(Course::kind((self.new, &self.new_kinds), table, item)?.1)
    }

    /// The pair of an entity of the old model, by its position there.
    pub(crate) fn pair_of_old(&self, at: usize) -> Option<usize> {
        let entity = self.old.entities.get(at)?;
        self.pairs
            .iter()
            .position(|pair| pair.old.name == entity.name)
    }

    /// The pair that takes an item of an entity of the old model.
    fn pair_that_takes(&self, at: usize, item: &Item) -> Option<usize> {
        let entity = self.old.entities.get(at)?;
        let table = self.old.tables.get(entity.table)?;
        let mut all = self.pairs.iter().enumerate();
        let is_taken = |pair: &Pair<'_>| match pair.takes {
            Takes::All => true,
            Takes::Rest => false,
            Takes::Where(name, text) => {
                let held = value_of(table, entity, None, name, std::slice::from_ref(item));
                let held = held.ok().flatten();
                held.is_some_and(|held| value::display(&held) == text)
            }
        };
        let found = all.find(|(_, pair)| pair.old.name == entity.name && is_taken(pair));
        let rest = || {
            let mut all = self.pairs.iter();
            all.position(|pair| pair.old.name == entity.name && pair.takes == Takes::Rest)
        };
        found.map(|(at, _)| at).or_else(rest)
    }

    /// Whether two pairs are of one entity of the old model, or of the new one.
    fn are_of_one(&self, one: usize, two: usize) -> bool {
        let both = self.pairs.get(one).zip(self.pairs.get(two));
        both.is_some_and(|(one, two)| one.old.name == two.old.name || one.new.name == two.new.name)
    }

    /// The pairs of some entities of the new model.
    pub(crate) fn pairs_of(&self, entities: &[&Entity]) -> BTreeSet<usize> {
        let mut all = BTreeSet::new();
        for (at, pair) in self.pairs.iter().enumerate() {
            if entities.iter().any(|one| one.name == pair.new.name) {
                all.insert(at);
            }
        }
        all
    }

    /// A pair of an entity of the new model, by its position there. Any of them reads an item in the form of that
    /// model.
    pub(crate) fn pair_of_new(&self, at: usize) -> Option<usize> {
        let entity = self.new.entities.get(at)?;
        self.pairs
            .iter()
            .position(|pair| pair.new.name == entity.name)
    }

    /// What a stored item is, where the pairs of a phase are looked for.
    pub(crate) fn sort(&self, table: &str, item: &Item, wanted: &BTreeSet<usize>) -> Sort {
        let old = Course::kind((self.old, &self.old_kinds), table, item);
        let new = Course::kind((self.new, &self.new_kinds), table, item);
        if old.is_none() && new.is_none() {
            return Sort::Unknown;
        }
        let main = |found: Option<(&Kinds<'m>, &Kind)>| {
            let (kinds, kind) = found?;
            let is_part = kind
                .part_of(kinds.table, item)
                .is_some_and(|(_, at)| at > 0);
            (kind.role == Role::Main && !is_part).then_some(kind.at)
        };
        let (old, new) = (main(old), main(new));
        let of_old = old.and_then(|at| self.pair_that_takes(at, item));
        if of_old.is_none() && old.is_some_and(|at| self.pair_of_old(at).is_some()) {
            return Sort::Untaken;
        }
        let of_new = new.and_then(|at| self.pair_of_new(at));
        let is_wanted = |pair: Option<usize>| pair.filter(|pair| wanted.contains(pair));
        match (is_wanted(of_old), is_wanted(of_new)) {
            (Some(one), _) if new.is_none() || of_new == Some(one) => Sort::Main(one),
            // It lies where the new model keeps those of another entity that has items of the same one, or items of
            // another one become those of the same.
            (Some(one), _) if of_new.is_some_and(|two| self.are_of_one(one, two)) => {
                Sort::Main(one)
            }
            (_, Some(two)) if old.is_none() => Sort::Main(two),
            (Some(_), _) | (_, Some(_)) => Sort::Either,
            (None, None) => Sort::Known,
        }
    }

    /// The pairs whose items the work of a phase writes.
    pub(crate) fn written(&self, work: &[Work]) -> BTreeSet<usize> {
        let mut all = self.written_by(work);
        all.extend(self.pairs_of_dropped(work));
        all
    }

    /// The pairs of entities of which a phase deletes items.
    fn pairs_of_dropped(&self, work: &[Work]) -> Vec<usize> {
        let dropped = self.dropped(work);
        let is_it = |pair: &Pair<'_>| {
            let mut all = dropped.iter().filter_map(|at| self.old.entities.get(*at));
            all.any(|entity| entity.name == pair.old.name)
        };
        let pairs = self.pairs.iter().enumerate();
        pairs
            .filter(|(_, pair)| is_it(pair))
            .map(|(at, _)| at)
            .collect()
    }

    fn written_by(&self, work: &[Work]) -> BTreeSet<usize> {
        let entity = |one: &Work| match one {
            Work::Rewrite { entity }
            | Work::WriteBeside { entity, .. }
            | Work::Rekey { entity, .. }
            | Work::Settle { entity, .. }
            | Work::Compute { entity, .. } => self.new.entity(entity),
            Work::Drop { .. }
            | Work::AddTable(_)
            | Work::RemoveTable(_)
            | Work::AddIndex { .. }
            | Work::RemoveIndex { .. }
            | Work::UpdateTable(_)
            | Work::Expiry { .. }
            | Work::Rebuild { .. } => None,
        };
        self.pairs_of(&work.iter().filter_map(entity).collect::<Vec<_>>())
    }

    /// The entities of the old model of which a phase deletes items, by their positions.
    pub(crate) fn dropped(&self, work: &[Work]) -> BTreeSet<usize> {
        let entity = |one: &Work| {
            let Work::Drop { entity, .. } = one else {
                return None;
            };
            self.old.entities.iter().position(|own| own.name == *entity)
        };
        work.iter().filter_map(entity).collect()
    }

    /// The aggregates that are computed of the items that are there.
    pub(crate) fn computed(&self) -> Vec<Kept<'m>> {
        let mut all: Vec<Kept<'m>> = Vec::new();
        for pair in &self.pairs {
            // What several entities become keeps each aggregate once.
            let is_known = all.iter().any(|one| one.parent.name == pair.new.name);
            if pair.new.view.is_some() || is_known {
                continue;
            }
            for aggregate in computed(pair, &self.pairs) {
                if let Some(child) = self.new.entities.get(aggregate.entity) {
                    all.push(Kept {
                        parent: pair.new,
                        parents: self.pairs_of(&[pair.new]),
                        aggregate,
                        children: self.pairs_of(&[child]),
                    });
                }
            }
        }
        all
    }

    /// The tables whose expiry begins at the end, with its attribute.
    pub(crate) fn expiring(&self) -> Vec<(&'m Table, &'m str)> {
        let tables = self.new.tables.iter();
        let begins = |table: &&'m Table| {
            let mut work = self.phases().iter().flat_map(|phase| &phase.work);
            work.any(|one| {
                matches!(one, Work::Expiry { table: name, is_on: true, .. } if *name == table.name)
            })
        };
        let attribute = |table: &'m Table| Some((table, table.ttl_attribute.as_deref()?));
        tables.filter(begins).filter_map(attribute).collect()
    }

    /// The phases, in their order.
    pub fn phases(&self) -> &[Phase] {
        &self.evolution.phases
    }

    /// The changes that a run does not carry out, each as a sentence without its end. Nothing is written
    /// where there is one.
    pub fn refusals(&self) -> Vec<String> {
        let mut all = Vec::new();
        for change in &self.evolution.changes {
            if change.class == Class::Impossible {
                all.push(format!(
                    "{}: {}: {}",
                    change.what, change.how, change.reason
                ));
            }
        }
        for pair in self.pairs.iter().filter(|pair| pair.new.view.is_none()) {
            all.extend(exchanged(pair));
            all.extend(expired_by(pair));
            all.extend(unclear(pair));
        }
        all
    }
}

/// An attribute whose name was that of another attribute, where it is not seen which of both an item holds.
fn exchanged(pair: &Pair<'_>) -> Option<String> {
    let mut all = pair.new.attributes.iter();
    let found = all.find(|two| pair.takes_over(two) && !pair.shows_form(two))?;
    Some(format!(
        "{}: `{}` was `{}`, and another attribute was called `{}`: which of both an item holds is not seen, \
         since an item may lack `{1}`; rename one of them in a version of its own",
        pair.new.name,
        found.name,
        pair.old_name(&found.name),
        found.name
    ))
}

/// An attribute whose name the table takes for the moment of expiry, where it is not seen which of both an item holds.
fn expired_by(pair: &Pair<'_>) -> Option<String> {
    let (name, two) = pair.taken_for_expiry()?;
    let may_lack = pair.old.attribute(name).is_some_and(|one| one.optional);
    (may_lack && two.optional).then(|| {
        format!(
            "{}: `{}` is made of `{name}`, which becomes the moment of expiry: which of both an item holds is not seen, \
             since an item may lack `{name}`; expire by an attribute of another name, or do it in a version of its own",
            pair.new.name, two.name
        )
    })
}

/// An entity whose items move, where what a key says cannot be told by its texts.
fn unclear(pair: &Pair<'_>) -> Option<String> {
    let (old_table, new_table) = pair.tables()?;
    let is_elsewhere = old_table.name != new_table.name;
    if is_elsewhere && (old_table.period.is_some() || new_table.period.is_some()) {
        return Some(format!(
            "{}: its items go from {} to {}, of which one has a table for each period: `run` does not carry \
             that out yet",
            pair.new.name, old_table.name, new_table.name
        ));
    }
    let fields = pair.old.key.fields();
    let mut fields = fields.chain(pair.new.key.fields());
    let only_in_key = fields.any(|name| {
        value::is_left_out(pair.old, &pair.old.key, name)
            || value::is_left_out(pair.new, &pair.new.key, name)
    });
    if is_elsewhere || !moves(pair) || !only_in_key || !meets(pair.old, pair.new) {
        return None;
    }
    Some(format!(
        "{}: an item holds attributes in its key only, and a key of the new version can be one of the old \
         version: which of both an item has is not seen; store them beside the key in a version of its own",
        pair.new.name
    ))
}

/// Whether a key of one entity can be one of the other.
fn meets(one: &Entity, two: &Entity) -> bool {
    let common = |one: &KeyTemplate, two: &KeyTemplate| {
        one.is_bare() || two.is_bare() || one.language().common_text(&two.language()).is_some()
    };
    common(&one.key.partition, &two.key.partition)
        && match (&one.key.sort, &two.key.sort) {
            (Some(one), Some(two)) => common(one, two),
            (_, _) => true,
        }
}

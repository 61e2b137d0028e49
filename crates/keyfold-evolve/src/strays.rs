//! What items hold under names to which the new version gives a meaning that they had not in the old one: the key
//! attributes of a new index, the attribute of expiry, a new attribute.
//!
//! Nobody reads such a value before, and it stays where an earlier version has left it. Then the new version would read
//! it, have the item in an index where it does not belong, or the service would delete the item. In a table that the
//! backfill reads, items of both models lose key attributes and moments that the old version does not declare; all else
//! stands in the way.

use crate::arrivals::{Arrival, Means};
use crate::carry::Task;
use crate::course::{Course, Sort, table_of};
use crate::hands::{Hands, Stop};
use crate::problem::{Problem, ProblemKind};
use crate::threads::each;
use crate::wish::key_of;
use keyfold_model::{Entity, value};
use keyfold_types::Item;
use std::collections::BTreeSet;
use std::sync::{Mutex, PoisonError};

impl<'m> Course<'m> {
    /// The tables of the new model in which names get a meaning, by their positions.
    pub(crate) fn tables_of_arrivals(&self) -> BTreeSet<usize> {
        self.arrivals.iter().map(|one| one.table).collect()
    }

    /// All pairs.
    fn every_pair(&self) -> BTreeSet<usize> {
        (0..self.pairs.len()).collect()
    }

    /// What an item holds in the place of something else.
    fn held(&self, table: &str, item: &Item) -> Vec<&Arrival<'m>> {
        let at = table_of(self.new, table).map(|(at, _)| at);
        let all = self.arrivals.iter();
        all.filter(|one| Some(one.table) == at && one.is_held(item))
            .collect()
    }
}

impl<'m> Task<'_, 'm> {
    /// What a stored item is for the task: also the main item of another pair, where it is read and loses what it holds
    /// in the place of something else.
    pub(crate) fn sorted(&self, table: &str, item: &Item) -> Sort {
        let own = self.course.sort(table, item, &self.pairs);
        if own != Sort::Known || !self.reads(table) {
            return own;
        }
        let held = self.course.held(table, item);
        if held.is_empty() {
            return own;
        }
        match self.course.sort(table, item, &self.course.every_pair()) {
            Sort::Main(pair) if held.iter().any(|one| self.is_swept(pair, one)) => Sort::Main(pair),
            Sort::Main(_) | Sort::Either | Sort::Known | Sort::Untaken | Sort::Unknown => own,
        }
    }

    /// Whether the task reads a table, and sweeps it.
    fn reads(&self, table: &str) -> bool {
        let at = table_of(self.course.old, table).map(|(at, _)| at);
        let mut pairs = self
            .pairs
            .iter()
            .filter_map(|pair| self.course.pairs.get(*pair));
        self.sweeps && pairs.any(|pair| Some(pair.old.table) == at)
    }

    /// Whether items of a pair lose what they hold: nothing of either version has written it.
    fn is_swept(&self, pair: usize, arrival: &Arrival<'_>) -> bool {
        let is_named = matches!(arrival.means, Means::Attribute(..));
        let of = self.course.pairs.get(pair);
        !is_named
            && of.is_some_and(|of| {
                of.old.attribute(arrival.name).is_none() && !arrival.is_written_by(of.new)
            })
    }

    /// What stands in the way in an item that the task does not bring into the new form.
    pub(crate) fn stray(
        &self,
        hands: &Hands<'m>,
        table: &str,
        item: &Item,
    ) -> Result<Option<Problem>, Stop> {
        self.stray_of(hands, (table, item), |_| true)
    }

    fn stray_of(
        &self,
        hands: &Hands<'m>,
        (table, item): (&str, &Item),
        is_wanted: impl Fn(&Arrival<'m>) -> bool,
    ) -> Result<Option<Problem>, Stop> {
        let mut held = self.course.held(table, item);
        held.retain(|one| is_wanted(one));
        if held.is_empty() {
            return Ok(None);
        }
        let sort = self.course.sort(table, item, &self.course.every_pair());
        for arrival in held {
            if self.is_stray(hands, (table, item, sort), arrival)?
                && let Some(own) = self.table(table)
            {
                return Ok(Some(Problem {
                    kind: ProblemKind::LeftOver,
                    table: table.to_owned(),
                    key: key_of(own, item),
                    message: said(arrival, item, table),
                }));
            }
        }
        Ok(None)
    }

    fn is_stray(
        &self,
        hands: &Hands<'m>,
        (table, item, sort): (&str, &Item, Sort),
        arrival: &Arrival<'_>,
    ) -> Result<bool, Stop> {
        match sort {
            Sort::Main(pair) => {
                let is_written = self.pairs.contains(&pair)
                    || (self.reads(table) && self.is_swept(pair, arrival));
                if is_written {
                    return Ok(false);
                }
                match arrival.means {
                    Means::Attribute(of, _) => Ok(of == pair),
                    // Without it the item would be in the index, or deleted, by what it holds.
                    Means::Expiry | Means::Index(..) => {
                        match self.wish(hands, (pair, table, item))? {
                            Ok(wish) => {
                                let wanted = wish.target.as_ref().unwrap_or(&wish.main);
                                Ok(wanted.get(arrival.name) != item.get(arrival.name))
                            }
                            Err(_) => Ok(matches!(arrival.means, Means::Expiry)),
                        }
                    }
                }
            }
            // A copy or a guard; one that the old version has alone goes at the end, before expiry begins.
            Sort::Known => {
                let entity = self.course.new_kind(table, item);
                let entity = entity.and_then(|kind| self.course.new.entities.get(kind.at));
                let is_beside = |entity: &Entity| {
                    let own = self.course.pairs_of(&[entity]);
                    own.is_disjoint(&self.pairs) && entity.attribute(arrival.name).is_none()
                };
                let is_attribute = matches!(arrival.means, Means::Attribute(..));
                Ok(!is_attribute && entity.is_some_and(is_beside))
            }
            // Another model may have items in its indexes.
            Sort::Unknown => Ok(matches!(arrival.means, Means::Expiry)),
            Sort::Either | Sort::Untaken => Ok(false),
        }
    }
}

/// What is wrong, as a sentence without its end.
fn said(arrival: &Arrival<'_>, item: &Item, table: &str) -> String {
    let held = item
        .get(arrival.name)
        .map_or_else(String::new, value::shown);
    let name = arrival.name;
    match arrival.means {
        Means::Expiry => format!(
            "it holds `{name}` = {held}, and items of {table} expire by `{name}` at the end, where the new model writes \
             nothing else of this item: it would be deleted; remove the attribute from it, or choose another one for \
             expiry"
        ),
        Means::Index(_, index) => format!(
            "it holds `{name}` = {held}, which is a key of the new index {index}, where the new model has no such item: \
             remove the attribute from it, or choose another key for the index"
        ),
        Means::Attribute(_, kind) => format!(
            "it holds `{name}` = {held}, which is no value of {kind}: an earlier version, or another program, has left \
             it; remove the attribute from it, or choose another name"
        ),
    }
}

/// The items of a table that expiry would delete, though the new model does not let them expire so. Nothing is to be
/// written any more.
pub(crate) fn strays_in<'m>(
    course: &Course<'m>,
    hands: &Hands<'m>,
    table: &str,
) -> Result<Vec<Problem>, Stop> {
    let task = Task {
        course,
        pairs: BTreeSet::new(),
        dropped: BTreeSet::new(),
        deletes_leftovers: false,
        sweeps: false,
        shares: None,
        guard: None,
    };
    let of = hands.options.segments.max(1);
    let all = Mutex::new(Vec::new());
    each(of, |segment| {
        let mut after = None;
        loop {
            hands.check()?;
            let page = hands.page(table, (segment, of), after.take())?;
            for item in &page.items {
                let is_wanted = |one: &Arrival<'m>| matches!(one.means, Means::Expiry);
                if let Some(problem) = task.stray_of(hands, (table, item), is_wanted)? {
                    all.lock()
                        .unwrap_or_else(PoisonError::into_inner)
                        .push(problem);
                }
            }
            after = page.last;
            if after.is_none() {
                return Ok(());
            }
        }
    })?;
    Ok(all.into_inner().unwrap_or_else(PoisonError::into_inner))
}

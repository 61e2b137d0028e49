//! What the items that are there give to aggregates: counts, sums and greatest values, by the place of the
//! entity that keeps them.

use crate::course::{Course, Kept};
use crate::decode::{Fault, Moment, some};
use crate::problem::ProblemKind;
use keyfold_lower::arguments::Values;
use keyfold_lower::derive::Place;
use keyfold_lower::order;
use keyfold_lower::write::Contribution;
use keyfold_model::evolution::Pair;
use keyfold_model::schema::{Aggregate, AggregateKind};
use keyfold_types::{Item, Sum, Value};
use sha2::{Digest, Sha256};
use std::collections::{BTreeMap, BTreeSet};
use std::sync::{Mutex, MutexGuard, PoisonError};

/// What an item has beside its aggregates: names, with their values; `None` where it has none.
pub(crate) type Hidden = Vec<(String, Option<Value>)>;

/// The items that one aggregate of one entity counts.
#[derive(Debug, Clone, Default)]
struct Share {
    count: i64,
    sum: Sum,
    greatest: Option<Value>,
    /// Whether the entity that keeps it was found.
    is_met: bool,
}

impl Share {
    fn of(kind: AggregateKind, held: Value) -> Share {
        let mut share = Share {
            count: 1,
            ..Share::default()
        };
        match (kind, held) {
            (AggregateKind::Sum, Value::N(number)) => share.sum.add(&number),
            (AggregateKind::Max, held) => share.greatest = Some(held),
            (AggregateKind::Count | AggregateKind::Sum, _) => {}
        }
        share
    }

    fn join(&mut self, other: Share) {
        self.count += other.count;
        self.sum.join(&other.sum);
        if let Some(held) = other.greatest {
            let is_greater = |known: &Value| order(&held, known).is_some_and(|one| one.is_gt());
            if self.greatest.as_ref().is_none_or(is_greater) {
                self.greatest = Some(held);
            }
        }
    }
}

/// The place of an entity, and the number of an aggregate that it keeps.
type Of = (u128, usize);

/// What the items of a pass give to aggregates. A pass is about the entities whose places, as digests, lie
/// in a range: as many as there is room for.
pub(crate) struct Shares<'m> {
    kept: Vec<Kept<'m>>,
    from: u128,
    held: Mutex<Held>,
    most: usize,
}

#[derive(Default)]
struct Held {
    all: BTreeMap<Of, Share>,
    /// Where the next pass begins.
    until: Option<u128>,
}

impl<'m> Shares<'m> {
    /// A pass over those from a digest on, that holds at most `most` shares.
    pub(crate) fn new(kept: &[Kept<'m>], from: u128, most: usize) -> Shares<'m> {
        Shares {
            kept: kept.to_vec(),
            from,
            held: Mutex::default(),
            most,
        }
    }

    fn held(&self) -> MutexGuard<'_, Held> {
        self.held.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Whether aggregates of a pair are computed.
    pub(crate) fn keeps(&self, pair: usize) -> bool {
        self.kept.iter().any(|one| one.parents.contains(&pair))
    }

    /// The pairs whose items are counted.
    pub(crate) fn children(&self) -> BTreeSet<usize> {
        let all = self.kept.iter();
        all.flat_map(|one| one.children.clone()).collect()
    }

    /// Where the next pass begins; `None` where there is none.
    pub(crate) fn until(&self) -> Option<u128> {
        self.held().until
    }

    /// Adds what the items of a page give, each with the pair whose main item it is. Returns the items that
    /// cannot be read.
    pub(crate) fn add<'i>(
        &self,
        course: &Course<'m>,
        items: &[(usize, &'i Item)],
        moment: Moment,
    ) -> Vec<(usize, &'i Item, Fault)> {
        let (mut page, mut wrong): (BTreeMap<Of, Share>, _) = (BTreeMap::new(), Vec::new());
        for (pair, item) in items {
            for (at, kept) in self.kept.iter().enumerate() {
                if !kept.children.contains(pair) {
                    continue;
                }
                match given(course, (kept, *pair), item, moment) {
                    Ok(Some((digest, held))) => {
                        let share = Share::of(kept.aggregate.kind, held);
                        page.entry((digest, at)).or_default().join(share);
                    }
                    Ok(None) => {}
                    Err(fault) => wrong.push((*pair, *item, fault)),
                }
            }
        }
        let mut held = self.held();
        for (of, share) in page {
            let is_due = of.0 >= self.from && held.until.is_none_or(|until| of.0 < until);
            if is_due {
                held.all.entry(of).or_default().join(share);
            }
        }
        if held.all.len() > self.most {
            let middle = held.all.keys().nth(self.most / 2).map(|of| of.0);
            // One entity has few aggregates: a pass holds at least those of one.
            if let Some(middle) = middle.filter(|middle| *middle > self.from) {
                held.all.split_off(&(middle, 0));
                held.until = Some(middle);
            }
        }
        wrong
    }

    /// Whether an entity is one of this pass. One whose place is not known is: it is reported.
    pub(crate) fn is_due(
        &self,
        course: &Course<'m>,
        pair: usize,
        main: &Item,
        moment: Moment,
    ) -> bool {
        let until = self.until();
        if self.from == 0 && until.is_none() {
            return true;
        }
        let Some(of) = course.pairs.get(pair) else {
            return true;
        };
        let names = of
            .new
            .key
            .fields()
            .chain(of.new.period_attribute.as_deref());
        let values = some(of, names, main, moment);
        let place = values.ok().and_then(|values| place(of, &values));
        place.is_none_or(|digest| digest >= self.from && until.is_none_or(|until| digest < until))
    }

    /// Sets the computed aggregates among the values of an entity, and returns what it has beside them.
    pub(crate) fn set(
        &self,
        pair: usize,
        of: &Pair<'_>,
        values: &mut Values,
    ) -> Result<Hidden, Fault> {
        let mut hidden = Hidden::new();
        if !self.keeps(pair) {
            return Ok(hidden);
        }
        let Some(digest) = place(of, values) else {
            return Err((ProblemKind::Value, "it has no key".to_owned()));
        };
        for (at, kept) in self.kept.iter().enumerate() {
            if !kept.parents.contains(&pair) {
                continue;
            }
            let share = match self.held().all.get_mut(&(digest, at)) {
                Some(share) => {
                    share.is_met = true;
                    share.clone()
                }
                None => Share::default(),
            };
            let aggregate = kept.aggregate;
            match value(aggregate, &share)? {
                Some(held) => drop(values.insert(aggregate.attribute.clone(), held)),
                None => drop(values.remove(&aggregate.attribute)),
            }
            hidden.extend(beside(of, aggregate, &share));
        }
        Ok(hidden)
    }

    /// The places of entities that items refer to, and that were not found.
    pub(crate) fn unmet(&self) -> BTreeSet<u128> {
        let held = self.held();
        let unmet = held.all.iter().filter(|(_, share)| !share.is_met);
        unmet.map(|(of, _)| of.0).collect()
    }

    /// The entity that is not found and that counts an item, in words.
    pub(crate) fn lacking(
        &self,
        course: &Course<'m>,
        (pair, item): (usize, &Item),
        moment: Moment,
        unmet: &BTreeSet<u128>,
    ) -> Option<String> {
        let mut own = self.kept.iter().filter(|one| one.children.contains(&pair));
        own.find_map(|kept| {
            let (digest, _) = given(course, (kept, pair), item, moment).ok()??;
            unmet.contains(&digest).then(|| {
                format!(
                    "{} counts it in {}, and that item is not there",
                    kept.parent.name, kept.aggregate.attribute
                )
            })
        })
    }
}

/// The digest of a key.
pub(crate) fn digest(table: &str, key: &Item) -> u128 {
    let mut hash = Sha256::new();
    hash.update((table.len() as u64).to_be_bytes());
    hash.update(table.as_bytes());
    hash.update(keyfold_codec::RawItem::encode(key).bytes());
    let all = hash.finalize();
    let mut first = [0_u8; 16];
    first.copy_from_slice(all.get(..16).unwrap_or(&[0; 16]));
    u128::from_be_bytes(first)
}

/// The digest of the place where an entity with these values lies in the new version.
fn place(of: &Pair<'_>, values: &Values) -> Option<u128> {
    let place = Place::of(of.new_model, of.new, values).ok()?;
    Some(digest(&place.table_name, &place.key))
}

/// What an item gives to an aggregate: the place of the entity that keeps it, and the value.
fn given(
    course: &Course<'_>,
    (kept, child): (&Kept<'_>, usize),
    item: &Item,
    moment: Moment,
) -> Result<Option<(u128, Value)>, Fault> {
    // The place of the entity that keeps it is one of the new version, which all of its pairs say.
    let parent = kept.parents.first().and_then(|at| course.pairs.get(*at));
    let (Some(child), Some(parent)) = (course.pairs.get(child), parent) else {
        return Ok(None);
    };
    let aggregate = kept.aggregate;
    let of = aggregate.of.iter().map(String::as_str);
    let condition = aggregate.condition.iter().map(|(name, _)| name.as_str());
    let names = aggregate.link.iter().map(|(_, name)| name.as_str());
    let values = some(child, names.chain(of).chain(condition), item, moment)?;
    let Some(given) = Contribution::of(aggregate, &values) else {
        return Ok(None);
    };
    Ok(place(parent, &given.parent).map(|digest| (digest, given.value)))
}

/// An aggregate of the items of a share; `None` where it has no value.
fn value(aggregate: &Aggregate, share: &Share) -> Result<Option<Value>, Fault> {
    match aggregate.kind {
        AggregateKind::Count => Ok(Some(Value::from(share.count))),
        AggregateKind::Max => Ok(share.greatest.clone()),
        AggregateKind::Sum => match share.sum.number() {
            Ok(number) => Ok(Some(Value::N(number))),
            Err(error) => Err((
                ProblemKind::Value,
                format!(
                    "{}, the sum of its items, is no number: {error}",
                    aggregate.attribute
                ),
            )),
        },
    }
}

/// What the model keeps beside an aggregate, and what it kept beside one of the same name.
fn beside(of: &Pair<'_>, aggregate: &Aggregate, share: &Share) -> Hidden {
    let mut all = Hidden::new();
    let (items, changes) = (aggregate.items_attribute(), aggregate.changes_attribute());
    if items != aggregate.attribute {
        // A number that has never changed is not stored.
        let held = (share.count != 0).then(|| Value::from(share.count));
        all.push((items, held));
    }
    let mut former = of.old.aggregates.iter();
    if let Some(former) = former.find(|one| one.attribute == aggregate.attribute) {
        let stale = former.items_attribute();
        if stale != former.attribute && aggregate.kind == AggregateKind::Count {
            all.push((stale, None));
        }
        if aggregate.kind != AggregateKind::Max {
            all.push((changes, None));
        }
    }
    all
}
